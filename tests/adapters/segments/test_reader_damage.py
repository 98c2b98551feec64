"""Purged and damaged segments: whoever reads them is told so, in words."""

import gzip
import hashlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from progressive.adapters.segments.files import INDEX, RECORDS, SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.ports import (
    StoreCorruptError,
    StorePurgedError,
)
from progressive.application.journal.segments import FileSum, Segment
from progressive.domain.ids import TableId
from tests.support.chains import CHAIN_LINK, a_time
from tests.support.segments import CHAIN, all_of, an_archived_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with an_archived_store(tmp_path) as store:
        yield store


# --- purged --------------------------------------------------------------------------------------


def purge(data: Path, segment: Segment) -> None:
    """As a purge leaves it: the row says so, the index stays."""
    purged = structs.replace(segment, purged="2027-11-18T00:00:00.000000Z")
    with closing(sqlite3.connect(data / FILE_NAME, isolation_level=None)) as db:
        db.execute(
            "UPDATE segment SET body = ? WHERE number = ?",
            (msgspec.json.encode(purged), segment.number),
        )
    SegmentFiles(data).path(segment, RECORDS).unlink()


@pytest.mark.parametrize("asked_before", [False, True])
async def test_purged_records_are_named_as_purged(
    tmp_path: Path, store: SqliteStore, asked_before: bool
) -> None:
    """Also by a reader that knew the row before."""
    if asked_before:
        assert await store.record(CHAIN_LINK, 700) == CHAIN[699]
    purge(tmp_path, (await SqliteJournalReader(tmp_path, unchanged=True).segments(CHAIN_LINK))[1])
    said = r"bj-x: the records up to 1,400 \(.+\) were purged at 2027-11-18T00:00:00"
    with pytest.raises(StorePurgedError, match=said) as error:
        await all_of(store)
    assert error.value.last_seq == 1_400
    for seq in (601, 1_400):
        with pytest.raises(StorePurgedError, match=said):
            await store.record(CHAIN_LINK, seq)
    with pytest.raises(StorePurgedError, match=said):
        await store.acts(CHAIN_LINK, after_seq=0, until_seq=3_000)
    with pytest.raises(StorePurgedError, match=said):
        await store.last_record_until(CHAIN_LINK, a_time(700), last_seq=3_000)
    with pytest.raises(StorePurgedError, match=said):
        await store.message(CHAIN_LINK, TableId("BJ-01"), 100, before_seq=3_000)


async def test_what_lies_around_purged_records_is_read(tmp_path: Path, store: SqliteStore) -> None:
    purge(tmp_path, (await store.segments(CHAIN_LINK))[1])
    assert await all_of(store, 1_400) == CHAIN[1_400:]
    assert await store.record(CHAIN_LINK, 600) == CHAIN[599]
    assert await store.record(CHAIN_LINK, 1_401) == CHAIN[1_400]
    assert await store.message(CHAIN_LINK, TableId("BJ-01"), 300, before_seq=3_000) is not None
    # No act of the stretch lies in them.
    found = await store.acts(CHAIN_LINK, after_seq=700, until_seq=3_000)
    assert list(found) == [CHAIN[2_989]]


# --- damaged -------------------------------------------------------------------------------------


def a_flipped_byte(path: Path, other: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def cut_short(path: Path, other: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def another_segment(path: Path, other: Path) -> None:
    shutil.copy(other, path)


def gone(path: Path, other: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [a_flipped_byte, cut_short, another_segment, gone])
@pytest.mark.parametrize("ending", [RECORDS, INDEX])
async def test_damaged_file_is_named(
    tmp_path: Path, store: SqliteStore, ending: str, damage: Callable[[Path, Path], None]
) -> None:
    files, segments = SegmentFiles(tmp_path), await store.segments(CHAIN_LINK)
    path = files.path(segments[1], ending)
    damage(path, files.path(segments[2], ending))
    with pytest.raises(StoreCorruptError, match=f"segments/bj-x/{path.name} is"):
        await all_of(SqliteJournalReader(tmp_path, unchanged=False))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (CHAIN[600:855], "holds 255 records, and 256 were written"),
        ([*CHAIN[600:856], CHAIN[855]], "holds 257 records, and 256 were written"),
        ([*CHAIN[600:602], CHAIN[603], CHAIN[602], *CHAIN[604:856]], "where record 603 was"),
        ([*CHAIN[600:855], CHAIN[0]], "where record 856 was"),
    ],
    ids=["one left out", "one twice", "two swapped", "one of elsewhere"],
)
async def test_block_of_other_records_is_damage(
    tmp_path: Path, store: SqliteStore, records: list[bytes], said: str
) -> None:
    """Whole and readable, and not what the index says: the length of the block is made to fit."""
    segment = (await store.segments(CHAIN_LINK))[1]
    files = SegmentFiles(tmp_path)
    path, block = files.path(segment, RECORDS), files.index(segment).blocks[0]
    body = gzip.compress(b"\n".join(records) + b"\n", mtime=0)
    rest = path.read_bytes()[block.bytes :]
    room = block.bytes - len(body)
    assert room >= 0
    path.write_bytes(body + bytes(room) + rest)
    with pytest.raises(StoreCorruptError, match=said):
        await store.record(CHAIN_LINK, 601)


