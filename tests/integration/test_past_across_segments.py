"""Questions about the past cost the same in a short and in a long journal, wherever it was cut."""

import asyncio
from collections.abc import Awaitable
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from progressive.adapters.memory.journal import MemoryStore
from progressive.application.awards.sheet import NoSheetError, settlement_sheet
from progressive.application.journal.history import TermsIndex, meters_after, meters_at
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import (
    GENESIS,
    JournalBrokenError,
    Record,
    decode_record,
    encode_record,
    hash_record,
)
from progressive.application.link.batch import ActReceipt
from progressive.application.link.old_answers import find_receipt
from progressive.application.signs.history import glass_then
from progressive.application.signs.reports import Glass, SignEntry, milliseconds, time_text
from progressive.domain.acts import PayAward, ValidateAward
from progressive.domain.events import Event, RoundSettled, TableEvent
from progressive.domain.ids import AwardId, LinkId
from tests.support.audited_floor import AuditedFloor
from tests.support.awards import ANN, CARA, MEGA_HAND
from tests.support.builders import BJ1, BJ2, LINK, Desk, a_desk, a_lock, a_settle, journal_of
from tests.support.cut_journal import CountingFiles, cut_journal
from tests.support.fake_clock import FakeClock

SEGMENT_RECORDS = 20
SHORT, LONG = 3, 300
BEGAN = milliseconds("2026-01-02T03:04:05.000000Z")


async def a_round(desk: Desk, clock: FakeClock, seq: int) -> None:
    for table in (BJ1, BJ2):
        clock.advance(1)
        await desk.ask(a_lock(seq), table=table)
    for table in (BJ1, BJ2):
        clock.advance(1)
        await desk.ask(a_settle(seq + 1), table=table)


async def a_win(desk: Desk, clock: FakeClock, seq: int) -> AwardId:
    """A Mega at BJ-01, validated and paid while the other table plays on."""
    await desk.ask(a_lock(seq))
    await desk.ask(a_settle(seq + 1, seats={1: MEGA_HAND}, dealer="5s 9c"))
    award = AwardId(f"{LINK}.{desk.worker.view.seq}.1")
    await desk.ask(a_lock(seq), table=BJ2)
    assert isinstance(await desk.worker.perform(ValidateAward(award, ANN)), ActReceipt)
    await desk.ask(a_settle(seq + 1), table=BJ2)
    clock.advance(1)
    assert isinstance(await desk.worker.perform(PayAward(award, CARA)), ActReceipt)
    return award


async def played(records: int) -> list[bytes]:
    """So many records of two tables; a Mega in every segment."""
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, clock=clock) as desk:
        seq = 1
        while desk.worker.view.seq < records:
            if desk.worker.view.seq % SEGMENT_RECORDS < 4:
                await a_win(desk, clock, seq)
            else:
                await a_round(desk, clock, seq)
            seq += 2
    return (await journal_of(store))[:records]


class Cost:
    """What a question read."""

    def __init__(self, files: CountingFiles) -> None:
        self._files = files

    async def of(self, question: Awaitable[object]) -> tuple[int, int]:
        """Blocks inflated and indexes read, with nothing remembered from before."""
        self._files._index.cache_clear()
        self._files.blocks_read = self._files.indexes_read = 0
        assert await question is not None
        return self._files.blocks_read, self._files.indexes_read


def settled_with_awards(records: list[Record]) -> list[int]:
    return [
        each.seq for each in records if isinstance(each.event, RoundSettled) and each.event.awards
    ]


