"""The hub on the event loops it really runs on: they differ where a connection is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from progressive.live.frames import text_frame
from progressive.live.hub import Hub
from progressive.runtime import event_loop
from tests.live.test_hub import FakeEncoding

Run = Callable[[Coroutine[Any, Any, None]], None]


class Connection(asyncio.Protocol):
    """The server's end of one connection."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set()


Sign = tuple[Connection, asyncio.StreamReader, asyncio.StreamWriter]


async def with_two_signs(body: Callable[[Hub[int], Sign, Sign], Awaitable[None]]) -> None:
    made: list[Connection] = []

    def make() -> Connection:
        made.append(Connection())
        return made[-1]

    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    hub = Hub(0, FakeEncoding())
    signs: list[Sign] = []
    for number in (1, 2):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while len(made) < number:
            await asyncio.sleep(0)
        signs.append((made[-1], reader, writer))
        hub.join(made[-1].transport, f"sign-{number}")
    try:
        await body(hub, signs[0], signs[1])
    finally:
        for connection, _, writer in signs:
            writer.close()
            connection.transport.abort()
            await connection.lost.wait()
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("run", [asyncio.run, event_loop.run], ids=["asyncio", "fast"])
def test_connection_that_is_gone_stops_nobody_elses_feed(run: Run) -> None:
    async def body(hub: Hub[int], gone: Sign, other: Sign) -> None:
        gone[2].transport.abort()
        gone[0].transport.abort()
        await gone[0].lost.wait()
        hub.publish(1)
        await hub.flush()
        hub.announce(b"win")
        hub.publish(2)
        await hub.flush()
        expected = b"".join(map(text_frame, (b"snapshot 0", b"update 1", b"win", b"update 2")))
        assert await other[1].readexactly(len(expected)) == expected

    run(with_two_signs(body))