@pytest.mark.parametrize("changed", [700, 856], ids=["in the middle", "last of its block"])
async def test_changed_record_of_an_old_segment_is_not_served_though_index_and_row_fit(
    tmp_path: Path, store: SqliteStore, changed: int
) -> None:
    """Nothing but the chain tells: lengths and sums are those of the forged file."""
    segment = (await store.segments(CHAIN_LINK))[1]
    files = SegmentFiles(tmp_path)
    forged = [*CHAIN[segment.first_seq - 1 : segment.last_seq]]
    was = forged[changed - segment.first_seq]
    forged[changed - segment.first_seq] = was.replace(b'"at":"2026', b'"at":"2025')
    assert forged[changed - segment.first_seq] != was
    _rewrite(tmp_path, files, segment, forged)

    reader = SqliteJournalReader(tmp_path, unchanged=False)
    with pytest.raises(StoreCorruptError, match=f"record {changed} is not the one that the record"):
        await reader.record(CHAIN_LINK, changed)
    assert await reader.record(CHAIN_LINK, segment.last_seq) == CHAIN[segment.last_seq - 1]


def _rewrite(data: Path, files: SegmentFiles, segment: Segment, records: list[bytes]) -> None:
    """The file of a segment with these records, and an index and a row that fit it."""
    index = files.index(segment)
    firsts = [block.first_seq for block in index.blocks]
    bodies = [
        gzip.compress(b"".join([line + b"\n" for line in records[one:other]]), mtime=0)
        for one, other in pairwise([first - segment.first_seq for first in firsts] + [len(records)])
    ]
    offsets = [sum(map(len, bodies[:place])) for place in range(len(bodies))]
    whole = b"".join(bodies)
    records_sum = FileSum(len(whole), hashlib.sha256(whole).hexdigest())
    blocks = tuple(
        structs.replace(block, offset=offset, bytes=len(body))
        for block, offset, body in zip(index.blocks, offsets, bodies, strict=True)
    )
    fitted = msgspec.json.encode(structs.replace(index, records=records_sum, blocks=blocks))
    files.path(segment, RECORDS).write_bytes(whole)
    files.path(segment, INDEX).write_bytes(fitted)
    index_sum = FileSum(len(fitted), hashlib.sha256(fitted).hexdigest())
    row = structs.replace(segment, records=records_sum, index=index_sum)
    with closing(sqlite3.connect(data / FILE_NAME, isolation_level=None)) as db:
        db.execute(
            "UPDATE segment SET body = ? WHERE number = ?",
            (msgspec.json.encode(row), segment.number),
        )


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM segment WHERE number = 2", "segment 2 from record 601 on is missing"),
        ("DELETE FROM segment WHERE number = 1", "segment 1 from record 1 on is missing"),
        ("UPDATE segment SET last_seq = 9 WHERE number = 3", "segment row 3 .* another segment"),
        ("UPDATE segment SET number = 9 WHERE number = 4", "segment row 9 .* another segment"),
        ("UPDATE segment SET number = 'x' WHERE number = 4", "row of bj-x has the number 'x'"),
        ("UPDATE segment SET body = '{}' WHERE number = 1", "segment row 1 is not bytes"),
        ("UPDATE segment SET body = x'7b7d' WHERE number = 1", "segment row 1 of bj-x"),
    ],
)
async def test_rows_that_do_not_join_are_damage(
    tmp_path: Path, store: SqliteStore, sql: str, said: str
) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as db:
        db.execute(sql)
    with pytest.raises(StoreCorruptError, match=said):
        await all_of(SqliteJournalReader(tmp_path, unchanged=False))
