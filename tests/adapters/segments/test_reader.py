"""Closed segments beside a journal file: what a look-up costs, and who waits for whom."""

import asyncio
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.journal_view import JournalView
from progressive.application.journal.record import hash_record
from progressive.application.journal.segments import Block, Segment, SegmentIndex
from progressive.domain.ids import TableId
from tests.support.chains import CHAIN_LINK, a_chain, a_time
from tests.support.segments import CHAIN, all_of, an_archived_store, append_all, archive, trim_all


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with an_archived_store(tmp_path) as store:
        yield store


class Counted:
    """What was read of the files of segments."""

    def __init__(self) -> None:
        self.blocks: list[int] = []
        self.indexes: list[int] = []
        self.before_a_block: Callable[[], object] = lambda: None


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    block, index = SegmentFiles.block, SegmentFiles._read_index

    def counting_block(files: SegmentFiles, segment: Segment, of: Block) -> list[bytes]:
        counted.before_a_block()
        counted.blocks.append(of.first_seq)
        return block(files, segment, of)

    def counting_index(files: SegmentFiles, segment: Segment) -> SegmentIndex:
        counted.indexes.append(segment.number)
        return index(files, segment)

    monkeypatch.setattr(SegmentFiles, "block", counting_block)
    monkeypatch.setattr(SegmentFiles, "_read_index", counting_index)
    return counted


