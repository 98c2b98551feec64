"""The embedded store: one SQLite file, one writer thread, one commit per batch.

WAL with `synchronous=FULL`: a commit is on the disk when it returns. The writer thread's
connection is the only one that writes or checkpoints (SQLite before 3.51.3 can corrupt a WAL that
two connections reset); everyone else reads through `mode=ro` connections of their own.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

from progressive.application.journal.ports import (
    JournalEnd,
    StoreConflictError,
    StoreCorruptError,
    StoredSnapshot,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import OpenedLink
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

FILE_NAME: Final = "journal.sqlite3"
CHECKPOINT_PAGES: Final = 4000
"""16 MiB of WAL before it is moved into the file: under load four times fewer syncs."""
READ_BATCHES: Final = 64
"""Rows fetched at a time by a reader."""

# sqlite3 cannot even decode SQLite's message where that quotes a damaged schema.
_DRIVER_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)

T = TypeVar("T")


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that can never write, for reports and proofs beside a running service."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)


class SqliteStore:
    """All links of a floor in one file."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        # One thread: the connection lives and dies in it, and appends keep their order.
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal-writer")
        self._connection: sqlite3.Connection | None = None
        self._whole = False
        # After a failed write, what can be read may not be on the disk yet.
        self._suspect = False

    async def open_link(self, link: LinkId) -> OpenedLink:
        """Take the link under a new epoch. Writes, so it also proves that the disk takes writes."""
        return await self._in_writer(lambda db: self._open_link(db, link))

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        """One transaction, one row, one commit."""
        if not records:
            return
        body = b"\n".join(records) + b"\n"
        last_seq = expected_seq + len(records)

        def append(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            taken = db.execute(
                "UPDATE link SET seq = ?, head = ? WHERE id = ? AND epoch = ? AND seq = ?",
                (last_seq, head, link, epoch, expected_seq),
            )
            if taken.rowcount != 1:
                db.execute("ROLLBACK")
                raise StoreConflictError(_conflict(db, link, epoch, expected_seq))
            db.execute(
                "INSERT INTO batch (link, first_seq, last_seq, epoch, body) VALUES (?, ?, ?, ?, ?)",
                (link, expected_seq + 1, last_seq, epoch, body),
            )
            db.execute("COMMIT")

        await self._in_writer(append)

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends now, read on a connection that never writes."""
        async for rows in self._rows("SELECT seq, head FROM link WHERE id = ?", (link,)):
            seq, head = rows[0]
            return JournalEnd(seq, head)
        return JournalEnd(0, GENESIS)

    async def read(self, link: LinkId, *, after_seq: int = 0) -> AsyncIterator[Sequence[bytes]]:
        """Chunks of records, read on a connection of their own that never writes."""
        query = (
            "SELECT first_seq, body FROM batch WHERE link = ? AND last_seq > ? ORDER BY first_seq"
        )
        async for rows in self._rows(query, (link, after_seq)):
            yield [
                record
                for first_seq, body in rows
                for record in unpack(first_seq, body)[max(0, after_seq + 1 - first_seq) :]
            ]

    async def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """The same, newest first."""
        query = (
            "SELECT first_seq, body FROM batch "
            "WHERE link = ? AND first_seq < ? ORDER BY first_seq DESC"
        )
        async for rows in self._rows(query, (link, before_seq)):
            yield [
                record
                for first_seq, body in rows
                for record in reversed(unpack(first_seq, body)[: before_seq - first_seq])
            ]

    async def _rows(
        self, query: str, values: tuple[object, ...]
    ) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        try:
            db = await asyncio.to_thread(open_read_only, self._path)
            with closing(db):
                rows = await asyncio.to_thread(db.execute, query, values)
                while chunk := await asyncio.to_thread(rows.fetchmany, READ_BATCHES):
                    yield chunk
        except _DRIVER_ERRORS as error:
            raise _translated(error) from error

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Replace the link's saved state."""

        def save(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            row = db.execute("SELECT epoch, seq FROM link WHERE id = ?", (link,)).fetchone()
            if row is None or row[0] != epoch:
                db.execute("ROLLBACK")
                raise StoreConflictError(_conflict(db, link, epoch, seq))
            db.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", (link, seq, body))
            db.execute("COMMIT")

        await self._in_writer(save)

    async def load_snapshot(self, link: LinkId) -> StoredSnapshot | None:
        """The link's saved state."""

        def load(db: sqlite3.Connection) -> StoredSnapshot | None:
            row = db.execute("SELECT seq, body FROM snapshot WHERE link = ?", (link,)).fetchone()
            if row is None:
                return None
            return StoredSnapshot(seq=row[0], body=_as_bytes(row[1], "the snapshot"))

        return await self._in_writer(load)

    async def close(self) -> None:
        """Checkpoint, close the file, end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._disconnect)
        self._writer.shutdown()

    # --- in the writer thread ----------------------------------------------------------------

    async def _in_writer(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._do, work)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return work(self._connect())
        except (StoreUnavailableError, StoreCorruptError):
            self._disconnect()
            raise
        except _DRIVER_ERRORS as error:
            # The connection's idea of the file can no longer be trusted: start from the disk.
            self._suspect = True
            self._disconnect()
            raise _translated(error) from error

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        self._connection = db = sqlite3.connect(self._path, isolation_level=None, timeout=5)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        _migrate(db)
        # Moves the WAL into the file and syncs both, so that what is read is also kept.
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy and self._suspect:
            raise StoreUnavailableError("a reader keeps the journal from being synced")
        if not self._whole:
            found = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
            if found != ["ok"]:
                raise StoreCorruptError(f"the journal file is damaged: {'; '.join(found)}")
            self._whole = True
        self._suspect = False
        return db

    def _disconnect(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                log.exception("closing the journal failed")
            self._connection = None

    @staticmethod
    def _open_link(db: sqlite3.Connection, link: LinkId) -> OpenedLink:
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "INSERT INTO link VALUES (?, 1, 0, ?) ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1",
            (link, GENESIS),
        )
        row = db.execute("SELECT epoch, seq, head FROM link WHERE id = ?", (link,)).fetchone()
        db.execute("COMMIT")
        return OpenedLink(epoch=row[0], seq=row[1], head=row[2])


def unpack(first_seq: int, body: bytes) -> list[bytes]:
    """The records of a batch."""
    records = _as_bytes(body, f"the batch at {first_seq}").split(b"\n")
    records.pop()
    return records


def _as_bytes(value: object, what: str) -> bytes:
    """SQLite keeps a type with every value; a flipped bit there turns bytes into something else."""
    if not isinstance(value, bytes):
        raise StoreCorruptError(f"the journal file is damaged: {what} is not bytes")
    return value


def _conflict(db: sqlite3.Connection, link: LinkId, epoch: int, expected_seq: int) -> str:
    row = db.execute("SELECT epoch, seq FROM link WHERE id = ?", (link,)).fetchone()
    if row is None:
        return f"{link} has not been opened"
    return f"{link} is at epoch {row[0]}, record {row[1]}; not at {epoch}, {expected_seq}"


def _migrate(db: sqlite3.Connection) -> None:
    """Bring the file to the newest form: numbered scripts, each applied once and whole."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    scripts = sorted(
        (entry.name, entry.read_text("utf-8"))
        for entry in resources.files("progressive.adapters.sqlite")
        .joinpath("sql/journal")
        .iterdir()
        if entry.name.endswith(".sql")
    )
    if version > len(scripts):
        raise StoreUnavailableError(
            f"the journal file is of a newer version ({version}) than this program"
        )
    for number, (_, script) in enumerate(scripts[version:], start=version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")


def _translated(error: Exception) -> StoreError:
    """A driver's error in the port's terms."""
    if isinstance(error, UnicodeDecodeError):
        return StoreCorruptError("the journal file is damaged: its own text is unreadable")
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreCorruptError(f"the journal file is damaged: {error}")
    return StoreUnavailableError(f"{error} ({name})" if name else str(error))
