"""The sign page in a real browser, against feeds that say what the test tells them to."""

import asyncio
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from playwright.async_api import Locator, expect

from progressive.domain.options import SignLanguage, SignLayout, SignTheme
from tests.support.accessibility import assert_accessible
from tests.support.signs import (
    MEGA,
    MINOR,
    SIZES,
    Frame,
    Glass,
    Size,
    Wall,
    posted_terms,
    snapshot,
    three_meters,
    tick,
    update,
    win,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

NO_AMOUNT = "— — —"
GAMES = Path(__file__).parents[2] / "config" / "games"
ONE_METER = [{"id": "mega", "name": "Mega", "cents": 1_300_000}]


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.02)


async def wait_target(glass: Glass, meter: str, cents: int) -> None:
    """The newest durable amount has arrived; the digits may still be on their way."""
    await expect(glass.amount(meter)).to_have_attribute("data-target-cents", str(cents))


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_snapshot_shows_names_and_exact_amounts_in_its_order(wall: Wall, size: Size) -> None:
    feed = wall.feed()
    async with wall.hang(feed, size=size) as sign:
        await sign.wait_state("live")
        await expect(sign.names).to_have_text(["Mega", "Major", "Minor"])
        await expect(sign.amounts).to_have_text(["$103,417.20", "$15,274.05", "$3,018.33"])
        await sign.wait_reads("mega", MEGA)
        await expect(sign.status).to_have_text("Live")
        assert feed.asked == [f"/v1/links/{feed.link}/feed?sign={feed.link}"]


async def test_page_waits_for_its_snapshot_without_a_number(wall: Wall) -> None:
    feed = wall.feed()
    feed.greeting = [update(99, mega=1)]
    async with wall.hang(feed) as sign:
        await wait_until(lambda: feed.connections == 1)
        await sign.wait_state("connecting")
        await expect(sign.amounts).to_have_text([NO_AMOUNT])
        await feed.send(snapshot())
        await sign.wait_state("live")


async def test_amounts_are_exact_to_the_cent(wall: Wall) -> None:
    texts = {
        0: "$0.00",
        7: "$0.07",
        100: "$1.00",
        99_999: "$999.99",
        100_000: "$1,000.00",
        123_456_789_012: "$1,234,567,890.12",
        2**53 - 1: "$90,071,992,547,409.91",
    }
    feed = wall.feed()
    feed.greeting = [snapshot(meters=[{"id": f"m{n}", "name": "M", "cents": n} for n in texts])]
    async with wall.hang(feed) as sign:
        await expect(sign.amounts).to_have_text(list(texts.values()))
        for cents in texts:
            await sign.wait_reads(f"m{cents}", cents)


async def test_digits_on_the_glass_are_those_of_the_amount(wall: Wall) -> None:
    """The wheels themselves, by where each of them stands."""
    feed = wall.feed()
    feed.greeting = [snapshot(meters=[{"id": "mega", "name": "Mega", "cents": 9_876_543_210}])]
    async with wall.hang(feed) as sign:
        await sign.wait_reads("mega", 9_876_543_210)
        offsets: list[float] = await sign.page.eval_on_selector_all(
            ".meter .wheel",
            """wheels => wheels.map(wheel =>
                (wheel.getBoundingClientRect().top
                 - wheel.firstElementChild.getBoundingClientRect().top)
                / wheel.getBoundingClientRect().height)""",
        )
    assert "".join(str(round(offset)) for offset in offsets) == "9876543210"


