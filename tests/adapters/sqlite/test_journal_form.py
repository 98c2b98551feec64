"""The journal file's form: one of the version before goes on, and an emptied one gets small."""

import os
import resource
import sqlite3
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.sqlite import journal, journal_space
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.ports import StoredSnapshot, StoreLostError
from progressive.application.journal.record import hash_record
from tests.support.chains import CHAIN_LINK, a_chain
from tests.support.segments import all_of, append_all, archive, trim_all

CHAIN = a_chain(2_000)


def a_file_of_schema_1(data: Path) -> None:
    """As version 0.1.0 left it, with its one snapshot."""
    scripts = resources.files("progressive.adapters.sqlite").joinpath("sql", "journal")
    with closing(sqlite3.connect(data / FILE_NAME, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(scripts.joinpath("0001_journal.sql").read_text("utf-8"))
        db.execute("PRAGMA user_version = 1")
        db.execute("INSERT INTO link VALUES (?, 3, 1000, ?)", (CHAIN_LINK, hash_record(CHAIN[999])))
        for place in range(0, 1_000, 100):
            body = b"\n".join(CHAIN[place : place + 100]) + b"\n"
            values = (CHAIN_LINK, place + 1, place + 100, 3, body)
            db.execute("INSERT INTO batch VALUES (?, ?, ?, ?, ?)", values)
        db.execute("INSERT INTO snapshot VALUES (?, 900, x'7b7d')", (CHAIN_LINK,))


@pytest.mark.parametrize("unchanged", [False, True])
async def test_file_of_the_version_before_is_read_as_it_is(tmp_path: Path, unchanged: bool) -> None:
    a_file_of_schema_1(tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    reader = SqliteJournalReader(tmp_path, unchanged=unchanged)
    assert await all_of(reader) == CHAIN[:1_000]
    assert list(await reader.segments(CHAIN_LINK)) == []
    assert await reader.load_snapshot(CHAIN_LINK) == StoredSnapshot(900, b"{}")
    assert (tmp_path / FILE_NAME).read_bytes() == before


async def test_file_of_the_version_before_is_upgraded_and_goes_on(tmp_path: Path) -> None:
    a_file_of_schema_1(tmp_path)
    store = SqliteStore(tmp_path)
    opened = await store.open_link(CHAIN_LINK)
    assert (opened.epoch, opened.seq) == (4, 1_000)
    assert list(await store.snapshots(CHAIN_LINK)) == [900]
    assert await store.load_snapshot(CHAIN_LINK) == StoredSnapshot(900, b"{}")
    await append_all(store, CHAIN[1_000:], epoch=4, batch=30, after=1_000)
    await store.save_snapshot(CHAIN_LINK, epoch=4, seq=1_500, body=b"newer")
    await archive(store, tmp_path, CHAIN, last_seq=1_200, epoch=4)
    await trim_all(store)
    assert list(await store.snapshots(CHAIN_LINK)) == [1_500]
    assert await all_of(store) == CHAIN
    await store.close()


# --- free pages ----------------------------------------------------------------------------------


async def an_emptied_file(data: Path) -> int:
    """Nearly all of it was archived and trimmed; its size."""
    store = SqliteStore(data)
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN, epoch=1, batch=30)
    await archive(store, data, CHAIN, last_seq=1_950, epoch=1)
    await trim_all(store)
    await store.close()
    return (data / FILE_NAME).stat().st_size


def free_pages(data: Path) -> int:
    with closing(sqlite3.connect(data / FILE_NAME)) as db:
        count: int = db.execute("PRAGMA freelist_count").fetchone()[0]
        return count


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few free pages are many."""
    monkeypatch.setattr(journal_space, "FREE_BYTES_MIN", 20 * 4_096)


async def test_free_pages_of_an_emptied_file_go_back_at_the_next_start(
    tmp_path: Path, soon: None
) -> None:
    before = await an_emptied_file(tmp_path)
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    assert (tmp_path / FILE_NAME).stat().st_size < before / 3
    more = a_chain(10, first_seq=2_001, prev=hash_record(CHAIN[-1]))
    await append_all(store, more, epoch=2, batch=1, after=2_000)
    await store.check()
    assert await all_of(store) == CHAIN + more
    await store.close()
    assert free_pages(tmp_path) == 0


async def test_few_free_pages_stay_and_are_used_again(tmp_path: Path) -> None:
    before = await an_emptied_file(tmp_path)
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    more = a_chain(1_000, first_seq=2_001, prev=hash_record(CHAIN[-1]))
    await append_all(store, more, epoch=2, batch=30, after=2_000)
    await store.close()
    assert (tmp_path / FILE_NAME).stat().st_size == before


async def test_file_that_is_mostly_used_is_left_alone(tmp_path: Path, soon: None) -> None:
    before = await an_emptied_file(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as db:
        # Half of it is used again.
        db.execute("CREATE TABLE filler (body BLOB)")
        db.execute("INSERT INTO filler VALUES (zeroblob(?))", (before // 2,))
    free = free_pages(tmp_path)
    assert free > 20
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    await store.close()
    assert free_pages(tmp_path) in range(free - 3, free + 1)


async def test_reader_that_keeps_the_file_large_for_a_while_is_no_loss(
    tmp_path: Path, soon: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file gets shorter under a running service, later: nobody has cut it."""
    before = await an_emptied_file(tmp_path)
    monkeypatch.setattr(journal, "FILE", structs.replace(FILE, busy_seconds=0.01))
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM batch").fetchone()
        store = SqliteStore(tmp_path)
        await store.open_link(CHAIN_LINK)
        assert (tmp_path / FILE_NAME).stat().st_size == before
    await store._in_writer(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
    assert (tmp_path / FILE_NAME).stat().st_size < before / 3
    await store.check()
    os.truncate(tmp_path / FILE_NAME, 8_192)
    with pytest.raises(StoreLostError, match="cut short"):
        await store.check()
    await store.close()


async def test_no_room_for_a_smaller_copy_is_no_reason_not_to_start(
    tmp_path: Path, soon: None, caplog: pytest.LogCaptureFixture
) -> None:
    before = await an_emptied_file(tmp_path)
    store = SqliteStore(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Enough for a commit, and not for a copy of every page that is used.
    resource.setrlimit(resource.RLIMIT_FSIZE, (9 * 4_096, limits[1]))
    try:
        await store.open_link(CHAIN_LINK)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "keeps its free pages" in caplog.text
    assert await all_of(store) == CHAIN
    await store.close()
    assert (tmp_path / FILE_NAME).stat().st_size == before


async def test_closed_store_leaves_no_descriptor_open(tmp_path: Path) -> None:
    """The file is read ahead through one of its own, which stays open as long as the store."""
    await an_emptied_file(tmp_path)
    before = os.listdir("/proc/self/fd")
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    assert await all_of(store) == CHAIN
    await store.close()
    assert os.listdir("/proc/self/fd") == before
