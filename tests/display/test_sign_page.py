"""The sign page in a real browser, against a feed that says what the test tells it to."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.test_utils import TestServer
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, expect

from display.pages import SignView, sign_routes
from tests.support.browser import a_browser

# One browser for the whole file; its pages are as separate as browsers are.
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Frame = dict[str, Any]
AT = "2026-03-01T14:03:22Z"
TICK_SECONDS = 0.2
# Long enough that a slow machine does not go stale between two ticks by mistake.
SHORT_STALE_MS = 1_500
# For tests that move the clock themselves.
LONG_STALE_MS = 3_600_000
WIN_MS = 15_000
NO_AMOUNT = "— — —"


def snapshot(seq: int = 10, **fields: object) -> Frame:
    meters = [
        {"id": "mega", "name": "Mega", "cents": 1_234_567},
        {"id": "major", "name": "Major", "cents": 500_000},
        {"id": "minor", "name": "Minor", "cents": 25_005},
    ]
    frame = {"type": "snapshot", "link": "main", "epoch": 3, "seq": seq, "at": AT}
    return frame | {"state": "live", "meters": meters, "wins": []} | fields


def update(seq: int, *, epoch: int = 3, **cents: int) -> Frame:
    meters = [{"id": meter, "cents": value} for meter, value in cents.items()]
    return {"type": "update", "epoch": epoch, "seq": seq, "at": AT, "meters": meters}


def win(award: str, **fields: object) -> Frame:
    frame = {"type": "win", "epoch": 3, "seq": 11, "at": AT, "award": award, "table": "BJ-03"}
    details = {"seat": 5, "meter": "mega", "line": "three_7_diamonds"}
    return frame | details | {"amount_cents": 1_234_567, "next_cents": 100_000} | fields


class ScriptedFeed:
    """The sign feed of the contract; `greeting` is what the next connection hears first."""

    def __init__(self) -> None:
        self.greeting: list[Frame] = [snapshot()]
        self.ticking = True
        self.accepting = True
        self.tick: Frame = {"type": "tick", "epoch": 3, "seq": 10, "at": AT}
        self.asked: list[str] = []
        self.heard: list[tuple[float, Frame]] = []
        self._sockets: set[web.WebSocketResponse] = set()

    @property
    def connections(self) -> int:
        return len(self._sockets)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(str(request.rel_url))
        if not self.accepting:
            return web.Response(status=503)
        socket = web.WebSocketResponse(timeout=0.2)
        await socket.prepare(request)
        for frame in self.greeting:
            await socket.send_json(frame)
        self._sockets.add(socket)
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    now = asyncio.get_running_loop().time()
                    self.heard.append((now, json.loads(message.data)))
        finally:
            self._sockets.discard(socket)
        return socket

    async def send(self, frame: Frame | str | bytes) -> None:
        if isinstance(frame, dict) and frame.get("type") == "update":
            self._let_ticks_follow(frame)
        for socket in list(self._sockets):
            if isinstance(frame, bytes):
                await socket.send_bytes(frame)
            else:
                await socket.send_str(frame if isinstance(frame, str) else json.dumps(frame))

    def _let_ticks_follow(self, frame: Frame) -> None:
        seq = frame.get("seq")
        if frame.get("epoch") == self.tick["epoch"] and isinstance(seq, int):
            self.tick["seq"] = max(self.tick["seq"], seq)

    async def drop(self) -> None:
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY)

    async def tick_for_ever(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self.ticking:
                with contextlib.suppress(ConnectionError):
                    await self.send(self.tick)


class Glass:
    """A sign as a guest, a test or a tool sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.body = page.locator("body")
        self.status = page.locator("#status")
        self.win = page.locator("#win")
        self.names = page.locator("#meters .name")
        self.amounts = page.locator("#meters .amount")

    def amount(self, meter: str) -> Locator:
        return self.page.locator(f'[data-meter="{meter}"] .amount')

    async def wait_state(self, state: str) -> None:
        await expect(self.body).to_have_attribute("data-state", state)


