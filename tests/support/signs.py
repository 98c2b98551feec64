"""Signs on a wall for tests: one server for many, and feeds that say what a test tells them.

Each sign of a test has a link of its own, so that tests share the server and nothing else.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any, Self

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.test_utils import TestServer
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    WebSocket,
    expect,
)

from display.pages import sign_routes
from progressive.domain.rulebook.line_names import line_names
from progressive.wire.signs import SignCard
from tests.support.browser import EXPECT_MS

Frame = dict[str, Any]
Size = tuple[int, int]

AT = "2026-03-01T20:14:22Z"
SIZES: tuple[Size, ...] = ((1280, 720), (1080, 1920), (3840, 2160))
TICK_SECONDS = 0.25
LOST_CONTACT = ("WebSocket connection to", "Failed to load resource", "ERR_")
_WATCH_POLICY = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""

MEGA, MAJOR, MINOR = 10_341_720, 1_527_405, 301_833


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(EXPECT_MS / 1000):
        while not condition():
            await asyncio.sleep(0.02)


def three_meters() -> list[Frame]:
    return [
        {"id": "mega", "name": "Mega", "cents": MEGA},
        {"id": "major", "name": "Major", "cents": MAJOR},
        {"id": "minor", "name": "Minor", "cents": MINOR},
    ]


def snapshot(seq: int = 10, *, epoch: int = 3, **fields: object) -> Frame:
    frame = {"type": "snapshot", "epoch": epoch, "seq": seq, "at": AT, "state": "live"}
    return frame | {"meters": three_meters(), "wins": [], "reason": None, "age_ms": 0} | fields


def update(seq: int, *, epoch: int = 3, **cents: int) -> Frame:
    meters = [{"id": meter, "cents": value} for meter, value in cents.items()]
    return {"type": "update", "epoch": epoch, "seq": seq, "at": AT, "meters": meters}


def tick(seq: int, *, epoch: int = 3, at: str = AT) -> Frame:
    return {"type": "tick", "epoch": epoch, "seq": seq, "at": at}


def win(award: str, seq: int = 11, **fields: object) -> Frame:
    frame = {"type": "win", "epoch": 3, "seq": seq, "at": AT, "award": award, "table": "BJ-03"}
    details = {"seat": 5, "meter": "mega", "amount_cents": MEGA, "next_cents": 2_518_360}
    line = str(fields.get("line", "three_7_diamonds"))
    return frame | details | {"line": line, "line_names": line_names(line)} | fields


class ScriptedFeed:
    """The sign feed of one link; `greeting` is what the next connection hears first."""

    def __init__(self, link: str) -> None:
        self.link = link
        self.greeting: list[Frame] = [snapshot()]
        self.ticking = True
        self.accepting = True
        self.tick = tick(10)
        self.asked: list[str] = []
        self.heard: list[tuple[float, Frame]] = []
        self.posted: Frame | None = None
        self._sockets: set[web.WebSocketResponse] = set()
        self._at = datetime.fromisoformat(AT)

    @property
    def connections(self) -> int:
        return len(self._sockets)

    @property
    def showings(self) -> list[Frame]:
        return [message for _, message in self.heard]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(str(request.rel_url))
        if not self.accepting:
            return web.Response(status=503)
        socket = web.WebSocketResponse(timeout=0.2)
        # A page may be gone again before it is answered.
        with contextlib.suppress(ConnectionError):
            await socket.prepare(request)
            for frame in self.greeting:
                await socket.send_json({"link": self.link, **frame})
        if not socket.prepared or socket.closed:
            return socket
        self._sockets.add(socket)
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    now = asyncio.get_running_loop().time()
                    self.heard.append((now, json.loads(message.data)))
        finally:
            self._sockets.discard(socket)
        return socket

    async def send(self, *frames: Frame | str | bytes) -> None:
        for frame in frames:
            if isinstance(frame, dict):
                self._let_ticks_follow(frame)
                if frame.get("type") == "tick" and frame.get("at") == AT:
                    frame = frame | {"at": self._later()}
                frame = json.dumps({"link": self.link, **frame})
            for socket in list(self._sockets):
                with contextlib.suppress(ConnectionError):
                    if isinstance(frame, bytes):
                        await socket.send_bytes(frame)
                    else:
                        await socket.send_str(frame)

    def _later(self) -> str:
        """The service's clock: no two ticks are alike, or the second were only a repetition."""
        self._at += timedelta(milliseconds=1)
        return self._at.isoformat().replace("+00:00", "Z")

    def _let_ticks_follow(self, frame: Frame) -> None:
        place = (frame.get("epoch"), frame.get("seq"))
        known = all(isinstance(part, int) for part in place) and frame.get("type") == "update"
        if known and place > (self.tick["epoch"], self.tick["seq"]):
            self.tick = self.tick | {"epoch": place[0], "seq": place[1]}

    async def drop(self) -> None:
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY)


