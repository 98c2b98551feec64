"""COLD. Reads the journals of a data directory on connections that cannot write.

The service reads beside its own writer. Another process reads with `unchanged`: no byte and no
name in the data directory changes, whether a service runs, has stopped or was killed.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME, unpack
from progressive.adapters.sqlite.read_only import open_read_only, open_wal_unchanged
from progressive.application.journal.ports import JournalEnd, StoredSnapshot
from progressive.application.journal.record import GENESIS
from progressive.domain.ids import LinkId

READ_BATCHES: Final = 64
"""Rows fetched at a time."""


_FROM: Final = (
    "link = ? AND first_seq >= coalesce("
    "(SELECT max(first_seq) FROM batch WHERE link = ? AND first_seq <= ?), 0)"
)
"""From the batch on that holds a record: found by the primary key, not by walking there."""
_WITH: Final = "AND instr(body, ?) > 0 ORDER BY first_seq"


class SqliteJournalReader:
    """Implements `JournalReader`: all links of a floor in one file, or none where it is missing."""

    def __init__(self, directory: Path, *, unchanged: bool) -> None:
        self._directory = directory
        self._unchanged = unchanged

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends now, read on a connection that never writes."""
        async for rows in self._rows("SELECT seq, head FROM link WHERE id = ?", (link,)):
            seq, head = rows[0]
            return JournalEnd(seq, head)
        return JournalEnd(0, GENESIS)

    async def links(self) -> Sequence[LinkId]:
        """Every link that has a record."""
        query = "SELECT id FROM link WHERE seq > 0 ORDER BY id"
        return [LinkId(row[0]) async for rows in self._rows(query, ()) for row in rows]

    async def read(self, link: LinkId, *, after_seq: int = 0) -> AsyncIterator[Sequence[bytes]]:
        """Chunks of records, read on a connection of their own that never writes."""
        query = f"SELECT first_seq, body FROM batch WHERE {_FROM} ORDER BY first_seq"  # noqa: S608 - constants
        async for rows in self._rows(query, (link, link, after_seq + 1)):
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

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record: the batch it is in is found by the primary key."""
        query = (
            "SELECT first_seq, body FROM batch "
            "WHERE link = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1"
        )
        async for rows in self._rows(query, (link, seq)):
            first_seq, body = rows[0]
            records = unpack(first_seq, body)
            return records[seq - first_seq] if seq - first_seq < len(records) else None
        return None

    async def records_with(
        self, link: LinkId, text: bytes, *, after_seq: int, until_seq: int
    ) -> Sequence[bytes]:
        """Those that hold some text. SQLite looks through the batches, in its own thread."""
        query = f"SELECT first_seq, body FROM batch WHERE {_FROM} AND first_seq <= ? {_WITH}"  # noqa: S608 - constants
        found: list[bytes] = []
        async for rows in self._rows(query, (link, link, after_seq + 1, until_seq, text)):
            for first_seq, body in rows:
                stretch = unpack(first_seq, body)[: until_seq + 1 - first_seq]
                stretch = stretch[max(0, after_seq + 1 - first_seq) :]
                found += [record for record in stretch if text in record]
        return found

    async def load_snapshot(self, link: LinkId) -> StoredSnapshot | None:
        """The link's saved state."""
        async for rows in self._rows("SELECT seq, body FROM snapshot WHERE link = ?", (link,)):
            seq, body = rows[0]
            return StoredSnapshot(seq=seq, body=FILE.as_bytes(body, "the snapshot"))
        return None

    async def _rows(
        self, query: str, values: tuple[object, ...]
    ) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        if not (self._directory / FILE_NAME).exists():
            return
        try:
            with ExitStack() as stack:
                db = await asyncio.to_thread(stack.enter_context, self._opened())
                # A file of no bytes, or one whose making was cut short, holds no journal.
                if not (await asyncio.to_thread(_version, db)):
                    return
                rows = await asyncio.to_thread(db.execute, query, values)
                while chunk := await asyncio.to_thread(rows.fetchmany, READ_BATCHES):
                    yield chunk
        except DRIVER_ERRORS as error:
            raise FILE.translated(error) from error

    def _opened(self) -> AbstractContextManager[sqlite3.Connection]:
        if self._unchanged:
            return open_wal_unchanged(FILE, self._directory)
        return _beside_writer(self._directory / FILE_NAME)


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version


@contextmanager
def _beside_writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_read_only(path)) as db:
        yield db
