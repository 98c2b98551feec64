"""Batches that segments hold too are compared before they are removed: by the chain alone, and the
first record that is another one is named."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.segments import moved
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.record import JournalBrokenError
from tests.support.chains import CHAIN_LINK
from tests.support.segments import CHAIN, append_all, archive, trim_all

CUTS = (600, 1_390)
"""Batches are of 50 records: the one from 1,351 on reaches behind the segments."""
BEHIND = 1_600
"""Records in the store."""


class Journal:
    """The store, and its file open to mischief."""

    def __init__(self, store: SqliteStore, data: Path) -> None:
        self.store = store
        self.data = data

    def execute(self, sql: str, *values: object) -> None:
        with closing(sqlite3.connect(self.data / FILE_NAME, isolation_level=None)) as db:
            assert db.execute(sql, values).rowcount == 1

    def lines(self, first_seq: int) -> list[bytes]:
        with closing(sqlite3.connect(self.data / FILE_NAME)) as db:
            query = "SELECT body FROM batch WHERE first_seq = ?"
            body: bytes = db.execute(query, (first_seq,)).fetchone()[0]
            return body.splitlines()

    def rewrite(self, first_seq: int, lines: list[bytes]) -> None:
        body = b"".join(line + b"\n" for line in lines)
        self.execute("UPDATE batch SET body = ? WHERE first_seq = ?", body, first_seq)

    def forge(self, first_seq: int, until_seq: int) -> None:
        """Change a record; those behind it, up to another one, are made to fit."""
        prev = ""
        for first in range((first_seq - 1) // 50 * 50 + 1, until_seq + 1, 50):
            lines = self.lines(first)
            for seq in range(max(first, first_seq), min(until_seq, first + 49) + 1):
                record = msgspec.json.decode(lines[seq - first])
                record["event"]["round"] = "another"
                record["prev"] = prev or record["prev"]
                lines[seq - first] = msgspec.json.encode(record)
                prev = sha256(lines[seq - first]).hexdigest()
            self.rewrite(first, lines)

    async def compared(self) -> list[int]:
        """The pieces."""
        return [piece async for piece in self.store.compare_moved(CHAIN_LINK)]

    async def found(self) -> str:
        with pytest.raises((JournalBrokenError, StoreCorruptError)) as error:
            await self.compared()
        return str(error.value)


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[Journal]:
    """1,390 of its records lie in two segments, and in the store still."""
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN[:BEHIND], epoch=1, batch=50)
    for last_seq in CUTS:
        await archive(store, tmp_path, CHAIN, last_seq=last_seq, epoch=1)
    yield Journal(store, tmp_path)
    await store.close()


# --- nothing is wrong ---------------------------------------------------------------------------


async def test_all_that_lies_twice_is_compared_in_small_pieces(journal: Journal) -> None:
    pieces = await journal.compared()
    assert sum(pieces) == CUTS[-1]
    assert len(pieces) >= 5
    assert max(pieces) < moved.PIECE_RECORDS + 50


@pytest.mark.parametrize("removed", [1, 5, 12, 13, 20])
async def test_what_is_left_of_it_is_compared(journal: Journal, removed: int) -> None:
    """It was killed while it removed them: in the middle of a segment, or at its end."""
    await journal.store.trim(CHAIN_LINK, batches_max=removed)
    assert sum(await journal.compared()) == CUTS[-1] - 50 * removed


async def test_batch_that_reaches_behind_the_segments_is_compared_to_their_end(
    journal: Journal,
) -> None:
    await trim_all(journal.store)
    assert await journal.compared() == [40]


async def test_no_record_is_inflated_where_nothing_is_wrong(journal: Journal) -> None:
    for path in SegmentFiles(journal.data).of_link(CHAIN_LINK).glob("*.jsonl.gz"):
        path.unlink()
    assert sum(await journal.compared()) == CUTS[-1]


async def test_appending_goes_on_between_two_pieces(journal: Journal) -> None:
    appended = BEHIND
    async for _ in journal.store.compare_moved(CHAIN_LINK):
        more = CHAIN[appended : appended + 10]
        await append_all(journal.store, more, epoch=1, batch=10, after=appended)
        appended += 10
    assert appended >= BEHIND + 50


async def test_whoever_stops_in_the_middle_leaves_no_view_open(journal: Journal) -> None:
    pieces = journal.store.compare_moved(CHAIN_LINK)
    async for _ in pieces:
        break
    await pieces.aclose()  # type: ignore[attr-defined]
    with closing(sqlite3.connect(journal.data / FILE_NAME)) as db:
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert busy == 0


# --- something is -------------------------------------------------------------------------------


@pytest.mark.parametrize("until_behind", [0, 1, 30, 500])
@pytest.mark.parametrize("seq", [1, 2, 50, 51, 301, 599, 600, 601, 1_351, 1_389, 1_390])
async def test_first_record_that_was_changed_is_named(
    journal: Journal, seq: int, until_behind: int
) -> None:
    """However many behind it were made to fit."""
    journal.forge(seq, min(seq + until_behind, CUTS[-1]))
    number = 1 if seq <= CUTS[0] else 2
    said = await journal.found()
    assert said.startswith(
        f"record {seq} is another one in the journal file than in segment {number} "
        f"(segments/{CHAIN_LINK}/00000{number}-"
    ), said


@pytest.mark.parametrize("seq", [251, 252, 600, 601])
async def test_in_what_is_left_of_a_segment_too(journal: Journal, seq: int) -> None:
    """The first record that is left names a hash that nothing else does."""
    await journal.store.trim(CHAIN_LINK, batches_max=5)
    journal.forge(seq, seq)
    assert (await journal.found()).startswith(f"record {seq} is another one")


async def test_change_in_the_open_part_is_not_its_matter(journal: Journal) -> None:
    """A start has walked that already."""
    journal.forge(1_391, 1_395)
    assert sum(await journal.compared()) == CUTS[-1]


def changed(number: int, change: Callable[[list[bytes]], object]) -> Callable[[Journal], None]:
    def spoil(journal: Journal) -> None:
        lines = journal.lines(number)
        change(lines)
        journal.rewrite(number, lines)

    return spoil


def statement(sql: str, *values: object) -> Callable[[Journal], None]:
    return lambda journal: journal.execute(sql, *values)


COPY = (
    "INSERT INTO batch SELECT link, ?, ?, epoch, CAST(substr(body, ?) AS BLOB) FROM batch "
    "WHERE first_seq = 251"
)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (changed(251, lambda lines: lines.__setitem__(3, b"no json")), "record 254 is another"),
        (changed(1, lambda lines: lines.__setitem__(0, b"no json")), "record 1 is another"),
        (changed(251, lambda lines: lines.reverse()), "record 251 is another"),
        (changed(251, lambda lines: lines.pop()), "the batch from 251 to 300 holds 49 records"),
        (
            changed(251, lambda lines: lines.append(lines[-1])),
            "the batch from 251 to 300 holds 51 records",
        ),
        (changed(251, lambda lines: lines.clear()), "the batch from 251 to 300 holds 0 records"),
        (
            statement("UPDATE batch SET body = CAST(body || 'x' AS BLOB) WHERE first_seq = 251"),
            "the batch at 251 does not end with a newline",
        ),
        (
            statement("UPDATE batch SET body = CAST(body AS TEXT) WHERE first_seq = 251"),
            "the batch at 251 is not bytes",
        ),
        (
            statement("UPDATE batch SET last_seq = 299 WHERE first_seq = 251"),
            "the batch from 251 to 299 holds 50 records",
        ),
        (
            statement("UPDATE batch SET last_seq = 1390 WHERE first_seq = 1351"),
            "the batch from 1351 to 1390 holds 50 records",
        ),
        (
            statement("UPDATE batch SET last_seq = 'x' WHERE first_seq = 251"),
            "a batch is numbered from 251 to 'x'",
        ),
        (
            statement("UPDATE batch SET first_seq = 250.5 WHERE first_seq = 251"),
            "a batch is numbered from 250.5 to 300",
        ),
        (statement("DELETE FROM batch WHERE first_seq = 251"), "record 251 is missing in the"),
        (statement("DELETE FROM batch WHERE first_seq = 551"), "record 551 is missing in the"),
        (statement("DELETE FROM batch WHERE first_seq = 1351"), "record 1351 is missing in the"),
        (statement(COPY, 0, 49, 1), "record 1: a batch begins with 0"),
        (statement(COPY, -(2**62), 49 - 2**62, 1), "record 1: a batch begins with -"),
        (statement(COPY, 260, 309, 1), "record 260 stands in two batches"),
        (
            statement("UPDATE batch SET epoch = 2 WHERE first_seq = 251"),
            "record 251: its batch has epoch 2 in the journal file, and 1 in segment 1 ",
        ),
        (
            statement("UPDATE batch SET epoch = 2 WHERE first_seq = 1351"),
            "record 1351: its batch has epoch 2 in the journal file, and 1 in segment 2 ",
        ),
    ],
)
async def test_batch_that_is_not_as_it_was_is_found(
    journal: Journal, spoil: Callable[[Journal], None], says: str
) -> None:
    spoil(journal)
    assert says in await journal.found()


async def test_record_that_came_back_is_found(journal: Journal) -> None:
    """Nothing is left to be removed, and one row was put there."""
    await journal.store.trim(CHAIN_LINK, batches_max=1_000)
    journal.execute("INSERT INTO batch VALUES (?, 5, 5, 1, ?)", CHAIN_LINK, CHAIN[4] + b"\n")
    assert "record 6 is missing in the journal file" in await journal.found()


async def test_where_a_segment_is_damaged_too_its_file_is_named(journal: Journal) -> None:
    (records,) = SegmentFiles(journal.data).of_link(CHAIN_LINK).glob("000001-*.jsonl.gz")
    records.unlink()
    journal.forge(301, 301)
    assert "000001-" in (said := await journal.found())
    assert said.endswith("is missing")


async def test_where_a_segment_is_purged_the_chain_still_says_it(journal: Journal) -> None:
    await journal.store.mark_purged(
        CHAIN_LINK, epoch=1, until_number=1, at="2033-01-01T00:00:00.000000Z"
    )
    await journal.store.remove_purged(CHAIN_LINK)
    assert sum(await journal.compared()) == CUTS[-1]
    journal.forge(301, 301)
    assert "record 302 does not follow record 301" in await journal.found()