class Glass:
    """A sign as a guest, a test or a tool sees it."""

    def __init__(self, page: Page, feed: ScriptedFeed) -> None:
        self.page = page
        self.feed = feed
        self.body = page.locator("body")
        self.status = page.locator("#headline")
        self.takeover = page.locator("#takeover")
        self.names = page.locator("#meters .name")
        self.amounts = page.locator("#meters .amount")
        self.complaints: list[str] = []
        self.may_lose_contact = False
        """The browser itself writes a line for each attempt to reach a service that is down."""
        self._frames = 0
        page.on("websocket", self._follow)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _listen(self, message: ConsoleMessage) -> None:
        # The last is playwright's own, where a test has no use for the service worker.
        if message.type not in ("error", "warning") or "blocked by Playwright" in message.text:
            return
        if not (self.may_lose_contact and any(mark in message.text for mark in LOST_CONTACT)):
            self.complaints.append(f"{message.type}: {message.text}")

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._count)

    def _count(self, _: str | bytes) -> None:
        self._frames += 1

    def amount(self, meter: str) -> Locator:
        return self.page.locator(f'#layout [data-meter="{meter}"] .amount')

    def won(self, part: str) -> Locator:
        return self.page.locator(f".takeover-{part}")

    async def wait_state(self, state: str) -> None:
        await expect(self.body).to_have_attribute("data-state", state)

    async def wait_target(self, meter: str, cents: int) -> None:
        """The newest durable amount has arrived; the digits may still be on their way."""
        await expect(self.amount(meter)).to_have_attribute("data-target-cents", str(cents))

    async def wait_reads(self, meter: str, cents: int) -> None:
        """The digits can be read as this amount."""
        await expect(self.amount(meter)).to_have_attribute("data-cents", str(cents))

    async def roll_to(self, meter: str, cents: int) -> None:
        """With a clock that stands still: let it go on until the digits have got there."""
        async with asyncio.timeout(EXPECT_MS / 1000):
            while await self.reads(meter) != cents:
                await self.pass_time(250)

    async def pass_time(self, ms: int) -> None:
        """With a clock that stands still: let it go on, with ticks, as a live feed has them."""
        while ms > 0:
            await self.hear_a_tick()
            await self.page.clock.run_for(min(ms, 2_000))
            ms -= 2_000

    async def hear_a_tick(self) -> None:
        """Returns once the page has it.

        One that came after the clock has gone on would have been silence, and after a few seconds
        of silence a sign connects again.
        """
        before = self._frames
        await self.feed.send(self.feed.tick)
        await wait_until(lambda: self._frames > before or not self.feed.connections)

    async def reads(self, meter: str) -> int:
        return int(await self.amount(meter).get_attribute("data-cents") or -1)

    async def come_back(self) -> None:
        """With a clock that stands still: let it go on until the sign is connected again."""
        self.may_lose_contact = True
        while self.feed.connections == 0:
            await self.page.clock.run_for(250)
            await asyncio.sleep(0.02)

    async def stop_clock(self) -> None:
        """From here on the page's time stands still, unless the test moves it."""
        await self.page.clock.install(time=1_000_000)
        await self.page.clock.pause_at(2_000_000)