def files_in(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


def batches_in(data: Path) -> int:
    with closing(sqlite3.connect(data / FILE_NAME)) as db:
        count: int = db.execute("SELECT count(*) FROM batch").fetchone()[0]
        return count


# --- what it costs -------------------------------------------------------------------------------


async def test_a_record_costs_one_index_and_one_block(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    assert await reader.record(CHAIN_LINK, 1_000) == CHAIN[999]
    assert (counted.indexes, counted.blocks) == ([2], [857])
    assert await reader.record(CHAIN_LINK, 2_801) == CHAIN[2_800]
    assert (counted.indexes, counted.blocks) == ([2], [857])


async def test_a_time_costs_one_index_and_one_block(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    found = await reader.last_record_until(CHAIN_LINK, a_time(1_200), last_seq=3_000)
    assert found == CHAIN[1_200]
    assert (counted.indexes, counted.blocks) == ([2], [1_113])


async def test_a_message_costs_few_indexes_and_the_blocks_between_two_places(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    # The last of its table before the place in the index that follows: 32 messages of seven tables.
    found = await reader.message(CHAIN_LINK, TableId("BJ-01"), 150, before_seq=3_000)
    assert found == CHAIN[7 * 149]
    assert len(counted.blocks) <= 2
    # The newest, and halving among four.
    assert len(counted.indexes) <= 4


async def test_a_message_of_today_opens_no_block(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    found = await reader.message(CHAIN_LINK, TableId("BJ-01"), 403, before_seq=3_001)
    assert found == CHAIN[2_814]
    assert (counted.indexes, counted.blocks) == ([4], [])


async def test_acts_open_only_the_blocks_that_hold_some(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    found = await reader.acts(CHAIN_LINK, after_seq=0, until_seq=3_000)
    assert list(found) == [CHAIN[4], CHAIN[699], CHAIN[2_989]]
    assert (counted.indexes, counted.blocks) == ([1, 2, 3, 4], [1, 601])


async def test_landmarks_cost_one_index_however_long_the_stretch(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    types = ("terms_changed", "link_opened")
    assert await reader.acts(CHAIN_LINK, after_seq=0, until_seq=1_999, types=types) == []
    assert (counted.indexes, counted.blocks) == ([3], [])


async def test_rows_are_decoded_once(
    tmp_path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    segments = JournalView.segments

    def counting(view: JournalView, link: str, *, after_number: int = 0) -> object:
        asked.append(after_number)
        return segments(view, CHAIN_LINK, after_number=after_number)

    monkeypatch.setattr(JournalView, "segments", counting)
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    for seq in (1, 700, 2_000, 3_000):
        assert await reader.record(CHAIN_LINK, seq) == CHAIN[seq - 1]
    assert asked == [0]
    await archive(store, tmp_path, CHAIN, last_seq=2_900, epoch=1)
    asked.clear()
    assert await reader.record(CHAIN_LINK, 2_850) == CHAIN[2_849]
    assert asked == [4]


async def test_times_that_went_back_still_give_a_record_whose_next_is_later(tmp_path: Path) -> None:
    """Old journals: a clock was set back by ten minutes, more than once, across every seam."""
    chain = a_chain(600)
    for first in (601, 1_201, 1_801):
        records = a_chain(600, first_seq=first, prev=hash_record(chain[-1]))
        back = [msgspec.json.decode(each) for each in records]
        for place, each in enumerate(back):
            each["at"] = a_time(first - 600 + place)
            each["prev"] = hash_record(chain[-1])
            chain.append(msgspec.json.encode(each))
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    await append_all(store, chain, epoch=1, batch=50)
    for last_seq in (500, 1_100, 1_650):
        await archive(store, tmp_path, chain, last_seq=last_seq, epoch=1)
    await trim_all(store)
    times = [msgspec.json.decode(each)["at"] for each in chain]
    assert times != sorted(times)
    for seconds in range(-1, 2_000, 37):
        at = a_time(seconds)
        found = await store.last_record_until(CHAIN_LINK, at, last_seq=2_400)
        if found is None:
            assert times[0] > at
        else:
            place = chain.index(found)
            assert times[place] <= at
            assert place + 1 == len(chain) or times[place + 1] > at
    await store.close()


# --- who waits for whom --------------------------------------------------------------------------


async def test_whoever_reads_segments_holds_nothing_up_in_the_journal_file(
    tmp_path: Path, store: SqliteStore
) -> None:
    """A read transaction would keep the WAL from being reset for as long as the reading takes."""

    def busy(db: sqlite3.Connection) -> int:
        waits: int = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return waits

    reading = SqliteJournalReader(tmp_path, unchanged=False).read(CHAIN_LINK)
    beside = SqliteJournalReader(tmp_path, unchanged=True).read(CHAIN_LINK)
    await anext(reading)
    await anext(beside)
    assert await store._in_writer(busy) == 0
    assert [r async for chunk in reading for r in chunk] == CHAIN[256:]
    assert [r async for chunk in beside for r in chunk] == CHAIN[256:]


async def test_cancelled_question_stops_between_two_blocks(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    in_a_block, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        in_a_block.set()
        may_go_on.wait(10)

    counted.before_a_block = wait
    asking = asyncio.create_task(reader.acts(CHAIN_LINK, after_seq=0, until_seq=3_000))
    assert await asyncio.to_thread(in_a_block.wait, 10)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    may_go_on.set()
    reader._threads.shutdown(wait=True)
    assert counted.blocks == [1]


async def test_cancelled_reading_closes_what_it_had_open(
    tmp_path: Path, store: SqliteStore, counted: Counted
) -> None:
    reader = SqliteJournalReader(tmp_path, unchanged=False)
    in_a_block, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        in_a_block.set()
        may_go_on.wait(10)

    counted.before_a_block = wait
    reading = asyncio.create_task(all_of(reader))
    assert await asyncio.to_thread(in_a_block.wait, 10)
    reading.cancel()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await reading
    reader._threads.shutdown(wait=True)
    assert counted.blocks == [1]


async def test_more_questions_than_threads_are_all_answered(
    tmp_path: Path, store: SqliteStore
) -> None:
    seqs = range(1, 3_000, 61)
    found = await asyncio.gather(*[store.record(CHAIN_LINK, seq) for seq in seqs])
    assert found == [CHAIN[seq - 1] for seq in seqs]
    readers = [thread for thread in threading.enumerate() if "journal-reader" in thread.name]
    assert 1 <= len([each for each in readers if each in store._threads._threads]) <= 4


# --- trimming ------------------------------------------------------------------------------------


async def test_trimming_goes_in_slices_and_leaves_the_batch_across_the_cut(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN[:1_000], epoch=1, batch=7)
    await archive(store, tmp_path, CHAIN[:1_000], last_seq=300, epoch=1)
    assert batches_in(tmp_path) == 143
    # 42 batches end before the cut; the one with 295 to 301 lies across it.
    left = [143 - 20, 143 - 40, 143 - 42]
    for expected, more in zip(left, (True, True, False), strict=True):
        assert await store.trim(CHAIN_LINK, batches_max=20) is more
        assert batches_in(tmp_path) == expected
    await archive(store, tmp_path, CHAIN[:1_000], last_seq=301, epoch=1)
    assert await store.trim(CHAIN_LINK, batches_max=20) is False
    assert batches_in(tmp_path) == 143 - 43
    assert await all_of(store) == CHAIN[:1_000]
    await store.close()


# --- other processes -----------------------------------------------------------------------------


async def test_command_reads_segments_and_changes_nothing(
    tmp_path: Path, store: SqliteStore
) -> None:
    """As a kill left it: all of the newest lies in the WAL."""
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy", "*-shm"))
    kept = files_in(copy)
    reader = SqliteJournalReader(copy, unchanged=True)
    assert await all_of(reader) == CHAIN
    assert await reader.record(CHAIN_LINK, 601) == CHAIN[600]
    assert await reader.record(CHAIN_LINK, 2_999) == CHAIN[2_998]
    assert files_in(copy) == kept


async def test_command_reads_on_while_the_service_archives_and_trims(
    tmp_path: Path, store: SqliteStore
) -> None:
    more = a_chain(500, first_seq=3_001, prev=hash_record(CHAIN[-1]))
    await append_all(store, more, epoch=1, batch=2, after=3_000)
    chain, cuts, found = CHAIN + more, iter((2_900, 3_100, 3_499)), list[bytes]()
    async for chunk in SqliteJournalReader(tmp_path, unchanged=True).read(CHAIN_LINK):
        found += chunk
        if cut := next(cuts, None):
            await archive(store, tmp_path, chain, last_seq=cut, epoch=1)
            await trim_all(store)
    assert found == chain
