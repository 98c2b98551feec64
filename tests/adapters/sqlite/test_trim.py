"""Removing what segments hold: appends wait for it in the writer's thread, so it does not sync."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE
from progressive.adapters.sqlite.journal_segments import trim
from progressive.application.journal.ports import StoreError
from tests.support.chains import CHAIN_LINK
from tests.support.segments import CHAIN, append_all, archive

FULL = 2


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Twenty batches in the file that a segment holds, and forty more."""
    store = SqliteStore(tmp_path)
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN, epoch=1, batch=50)
    await archive(store, tmp_path, CHAIN, last_seq=1_000, epoch=1)
    await store.close()
    return tmp_path


@pytest.fixture
def db(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(FILE.open_to_write(data)) as db:
        yield db


def synced(db: sqlite3.Connection) -> int:
    level: int = db.execute("PRAGMA synchronous").fetchone()[0]
    return level


def batches(db: sqlite3.Connection) -> int:
    count: int = db.execute("SELECT count(*) FROM batch").fetchone()[0]
    return count


def test_its_commit_is_not_synced_and_every_other_one_is(db: sqlite3.Connection) -> None:
    ran: list[str] = []
    db.set_trace_callback(ran.append)
    assert trim(db, CHAIN_LINK, 8)
    db.set_trace_callback(None)
    # Before the transaction and after it: within one SQLite would refuse to change it.
    assert ran[:2] == ["PRAGMA synchronous = NORMAL", "BEGIN IMMEDIATE"]
    assert ran[-2:] == ["COMMIT", "PRAGMA synchronous = FULL"]
    assert (synced(db), batches(db)) == (FULL, 52)


def test_after_one_that_failed_commits_are_synced_again(db: sqlite3.Connection) -> None:
    def refuse(action: int, *_: object) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_DELETE else sqlite3.SQLITE_OK

    db.set_authorizer(refuse)
    with pytest.raises(sqlite3.DatabaseError):
        trim(db, CHAIN_LINK, 8)
    db.set_authorizer(None)
    assert (synced(db), batches(db)) == (FULL, 60)


async def test_where_syncing_cannot_be_set_again_the_connection_is_dropped(data: Path) -> None:
    """Nothing may be answered that is not on the disk."""
    store = SqliteStore(data)
    await store.open_link(CHAIN_LINK)

    def refuse(action: int, name: str | None, value: str | None, *_: object) -> int:
        denied = (action, name, value) == (sqlite3.SQLITE_PRAGMA, "synchronous", "FULL")
        return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK

    await store._in_writer(lambda db: db.set_authorizer(refuse))
    with pytest.raises(StoreError, match="not authorized"):
        await store.trim(CHAIN_LINK, batches_max=8)
    assert await store._in_writer(synced) == FULL
    await store.close()
