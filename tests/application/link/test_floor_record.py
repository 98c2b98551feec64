"""What a start records of the floor file: tables, signs, who; and what older programs left out."""

import msgspec
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.journal.record import decode_record
from progressive.application.link.take_over import take_over
from progressive.domain.events import FloorRecorded, LinkOpened
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rulebook.floor_record import FloorRecord, floor_record
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkRules, TableRules
from tests.support.builders import LINK, a_desk, a_link, a_lock, a_settle, journal_of
from tests.support.fake_clock import FakeClock
from tests.support.journals import Row

RULES = a_link(time_zone="America/New_York", policy=AwardPolicy(rack_limit_cents=100_000))
OLDER = structs.replace(RULES, terms=structs.replace(RULES.terms, house=None))
"""The same floor file, as a program read it that did not record all of it."""


def record(rules: LinkRules = RULES, **changes: object) -> FloorRecord:
    return structs.replace(floor_record(rules, program="0.1.0", started_by="ann"), **changes)


async def start(store: MemoryStore, rules: LinkRules = RULES, **changes: object) -> None:
    await take_over(store, rules, FakeClock(), floor=record(rules, **changes))


async def records(store: MemoryStore) -> list[Row]:
    return [msgspec.json.decode(stored)["event"] for stored in await journal_of(store)]


async def test_first_record_says_who_began_with_which_program_and_tables() -> None:
    store = MemoryStore()
    await start(store)
    (opened,) = await records(store)
    floor = opened["floor"]
    assert (floor["program"], floor["started_by"]) == ("0.1.0", "ann")
    assert [(table["id"], table["seats"]) for table in floor["tables"]] == [
        ("BJ-01", 7), ("BJ-02", 7), ("BJ-03", 7),
    ]  # fmt: skip
    assert opened["terms"]["house"]["time_zone"] == "America/New_York"
    assert opened["terms"]["house"]["policy"]["rack_limit_cents"] == 100_000


async def test_start_that_brings_nothing_new_writes_nothing() -> None:
    store = MemoryStore()
    for _ in range(3):
        await start(store)
    assert len(await records(store)) == 1


async def test_start_by_somebody_else_with_another_program_or_table_is_recorded() -> None:
    store = MemoryStore()
    await start(store)
    more = structs.replace(
        RULES,
        tables=(*RULES.tables, TableRules(id=TableId("BJ-04"), link=LinkId(LINK), seats=5)),
    )
    await start(store, more, started_by="bob")
    await start(store, more, started_by="bob", program="0.2.0")
    _, added, upgraded = await records(store)
    assert added["type"] == "floor_recorded"
    assert added["floor"]["started_by"] == "bob"
    assert added["floor"]["tables"][-1]["id"] == "BJ-04"
    assert upgraded["floor"]["program"] == "0.2.0"


async def test_another_time_to_close_the_days_is_recorded_with_a_start() -> None:
    store = MemoryStore()
    await start(store)
    await start(store, close_within_hours=48)
    _, changed = await records(store)
    assert (changed["type"], changed["floor"]["close_within_hours"]) == ("floor_recorded", 48)


async def test_older_journal_gets_what_it_lacks_recorded_without_approval() -> None:
    """Nothing says what the house had settled then: what holds at the first start is recorded."""
    store = MemoryStore()
    async with a_desk(store, OLDER) as desk:
        await desk.ask(a_lock(1))
        await desk.ask(a_settle(2))
    async with a_desk(store, RULES) as desk:
        assert desk.worker.view.state == "live"
        assert desk.state().terms == RULES.terms
        assert desk.state().terms_version == 1
    events = [decode_record(stored).event for stored in await journal_of(store)]
    assert isinstance(events[0], LinkOpened)
    assert events[0].terms.house is None
    (completed,) = [event for event in events if isinstance(event, FloorRecorded)]
    assert completed.terms == RULES.terms


async def test_once_recorded_another_policy_takes_two_people() -> None:
    store = MemoryStore()
    async with a_desk(store, RULES) as desk:
        await desk.ask(a_lock(1))
        await desk.ask(a_settle(2))
    generous = a_link(time_zone="America/New_York", policy=AwardPolicy(rack_limit_cents=10**9))
    async with a_desk(store, generous) as desk:
        assert desk.worker.view.state == "inoperable"
        assert "rack_limit_cents: 100000 in the journal, 1000000000 in the floor" in (
            desk.worker.view.reason or ""
        )


async def test_name_of_a_user_is_safe_in_a_record() -> None:
    name = floor_record(RULES, started_by="ann\n\u202e\x00" + "x" * 500).started_by
    assert name.startswith("ann???x")
    assert len(name) == 200
