"""An upstream that says what the test tells it to, and remembers what it was asked and told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from progressive.wire.codec import encode
from progressive.wire.feed_messages import FeedMessage, Snapshot
from tests.support.feeds import History, snapshot

CARD = {
    "id": "entrance",
    "name": "Entrance",
    "link": "main",
    "link_name": "Main pit",
    "floor_name": "Boardwalk Casino",
    "currency": "USD",
}
POSTED = {"link": "main", "bets": [{"id": "blazing7"}]}


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that is bound to happen; the limit is a net for a hung test."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


class ScriptedUpstream:
    """One link, `main`. `greeting` is said to whoever connects; None lets them wait."""

    def __init__(self, greeting: Snapshot | None = None) -> None:
        self.greeting = greeting if greeting is not None else snapshot(History().last)
        self.url = ""
        self.cards: list[dict[str, Any]] | None = [CARD]
        self.keys: dict[str, str] = {}
        self.refuse: Callable[[web.Request], web.Response | None] = lambda _: None
        self.send_away: tuple[int, str] | None = None
        self.feeds: list[web.WebSocketResponse] = []
        self.asked: list[web.Request] = []
        self.said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def asked_for(self, path: str) -> list[web.Request]:
        return [request for request in self.asked if request.path == path]

    @property
    def handshakes(self) -> list[web.Request]:
        return self.asked_for("/v1/links/main/feed")

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator["ScriptedUpstream"]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        # aiohttp waits for open sockets at its stop; a test's upstream just goes.
        async with TestServer(app, port=port, shutdown_timeout=0.1) as server:
            self.url = str(server.make_url("")).rstrip("/")
            try:
                yield self
            finally:
                await self.hang_up()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    async def tell(self, *messages: FeedMessage) -> None:
        """To everybody who listens."""
        for feed in self.feeds:
            for message in messages:
                await feed.send_str(encode(message).decode())

    async def hang_up(self, code: int = 1001, reason: str = "") -> None:
        for feed in list(self.feeds):
            await feed.close(code=code, message=reason.encode())

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        if (refusal := self.refuse(request)) is not None:
            return refusal
        match request.path:
            case "/v1/links":
                link = {"id": "main", "name": "Main pit", "meters": [], "bets": ["as it is"]}
                return web.json_response({"links": [link]})
            case "/v1/signs" if self.cards is not None:
                return web.json_response({"signs": self.cards})
            case "/v1/links/main/posted":
                return web.json_response(POSTED, headers={"ETag": '"posted"'})
            case "/v1/links/main/feed":
                return await self._feed(request)
            case path if path.endswith("/admission"):
                sign = path.split("/")[3]
                right = request.headers.get("Authorization") == f"Bearer {self.keys.get(sign)}"
                return web.Response(status=204 if right else 401)
        return web.Response(status=404)

    async def _feed(self, request: web.Request) -> web.StreamResponse:
        feed = web.WebSocketResponse(timeout=0.1)
        await feed.prepare(request)
        if self.send_away is not None:
            await feed.close(code=self.send_away[0], message=self.send_away[1].encode())
            return feed
        await feed.send_str(encode(self.greeting).decode())
        self.feeds.append(feed)
        try:
            async for frame in feed:
                if frame.type is aiohttp.WSMsgType.TEXT:
                    self.said.put_nowait(json.loads(frame.data))
        finally:
            self.feeds.remove(feed)
        return feed