class Wall:
    """Hangs up signs: one server, one feed, as many pages as the test wants."""

    def __init__(self, browser: Browser, stack: AsyncExitStack) -> None:
        self._browser = browser
        self._stack = stack
        self.feed = ScriptedFeed()
        self.complaints: list[str] = []

    async def hang(
        self, *, stale_ms: int = 5_000, prepare: Callable[[Page], Awaitable[None]] | None = None
    ) -> Glass:
        view = SignView("entrance", "main", "Boardwalk Casino", "USD", "Main pit")
        app = web.Application()
        app.add_routes(sign_routes({"entrance": view}.get, stale_after_ms=stale_ms))
        app.router.add_get("/v1/links/{link}/feed", self.feed.serve)
        server = await self._stack.enter_async_context(TestServer(app))
        await self._stack.enter_async_context(running(self.feed.tick_for_ever()))
        context = await self._browser.new_context(timezone_id="America/New_York")
        self._stack.push_async_callback(context.close)
        page = await context.new_page()
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        if prepare is not None:
            await prepare(page)
        await page.goto(str(server.make_url("/sign/entrance")))
        return Glass(page)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@asynccontextmanager
async def running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def stop_timers(page: Page) -> None:
    """From here on the page's time stands still, unless the test moves it. Frames still arrive."""
    await page.clock.install(time=0)
    await page.clock.pause_at(1_000)


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.02)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with a_browser() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="module")
async def wall(browser: Browser) -> AsyncIterator[Wall]:
    """Every test ends with a quiet console: no error, no warning, no violated policy."""
    async with AsyncExitStack() as stack:
        opened = Wall(browser, stack)
        yield opened
        assert opened.complaints == []


async def test_snapshot_shows_names_and_amounts_in_its_order(wall: Wall) -> None:
    sign = await wall.hang()

    await sign.wait_state("live")
    await expect(sign.names).to_have_text(["Mega", "Major", "Minor"])
    await expect(sign.amounts).to_have_text(["$12,345.67", "$5,000.00", "$250.05"])
    await expect(sign.status).to_have_text("Live")
    assert wall.feed.asked == ["/v1/links/main/feed?sign=entrance"]


async def test_page_waits_for_its_snapshot_without_a_number(wall: Wall) -> None:
    wall.feed.greeting = [update(99, mega=1)]
    sign = await wall.hang()

    await wait_until(lambda: wall.feed.connections == 1)
    await sign.wait_state("connecting")
    await expect(sign.amounts).to_have_text([NO_AMOUNT])
    await wall.feed.send(snapshot())
    await sign.wait_state("live")


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "$0.00"),
        (7, "$0.07"),
        (100, "$1.00"),
        (99_999, "$999.99"),
        (100_000, "$1,000.00"),
        (123_456_789_012, "$1,234,567,890.12"),
        (2**53 - 1, "$90,071,992,547,409.91"),
    ],
)
async def test_amounts_are_exact_to_the_cent(wall: Wall, cents: int, text: str) -> None:
    wall.feed.greeting = [snapshot(meters=[{"id": "mega", "name": "Mega", "cents": cents}])]
    sign = await wall.hang()

    await expect(sign.amount("mega")).to_have_text(text)


