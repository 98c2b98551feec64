"""COLD. What the audit reads of the people file: the act log, in chunks, changing nothing.

A reader of this file holds up its writers, so none reads for longer than a chunk takes. The log
only grows: what is read in pieces is what was there.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.people_file import (
    BUSY_SECONDS,
    FILE_NAME,
    newest_version,
    open_people_file,
    translated,
)
from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)

CHUNK_RECORDS: Final = 1_000
DAMAGES_MAX: Final = 3
_UNFINISHED: Final = ("SQLITE_READONLY_ROLLBACK", "SQLITE_CANTOPEN")


class StoredActs:
    """The act log of a data directory; there is none where nobody was ever added or refused."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.path = directory / FILE_NAME

    def exists(self) -> bool:
        """Whether there is anything to read: whoever made the file may not have got further."""
        return self.path.is_file() and self.path.stat().st_size > 0

    def damages(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        found = [row[0] for row in self._rows(f"PRAGMA integrity_check({DAMAGES_MAX})")]
        return [] if found == ["ok"] else [f"{FILE_NAME} is damaged: {each}" for each in found]

    def head(self) -> tuple[object, object]:
        """Number and hash of the last record, as kept beside the log."""
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

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        try:
            return self._asked(query, values)
        except sqlite3.Error as error:
            if not getattr(error, "sqlite_errorname", "").startswith(_UNFINISHED):
                raise _found(error) from None
        try:
            # A writer was killed in the middle: what it began is taken back by whoever may write.
            open_people_file(self._directory).close()
            return self._asked(query, values)
        except (sqlite3.Error, OSError) as error:
            raise _found(error) from None

    def _asked(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        where = f"{self.path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS)) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > newest_version():
                raise StoreUnavailableError(
                    f"{FILE_NAME} is of a newer version ({version}) than this program"
                )
            return db.execute(query, values).fetchall()


def _found(error: Exception) -> StoreError:
    """A file without the rows that belong there is a finding; a locked one is not."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_ERROR":
        return StoreCorruptError(f"{FILE_NAME} is damaged: {error}")
    return translated(error)
