"""What the verifier reads of the people file: the act log, in chunks, changing nothing.

A reader of this file holds up its writers, so none reads for longer than a chunk takes. The log
only grows: what is read in pieces is what was there. Where a writer was killed within a transaction
(a hot rollback journal), the rest is read from a private copy that SQLite has rolled back: the same
records that the next writer would find, and the data directory stays as it is.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Final

from progressive.verifier.findings import StoreCorruptError, shown
from progressive.verifier.reading.sqlite_file import (
    DRIVER_ERRORS,
    FileKind,
    lenient_text,
    open_read_only,
    private_copy,
)

FILE_NAME: Final = "people.sqlite3"
FILE: Final = FileKind(
    name=FILE_NAME, called=FILE_NAME, prefix=f"{FILE_NAME}: ", newest=3, busy_seconds=10.0
)
CHUNK_RECORDS: Final = 1_000
DAMAGES_MAX: Final = 3


class StoredActs:
    """The act log of a data directory; there is none where nobody was ever added or refused."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        self._how = "mode=ro"
        self._copies = ExitStack()

    def __enter__(self) -> "StoredActs":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._copies.close()

    def exists(self) -> bool:
        """Whether there is anything to read: whoever made the file may not have got further."""
        if os.path.lexists(self._path) and not self._path.is_file():
            raise StoreCorruptError(f"{FILE_NAME} is no file")
        if not self._filled():
            return False
        self._rows("SELECT count(*) FROM sqlite_master")
        # Where the first transaction of all was cut off, nothing is left of it.
        return self._filled()

    def damages(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        found = [shown(row[0]) for row in self._rows(f"PRAGMA integrity_check({DAMAGES_MAX})")]
        return [] if found == ["ok"] else [str(FILE.damaged(each)) for each in found]

    def head(self) -> tuple[object, object]:
        """Number and hash of the last record, as stored beside the log."""
        rows = self._rows("SELECT seq, head FROM act_head")
        if len(rows) != 1:
            raise StoreCorruptError(f"{FILE_NAME} says {len(rows)} times where the act log ends")
        return rows[0][0], rows[0][1]

    def records(self) -> Iterator[object]:
        """In order, as stored."""
        after: object = -(2**63)
        while chunk := self._rows(
            "SELECT seq, body FROM act WHERE seq > ? ORDER BY seq LIMIT ?", (after, CHUNK_RECORDS)
        ):
            for _, body in chunk:
                yield body
            after = chunk[-1][0]

    def _filled(self) -> bool:
        return self._path.is_file() and self._path.stat().st_size > 0

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        try:
            try:
                return self._asked(query, values)
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorname", "") != "SQLITE_READONLY_ROLLBACK":
                    raise
            self._path, self._how = self._copies.enter_context(private_copy(self._path)), "mode=rw"
            return self._asked(query, values)
        except DRIVER_ERRORS as error:
            raise FILE.judged(error) from None

    def _asked(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        opened = open_read_only(self._path, how=self._how, busy_seconds=FILE.busy_seconds)
        with closing(opened) as db:
            db.text_factory = lenient_text
            FILE.refuse_newer(db)
            return db.execute(query, values).fetchall()
