"""COLD. Reads the sign log on a connection that cannot write, whether the service runs or not."""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.read_only import open_wal_beside_writer, open_wal_unchanged
from progressive.adapters.sqlite.sign_blocks import unpacked
from progressive.adapters.sqlite.sign_log_file import (
    DRIVER_ERRORS,
    FILE,
    read_tail,
)
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.signs.reports import SignEntry

_LONGEST_BLOCK_MS: Final = 24 * 3600 * 1000
"""Far longer than any: a block that holds a time cannot have begun before it by more."""


class SqliteSignLogReader:
    """One consistent view of the file. Made by `open_sign_log`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._tail = list(read_tail(connection))

    def signs(self) -> list[str]:
        """Every sign that is in the log."""
        kept = {row[0] for row in self._db.execute("SELECT DISTINCT sign FROM block")}
        return sorted(kept | {each.sign for each in self._tail})

    def link_of(self, sign: str, *, at_ms: int) -> str | None:
        """The link of the last block that began by then, or of the first that is kept."""
        since = [each.link for each in self._tail if each.sign == sign]
        newest = [e.link for e in self._tail if e.sign == sign and e.entry.at_ms <= at_ms]
        if newest:
            return newest[-1]
        for order, comparison in (("DESC", "<="), ("ASC", ">")):
            row = self._db.execute(
                f"SELECT link FROM block WHERE sign = ? AND first_ms {comparison} ? "  # noqa: S608
                f"ORDER BY first_ms {order} LIMIT 1",
                (sign, at_ms),
            ).fetchone()
            if row is not None:
                return str(row[0])
        return since[0] if since else None

    def between(self, sign: str, *, from_ms: int, to_ms: int) -> Iterator[SignEntry]:
        """The entries of that time, both ends included."""
        rows = self._db.execute(
            "SELECT body FROM block "
            "WHERE sign = ? AND first_ms BETWEEN ? AND ? AND last_ms >= ? ORDER BY first_ms, rowid",
            (sign, from_ms - _LONGEST_BLOCK_MS, to_ms, from_ms),
        )
        stored = (entry for (body,) in rows for entry in unpacked(FILE.as_bytes(body, "a block")))
        for entry in chain(stored, self._tail_of(sign)):
            if from_ms <= entry.at_ms <= to_ms:
                yield entry

    def around(self, sign: str, *, at_ms: int) -> Sequence[SignEntry]:
        """The last blocks that began by then, the first after it, and the tail."""
        nearest = (
            "SELECT rowid FROM block WHERE sign = ? AND first_ms <= ? "
            "ORDER BY first_ms DESC, rowid DESC LIMIT 2",
            "SELECT rowid FROM block WHERE sign = ? AND first_ms > ? "
            "ORDER BY first_ms, rowid LIMIT 1",
        )
        numbers = [
            number for query in nearest for (number,) in self._db.execute(query, (sign, at_ms))
        ]
        found: list[SignEntry] = []
        for number in sorted(numbers):
            query = "SELECT body FROM block WHERE rowid = ?"
            (body,) = self._db.execute(query, (number,)).fetchone()
            found += unpacked(FILE.as_bytes(body, "a block"))
        return [*found, *self._tail_of(sign)]

    def _tail_of(self, sign: str) -> list[SignEntry]:
        return [each.entry for each in self._tail if each.sign == sign]


@contextlib.contextmanager
def open_sign_log(directory: Path, *, beside_writer: bool = False) -> Iterator[SqliteSignLogReader]:
    """The sign log in a data directory, as it is now and stays while it is read.

    `beside_writer`: this process writes the log itself. Any other reads it without changing the
    folder. Raises StoreUnavailableError where there is none, StoreCorruptError where it is damaged.
    """
    if not (directory / FILE.name).is_file():
        raise StoreUnavailableError(f"there is no sign log in {directory}")
    opened = open_wal_beside_writer if beside_writer else open_wal_unchanged
    try:
        with opened(FILE, directory) as db:
            FILE.refuse_newer(db)
            yield SqliteSignLogReader(db)
    except DRIVER_ERRORS as error:
        raise FILE.translated(error) from None
