"""Nodes of a floor that do what the test says: real websockets on loopback, and no service."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

from progressive.client.connection import LOOK_SECONDS, SUBPROTOCOL

TABLE: Final = "BJ-01"
KEY: Final = "a key"
Message = dict[str, Any]
Answers = Callable[[Message], Sequence[Message | str]]
"""A table's message to what is sent for it; a text is sent as it is."""


def welcome(next_seq: int = 1, **other: object) -> Message:
    """A link in service with no bets, unless told otherwise."""
    return {
        "type": "welcome",
        "table": TABLE,
        "link": "main",
        "epoch": 1,
        "next_seq": next_seq,
        "round": None,
        "bets": [],
        "meters": [],
        "state": "live",
        **other,
    }


def locked(message: Message, **other: object) -> Message:
    """The answer to a lock-out."""
    seq = message["seq"]
    return {
        "type": "locked",
        "seq": seq,
        "round": message["round"],
        "journal_seq": 100 + seq,
        "meters": [],
        **other,
    }


def refused(message: Message, code: str, **other: object) -> Message:
    """A message that changed nothing."""
    return {"type": "error", "seq": message["seq"], "code": code, "message": "no", **other}


class ScriptedNode:
    """One node. `greet` says what a table hears first, or the code and reason it is closed with."""

    def __init__(self) -> None:
        self.url = ""
        self.greet: Callable[[], Message | tuple[int, str] | None] = welcome
        self.answers: Answers = lambda message: [locked(message)]
        self.came: list[Message] = []
        self.keys: list[str] = []
        self.sockets: list[web.WebSocketResponse] = []
        self.connections = 0

    def closes_with(self, code: int, reason: str = "") -> None:
        """From now on, whoever comes."""
        self.greet = lambda: (code, reason)

    async def hang_up(self, code: int = 1001, reason: str = "") -> None:
        for socket in list(self.sockets):
            await socket.close(code=code, message=reason.encode())

    async def cut(self) -> None:
        """Without a word."""
        for socket in list(self.sockets):
            assert socket._req is not None
            transport = socket._req.transport
            if transport is not None:
                transport.abort()

    async def tell(self, message: Message) -> None:
        for socket in self.sockets:
            await socket.send_json(message)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.connections += 1
        self.keys.append(request.headers.get("Authorization", ""))
        socket = web.WebSocketResponse(protocols=(SUBPROTOCOL,), autoping=False)
        await socket.prepare(request)
        greeting = self.greet()
        if isinstance(greeting, tuple):
            await socket.close(code=greeting[0], message=greeting[1].encode())
            return socket
        self.sockets.append(socket)
        try:
            if greeting is not None:
                await socket.send_json(greeting)
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    message = msgspec.json.decode(frame.data)
                    self.came.append(message)
                    for answer in self.answers(message):
                        if isinstance(answer, str):
                            await socket.send_str(answer)
                        else:
                            await socket.send_json(answer)
        except ConnectionError:
            pass
        finally:
            self.sockets.remove(socket)
        return socket


@asynccontextmanager
async def a_node(port: int = 0) -> AsyncIterator[ScriptedNode]:
    node = ScriptedNode()
    app = web.Application()
    app.router.add_get(f"/v1/tables/{TABLE}/socket", node.handle)
    async with TestServer(app, port=port, shutdown_timeout=0.1) as server:
        node.url = str(server.make_url("")).rstrip("/")
        yield node
        with contextlib.suppress(ConnectionError):
            await node.hang_up()


class TurnedTime:
    """`ClientTime`. Waits between tries pass at once and are noted; looks at a connection's silence
    come when the test turns the clock."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._now = 0.0
        self._looks: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if seconds == LOOK_SECONDS:
            look: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._looks.append((self._now + seconds, look))
            await look
            return
        self.waits.append(seconds)
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self._now += seconds
        for due, look in self._looks:
            if due <= self._now and not look.done():
                look.set_result(None)
        self._looks = [each for each in self._looks if not each[1].done()]


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that is bound to happen; the limit is a net for a hung test."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)
