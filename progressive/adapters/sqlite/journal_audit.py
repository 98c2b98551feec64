"""COLD. What the audit reads of the embedded store: one consistent view, on a connection that
cannot write.

The service may run, have stopped or have been killed. Nothing found in the file is trusted: rows
come out as they are, and a damaged file is a finding, not a crash.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.journal_file import FILE
from progressive.adapters.sqlite.read_only import lenient_text, open_wal_unchanged
from progressive.application.audit.findings import shown
from progressive.application.audit.report import StoredBatch, StoredLink
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError

DAMAGES_MAX: Final = 3
"""Damages of the file that are listed: one is enough to act on."""


class StoredJournal:
    """The file as it was at one moment. Made by `open_journal`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def damages(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        try:
            with _translated():
                rows = self._db.execute(f"PRAGMA integrity_check({DAMAGES_MAX})")
                found = [shown(row[0]) for row in rows]
        except StoreCorruptError as error:
            return [str(error)]
        return [] if found == ["ok"] else [str(FILE.damaged(each)) for each in found]

    def strays(self) -> list[str]:
        """Batches and snapshots of links that the store does not list."""
        found: list[str] = []
        with _translated():
            for rows in ("batch", "snapshot"):
                found += [
                    f"{rows} rows of {shown(row[0])}, a link that is not listed"
                    for row in self._db.execute(
                        f"SELECT DISTINCT link FROM {rows} AS stray "  # noqa: S608 - two constants
                        "WHERE NOT EXISTS (SELECT 1 FROM link WHERE id = stray.link) "
                        f"LIMIT {DAMAGES_MAX}"
                    )
                ]
        return found

    def links(self) -> list[tuple[int, StoredLink]]:
        """Every link with the number of its row, by name."""
        with _translated():
            rows = self._db.execute(
                "SELECT link.rowid, id, epoch, link.seq, head, snapshot.seq, body "
                "FROM link LEFT JOIN snapshot ON snapshot.link = link.id ORDER BY id"
            )
            return [
                (
                    row,
                    StoredLink(
                        link, epoch, seq, head, None if kept_seq is None else (kept_seq, body)
                    ),
                )
                for row, link, epoch, seq, head, kept_seq, body in rows
            ]

    def batches(self, row: int) -> Iterator[StoredBatch]:
        """The batches of the link in that row, in order; one at a time is held."""
        with _translated():
            for batch in self._db.execute(
                "SELECT first_seq, last_seq, epoch, body FROM batch "
                "WHERE link = (SELECT id FROM link WHERE rowid = ?) ORDER BY first_seq",
                (row,),
            ):
                yield StoredBatch(*batch)


@contextmanager
def open_journal(directory: Path) -> Iterator[StoredJournal]:
    """The journal in a data directory, as it is now and stays while it is read.

    Raises StoreUnavailableError where there is none or it may not be read (ChangedMeanwhileError
    where a service was started on it meanwhile), StoreCorruptError where the file is no journal.
    """
    if not (directory / FILE.name).is_file():
        raise StoreUnavailableError(f"there is no journal in {directory}")
    with _translated(), open_wal_unchanged(FILE, directory) as db:
        db.text_factory = lenient_text
        present = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        if missing := {"link", "batch", "snapshot"} - present:
            raise StoreCorruptError(f"{FILE.name} holds no journal: no {min(missing)} rows")
        FILE.refuse_newer(db)
        yield StoredJournal(db)


@contextmanager
def _translated() -> Iterator[None]:
    """A driver's errors in the port's terms."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise FILE.judged(error) from None