async def costs_of(
    store: JournalReader, files: CountingFiles, kept: list[Record], segments: int
) -> dict[str, tuple[int, int]]:
    """Each question about the same place of the first, the middle and the last segment."""
    cost, costs = Cost(files), {}
    last_seq, terms = kept[-1].seq, TermsIndex(store, LINK)
    await terms.meters_of(1, last_seq=last_seq)
    for name, segment in (("first", 0), ("middle", segments // 2), ("last", segments - 1)):
        asked = kept[segment * SEGMENT_RECORDS + 12]
        costs[f"at, {name}"] = await cost.of(
            meters_at(store, LINK, at=asked.at, last_seq=last_seq, terms=terms)
        )
        costs[f"seq, {name}"] = await cost.of(
            meters_after(store, LINK, seq=asked.seq, last_seq=last_seq, terms=terms)
        )
        event = next(
            each.event for each in kept[asked.seq :: -1] if isinstance(each.event, TableEvent)
        )
        costs[f"answer, {name}"] = await cost.of(
            find_receipt(
                store, LINK, table=event.table, table_seq=event.table_seq, before_seq=last_seq + 1
            )
        )
    wins = [seq for seq in settled_with_awards(kept) if seq <= segments * SEGMENT_RECORDS]
    for won in (*wins[:3], *wins[len(wins) // 2 :][:3], *wins[-3:]):
        costs[f"sheet, {won}"] = await cost.of(
            settlement_sheet(store, LINK, won, last_seq=last_seq)
        )
    return costs


@pytest.mark.slow
async def test_every_question_costs_the_same_in_three_and_in_three_hundred_segments(
    memory_path: Path,
) -> None:
    stored = await played(LONG * SEGMENT_RECORDS + 5)
    costs: dict[int, dict[str, tuple[int, int]]] = {}
    for segments in (SHORT, LONG):
        part = stored[: segments * SEGMENT_RECORDS + 5]
        cuts = [SEGMENT_RECORDS * (place + 1) for place in range(segments)]
        store, files = await cut_journal(memory_path / str(segments), LINK, part, cuts)
        kept = [decode_record(each) for each in part]
        costs[segments] = await costs_of(store, files, kept, segments)
        await store.close()
    for costs_there in costs.values():
        for name, (blocks, indexes) in costs_there.items():
            kind = name.partition(",")[0]
            # The segment of a table's message is found by halving; a time and a number by the rows.
            assert indexes <= (1 if kind in ("at", "seq") else LONG.bit_length() + 3), name
            # The sheet: the settlement, the lock-out, and two acts, each in a block of its own.
            assert 1 <= blocks <= (4 if kind == "sheet" else 1), name


@pytest.mark.slow
async def test_award_that_still_waits_is_looked_for_to_the_end(memory_path: Path) -> None:
    """And one whose payment came a hundred segments later is found, not passed over."""
    store, clock = MemoryStore(), FakeClock()
    async with a_desk(store, clock=clock) as desk:
        await desk.ask(a_lock(1))
        await desk.ask(a_settle(2, seats={1: MEGA_HAND}, dealer="5s 9c"))
        won = desk.worker.view.seq
        for seq in range(1, 120, 2):
            clock.advance(1)
            await desk.ask(a_lock(seq), table=BJ2)
            await desk.ask(a_settle(seq + 1), table=BJ2)
        award = AwardId(f"{LINK}.{won}.1")
        for act in (ValidateAward(award, ANN), PayAward(award, CARA)):
            assert isinstance(await desk.worker.perform(act), ActReceipt)
    stored = await journal_of(store)
    cut, files = await cut_journal(memory_path, LINK, stored, range(1, len(stored) - 3))
    whole = await settlement_sheet(store, LINK, won, last_seq=len(stored))
    assert [entry.what for entry in whole.history] == ["validated", "paid"]
    assert await settlement_sheet(cut, LINK, won, last_seq=len(stored)) == whole
    assert whole.awards[0].status == "paid"
    # Indexes tell where nothing was done: no block of a segment in between is inflated.
    files.blocks_read = 0
    await settlement_sheet(cut, LINK, won, last_seq=len(stored))
    assert files.blocks_read <= 2
    await cut.close()


# --- the same answers, wherever it was cut --------------------------------------------------------


class RecordedFloor(AuditedFloor):
    """Chance's journal, a record a second."""

    def __init__(self, chance: Random) -> None:
        self.stored: list[bytes] = []
        self._head = GENESIS
        super().__init__(chance)

    def _write(self, event: Event) -> None:
        super()._write(event)
        seq = len(self.stored) + 1
        at = time_text(BEGAN + 1000 * seq, micros=seq % 7)
        self.stored.append(encode_record(seq, at, self._head, event))
        self._head = sha256(self.stored[-1]).hexdigest()


async def answers(store: JournalReader, link: LinkId, kept: list[Record]) -> list[object]:
    """Every question, about every record."""
    last_seq = kept[-1].seq
    terms = TermsIndex(store, link)
    told: list[object] = []
    for record in kept:
        told.append(await meters_at(store, link, at=record.at, last_seq=last_seq, terms=terms))
        told.append(await meters_after(store, link, seq=record.seq, last_seq=last_seq, terms=terms))
        event = record.event
        if isinstance(event, TableEvent):
            for number in (event.table_seq, event.table_seq + 1):
                told.append(
                    await find_receipt(
                        store, link, table=event.table, table_seq=number, before_seq=last_seq
                    )
                )
        try:
            told.append(await settlement_sheet(store, link, record.seq, last_seq=last_seq))
        except (NoSheetError, JournalBrokenError) as error:
            told.append(str(error))
    shown = kept[len(kept) // 2]
    meters = await meters_after(store, link, seq=max(1, shown.seq - 9), last_seq=last_seq)
    assert meters is not None
    glass = tuple(
        Glass(meter.id, amount // 1_000_000)
        for meter, amount in zip(meters.meters, meters.microcents, strict=True)
    )
    at_ms = milliseconds(shown.at)
    report = SignEntry(at_ms, "showing", 1, 1, "live", glass)
    told.append(await glass_then(store, sign="wall", link=link, report=report, at_ms=at_ms))
    told.append(await meters_at(store, link, at="2020-01-01T00:00:00.000000Z", last_seq=last_seq))
    return told


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(min_value=0, max_value=2**32), st.data())
def test_answers_are_the_same_wherever_a_journal_was_cut(seed: int, data: st.DataObject) -> None:
    floor = RecordedFloor(Random(seed))
    for _ in range(80):
        floor.step()
    stored, link = floor.stored, floor.rules.id
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stored)), max_size=8), label="cuts"))
    batch_records = data.draw(st.integers(1, 40), label="records a batch")

    async def compare(folder: Path) -> None:
        whole = MemoryStore()
        opened = await whole.open_link(link)
        await whole.append(
            link,
            epoch=opened.epoch,
            expected_seq=0,
            records=stored,
            head=hash_record(stored[-1]),
        )
        kept = [decode_record(each) for each in stored]
        cut, _ = await cut_journal(folder, link, stored, cuts, batch_records=batch_records)
        try:
            assert await answers(cut, link, kept) == await answers(whole, link, kept)
        finally:
            await cut.close()

    with TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder)))
