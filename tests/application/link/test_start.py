"""A start: the closed part is confirmed, the open part is read, whatever the age of the journal."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.memory.committed import ProcessMemory
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import Block, Segment, SegmentIndex
from progressive.application.link import appender
from progressive.application.link.absent import absent_links
from progressive.application.link.guard import LinkGuard
from progressive.application.link.replay import ReplayedLink, replay
from progressive.domain.ids import LinkId
from tests.support.builders import LINK, a_desk, a_link
from tests.support.segmented import SegmentedJournal, played
from tests.support.service import shipped_rules

CUTS = 5


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """The same journal twice: all open, and with all but its newest snapshot in segments."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        whole = tmp_path_factory.mktemp("whole") / "data"
        journal = asyncio.run(played(whole, snapshots=CUTS, monkeypatch=monkeypatch))
        closed = journal.copy_to(whole.parent / "closed")
        newest = max(seq for (seq,) in journal.execute("SELECT seq FROM snapshot"))
        asyncio.run(closed.archive(until=lambda seq: seq < newest))
        yield whole, closed.data


@pytest.fixture
def whole(shelf: tuple[Path, Path], tmp_path: Path) -> SegmentedJournal:
    return SegmentedJournal(shelf[0]).copy_to(tmp_path / "whole")


@pytest.fixture
def closed(shelf: tuple[Path, Path], tmp_path: Path) -> SegmentedJournal:
    return SegmentedJournal(shelf[1]).copy_to(tmp_path / "closed")


async def replayed(journal: SegmentedJournal, **options: int) -> ReplayedLink:
    store = SqliteStore(journal.data, **options)
    try:
        return await replay(store, journal.link)
    finally:
        await store.close()


# --- where the snapshot may be ------------------------------------------------------------------


async def test_state_is_the_same_with_and_without_segments(
    whole: SegmentedJournal, closed: SegmentedJournal
) -> None:
    assert len(closed.segments()) == CUTS
    assert await replayed(closed) == await replayed(whole)


async def test_snapshot_exactly_at_the_cut_is_confirmed_by_the_first_open_record(
    whole: SegmentedJournal, closed: SegmentedJournal
) -> None:
    await closed.archive()
    (newest,) = closed.execute("SELECT max(seq) FROM snapshot")[0]
    assert newest == closed.segments()[-1].last_seq
    assert await replayed(closed) == await replayed(whole)


@pytest.mark.parametrize("where", ["at the end of a segment", "within a segment", "nowhere"])
async def test_snapshot_older_than_the_open_part_is_replayed_from_segments(
    whole: SegmentedJournal, where: str
) -> None:
    """Newer ones could not be saved: the few records behind it are read from their segment."""
    expected = await replayed(whole)
    seqs = [seq for (seq,) in whole.execute("SELECT seq FROM snapshot ORDER BY seq")]
    kept = {"at the end of a segment": 2, "within a segment": 1}.get(where)
    state = None if kept is None else whole.execute("SELECT * FROM snapshot ORDER BY seq")[kept]
    await whole.archive(until=lambda seq: seq in (seqs[0], seqs[2], seqs[4]))
    whole.execute("DELETE FROM snapshot")
    if state is not None:
        whole.execute("INSERT INTO snapshot VALUES (?, ?, ?)", *state)
    found = await replayed(whole)
    assert found.state == expected.state
    assert (found.head, found.at) == (expected.head, expected.at)


async def test_changed_record_behind_an_old_snapshot_is_found(whole: SegmentedJournal) -> None:
    """Within a segment the next record says what came before; the segment's end confirms it."""
    rows = whole.execute("SELECT * FROM snapshot ORDER BY seq")
    await whole.archive(until=lambda seq: seq in (rows[0][1], rows[2][1]))
    whole.execute("DELETE FROM snapshot")
    whole.execute("INSERT INTO snapshot VALUES (?, ?, ?)", *rows[1])
    whole.edit_row(2, head="f" * 64)
    with pytest.raises((JournalBrokenError, StoreCorruptError), match="000002-"):
        await replayed(whole, hashed_bytes=0)


# --- what a start reads -------------------------------------------------------------------------


class CountingFiles(SegmentFiles):
    """Counts what is read of segments."""

    def __init__(self, data: Path) -> None:
        super().__init__(data)
        self.blocks_inflated = 0
        self.indexes_read = 0

    def index(self, segment: Segment) -> SegmentIndex:
        self.indexes_read += 1
        return super().index(segment)

    def block(self, segment: Segment, block: Block) -> list[bytes]:
        self.blocks_inflated += 1
        return super().block(segment, block)

    def blocks(
        self, segment: Segment, *, after_seq: int = 0
    ) -> Iterator[tuple[Block, list[bytes]]]:
        for each in super().blocks(segment, after_seq=after_seq):
            self.blocks_inflated += 1
            yield each


