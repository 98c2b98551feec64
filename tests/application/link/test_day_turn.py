"""A checkpoint stands between two gaming days: a segment of the journal can end exactly there."""

import asyncio
from collections.abc import Sequence

import msgspec
import pytest
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.gaming_day import GamingDays
from progressive.domain.rulebook.house_terms import HouseTerms
from progressive.domain.rulebook.rules import LinkRules
from tests.support.builders import (
    BJ1,
    BJ2,
    LINK,
    WAIT_SECONDS,
    Desk,
    a_desk,
    a_link,
    a_lock,
    a_settle,
    kill,
)
from tests.support.fake_clock import FakeClock

NEW_YORK = GamingDays.of("America/New_York", "06:00")
HOUR = 3_600.0
# The clock begins at 2026-01-02T03:04:05Z: 22:04 of the evening before, in New York.
TO_THE_TURN = 8 * HOUR - 245.0
"""Seconds until 06:00 there."""


def a_floor(starts: str = "06:00") -> LinkRules:
    rules = a_link()
    house = HouseTerms(time_zone="America/New_York", gaming_day_starts=starts)
    return structs.replace(rules, terms=structs.replace(rules.terms, house=house))


async def records_of(store: MemoryStore) -> list[dict[str, object]]:
    return [msgspec.json.decode(stored) async for chunk in store.read(LINK) for stored in chunk]


def days_and_types(records: Sequence[dict[str, object]]) -> list[tuple[str, str]]:
    return [
        (NEW_YORK.day_of(str(each["at"])), str(msgspec.convert(each["event"], dict)["type"]))
        for each in records
    ]


async def checkpoints_are_exact(store: MemoryStore) -> None:
    """Where the day of two records differs, the later one confirms a snapshot at the earlier."""
    records = await records_of(store)
    days = days_and_types(records)
    snapshots = await store.snapshots(LINK)
    turns = 0
    for place in range(1, len(days)):
        if days[place][0] != days[place - 1][0]:
            turns += 1
            assert days[place][1] == "checkpointed"
            assert place in snapshots
    assert turns == len({day for day, _ in days}) - 1


async def test_the_first_message_of_a_day_comes_after_a_checkpoint() -> None:
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, a_floor(), clock=clock) as desk:
        await desk.ask(a_lock(1))
        clock.advance(TO_THE_TURN - 0.000001)
        await desk.ask(a_settle(2))
        clock.advance(0.000001)
        await desk.ask(a_lock(3))
        await desk.ask(a_settle(4))
    days = days_and_types(await records_of(store))
    assert days == [
        ("2026-01-01", "link_opened"),
        ("2026-01-01", "wagers_registered"),
        ("2026-01-01", "round_settled"),
        ("2026-01-02", "checkpointed"),
        ("2026-01-02", "wagers_registered"),
        ("2026-01-02", "round_settled"),
        ("2026-01-02", "checkpointed"),
    ]
    await checkpoints_are_exact(store)


async def test_a_day_that_turns_while_a_batch_gathers_is_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock moves a little with every look at it, and passes the turn in the middle of play."""
    store, clock = MemoryStore(), FakeClock()

    class Ticking(FakeClock):
        def now(self) -> str:
            clock.advance(0.7)
            return clock.now()

    clock.advance(TO_THE_TURN - 60.0)
    async with a_desk(store, a_floor(), clock=Ticking()) as desk:
        for seq in range(1, 200, 2):
            first = desk.send(a_lock(seq), a_settle(seq + 1), table=BJ1)
            second = desk.send(a_lock(seq), a_settle(seq + 1), table=BJ2)
            await first.wait_for(2)
            await second.wait_for(2)
    assert {day for day, _ in days_and_types(await records_of(store))} == {
        "2026-01-01",
        "2026-01-02",
    }
    await checkpoints_are_exact(store)


async def test_a_start_on_a_later_day_checkpoints_before_it_records_anything() -> None:
    store, clock = MemoryStore(), FakeClock()
    desk = Desk(a_floor(), store, clock)
    await desk.worker.start()
    await desk.ask(a_lock(1))
    await kill(desk)
    clock.advance(3 * 24 * HOUR)
    # Other tables: the start records the floor.
    rules = a_floor()
    tables = tuple(structs.replace(table, seats=9) for table in rules.tables)
    async with a_desk(store, structs.replace(rules, tables=tables), clock=clock) as desk:
        await desk.ask(a_settle(2))
    days = days_and_types(await records_of(store))
    assert [day for day, _ in days[:2]] == ["2026-01-01"] * 2
    assert days[2:4] == [("2026-01-04", "checkpointed"), ("2026-01-04", "floor_recorded")]
    await checkpoints_are_exact(store)


async def test_an_idle_link_is_checkpointed_once_when_its_day_is_over() -> None:
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, a_floor(), clock=clock) as desk:
        await desk.ask(a_lock(1))
        made = asyncio.Event()
        desk.worker.on_checkpoint = made.set
        desk.worker.end_day_soon()
        await desk.ask(a_settle(2))
        assert not made.is_set()
        for days in range(4):
            clock.advance(24 * HOUR)
            desk.worker.end_day_soon()
            if not days:
                async with asyncio.timeout(WAIT_SECONDS):
                    await made.wait()
        # The first message of a later day finds a checkpoint of days ago.
        await desk.ask(a_lock(3))
    days = days_and_types(await records_of(store))
    assert days[3:] == [
        ("2026-01-02", "checkpointed"),
        ("2026-01-05", "checkpointed"),
        ("2026-01-05", "wagers_registered"),
        ("2026-01-05", "checkpointed"),
    ]
    await checkpoints_are_exact(store)


@pytest.mark.parametrize(
    ("first_at_hours", "hours"), [(64 * 24, 23), (302 * 24, 25)], ids=["spring", "autumn"]
)
async def test_days_of_changing_clocks_are_exact(first_at_hours: float, hours: int) -> None:
    """The gaming day 2026-03-07 has 23 hours in New York, 2026-10-31 has 25."""
    store, clock = MemoryStore(), FakeClock()
    clock.advance(first_at_hours * HOUR)
    seq = 0
    async with a_desk(store, a_floor(), clock=clock) as desk:
        for _ in range(2 * 24 * 4):
            seq += 1
            clock.advance(HOUR / 4)
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
    records = await records_of(store)
    await checkpoints_are_exact(store)
    lengths: dict[str, int] = {}
    for day, kind in days_and_types(records):
        if kind != "checkpointed":
            lengths[day] = lengths.get(day, 0) + 1
    assert hours * 4 in lengths.values()


async def test_the_way_of_a_message_compares_two_texts_and_computes_no_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, a_floor(), clock=clock) as desk:
        computed: list[str] = []
        monkeypatch.setattr(GamingDays, "day_of", lambda _, at: computed.append(at) or "")
        for seq in range(1, 41):
            clock.advance(1.0)
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        assert computed == []
        monkeypatch.undo()