async def test_update_changes_only_the_meters_it_names(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")

    await wall.feed.send(update(12, mega=1_234_627, unknown=5))

    await expect(sign.amounts).to_have_text(["$12,346.27", "$5,000.00", "$250.05"])
    await expect(sign.body).to_have_attribute("data-seq", "12")


@pytest.mark.parametrize(
    "late", [update(11, mega=1), update(99, epoch=2, mega=1), snapshot(11, meters=[])]
)
async def test_older_values_are_ignored_within_a_connection(wall: Wall, late: Frame) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    await wall.feed.send(update(12, mega=2_000_000))

    await wall.feed.send(late)
    await wall.feed.send(update(13, minor=30_000))

    await expect(sign.amount("minor")).to_have_text("$300.00")
    await expect(sign.amount("mega")).to_have_text("$20,000.00")
    assert len(wall.feed.asked) == 1


async def test_later_epoch_naming_every_meter_is_taken_over(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    wall.feed.ticking = False

    await wall.feed.send(update(1, epoch=4, mega=1, major=2, minor=3))

    await expect(sign.amounts).to_have_text(["$0.01", "$0.02", "$0.03"])
    assert len(wall.feed.asked) == 1


@pytest.mark.parametrize(
    "frame", [update(1, epoch=4, mega=1), {"type": "tick", "epoch": "b", "seq": 9, "at": AT}]
)
async def test_foreign_epoch_makes_the_page_ask_for_a_snapshot(wall: Wall, frame: Frame) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    wall.feed.ticking = False
    restored = [{"id": "mega", "name": "Mega", "cents": 900}]
    wall.feed.greeting = [snapshot(2, epoch=4, meters=restored)]

    await wall.feed.send(frame)

    await expect(sign.amounts).to_have_text(["$9.00"])
    await sign.wait_state("live")
    assert len(wall.feed.asked) == 2


async def test_dropped_socket_marks_amounts_old_and_comes_back_by_itself(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    wall.feed.greeting = []

    await wall.feed.drop()

    await sign.wait_state("stale")
    await expect(sign.status).to_have_text("Amounts as of 09:03:22 — reconnecting")
    await expect(sign.amount("mega")).to_have_text("$12,345.67")
    await wait_until(lambda: wall.feed.connections == 1)
    await sign.wait_state("stale")
    await wall.feed.send(snapshot(14, meters=[{"id": "mega", "name": "Mega", "cents": 1_300_000}]))
    await sign.wait_state("live")
    await expect(sign.amounts).to_have_text(["$13,000.00"])


async def test_fresh_connection_may_lower_the_sequence(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    wall.feed.greeting = [snapshot(4, meters=[{"id": "mega", "name": "Mega", "cents": 1_100_000}])]

    await wall.feed.drop()

    await expect(sign.amounts).to_have_text(["$11,000.00"])
    await sign.wait_state("live")
    await expect(sign.body).to_have_attribute("data-seq", "4")


async def test_silent_feed_is_stale_then_left_for_a_new_connection(wall: Wall) -> None:
    sign = await wall.hang(stale_ms=SHORT_STALE_MS)
    await sign.wait_state("live")
    wall.feed.greeting = []

    wall.feed.ticking = False

    await sign.wait_state("stale")
    await expect(sign.status).to_have_text("Amounts as of 09:03:22 — reconnecting")
    wall.feed.greeting = [snapshot(12)]
    wall.feed.ticking = True
    await sign.wait_state("live")
    assert len(wall.feed.asked) > 1


async def test_noise_is_no_sign_of_life(wall: Wall) -> None:
    sign = await wall.hang(stale_ms=SHORT_STALE_MS)
    await sign.wait_state("live")
    wall.feed.greeting = []

    wall.feed.tick = {"type": "tick", "epoch": 2, "seq": 500, "at": AT}

    await sign.wait_state("stale")


async def test_refused_connections_are_tried_again_and_again(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    wall.feed.accepting = False

    await wall.feed.drop()

    await wait_until(lambda: len(wall.feed.asked) >= 4)
    await sign.wait_state("stale")
    wall.feed.accepting = True
    await sign.wait_state("live")
    # The browser itself writes a line for each refusal; nothing else may be there.
    assert all("WebSocket connection to" in line for line in wall.complaints)
    wall.complaints.clear()


@pytest.mark.parametrize(
    "event",
    ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('resume'))"],
)
async def test_waking_up_does_not_sit_out_the_back_off(wall: Wall, event: str) -> None:
    sign = await wall.hang(prepare=stop_timers)
    await sign.wait_state("live")
    await wall.feed.drop()
    await sign.wait_state("stale")

    await sign.page.evaluate(event)

    await sign.wait_state("live")
    assert len(wall.feed.asked) == 2


async def test_wake_after_a_long_sleep_never_passes_old_for_live(wall: Wall) -> None:
    sign = await wall.hang(prepare=stop_timers)
    await sign.wait_state("live")
    wall.feed.ticking = False
    wall.feed.greeting = []

    # Time has passed, but no timer has run: what a sleeping machine sees when it wakes.
    await sign.page.clock.set_fixed_time(3_600_000)
    await wall.feed.send(update(12, mega=2_000_000))

    await sign.wait_state("stale")
    await expect(sign.amount("mega")).to_have_text("$12,345.67")


async def test_inoperable_link_says_so_and_why(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")

    await wall.feed.send({"type": "state", "state": "inoperable", "reason": "closed by the pit"})

    await sign.wait_state("inoperable")
    await expect(sign.status).to_have_text("Temporarily out of service closed by the pit")
    await expect(sign.amount("mega")).to_have_text("$12,345.67")
    await expect(sign.page.locator("#meters")).not_to_have_css("opacity", "1")
    await wall.feed.send({"type": "state", "state": "live", "reason": None})
    await sign.wait_state("live")
    await expect(sign.status).to_have_text("Live")
    await expect(sign.page.locator("#meters")).to_have_css("opacity", "1")


async def test_inoperable_without_meters_shows_dashes_until_it_reopens(wall: Wall) -> None:
    wall.feed.greeting = [snapshot(state="inoperable", meters=[])]
    sign = await wall.hang()

    await sign.wait_state("inoperable")
    await expect(sign.status).to_have_text("Temporarily out of service")
    await expect(sign.amounts).to_have_text([NO_AMOUNT])
    wall.feed.greeting = [snapshot(11)]
    await wall.feed.send({"type": "state", "state": "live", "reason": ""})
    await sign.wait_state("live")
    await expect(sign.amounts).to_have_text(["$12,345.67", "$5,000.00", "$250.05"])


async def test_unknown_state_is_not_live(wall: Wall) -> None:
    wall.feed.greeting = [snapshot(state="draining")]
    sign = await wall.hang()

    await sign.wait_state("inoperable")


async def test_wins_are_shown_one_after_the_other_each_once(wall: Wall) -> None:
    on_show = win("A-1", seq=9, seat=2, meter="minor", amount_cents=25_005)
    wall.feed.greeting = [snapshot(wins=[on_show, {"award": "broken"}])]
    sign = await wall.hang(stale_ms=LONG_STALE_MS, prepare=stop_timers)
    await expect(sign.win).to_have_text("Minor won! $250.05 — Table BJ-03, seat 2")

    await wall.feed.send(win("A-2"))
    await wall.feed.send(win("A-1", seq=9))
    await wall.feed.send(win("A-3", meter=None, amount_cents=50_000))
    await wall.feed.send(update(12, mega=100_000))
    await expect(sign.amount("mega")).to_have_text("$1,000.00")
    await expect(sign.win).to_have_text("Minor won! $250.05 — Table BJ-03, seat 2")

    await sign.page.clock.fast_forward(WIN_MS - 1)
    await expect(sign.win).to_have_text("Minor won! $250.05 — Table BJ-03, seat 2")
    await sign.page.clock.fast_forward(1)
    await expect(sign.win).to_have_text("Mega won! $12,345.67 — Table BJ-03, seat 5")
    await sign.page.clock.fast_forward(WIN_MS)
    await expect(sign.win).to_have_text("Winner! $500.00 — Table BJ-03, seat 5")
    await sign.page.clock.fast_forward(WIN_MS)
    await expect(sign.win).to_be_hidden()


async def test_win_overtaken_by_newer_amounts_is_still_shown(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")

    await wall.feed.send(update(20, mega=100_000))
    await wall.feed.send(win("A-1", seq=11))

    await expect(sign.win).to_be_visible()
    await expect(sign.amount("mega")).to_have_text("$1,000.00")


async def test_malformed_frames_change_nothing(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    good = {"id": "mega", "cents": 1}
    malformed: list[Frame | str | bytes] = [
        "",
        "{",
        "null",
        "[]",
        "7",
        '"tick"',
        b"\x00\x01",
        {},
        {"type": "surprise", "epoch": 3, "seq": 99},
        {"type": "constructor", "epoch": 3, "seq": 99},
        {"type": ["update"], "epoch": 3, "seq": 99, "meters": [good]},
        {"type": "update", "epoch": 3, "meters": [good]},
        {"type": "update", "seq": 99, "meters": [good]},
        {"type": "update", "epoch": 3, "seq": "99", "meters": [good]},
        {"type": "update", "epoch": 3, "seq": 99, "meters": {"mega": 1}},
        *(
            {"type": "update", "epoch": 3, "seq": 99, "meters": [good, bad]}
            for bad in (None, 5, {"id": "minor"}, good, {"id": 5, "cents": 1})
        ),
        *(update(99, mega=cents) for cents in (-1, 1.5, 2**53, "1", None, True)),  # type: ignore[arg-type]
        snapshot(99, link="other"),
        snapshot(99, meters=[good]),
        snapshot(99, state=None),
        {"type": "state"},
        {"type": "state", "state": 5},
        {"type": "tick"},
        win("A-9", amount_cents="1"),
        win("A-9", seat=None),
    ]

    for frame in malformed:
        await wall.feed.send(frame)
    await wall.feed.send(update(11, minor=30_000) | {"new_field": [1]})

    await expect(sign.amounts).to_have_text(["$12,345.67", "$5,000.00", "$300.00"])
    await expect(sign.body).to_have_attribute("data-seq", "11")
    await expect(sign.win).to_be_hidden()
    await sign.wait_state("live")
    assert len(wall.feed.asked) == 1


async def test_names_from_the_feed_are_text(wall: Wall) -> None:
    meters = [{"id": 'a"]b', "name": "<b>Mega</b>", "cents": 1}]
    wall.feed.greeting = [
        snapshot(meters=meters, wins=[win("A-1", meter='a"]b', table="<i>1</i>")])
    ]
    sign = await wall.hang()

    await expect(sign.names).to_have_text(["<b>Mega</b>"])
    await expect(sign.win).to_have_text("<b>Mega</b> won! $12,345.67 — Table <i>1</i>, seat 5")


async def test_sign_reports_the_sequence_on_the_glass_at_most_once_a_second(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    for seq in range(11, 71):
        await wall.feed.send(update(seq, mega=1_234_567 + seq))
        await asyncio.sleep(0.04)

    await wait_until(lambda: bool(wall.feed.heard) and wall.feed.heard[-1][1]["seq"] == 70)

    messages = [message for _, message in wall.feed.heard]
    moments = [moment for moment, _ in wall.feed.heard]
    assert messages[0] == {"type": "showing", "seq": 10}
    assert all(message.keys() == {"type", "seq"} for message in messages)
    assert [m["seq"] for m in messages] == sorted({m["seq"] for m in messages})
    assert 3 <= len(messages) <= 5
    assert all(after - before >= 1 for before, after in itertools.pairwise(moments))


async def test_unchanged_sequence_is_reported_once_a_connection(wall: Wall) -> None:
    sign = await wall.hang(stale_ms=LONG_STALE_MS, prepare=stop_timers)
    await wait_until(lambda: len(wall.feed.heard) == 1)

    await wall.feed.drop()
    await sign.wait_state("stale")
    await sign.page.clock.fast_forward(250)
    await sign.wait_state("live")
    await sign.page.clock.fast_forward(2_000)
    await wait_until(lambda: len(wall.feed.heard) == 2)
    for seq, cents in ((10, 1_300_000), (11, 1_400_000)):
        await wall.feed.send(update(seq, mega=cents))
        await expect(sign.amount("mega")).to_have_text(f"${cents // 100:,}.00")
        await sign.page.clock.fast_forward(2_000)

    await wait_until(lambda: wall.feed.heard[-1][1]["seq"] == 11)
    assert [message["seq"] for _, message in wall.feed.heard] == [10, 10, 11]


@pytest.mark.parametrize(
    ("width", "height"),
    [(320, 568), (390, 844), (844, 390), (1080, 1920), (1920, 1080), (3840, 2160), (2160, 3840)],
)
@pytest.mark.parametrize("meters_count", [1, 3, 6])
async def test_everything_fits_on_every_glass(
    wall: Wall, width: int, height: int, meters_count: int
) -> None:
    async def resize(page: Page) -> None:
        await page.set_viewport_size({"width": width, "height": height})

    meters = [
        {"id": f"m{index}", "name": f"Blazing 7s Progressive {index}", "cents": 10 ** (10 - index)}
        for index in range(meters_count)
    ]
    wall.feed.greeting = [snapshot(meters=meters, wins=[win("A-1", meter="m0")])]
    sign = await wall.hang(prepare=resize)
    await sign.wait_state("live")

    previous_bottom = 0.0
    for index in range(meters_count):
        name = await sign.names.nth(index).bounding_box()
        amount = await sign.amounts.nth(index).bounding_box()
        assert name is not None
        assert amount is not None
        for box in (name, amount):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert previous_bottom <= box["y"] + 1
            assert box["y"] + box["height"] <= height
        previous_bottom = max(box["y"] + box["height"] for box in (name, amount))
    for element in (
        sign.win,
        sign.win.locator(".win-amount"),
        sign.status,
        sign.page.locator("main"),
    ):
        assert await element.evaluate(
            "e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
        )


async def test_growing_amount_moves_nothing_else(wall: Wall) -> None:
    sign = await wall.hang()
    await sign.wait_state("live")
    before = [await sign.amounts.nth(index).bounding_box() for index in range(3)]

    await wall.feed.send(update(11, minor=9_999_999))

    await expect(sign.amount("minor")).to_have_text("$99,999.99")
    await expect(sign.amount("minor")).to_have_class("amount grew")
    assert [await sign.amounts.nth(index).bounding_box() for index in range(3)] == before
    await expect(sign.amount("minor")).to_have_class("amount")
