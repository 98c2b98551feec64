"""COLD. What the audit reads of the embedded store: one consistent view, on a connection that
cannot write.

The service may run, have stopped or have been killed. Nothing found in the file is trusted: rows
come out as they are, and a damaged file is a finding, not a crash.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.journal import FILE_NAME
from progressive.application.audit.findings import shown
from progressive.application.audit.report import StoredBatch, StoredLink
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError

DAMAGES_MAX: Final = 3
"""Damages of the file that are listed: one is enough to act upon."""

BUSY_SECONDS: Final = 5.0
"""How long to wait while another process recovers the file after a crash."""

_UNREADABLE: Final = ("SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_PERM", "SQLITE_READONLY")
"""Broken surroundings rather than a broken journal."""


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
        return [] if found == ["ok"] else [f"the journal file is damaged: {each}" for each in found]

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

    Raises StoreUnavailableError where there is none or it may not be read, StoreCorruptError
    where the file is no journal.
    """
    path = directory / FILE_NAME
    if not path.is_file():
        raise StoreUnavailableError(f"there is no journal in {directory}")
    immutable = False
    try:
        connection = _connect(path, "mode=ro")
    except StoreUnavailableError:
        # SQLite puts a WAL beside the file even to read it, and this folder takes no files of
        # ours. A file without a WAL has no writer: it can be read as it is while that is so.
        if _has_wal(path):
            raise
        connection = _connect(path, "mode=ro&immutable=1")
        immutable = True
    with closing(connection):
        yield StoredJournal(connection)
    if immutable and _has_wal(path):
        raise StoreUnavailableError("the service was started while the journal was read: run again")


def _connect(path: Path, how: str) -> sqlite3.Connection:
    """A connection within a read transaction, which it never leaves."""
    with _translated():
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?{how}", uri=True, isolation_level=None, timeout=BUSY_SECONDS
        )
        try:
            db.text_factory = _text
            db.execute("BEGIN")
            present = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
            if missing := {"link", "batch", "snapshot"} - present:
                raise StoreCorruptError(f"{path.name} holds no journal: no {min(missing)} rows")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > _newest_version():
                raise StoreUnavailableError(
                    f"{path.name} is of a newer version ({version}) than this program"
                )
        except BaseException:
            db.close()
            raise
    return db


def _has_wal(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def _newest_version() -> int:
    scripts = resources.files("progressive.adapters.sqlite").joinpath("sql/journal").iterdir()
    return sum(entry.name.endswith(".sql") for entry in scripts)


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "backslashreplace")


@contextmanager
def _translated() -> Iterator[None]:
    """A driver's errors in the port's terms."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(_UNREADABLE):
            raise StoreUnavailableError(f"{shown(str(error))} ({name})") from None
        raise StoreCorruptError(f"the journal file is damaged: {shown(str(error))}") from None