async def test_digits_roll_to_an_update_of_the_meters_it_names(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(update(12, mega=MEGA + 420, unknown=5))
        await sign.roll_to("mega", MEGA + 420)
        await sign.page.clock.run_for(1_000)
        await expect(sign.amounts).to_have_text(["$103,421.40", "$15,274.05", "$3,018.33"])
        await expect(sign.body).to_have_attribute("data-seq", "12")


async def test_somebody_who_wants_no_motion_sees_the_amount_at_once(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True, reduced_motion="reduce") as sign:
        await sign.wait_state("live")
        # The clock stands still: nothing could have rolled.
        await feed.send(update(12, mega=MEGA + 420))
        await sign.wait_reads("mega", MEGA + 420)


async def test_a_fall_is_shown_at_once_and_never_rolled(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(update(12, mega=2_500_000))
        await sign.wait_reads("mega", 2_500_000)


async def test_growing_amount_moves_nothing_else(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        boxes = [await sign.amounts.nth(index).bounding_box() for index in range(2)]
        await feed.send(update(11, minor=9_999_999))
        await sign.roll_to("minor", 9_999_999)
        assert [await sign.amounts.nth(index).bounding_box() for index in range(2)] == boxes


async def test_chosen_meters_in_the_chosen_order_and_names_as_text(wall: Wall) -> None:
    feed = wall.feed(meters=["minor", "odd"])
    odd = {"id": "odd", "name": "<b>Odd</b>", "cents": 1}
    feed.greeting = [snapshot(meters=[*three_meters(), odd])]
    async with wall.hang(feed) as sign:
        await expect(sign.names).to_have_text(["Minor", "<b>Odd</b>"])


# --- never backwards ----------------------------------------------------------------------------


async def test_older_values_are_never_shown(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(update(12, mega=MEGA + 1_000))
        late: list[Frame] = [update(11, mega=1), update(99, epoch=2, mega=1)]
        late += [snapshot(11, meters=ONE_METER), tick(11), win("old", epoch=2)]
        await feed.send(*late, update(13, minor=MINOR + 7))
        await sign.roll_to("minor", MINOR + 7)
        await sign.roll_to("mega", MEGA + 1_000)
        await expect(sign.takeover).to_be_hidden()
        assert len(feed.asked) == 1


async def test_a_new_connection_to_a_service_behind_changes_nothing(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        feed.greeting = [snapshot(4, meters=ONE_METER)]
        await feed.drop()
        await wait_until(lambda: feed.connections == 0)
        await sign.come_back()
        assert feed.asked[1].endswith("&epoch=3&seq=10")
        await wait_target(sign, "mega", MEGA)
        # It catches up: the place is ahead of what is shown again.
        await feed.send(update(11, mega=MEGA + 5))
        await sign.roll_to("mega", MEGA + 5)


async def test_a_restored_service_is_believed_once_nobody_vouches_for_the_old(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        feed.greeting = [snapshot(4, meters=ONE_METER, age_ms=4_000)]
        await feed.drop()
        await sign.come_back()
        await sign.page.clock.run_for(11_000)
        await sign.wait_state("stale")
        await sign.wait_reads("mega", MEGA)
        feed.greeting = [snapshot(4, meters=ONE_METER)]
        feed.tick = tick(4)
        await feed.drop()
        await sign.come_back()
        await sign.wait_reads("mega", 1_300_000)
        await expect(sign.names).to_have_text(["Mega"])


async def test_later_epoch_naming_every_meter_is_taken_over(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.send(update(1, epoch=4, mega=1, major=2, minor=3))
        for cents, meter in enumerate(("mega", "major", "minor"), start=1):
            await sign.wait_reads(meter, cents)
        assert len(feed.asked) == 1


@pytest.mark.parametrize("frame", [update(1, epoch=4, mega=1), tick(9, epoch=4)], ids=["u", "t"])
async def test_later_epoch_makes_the_page_ask_for_a_snapshot(wall: Wall, frame: Frame) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        feed.greeting = [snapshot(2, epoch=4, meters=ONE_METER)]
        await feed.send(frame)
        await wait_target(sign, "mega", 1_300_000)
        assert len(feed.asked) == 2


async def test_malformed_frames_change_nothing(wall: Wall) -> None:
    good = {"id": "mega", "cents": 1}
    wrong_cents: tuple[object, ...] = (-1, 1.5, 2**53, "1", None, True)
    malformed: list[Frame | str | bytes] = [
        "", "{", "null", "[]", "7", '"tick"', b"\x00\x01", {},
        {"type": "surprise", "epoch": 3, "seq": 99},
        {"type": "constructor", "epoch": 3, "seq": 99},
        {"type": ["update"], "epoch": 3, "seq": 99, "meters": [good]},
        {"type": "update", "epoch": 3, "meters": [good]},
        {"type": "update", "seq": 99, "meters": [good]},
        {"type": "update", "epoch": 3, "seq": "99", "meters": [good]},
        {"type": "update", "epoch": "b", "seq": 99, "meters": [good]},
        {"type": "update", "epoch": 3, "seq": 99, "meters": {"mega": 1}},
        *(
            {"type": "update", "epoch": 3, "seq": 99, "meters": [good, bad]}
            for bad in (None, 5, {"id": "minor"}, good, {"id": 5, "cents": 1})
        ),
        *(
            {"type": "update", "epoch": 3, "seq": 99, "meters": [{"id": "mega", "cents": cents}]}
            for cents in wrong_cents
        ),
        snapshot(99, link="other"),
        snapshot(99, meters=[good]),
        snapshot(99, state=None),
        snapshot(99, age_ms=-1),
        {"type": "state"},
        {"type": "state", "state": 5},
        {"type": "tick"},
        win("A-9", amount_cents="1"),
        win("A-9", seat=None),
        win("A-9", next_cents=None),
    ]  # fmt: skip
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        await feed.send(*malformed)
        await feed.send(update(11, minor=MINOR + 1) | {"new_field": [1]})
        await sign.roll_to("minor", MINOR + 1)
        await sign.wait_reads("mega", MEGA)
        await expect(sign.body).to_have_attribute("data-seq", "11")
        await expect(sign.takeover).to_be_hidden()
        assert len(feed.asked) == 1


# --- truth --------------------------------------------------------------------------------------


async def test_silence_ages_then_is_stale_and_heals_without_a_reload(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        feed.ticking = False
        # Whatever was on its way has arrived: the page answers after it.
        await feed.send(update(11, mega=MEGA))
        await expect(sign.body).to_have_attribute("data-seq", "11")
        feed.greeting = []
        await sign.page.clock.run_for(2_900)
        await sign.wait_state("live")
        await sign.page.clock.run_for(1_500)
        await sign.wait_state("ageing")
        await expect(sign.status).to_have_text("Updated 4 s ago")
        await sign.page.clock.run_for(6_000)
        await sign.wait_state("stale")
        await sign.page.clock.run_for(62_000)
        await expect(sign.status).to_have_text("No contact for 1 min 12 s: amounts as of 15:14")
        await expect(sign.page.locator("#layout")).to_have_css("filter", "grayscale(1)")
        await sign.wait_reads("mega", MEGA)
        feed.greeting = [snapshot(14, meters=ONE_METER)]
        feed.tick = tick(14)
        feed.ticking = True
        await feed.drop()
        await sign.come_back()
        await sign.wait_reads("mega", 1_300_000)
        await sign.wait_state("live")
        await expect(sign.status).to_have_text("Live")
        await expect(sign.page.locator("#layout")).to_have_css("filter", "none")


@pytest.mark.parametrize("noise", [tick(500, epoch=2), tick(9), tick(500)], ids=["2", "9", "500"])
async def test_ticks_of_another_place_do_not_vouch(wall: Wall, noise: Frame) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        feed.greeting = []
        await feed.send(noise, update(11, minor=MINOR + 1))
        await wait_target(sign, "minor", MINOR + 1)
        for _ in range(3):
            await sign.page.clock.run_for(1_400)
            await feed.send(noise)
        await sign.wait_state("ageing")


async def test_frames_that_are_only_repeated_make_no_amount_younger(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        again = [tick(11, at="2026-03-01T20:14:30Z"), snapshot(11), update(11, mega=MEGA)]
        await feed.send(update(11, mega=MEGA), *again)
        await expect(sign.body).to_have_attribute("data-seq", "11")
        for _ in range(12):
            await sign.page.clock.run_for(1_000)
            await feed.send(*again)
        await sign.wait_state("stale")


async def test_relay_that_lost_the_service_never_passes_old_for_live(wall: Wall) -> None:
    feed = wall.feed()
    feed.ticking = False
    feed.greeting = [snapshot(age_ms=65_000, state="inoperable", reason="no word from upstream")]
    async with wall.hang(feed, frozen=True) as sign:
        # Old wins over broken: the reason is as old as the amounts.
        await sign.wait_state("stale")
        await expect(sign.status).to_contain_text("No contact for 1 min 5 s")
        await sign.wait_reads("mega", MEGA)
        await feed.send(snapshot(11, age_ms=4_000))
        await sign.wait_state("ageing")
        await feed.send(tick(11))
        await sign.wait_state("live")
        # An older word takes nothing from the amounts it is for; newer amounts have only that one.
        await feed.send(snapshot(11, age_ms=20_000), update(12, mega=MEGA + 1))
        await wait_target(sign, "mega", MEGA + 1)
        await sign.wait_state("live")
        await feed.send(snapshot(13, age_ms=20_000))
        await sign.wait_state("stale")


async def test_wake_after_a_long_sleep_never_passes_old_for_live(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        feed.greeting = []
        # Time has passed, but no timer has run: what a sleeping machine sees when it wakes.
        await sign.page.clock.set_fixed_time(7_200_000)
        await feed.send(update(12, mega=2 * MEGA))
        await sign.wait_state("stale")
        await sign.wait_reads("mega", MEGA)


@pytest.mark.parametrize(
    "event",
    ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('resume'))"],
)
async def test_waking_up_does_not_sit_out_the_back_off(wall: Wall, event: str) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        await feed.drop()
        await wait_until(lambda: feed.connections == 0)
        while feed.connections == 0:
            await sign.page.evaluate(event)
            await asyncio.sleep(0.02)
        assert len(feed.asked) == 2


async def test_refused_connections_are_tried_again_and_again(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        feed.accepting = False
        await feed.drop()
        await wait_until(lambda: len(feed.asked) >= 4)
        feed.accepting = True
        await wait_until(lambda: feed.connections == 1)
        await sign.wait_state("live")


@pytest.mark.parametrize("layout", ["meters", "paytable", "strip"])
async def test_inoperable_link_says_so_by_turns_with_its_amounts(wall: Wall, layout: str) -> None:
    feed = wall.feed(layout=layout)
    size = (1920, 160) if layout == "strip" else (1280, 720)
    async with wall.hang(feed, size=size, frozen=True) as sign:
        await sign.wait_state("live")
        broken = {"type": "state", "state": "inoperable", "reason": "closed by the pit"}
        await feed.send(broken)
        await sign.wait_state("inoperable")
        faces = set()
        for _ in range(5):
            await feed.send(feed.tick)
            await sign.page.clock.run_for(2_000)
            face = await sign.body.get_attribute("data-face")
            faces.add(face)
            seen = expect(sign.page.locator("#fault"))
            await (seen.to_be_visible() if face == "fault" else seen.not_to_be_visible())
        assert faces == {"amount", "fault"}
        await expect(sign.page.locator("#fault-reason")).to_have_text("closed by the pit")
        await feed.send({"type": "state", "state": "live", "reason": None}, feed.tick)
        await sign.wait_state("live")
        await expect(sign.page.locator("#fault")).not_to_be_visible()


async def test_inoperable_without_meters_shows_dashes_until_it_reopens(wall: Wall) -> None:
    feed = wall.feed()
    feed.greeting = [snapshot(state="inoperable", meters=[])]
    async with wall.hang(feed) as sign:
        await sign.wait_state("inoperable")
        await expect(sign.status).to_have_text("Temporarily out of service")
        await expect(sign.amounts).to_have_text([NO_AMOUNT])
        feed.greeting = [snapshot(11)]
        feed.tick = tick(11)
        await feed.send({"type": "state", "state": "live", "reason": ""})
        await sign.wait_state("live")
        await sign.wait_reads("mega", MEGA)


async def test_unknown_state_is_not_live(wall: Wall) -> None:
    feed = wall.feed()
    feed.greeting = [snapshot(state="draining")]
    async with wall.hang(feed) as sign:
        await sign.wait_state("inoperable")


# --- what it reports ----------------------------------------------------------------------------


async def test_sign_reports_what_can_be_read_at_most_once_a_second(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        for seq in range(11, 51):
            await feed.send(update(seq, mega=MEGA + 10 * seq))
            await asyncio.sleep(0.04)
        last = {"seq": 50, "meters": MEGA + 500}
        await wait_until(
            lambda: (
                bool(feed.heard)
                and last == {"seq": feed.showings[-1]["seq"], "meters": read(feed.showings[-1])}
            )
        )
    assert all(message["type"] == "showing" for message in feed.showings)
    assert all(message["epoch"] == 3 for message in feed.showings)
    assert all(message["state"] == "live" for message in feed.showings)
    assert all(read(message) <= MEGA + 10 * message["seq"] for message in feed.showings)
    assert all(later[0] - sooner[0] >= 1 for sooner, later in pairwise(feed.heard))


def read(showing: Frame) -> int:
    return next(int(meter["cents"]) for meter in showing["meters"] if meter["id"] == "mega")


async def test_sign_says_that_it_is_there_and_in_which_state(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        await sign.wait_state("live")
        feed.ticking = False
        await feed.send(update(11, mega=MEGA))
        await expect(sign.body).to_have_attribute("data-seq", "11")
        await sign.page.clock.run_for(1_000)
        await wait_until(lambda: bool(feed.heard))
        await sign.page.clock.run_for(3_700)
        await wait_until(lambda: feed.showings[-1]["state"] == "ageing")
        count = len(feed.heard)
        await feed.send(tick(11))
        await sign.wait_state("live")
        for _ in range(6):
            await feed.send(tick(11))
            await sign.page.clock.run_for(1_000)
        await wait_until(lambda: len(feed.heard) >= count + 2)
        assert len(feed.heard) <= count + 3
        assert feed.showings[-1]["meters"][0] == {"id": "mega", "cents": MEGA}


# --- how it looks -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [*SIZES, (320, 568), (844, 390)], ids=str)
async def test_everything_fits_on_every_glass(wall: Wall, size: Size) -> None:
    feed = wall.feed()
    async with wall.hang(feed, size=size) as sign:
        for theme, counts in (("midnight", (1, 3)), ("deco", (3, 6))):
            for count in counts:
                seq = 20 + count
                feed.greeting = [
                    snapshot(
                        seq,
                        meters=[
                            {"id": f"m{n}", "name": f"Progressive {n}", "cents": 10 ** (10 - n)}
                            for n in range(count)
                        ],
                    )
                ]
                await sign.page.goto(wall.address(feed, f"?theme={theme}"))
                await expect(sign.amounts).to_have_count(count)
                assert await overflowing(sign) == []


async def overflowing(sign: Glass) -> list[str]:
    """What does not stay within the glass, or within the panel it belongs to."""
    found: list[str] = await sign.page.evaluate(
        """() => {
          const inside = (box, room) => box.left >= room.left - 1 && box.top >= room.top - 1
            && box.right <= room.right + 1 && box.bottom <= room.bottom + 1;
          const box = (element) => element.getBoundingClientRect();
          const bad = [];
          const glass = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
          for (const element of document.querySelectorAll("header > *, .meter, .bet, #status")) {
            if (!inside(box(element), glass)) bad.push(`off the glass: ${element.className}`);
          }
          for (const part of document.querySelectorAll(
              ".meter .name, .meter .reels, .bet .line, .bet .rules, .bet .line-odds")) {
            if (part.closest("[hidden]")) continue;
            if (!inside(box(part), box(part.closest(".meter, .bet")))) {
              bad.push(`out of its panel: ${part.className} ${part.textContent}`);
            }
          }
          return bad;
        }"""
    )
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_paytable_posts_lines_odds_wager_and_rules(wall: Wall, size: Size) -> None:
    feed = wall.feed(layout="paytable", theme="ivory")
    feed.posted = posted_terms()
    async with wall.hang(feed, size=size, frozen=True) as sign:
        mega = sign.page.locator('[data-line="three_7_diamonds"]')
        await expect(mega.locator(".line-odds")).to_have_text("1 in 263,420")
        await expect(mega.locator(".amount")).to_have_text("$103,417.20")
        await feed.send(update(11, mega=MEGA + 60))
        await sign.roll_to("mega", MEGA + 60)
        blazing, buster = (
            sign.page.locator(f'[data-bet="{bet}"]') for bet in ("blazing7", "buster")
        )
        await expect(blazing.locator(".bet-wager")).to_have_text("Bet $5")
        await expect(buster.locator(".bet-wager")).to_have_text("Bet $1 to $100")
        await expect(blazing.locator(".rules")).to_contain_text("Mega starts again at $25,000")
        await expect(blazing.locator(".rules")).to_contain_text("from the dealer's right")
        await expect(blazing.locator(".rules")).to_contain_text("Your first three cards count.")
        await expect(buster.locator(".rules")).to_contain_text("wager, and not above it.")
        await expect(buster.locator(".rules")).to_contain_text("Dealer hits soft 17.")
        await expect(buster.locator('[data-line="bust_8_or_more"]')).to_contain_text("250 to 1")
        await expect(buster.locator(".bonus")).to_contain_text("8 or more cards: $8,000")
        await expect(buster.locator(".bonus")).to_contain_text("a bet of $5 or more")
        assert await overflowing(sign) == []


async def test_paytable_without_terms_says_so_and_still_shows_amounts(wall: Wall) -> None:
    feed = wall.feed(layout="paytable")
    async with wall.hang(feed) as sign:
        await expect(sign.page.locator(".missing")).to_contain_text("not available")
        await expect(sign.page.locator(".amount").first).to_have_text("$103,417.20")
        feed.posted = posted_terms()
        await sign.page.reload()
        await expect(sign.page.locator(".bet[data-bet]")).to_have_count(2)


async def test_paytable_of_a_game_that_a_player_banks(wall: Wall) -> None:
    feed = wall.feed(layout="paytable", language="es")
    line = {"id": "bust_3", "name": "Player-Dealer Busts with 3 Cards", "to_one": 3, "per": 2}
    young = {"id": "brand_new", "name": "Something New", "for_one": 1_000}
    terms = posted_terms()
    feed.posted = terms | {"bets": [terms["bets"][1] | {"lines": [line, young]}]}
    async with wall.hang(feed) as sign:
        lines = sign.page.locator(".line[data-line]")
        await expect(lines.nth(0)).to_contain_text("El jugador-crupier se pasa con 3 cartas")
        await expect(lines.nth(0)).to_contain_text("3 a 2")
        await expect(lines.nth(1)).to_contain_text("Something New")
        await expect(lines.nth(1)).to_contain_text("1,000 por 1")


async def test_more_bets_than_fit_take_turns(wall: Wall) -> None:
    feed = wall.feed(layout="paytable")
    terms = posted_terms()
    third = terms["bets"][1] | {"id": "third", "name": "Third"}
    feed.posted = terms | {"bets": [*terms["bets"], third]}
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await expect(sign.page.locator(".bet[data-bet]")).to_have_count(3)
        seen = set()
        for _ in range(4):
            await sign.page.clock.run_for(7_000)
            seen.add(await sign.page.locator(".bet[data-bet]:visible").count())
            await feed.send(feed.tick)
        assert seen == {1, 2}


@pytest.mark.parametrize("size", [(1920, 160), (640, 64), (3840, 160)], ids=str)
async def test_strip_shows_every_meter_on_one_line(wall: Wall, size: Size) -> None:
    feed = wall.feed(layout="strip", theme="neon")
    async with wall.hang(feed, size=size, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        shown = sign.page.locator("#meters .meter:visible")
        seen: set[str] = set()
        for _ in range(4):
            seen |= {str(await each.get_attribute("data-meter")) for each in await shown.all()}
            # Words of a state take room from the amounts: the browser tells a moment later.
            while not all([await is_inside(each, size) for each in await shown.all()]):
                await asyncio.sleep(0.02)
            await feed.send(feed.tick)
            await sign.page.clock.run_for(5_000)
        assert seen == {"mega", "major", "minor"}


async def is_inside(part: Locator, size: Size) -> bool:
    box = await part.bounding_box()
    assert box is not None
    across = box["x"] >= 0 and box["x"] + box["width"] <= size[0]
    return across and box["y"] >= -1 and box["y"] + box["height"] <= size[1] + 1


@pytest.mark.parametrize(
    ("language", "tag", "live", "wager", "line"),
    [
        ("en", "en", "Live", "Bet $5 on Blazing 7's", "Three 7s of diamonds"),
        ("es", "es", "En vivo", "Apueste $5 a Blazing 7's", "Tres 7 de diamantes"),
        ("zh", "zh-Hans", "实时", "Blazing 7's 投注 $5", "三张方块 7"),
    ],
)
async def test_sign_speaks_its_language(
    wall: Wall, language: str, tag: str, live: str, wager: str, line: str
) -> None:
    feed = wall.feed(layout="paytable", language=language)
    feed.posted = posted_terms()
    async with wall.hang(feed) as sign:
        await sign.wait_state("live")
        await expect(sign.page.locator("html")).to_have_attribute("lang", tag)
        await expect(sign.status).to_have_text(live)
        await expect(sign.page.locator("#wager-note")).to_have_text(wager)
        await expect(sign.page.locator(".line-name").nth(1)).to_contain_text(line)


@pytest.mark.parametrize("theme", get_args(SignTheme))
async def test_sign_can_be_read_and_heard(wall: Wall, theme: str) -> None:
    feed = wall.feed(theme=theme)
    feed.posted = posted_terms()
    async with wall.hang(feed) as sign:
        for layout in get_args(SignLayout)[::2]:
            await sign.page.goto(wall.address(feed, f"?layout={layout}"))
            await sign.wait_state("live")
            await expect(sign.page.locator("#layout")).to_have_css("opacity", "1")
            await assert_accessible(sign.page)


async def test_every_language_has_every_word(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed) as sign:
        words: dict[str, dict[str, str]] = await sign.page.evaluate(
            """async () => {
              const { LANGUAGES } = await import("/assets/sign/words.js");
              return Object.fromEntries(Object.entries(LANGUAGES).map(([language, texts]) => {
                const { lines, ...rest } = texts;
                return [language, { ...rest, ...lines }];
              }));
            }"""
        )
    english = words["en"]
    assert words.keys() == set(get_args(SignLanguage))
    # Every line that a game file knows has words of its own.
    lines = set(re.findall(r'\{ id = "(\w+)"', "".join(map(Path.read_text, GAMES.iterdir()))))
    assert lines <= english.keys()
    for texts in words.values():
        assert texts.keys() == english.keys()
        for key, text in texts.items():
            assert text
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key]))


async def test_address_may_ask_for_another_look(wall: Wall) -> None:
    feed = wall.feed()
    query = "?theme=deco&layout=strip&language=es&meters=minor,mega"
    async with wall.hang(feed, query=query, size=(3840, 160)) as sign:
        await sign.wait_state("live")
        root = sign.page.locator("html")
        await expect(root).to_have_attribute("data-theme", "deco")
        await expect(root).to_have_attribute("data-layout", "strip")
        await expect(sign.names).to_have_text(["Minor", "Mega"])
    async with wall.hang(feed, query="?theme=%22onload&layout=x&language=q") as sign:
        await sign.wait_state("live")
        await expect(sign.page.locator("html")).to_have_attribute("data-theme", "midnight")


async def test_drift_wanders_within_its_room(wall: Wall) -> None:
    feed = wall.feed()
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        places = set()
        for _ in range(8):
            await sign.page.clock.run_for(60_000)
            box = await sign.page.locator("#stage").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= 1280
            assert box["y"] + box["height"] <= 720
            places.add((box["x"], box["y"]))
        assert len(places) > 3