class Wall:
    """Hangs up signs: one server, one feed for each sign, as many pages as the tests want."""

    def __init__(self, browser: Browser, server: TestServer) -> None:
        self._browser = browser
        self._server = server
        self._cards: dict[str, SignCard] = {}
        self._feeds: dict[str, ScriptedFeed] = {}
        self._numbers = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def open(cls, browser: Browser, *, port: int | None = None) -> AsyncIterator[Self]:
        app = web.Application()
        server = TestServer(app, port=port)
        wall = cls(browser, server)
        app.add_routes(sign_routes(wall._cards.get))
        app.router.add_get("/v1/links/{link}/feed", wall._serve_feed)
        app.router.add_get("/v1/links/{link}/posted", wall._serve_posted)
        async with server:
            ticking = asyncio.create_task(wall._tick_for_ever())
            try:
                yield wall
            finally:
                ticking.cancel()
                await asyncio.gather(ticking, return_exceptions=True)
                for feed in wall._feeds.values():
                    feed.accepting = False
                    await feed.drop()

    def feed(self, **looks: Any) -> ScriptedFeed:  # noqa: ANN401 (any field of a sign's card)
        """A new link with a sign of the same name that looks like this."""
        name = f"link{next(self._numbers)}"
        card: dict[str, Any] = {"link": name, "link_name": "Main pit", "currency": "USD"}
        card |= {"id": name, "name": "", "floor_name": "Boardwalk Casino"} | looks
        self._cards[name] = SignCard(**card)
        feed = self._feeds[name] = ScriptedFeed(name)
        return feed

    @asynccontextmanager
    async def hang(
        self,
        feed: ScriptedFeed,
        *,
        size: Size = (1280, 720),
        query: str = "",
        frozen: bool = False,
        worker: bool = False,
        **options: Any,  # noqa: ANN401 (playwright's own)
    ) -> AsyncIterator[Glass]:
        """Every sign is taken down with a quiet console: no error, no violated policy."""
        context = await self.context(size=size, worker=worker, **options)
        try:
            glass = Glass(await context.new_page(), feed)
            if frozen:
                await glass.stop_clock()
            await glass.page.goto(self.address(feed, query))
            yield glass
            assert glass.complaints == [], glass.complaints
        finally:
            await context.close()

    @property
    def port(self) -> int:
        assert self._server.port is not None
        return self._server.port

    def address(self, feed: ScriptedFeed, query: str = "") -> str:
        return f"{self._server.make_url(f'/sign/{feed.link}')}{query}"

    async def context(self, *, size: Size, worker: bool, **options: Any) -> BrowserContext:  # noqa: ANN401
        context = await self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            timezone_id="America/New_York",
            service_workers="allow" if worker else "block",
            **options,
        )
        await context.add_init_script(_WATCH_POLICY)
        return context

    async def _serve_feed(self, request: web.Request) -> web.StreamResponse:
        return await self._feeds[request.match_info["link"]].serve(request)

    async def _serve_posted(self, request: web.Request) -> web.Response:
        posted = self._feeds[request.match_info["link"]].posted
        # An empty list of bets is how a link without any answers; a missing route logs an error.
        return web.json_response(posted if posted is not None else {"bets": []})

    async def _tick_for_ever(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            for feed in self._feeds.values():
                if feed.ticking and feed.connections:
                    await feed.send(feed.tick)


def posted_terms(link: str = "main") -> Frame:
    """What `GET /v1/links/{link}/posted` says of the demo floor."""

    def lines(*rows: tuple[str, dict[str, object], str]) -> list[Frame]:
        return [
            {"id": line, "name": line, "names": line_names(line), "one_in": one_in, **pay}
            for line, pay, one_in in rows
        ]

    blazing = lines(
        ("three_7_diamonds", {"meter": "mega", "share_percent": 100}, "263,420"),
        ("three_7_suited_other", {"meter": "major", "share_percent": 100}, "87,807"),
        ("three_7_color", {"meter": "minor", "share_percent": 100}, "14,634"),
        ("three_7_mixed", {"for_one": 200}, "3,326"),
        ("two_7", {"for_one": 25}, "189"),
        ("one_7", {"for_one": 2}, "7"),
    )
    buster = lines(
        ("bust_8_or_more", {"to_one": 250}, "83,715"),
        ("bust_7", {"to_one": 50}, "4,663"),
        ("bust_6", {"to_one": 15}, "379"),
        ("bust_5", {"to_one": 4}, "48.8"),
        ("bust_4", {"to_one": 2}, "11.2"),
        ("bust_3", {"to_one": 2}, "5.8"),
    )
    meters = [
        {"id": "mega", "name": "Mega", "reset_cents": 2_500_000, "limit_cents": 0},
        {"id": "major", "name": "Major", "reset_cents": 500_000, "limit_cents": 0},
        {"id": "minor", "name": "Minor", "reset_cents": 250_000, "limit_cents": 0},
    ]
    bonus = [
        {"id": line, "name": "", "names": line_names(line), "bonus_cents": cents}
        for line, cents in (("bust_8_or_more", 800_000), ("bust_7", 100_000))
    ]
    bets: Sequence[Frame] = (
        {
            "id": "blazing7", "name": "Blazing 7's", "game": "nj-blazing-7s", "paytable": "3",
            "clause": "N.J.A.C. 13:69F-2.28", "wager_cents": 500, "min_cents": None,
            "max_cents": None, "lines": blazing, "meters": meters,
            "payment_order": "counter_clockwise", "free_bonus": [], "free_bonus_min_cents": 0,
            "needs_base_wager": True, "capped_by_base_wager": False, "dealing_option": 1,
        },
        {
            "id": "buster", "name": "Buster Blackjack", "game": "nj-buster", "paytable": "A",
            "clause": "N.J.A.C. 13:69F-2.30", "wager_cents": None, "min_cents": 100,
            "max_cents": 10_000, "lines": buster, "meters": [],
            "payment_order": "counter_clockwise", "free_bonus": bonus,
            "free_bonus_min_cents": 500, "needs_base_wager": True, "capped_by_base_wager": True,
            "dealing_option": None,
        },
    )  # fmt: skip
    head = {"link": link, "link_name": "Main pit", "floor_name": "Boardwalk Casino"}
    return head | {"currency": "USD", "decks": 6, "soft17": "hit", "bets": list(bets)}
