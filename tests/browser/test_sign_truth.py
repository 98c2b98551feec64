"""How far a sign may be believed, and what it reports of itself."""

import asyncio
from itertools import pairwise

import pytest
from playwright.async_api import expect

from tests.support.signs import (
    MEGA,
    MINOR,
    Frame,
    Wall,
    snapshot,
    tick,
    update,
    wait_until,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

NO_AMOUNT = "— — —"
ONE_METER = [{"id": "mega", "name": "Mega", "cents": 1_300_000}]


# --- truth --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time_zone", "said"),
    [
        ("", "15:14"),
        ("America/Los_Angeles", "12:14"),
        ("Asia/Tokyo", "05:14"),
        ("Mars/Olympus", "15:14"),
    ],
)
async def test_times_are_those_of_the_floor(wall: Wall, time_zone: str, said: str) -> None:
    feed = wall.feed(time_zone=time_zone)
    async with wall.hang(feed, frozen=True) as sign:
        sign.may_lose_contact = True
        await sign.wait_state("live")
        feed.ticking = False
        await feed.send(update(11, mega=MEGA))
        await expect(sign.body).to_have_attribute("data-seq", "11")
        feed.greeting = []
        await sign.page.clock.run_for(70_000)
        await expect(sign.status).to_contain_text(f"amounts as of {said}")


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
        await sign.wait_target("minor", MINOR + 1)
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
        await sign.wait_target("mega", MEGA + 1)
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
            await sign.pass_time(2_000)
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
