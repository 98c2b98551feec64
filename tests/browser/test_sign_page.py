"""The sign page in a real browser, against feeds that say what the test tells them to."""

import pytest
from playwright.async_api import expect

from tests.support.signs import (
    MEGA,
    MINOR,
    SIZES,
    Frame,
    Size,
    Wall,
    snapshot,
    three_meters,
    tick,
    update,
    wait_until,
    win,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

NO_AMOUNT = "— — —"
ONE_METER = [{"id": "mega", "name": "Mega", "cents": 1_300_000}]


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
        await sign.wait_target("mega", MEGA)
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
        # A standby that cannot follow: its amounts are older, and no word for them.
        feed.greeting = [snapshot(4, meters=ONE_METER, state="inoperable", reason="no log")]
        await feed.drop()
        await sign.come_back()
        await sign.page.clock.run_for(1_000)
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
        await sign.wait_target("mega", 1_300_000)
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