class CountingStore(SqliteStore):
    """Counts the records that are read, and the blocks that are inflated for them."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, hashed_bytes=0)
        self._files = self.counting = CountingFiles(data)
        self.records_read = 0

    async def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        async for chunk in super().read(link, after_seq=after_seq, until_seq=until_seq):
            self.records_read += len(chunk)
            yield chunk

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        self.records_read += 1
        return await super().record(link, seq)


async def read_at_a_start(journal: SegmentedJournal) -> tuple[int, int, int]:
    """Of the second start: by then something is remembered that the journal is compared with."""
    memory = ProcessMemory()
    for _ in range(2):
        store = CountingStore(journal.data)
        async with a_desk(store, guard=LinkGuard(LINK, memory)) as desk:
            assert desk.worker.view.state == "live", desk.worker.view.reason
            read = (
                store.records_read,
                store.counting.blocks_inflated,
                store.counting.indexes_read,
            )
        await store.close()
    return read


async def test_absent_link_is_listed_without_replaying_it(closed: SegmentedJournal) -> None:
    """Taking it over does that: its terms are looked up, in the newest index and the open part."""
    floor = structs.replace(shipped_rules(), links=())
    store = CountingStore(closed.data)
    (rules,) = await absent_links(store, floor, ProcessMemory())
    assert (rules.id, rules.terms) == (LINK, a_link().terms)
    assert store.records_read == 0
    assert store.counting.blocks_inflated <= 1
    await store.close()


async def test_lost_snapshot_is_replaced_by_the_state_beside_the_newest_segment(
    closed: SegmentedJournal,
) -> None:
    expected = await replayed(closed)
    closed.execute("DELETE FROM snapshot")
    store = CountingStore(closed.data)
    found = await replay(store, closed.link)
    await store.close()
    assert found.state == expected.state
    # Nothing before the open part was read.
    assert store.records_read == expected.state.seq - closed.segments()[-1].last_seq
    assert store.counting.blocks_inflated == 0


@pytest.mark.slow
async def test_start_reads_as_much_after_three_segments_as_after_three_hundred(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for segments in (3, 300):
        journal = await played(
            memory_path / str(segments), snapshots=segments, every=2, monkeypatch=monkeypatch
        )
        newest = sorted(journal.execute("SELECT seq FROM snapshot"))[-1][0]
        await journal.archive(until=lambda seq, newest=newest: seq < newest)
        assert len(journal.segments()) >= segments - 1
        counts.append(await read_at_a_start(journal))
    assert counts[0] == counts[1]
    assert counts[1][1:] == (0, 0)


# --- damage -------------------------------------------------------------------------------------


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def double_row(journal: SegmentedJournal) -> None:
    journal.execute(
        "INSERT INTO segment SELECT link, number + 1, last_seq + 1, body FROM segment "
        "WHERE number = (SELECT max(number) FROM segment)"
    )


def forge_index(journal: SegmentedJournal) -> None:
    """An index that says another time, and a row that vouches for the forged file."""
    path = journal.file(3, ".index.json")
    body = path.read_bytes()
    before = journal.segments()[2]
    forged = body.replace(before.last_at.encode(), b"2026-01-01T00:00:00.000000Z")
    assert forged != body
    path.write_bytes(forged)
    sum_ = structs.replace(before.index, sha256=sha256(forged).hexdigest())
    journal.edit_row(3, index=sum_)


LAST_OPEN = "first_seq = (SELECT max(first_seq) FROM batch)"
Damage = Callable[[SegmentedJournal], object]
DAMAGES: list[tuple[str, Damage, str]] = [
    ("records changed", lambda j: flip(j.file(3)), "000003-2026-01-01.jsonl.gz is damaged: its ha"),
    ("records deleted", lambda j: j.file(3).unlink(), "000003-2026-01-01.jsonl.gz is missing"),
    (
        "records truncated",
        lambda j: os.truncate(j.file(3), 40),
        r"000003-2026-01-01.jsonl.gz is damaged: it has 40 bytes, and .* were written \(records",
    ),
    (
        "records longer",
        lambda j: j.file(3).write_bytes(j.file(3).read_bytes() + b"x"),
        "000003-2026-01-01.jsonl.gz is damaged: it has",
    ),
    (
        "segments swapped",
        lambda j: swap(j.file(2), j.file(4)),
        "00000[24]-2026-01-01.jsonl.gz is d",
    ),
    (
        "segment doubled",
        lambda j: shutil.copy(j.file(2), j.file(4)),
        "000004-2026-01-01.jsonl.gz is damaged",
    ),
    (
        "index changed",
        lambda j: flip(j.file(3, ".index.json")),
        "000003-2026-01-01.index.json is d",
    ),
    ("index deleted", lambda j: j.file(3, ".index.json").unlink(), "01.index.json is missing"),
    (
        "index forged with its row",
        forge_index,
        "000003-.*index.json .*not the index of",
    ),
    (
        "state changed",
        lambda j: flip(j.file(3, ".state.json.gz")),
        "000003-.*.state.json.gz is dama",
    ),
    ("folder gone", lambda j: shutil.rmtree(j.folder), "the folder segments/main is missing"),
    (
        "first row deleted",
        lambda j: j.execute("DELETE FROM segment WHERE number = 1"),
        "segment 1 .*is missing",
    ),
    (
        "row deleted in the middle",
        lambda j: j.execute("DELETE FROM segment WHERE number = 3"),
        "segment 3 .*is missing",
    ),
    (
        "newest row deleted",
        lambda j: j.execute("DELETE FROM segment WHERE number = 5"),
        "record 20 is missing: 25 stands there.* row of segment 5, or its first records, were remo",
    ),
    (
        "all rows deleted",
        lambda j: j.execute("DELETE FROM segment"),
        "record 1 is missing: 25 stan",
    ),
    (
        "row called purged",
        lambda j: j.edit_row(1, purged="2026-01-01T00:00:00.000000Z"),
        "segment 1 is marked as purged, and no record says so",
    ),
    ("row doubled", double_row, "segment row 6 of main speaks of another segment"),
    (
        "row's head edited",
        lambda j: j.edit_row(5, head="f" * 64),
        "row of segment 5 .* was changed: its index names other hashes",
    ),
    (
        "row's time edited",
        lambda j: j.edit_row(3, last_at="2026-01-01"),
        "000003-.*index.json .*not the index of",
    ),
    (
        "row's day edited",
        lambda j: j.edit_row(3, day="2026-11-18"),
        "000003-2026-11-18.* is missing",
    ),
    (
        "two rows edited so that they follow",
        lambda j: (j.edit_row(2, head="f" * 64), j.edit_row(3, prev="f" * 64)),
        "row of segment 3 .* was changed: its index names other hashes",
    ),
    (
        "row of another link",
        lambda j: j.edit_row(3, link=LinkId("side")),
        "segment row 3 of main speaks of another segment",
    ),
    (
        "row unreadable",
        lambda j: j.execute("UPDATE segment SET body = ? WHERE number = 3", b"{"),
        "segment row 3 of main",
    ),
    (
        "first open record changed",
        lambda j: j.execute(
            "UPDATE batch SET body = CAST(replace(CAST(body AS TEXT), 'meters', 'metres') AS BLOB) "
            "WHERE first_seq = (SELECT min(first_seq) FROM batch)"
        ),
        "record 26 does not follow record 25",
    ),
    (
        "last open batch says that it holds more",
        lambda j: j.execute(f"UPDATE batch SET last_seq = last_seq + 1 WHERE {LAST_OPEN}"),
        r"the batch from (\d+) to \d+ holds \d+ records",
    ),
    (
        "an open batch says that it holds less",
        lambda j: j.execute(f"UPDATE batch SET last_seq = last_seq - 1 WHERE NOT ({LAST_OPEN})"),
        r"the batch from (\d+) to \d+ holds \d+ records",
    ),
    (
        "an open batch has no number of its last record",
        lambda j: j.execute(f"UPDATE batch SET last_seq = x'19' WHERE {LAST_OPEN}"),
        r"a batch is numbered from \d+ to b'\\x19'",
    ),
    (
        "text behind the last open record",
        lambda j: j.execute(f"UPDATE batch SET body = CAST(body || 'x' AS BLOB) WHERE {LAST_OPEN}"),
        r"the batch at \d+ does not end with a newline",
    ),
]


@pytest.mark.parametrize(
    ("damage", "says"), [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES]
)
async def test_damaged_journal_never_opens_and_is_left_as_it_is(
    closed: SegmentedJournal, damage: Damage, says: str
) -> None:
    damage(closed)
    before = closed.files() if closed.folder.exists() else {}
    rows = closed.execute("SELECT * FROM segment ORDER BY number")
    store = SqliteStore(closed.data)
    async with a_desk(store) as desk:
        reason = desk.worker.view.reason or ""
        assert desk.worker.view.state == "inoperable"
    await store.close()
    assert re.search(says, reason), reason
    assert (closed.files() if closed.folder.exists() else {}) == before
    assert closed.execute("SELECT * FROM segment ORDER BY number") == rows


async def test_segment_of_another_link_is_refused(
    closed: SegmentedJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    side = await played(
        tmp_path / "side",
        snapshots=CUTS,
        rules=a_link(id=LinkId("side")),
        monkeypatch=monkeypatch,
    )
    await side.archive()
    shutil.copy(side.file(3), closed.file(3))
    with pytest.raises(StoreCorruptError, match=r"main/000003-2026-01-01\.jsonl\.gz is damaged"):
        await replayed(closed)


async def test_only_the_newest_files_are_read_before_a_link_opens(closed: SegmentedJournal) -> None:
    newest = closed.segments()[-1]
    assert newest.state is not None
    newest_bytes = newest.records.bytes + newest.index.bytes + newest.state.bytes
    flip(closed.file(1))
    await replayed(closed, hashed_bytes=newest_bytes)
    flip(closed.file(newest.number))
    with pytest.raises(StoreCorruptError, match=f"00000{newest.number}"):
        await replayed(closed, hashed_bytes=newest_bytes)


async def test_link_goes_on_after_a_start_upon_segments(
    closed: SegmentedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appender, "CHECKPOINT_EVERY", 10**9)
    before = await replayed(closed)
    store = SqliteStore(closed.data)
    async with a_desk(store) as desk:
        assert desk.state().seq == before.state.seq
    await store.close()
    assert (await replayed(closed)).state.seq == before.state.seq
