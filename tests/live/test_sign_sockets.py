"""The door: a sign says what it shows, a relay speaks for many, and nobody says anything else."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from progressive.live import sign_sockets
from progressive.live.hub import Hub
from progressive.live.sign_sockets import SignSockets
from progressive.wire.feed_messages import Showing


class Numbers:
    """Views are numbers."""

    def snapshot(self, view: int, after: tuple[int, int] | None = None) -> bytes:
        return f'{{"view":{view},"after":{list(after or ())}}}'.encode()

    def update(self, view: int) -> bytes:
        return b"update"

    def tick(self, view: int) -> bytes:
        return b"tick"


class Door:
    """A door with one link, `main`, and a keyed sign, `keyed`."""

    def __init__(self) -> None:
        self.noted: asyncio.Queue[tuple[str, Showing, int]] = asyncio.Queue()
        self.hub: Hub[int] = Hub(5, Numbers(), paced=False)
        self.sockets: SignSockets[int] = SignSockets(
            {"main": self.hub}.get, self.on_showing, self.admits
        )
        self.url = ""

    def on_showing(self, sign: str, showing: Showing, *, age_ms: int) -> None:
        self.noted.put_nowait((sign, showing, age_ms))

    async def admits(self, request: web.Request, sign: str) -> bool:
        if sign == "unsure":
            raise web.HTTPServiceUnavailable
        return sign != "keyed" or request.headers.get("Authorization") == "Bearer right"

    @asynccontextmanager
    async def feed(
        self, query: str = "", key: str | None = None
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{self.url}/v1/links/main/feed{query}", headers=headers) as feed,
        ):
            yield feed


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    door = Door()
    app = web.Application()
    app.router.add_get("/v1/links/{link}/feed", door.sockets.handle)
    async with TestServer(app) as server:
        door.url = str(server.make_url("")).rstrip("/")
        door.hub.start()
        door.sockets.start()
        yield door
        await door.hub.stop()
        await door.sockets.close()


async def closed_with(feed: aiohttp.ClientWebSocketResponse) -> int | None:
    async for _ in feed:
        pass
    return feed.close_code


async def test_reader_names_its_place(door: Door) -> None:
    async with door.feed("?epoch=3&seq=14") as feed:
        assert await feed.receive_json() == {"view": 5, "after": [3, 14]}
    async with door.feed("?epoch=3&seq=x") as feed:
        assert await feed.receive_json() == {"view": 5, "after": []}


async def test_sign_speaks_for_itself(door: Door) -> None:
    async with door.feed("?sign=wall") as feed:
        await feed.send_str('{"type":"showing","seq":9,"state":"ageing"}')
        assert await door.noted.get() == ("wall", Showing("showing", 9, 0, "ageing"), 0)


async def test_relay_speaks_for_its_signs(door: Door) -> None:
    async with door.feed("?relay=north") as feed:
        await feed.send_str(
            '{"type":"showings","reports":[{"sign":"a","seq":1,"age_ms":50},{"sign":"b","seq":2}]}'
        )
        assert await door.noted.get() == ("a", Showing("showing", 1), 50)
        assert await door.noted.get() == ("b", Showing("showing", 2), 0)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("?sign=wall", '{"type":"showings","reports":[]}'),
        ("", '{"type":"showings","reports":[]}'),
        ("?relay=-", '{"type":"showings","reports":[]}'),
        ("?relay=north", '{"type":"showing","seq":1}'),
        ("?relay=north&sign=wall", '{"type":"showing","seq":1}'),
        ("?relay=north", "junk"),
        ("?relay=north", '{"type":"showings","reports":[{"sign":"a b","seq":1}]}'),
    ],
)
async def test_anything_else_closes_with_4400(door: Door, query: str, said: str) -> None:
    async with door.feed(query) as feed:
        await feed.send_str(said)
        assert await closed_with(feed) == 4400
    assert door.noted.empty()


async def test_relay_that_talks_too_much_is_closed(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_sockets, "RELAY_BURST", 3.0)
    monkeypatch.setattr(sign_sockets, "RELAY_MESSAGES_A_SECOND", 0.0)
    async with door.feed("?relay=north") as feed:
        for _ in range(4):
            await feed.send_str('{"type":"showings","reports":[{"sign":"a","seq":1}]}')
        assert await closed_with(feed) == 4400
    assert door.noted.qsize() == 3


async def test_keyed_sign_is_spoken_for_only_with_its_key(door: Door) -> None:
    async with door.feed("?sign=keyed", key="wrong") as feed:
        assert await closed_with(feed) == 4401
    async with door.feed("?sign=keyed") as feed:
        assert await closed_with(feed) == 4401
    assert door.hub.outboxes == frozenset()
    async with door.feed("?sign=keyed", key="right") as feed:
        await feed.receive()
        assert [box.sign for box in door.hub.outboxes] == ["keyed"]


async def test_amounts_are_no_secret(door: Door) -> None:
    async with door.feed(key="wrong") as feed:
        assert (await feed.receive_json())["view"] == 5


async def test_who_cannot_tell_lets_nobody_in_and_says_so(door: Door) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with door.feed("?sign=unsure"):
            pass
    assert refused.value.status == 503


async def test_reports_on_a_keyed_sign_count_only_with_a_key(door: Door) -> None:
    said = '{"type":"showings","reports":[{"sign":"keyed","seq":1},{"sign":"open","seq":2}]}'
    async with door.feed("?relay=north") as feed:
        await feed.send_str(said)
        assert (await door.noted.get())[0] == "open"
    async with door.feed("?relay=north", key="right") as feed:
        await feed.send_str(said)
        assert (await door.noted.get())[0] == "keyed"
