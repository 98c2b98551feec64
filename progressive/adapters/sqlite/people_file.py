"""The file people are kept in: how it is opened, brought up to date and shared.

The service and `progressive user` write it at the same time. A rollback journal
(`journal_mode=TRUNCATE`) and not a WAL: SQLite before 3.51.3 can corrupt a WAL that two processes
reset, and a few commits a minute need no faster way. With `synchronous=FULL` the truncated journal
is synced too, so a commit is on the disk when it returns. Transactions are short and IMMEDIATE:
two writers wait for each other, and neither finds out at its end that it must begin again.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)

FILE_NAME: Final = "people.sqlite3"
BUSY_SECONDS: Final = 10.0
"""How long to wait for the other process: its transactions take milliseconds."""


def open_people_file(directory: Path) -> sqlite3.Connection:
    """A connection that may write; the file is made where there is none, for its owner only."""
    path = directory / FILE_NAME
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Only a file that is not there yet: closing one that SQLite has open would drop its locks.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    # The store's one thread uses it; whoever closes it may be another.
    db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = TRUNCATE")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        _migrate(db)
    except BaseException:
        db.close()
        raise
    return db


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def translated(error: Exception) -> StoreError:
    """A driver's error in the port's terms."""
    name = getattr(error, "sqlite_errorname", "")
    # A ValueError is a stored text that is no text, or no role.
    if isinstance(error, ValueError) or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreCorruptError(f"{FILE_NAME} is damaged: {error}")
    return StoreUnavailableError(f"{FILE_NAME}: {error}")


def newest_version() -> int:
    """Of the file's form, as far as this program knows."""
    return len(_scripts())


def _scripts() -> list[str]:
    entries = resources.files("progressive.adapters.sqlite").joinpath("sql/people").iterdir()
    named = sorted((entry.name, entry) for entry in entries if entry.name.endswith(".sql"))
    return [entry.read_text("utf-8") for _, entry in named]


def _migrate(db: sqlite3.Connection) -> None:
    """Numbered scripts, each applied once and whole, by whichever process comes first."""
    scripts = _scripts()
    while (version := db.execute("PRAGMA user_version").fetchone()[0]) != len(scripts):
        if version > len(scripts):
            raise StoreUnavailableError(
                f"{FILE_NAME} is of a newer version ({version}) than this program"
            )
        _apply(db, version, scripts[version])


def _apply(db: sqlite3.Connection, version: int, script: str) -> None:
    with transaction(db):
        # The other process may have been quicker.
        if db.execute("PRAGMA user_version").fetchone()[0] != version:
            return
        for statement in _statements(script):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {version + 1}")


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would commit the transaction it is in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
