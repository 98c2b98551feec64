"""Wins on the sign: at once, in order, each once, for as long as they are due; then they yield."""

import asyncio

import pytest
from playwright.async_api import expect

from progressive.domain.rulebook.line_names import line_names
from tests.support.signs import (
    MEGA,
    SIZES,
    Frame,
    Glass,
    Size,
    Wall,
    posted_terms,
    snapshot,
    tick,
    update,
    win,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

FULL_MS = 12_000
LEAST_MS = 4_000
RESET = 2_518_360


async def shows(sign: Glass, award: str) -> None:
    await expect(sign.takeover).to_have_attribute("data-award", award)
    await expect(sign.takeover).to_be_visible()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_win_takes_over_counts_to_the_exact_amount_and_yields(wall: Wall, size: Size) -> None:
    feed = wall.feed()
    async with wall.hang(feed, size=size, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(update(11, mega=RESET), win("A-1"))
        await shows(sign, "A-1")
        await expect(sign.won("title")).to_have_text("Mega won!")
        await expect(sign.won("line")).to_have_text("Three 7s of diamonds")
        await expect(sign.won("place")).to_have_text("Table BJ-03 · Seat 5")
        won = sign.won("amount-won").locator(".amount")
        counted = []
        for _ in range(24):
            await sign.page.clock.run_for(100)
            counted.append(int(await won.get_attribute("data-cents") or 0))
        assert counted == sorted(counted)
        assert len(set(counted)) > 6
        assert counted[-1] == MEGA
        await expect(won).to_have_text("$103,417.20")
        # The meter grows again, under the takeover and on it.
        await expect(sign.won("next")).to_have_text("Mega is now")
        await feed.send(update(12, mega=RESET + 420))
        now = sign.won("amount-next").locator(".amount")
        # The page's clock stands still until the update has arrived.
        await expect(now).to_have_attribute("data-target-cents", str(RESET + 420))
        await sign.page.clock.run_for(3_000)
        await expect(now).to_have_attribute("data-cents", str(RESET + 420))
        await sign.wait_reads("mega", RESET + 420)
        await sign.pass_time(FULL_MS - 5_400 - 500)
        await shows(sign, "A-1")
        await sign.pass_time(1_000)
        await expect(sign.takeover).to_be_hidden()


@pytest.mark.parametrize(
    ("language", "names", "line"),
    [
        ("es", line_names("three_7_color"), "Tres 7 del mismo color"),
        ("zh", line_names("three_7_color"), "三张同色 7"),
        # A line without a name, or with something else in its place, is left out.
        ("es", None, ""),
        ("en", {}, ""),
        ("en", {"en": 7, "es": ["x"]}, ""),
        ("en", "names", ""),
    ],
)
async def test_line_is_named_in_the_signs_language(
    wall: Wall, language: str, names: object, line: str
) -> None:
    feed = wall.feed(language=language)
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(win("A-1", line="three_7_color", line_names=names))
        await shows(sign, "A-1")
        await expect(sign.won("line")).to_have_text(line)


async def test_wins_queue_and_are_shown_in_order_each_once(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        three = [
            win("A-1"),
            win("A-2", seat=3, meter="major", line="three_7_suited_other"),
            win("A-3", seat=1, meter="minor", line="three_7_color"),
        ]
        await feed.send(*three, *three)
        # The page looks four times a second: a little past each change it has certainly seen it.
        await sign.pass_time(300)
        for number in (1, 2, 3):
            await shows(sign, f"A-{number}")
            await expect(sign.won("count")).to_have_text(f"{number} of 3")
            stays = LEAST_MS if number < 3 else FULL_MS
            await sign.pass_time(stays - 600)
            await shows(sign, f"A-{number}")
            await sign.pass_time(600)
        await expect(sign.takeover).to_be_hidden()
        # A snapshot that still holds them, after a reconnect, brings none back.
        feed.greeting = [snapshot(11, wins=three)]
        feed.tick = tick(11)
        await feed.drop()
        await sign.come_back()
        await sign.pass_time(2_000)
        await expect(sign.takeover).to_be_hidden()


async def test_win_yields_to_one_that_comes_later(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(win("A-1"))
        await shows(sign, "A-1")
        await expect(sign.won("count")).to_have_text("")
        await sign.pass_time(6_000)
        await feed.send(win("A-2", meter="minor"))
        await sign.pass_time(300)
        await shows(sign, "A-2")
        await sign.pass_time(FULL_MS)
        await expect(sign.takeover).to_be_hidden()


@pytest.mark.parametrize(
    ("service_time", "shown_ms"),
    [("20:14:23Z", 11_000), ("20:14:30Z", 4_000), ("20:14:40Z", 0)],
)
async def test_sign_that_joins_shows_what_is_left_by_the_services_clock(
    wall: Wall, service_time: str, shown_ms: int
) -> None:
    feed = wall.feed()
    feed.ticking = False
    # Won at 20:14:22; the snapshot is as old as the last change and cannot tell the time.
    feed.greeting = [snapshot(11, wins=[win("A-1"), {"award": "broken"}])]
    feed.tick = tick(11, at=f"2026-03-01T{service_time}")
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        await expect(sign.takeover).to_be_hidden()
        await feed.send(feed.tick, update(12, minor=7))
        await sign.wait_reads("minor", 7)
        if shown_ms:
            await shows(sign, "A-1")
            await sign.page.clock.run_for(shown_ms - 500)
            await shows(sign, "A-1")
            await sign.page.clock.run_for(1_000)
        await expect(sign.takeover).to_be_hidden()


async def test_win_overtaken_by_newer_amounts_is_still_shown(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        await feed.send(update(20, mega=RESET), win("A-1", seq=11))
        await shows(sign, "A-1")
        await sign.wait_reads("mega", RESET)


async def test_names_in_a_takeover_are_text(wall: Wall) -> None:
    feed = wall.feed(language="es")
    feed.greeting = [snapshot(meters=[{"id": 'a"]b', "name": "<b>Mega</b>", "cents": 1}])]
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        await feed.send(win("A-1", meter='a"]b', table="<i>1</i>", line="unheard_of"))
        await expect(sign.won("title")).to_have_text("¡<b>Mega</b> ganado!")
        await expect(sign.won("place")).to_have_text("Mesa <i>1</i> · Asiento 5")
        await expect(sign.won("line")).to_be_hidden()


@pytest.mark.parametrize(
    ("layout", "size"), [("strip", (1920, 160)), ("strip", (640, 64)), ("paytable", (1280, 720))]
)
async def test_other_layouts_celebrate_in_their_own_way(
    wall: Wall, layout: str, size: Size
) -> None:
    feed = wall.feed(layout=layout)
    feed.posted = posted_terms()
    async with wall.hang(feed, size=size, frozen=True) as sign:
        await sign.wait_state("live")
        if layout == "paytable":
            await expect(sign.page.locator(".line[data-meter]")).to_have_count(3)
        await feed.send(win("A-1"))
        await shows(sign, "A-1")
        await sign.pass_time(2_400)
        seen = set()
        for _ in range(3):
            for part in ("title", "place"):
                if await sign.won(part).is_visible():
                    seen.add(part)
            await sign.pass_time(2_000)
        assert seen == {"title", "place"}
        assert await sign.page.evaluate(OUTSIDE) == []
        if layout == "paytable":
            won = sign.page.locator(".line.won")
            await expect(won).to_have_attribute("data-line", "three_7_diamonds")
            band, line = await sign.takeover.bounding_box(), await won.bounding_box()
            assert band
            assert line
            assert line["y"] + line["height"] <= band["y"]


OUTSIDE = """() => [...document.querySelectorAll(".takeover-body p")].filter((part) => {
  const box = part.getBoundingClientRect();
  const room = document.getElementById("takeover").getBoundingClientRect();
  return box.width > 0 && (box.left < room.left - 1 || box.right > room.right + 1
    || box.top < room.top - 1 || box.bottom > room.bottom + 1);
}).map((part) => part.className)"""


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("size", [*SIZES, (390, 844), (844, 390)], ids=str)
async def test_takeover_fits_whatever_was_won(wall: Wall, size: Size, language: str) -> None:
    feed = wall.feed(language=language)
    long = {"id": "mega", "name": "Blazing 7s Progressive Mega", "cents": MEGA}
    feed.greeting = [snapshot(meters=[long])]
    async with wall.hang(feed, size=size, frozen=True) as sign:
        await sign.wait_state("live")
        big: Frame = win("A-1", amount_cents=9_999_999_999, line="three_7_suited_other")
        await feed.send(big, win("A-2"))
        await shows(sign, "A-1")
        await sign.pass_time(2_500)
        # Once it has faded in, which the browser does by a clock of its own.
        while outside := await sign.page.evaluate(OUTSIDE):
            await asyncio.sleep(0.05)
        assert outside == []


async def test_nothing_in_a_takeover_flashes(wall: Wall) -> None:
    """WCAG 2.3.1: three flashes a second at most. Slow turns and sparks, no blinking."""
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        await feed.send(win("A-1"))
        await shows(sign, "A-1")
        spans: list[float] = await sign.page.evaluate(
            """() => document.getAnimations()
              .filter((animation) => animation.effect.getTiming().iterations === Infinity)
              .map((animation) => animation.effect.getTiming().duration)"""
        )
        assert spans
        assert min(spans) >= 1_000


@pytest.mark.parametrize(
    ("language", "title", "after"),
    [
        ("en", "10% of Mega", "Mega goes on at"),
        ("es", "10% de Mega", "Mega continúa en"),
        ("zh", "Mega 的 10%", "Mega 继续累积，现为"),
    ],
)
async def test_share_of_a_meter_is_told_as_a_part_and_the_meter_goes_on(
    wall: Wall, language: str, title: str, after: str
) -> None:
    """A 10 percent award was announced as "won!", as if the meter began again."""
    feed = wall.feed(language=language)
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        share = win("A-1", amount_cents=1_000_010, next_cents=9_000_090, share_percent=10)
        await feed.send(update(11, mega=9_000_090), share)
        await shows(sign, "A-1")
        told = (str(await sign.won("title").text_content())).replace("\u00a0", " ")
        assert told == title
        await expect(sign.won("next")).to_have_text(after)
        await sign.page.clock.run_for(3_000)
        for part, cents in (("won", 1_000_010), ("next", 9_000_090)):
            amount = sign.won(f"amount-{part}").locator(".amount")
            await expect(amount).to_have_attribute("data-cents", str(cents))
        # Who does not say which share it was means all of the meter.
        await sign.pass_time(FULL_MS)
        await feed.send(update(12, mega=RESET), win("A-2", 12))
        await shows(sign, "A-2")
        assert (str(await sign.won("title").text_content())).replace("\u00a0", " ") != title


@pytest.mark.parametrize("greeted", [False, True], ids=["announced", "in the snapshot"])
async def test_award_of_nothing_is_not_celebrated(wall: Wall, greeted: bool) -> None:
    """The second winner of a Mega that starts again at $0 has a share of nothing."""
    nothing = win("A-2", seat=1, amount_cents=0, next_cents=0, wager_cents=500)
    little = win("A-3", seat=2, amount_cents=499, next_cents=0, wager_cents=500)
    feed = wall.feed()
    if greeted:
        feed.greeting = [snapshot(wins=[nothing, little])]
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(nothing, little, update(11, mega=0))
        await sign.wait_target("mega", 0)
        await sign.pass_time(1_000)
        await expect(sign.takeover).to_be_hidden()
        await feed.send(update(12, mega=0), win("A-4", 12, amount_cents=500, wager_cents=500))
        await shows(sign, "A-4")
        await expect(sign.won("count")).to_have_text("")
