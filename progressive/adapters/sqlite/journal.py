"""The embedded store: one SQLite file, one writer thread, one commit per batch.

WAL with `synchronous=FULL`: a commit is on the disk when it returns. The writer thread's
connection is the only one that writes or checkpoints (SQLite before 3.51.3 can corrupt a WAL that
two connections reset); everyone else reads through `mode=ro` connections of their own.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from progressive.adapters.segments.purge import remove_records
from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.file_place import FilePlace, abandon
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.journal_segments import adopt, mark_purged, trim
from progressive.adapters.sqlite.journal_space import give_back_free_pages, read_ahead
from progressive.application.journal.confirming import HASHED_AT_START_BYTES
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoreLostError,
    StoreUnavailableError,
)
from progressive.application.journal.record import GENESIS
from progressive.application.journal.segments import Segment
from progressive.application.link.ports import OpenedLink
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

T = TypeVar("T")


class SqliteStore(SqliteJournalReader):
    """All links of a floor in one file."""

    def __init__(self, directory: Path, *, hashed_bytes: int = HASHED_AT_START_BYTES) -> None:
        """`hashed_bytes`: of the newest segment files, which a start reads."""
        super().__init__(directory, unchanged=False, hashed_bytes=hashed_bytes)
        # One thread: the connection lives and dies in it, and appends keep their order.
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal-writer")
        self._connection: sqlite3.Connection | None = None
        self._whole = False
        # After a failed write, what can be read may not be on the disk yet.
        self._suspect = False
        self._place: FilePlace | None = None
        self._read_ahead: int | None = None

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        """Take the link under a new epoch. Writes, so it also proves that the disk takes writes."""
        return await self._in_writer(lambda db: self._open_link(db, link, above_epoch))

    async def check(self) -> None:
        """Check that the open file is still the one at its path, in the writer's own thread."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._check)

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

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Beside the older ones: which of them a segment will end at is not known yet."""

        def save(db: sqlite3.Connection) -> None:
            db.execute("BEGIN IMMEDIATE")
            row = db.execute("SELECT epoch, seq FROM link WHERE id = ?", (link,)).fetchone()
            if row is None or row[0] != epoch:
                db.execute("ROLLBACK")
                raise StoreConflictError(_conflict(db, link, epoch, seq))
            db.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?)", (link, seq, body))
            db.execute("COMMIT")

        await self._in_writer(save)

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        """One transaction, one row: from then on the files are part of the journal."""
        await self._in_writer(lambda db: adopt(db, segment, epoch))

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        """One small transaction."""
        return await self._in_writer(lambda db: trim(db, link, batches_max))

    async def mark_purged(self, link: LinkId, *, epoch: int, until_number: int, at: str) -> None:
        """One transaction; a row each."""
        await self._in_writer(lambda db: mark_purged(db, link, epoch, until_number, at))
        self._known.forget(link)

    async def remove_purged(self, link: LinkId) -> int:
        """In a thread of the readers: appends do not wait for it."""
        segments = list(await self.segments(link))
        return await asyncio.to_thread(remove_records, self._files, segments)

    async def close(self) -> None:
        """Checkpoint, close the file, end the thread."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._disconnect)
        self._writer.shutdown()
        if self._read_ahead is not None:
            os.close(self._read_ahead)
            self._read_ahead = None

    # --- in the writer thread ----------------------------------------------------------------

    async def _in_writer(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._do, work)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._connection is None:
            self._check()
        try:
            done = work(self._connect())
        except (StoreUnavailableError, StoreCorruptError):
            self._disconnect()
            raise
        except DRIVER_ERRORS as error:
            # The connection's idea of the file can no longer be trusted: start from the disk.
            self._suspect = True
            self._disconnect()
            raise FILE.translated(error) from error
        # After the commit: whoever takes the file away while it runs is noticed too.
        self._check()
        return done

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        if not self._whole and self._read_ahead is None:
            self._read_ahead = read_ahead(self._directory / FILE_NAME)
        self._connection = db = FILE.open_to_write(self._directory)
        # Moves the WAL into the file and syncs both, so that what is read is also durable.
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy and self._suspect:
            raise StoreUnavailableError("a reader keeps the journal from being synced")
        if not self._whole:
            found = [row[0] for row in db.execute("PRAGMA integrity_check(3)")]
            if found != ["ok"]:
                raise FILE.damaged("; ".join(found))
            self._whole = True
        self._suspect = False
        if self._place is None:
            shrinks_to = give_back_free_pages(db)
            self._place = FilePlace(self._directory / FILE_NAME, shrinks_to_bytes=shrinks_to)
        return db

    def _check(self) -> None:
        """Raise where the path leads to another file than the open one, now and ever after.

        Once lost, always lost: the next connection would open, or make, whatever lies there now.
        """
        if self._place is None or (why := self._place.look()) is None:
            return
        self._disconnect()
        raise StoreLostError(
            f"{why} while the service was running: what was answered before may be lost. "
            "Put the right journal file back, then start the service again"
        )

    def _disconnect(self) -> None:
        lost = self._place is not None and self._place.look() is not None
        if self._connection is not None:
            try:
                if lost:
                    abandon(self._connection)
                else:
                    self._connection.close()
            except sqlite3.Error:
                log.exception("closing the journal failed")
            self._connection = None
            if self._place is not None:
                self._place.expect_another_wal()

    @staticmethod
    def _open_link(db: sqlite3.Connection, link: LinkId, above_epoch: int) -> OpenedLink:
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "INSERT INTO link VALUES (?, ?, 0, ?) "
            "ON CONFLICT (id) DO UPDATE SET epoch = max(epoch, excluded.epoch - 1) + 1",
            (link, above_epoch + 1, GENESIS),
        )
        row = db.execute("SELECT epoch, seq, head FROM link WHERE id = ?", (link,)).fetchone()
        db.execute("COMMIT")
        return OpenedLink(epoch=row[0], seq=row[1], head=row[2])


def _conflict(db: sqlite3.Connection, link: LinkId, epoch: int, expected_seq: int) -> str:
    row = db.execute("SELECT epoch, seq FROM link WHERE id = ?", (link,)).fetchone()
    if row is None:
        return f"{link} has not been opened"
    return f"{link} is at epoch {row[0]}, record {row[1]}; not at {epoch}, {expected_seq}"
