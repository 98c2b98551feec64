"""One SQLite file of ours: how it is opened for writing, how it gets its newest form, and what the
driver's errors mean.

Journal, people and sign log each describe their file with a `StoreFile`: what differs between them
stands there, with its reason. Reading without a change to the folder is in `read_only`. Nothing
here knows what a row means, and nothing here runs when a batch is appended.
"""

import contextlib
import functools
import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)

# sqlite3 cannot even decode SQLite's message where that quotes a damaged schema.
DRIVER_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)

SHOWN_MAX: Final = 80
"""Characters of a driver's message that quotes a damaged file."""
_DAMAGE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_SURROUNDINGS: Final = (
    *("SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_PERM", "SQLITE_READONLY"),
    *("SQLITE_FULL", "SQLITE_NOMEM"),
)
"""What an audit takes for broken surroundings rather than for a broken file."""


class StoreFile(Struct, frozen=True):
    """One kind of file in the data directory."""

    name: str
    called: str
    """How a message about damage names it."""
    prefix: str
    """What a message about broken surroundings begins with."""
    scripts: str
    """The folder of its numbered scripts, in `sql/`."""
    pragmas: tuple[str, ...]
    """Settings of the connection that writes, in order."""
    busy_seconds: float
    """How long to wait for another process that has the file locked."""

    def open_to_write(self, directory: Path, *, any_thread: bool = False) -> sqlite3.Connection:
        """A connection that may write, on a file of the newest form; made where there is none.

        The folder must be there. `any_thread`: whoever closes it may be another thread than the
        one that uses it.
        """
        self._refuse_newer_unopened(directory / self.name)
        db = sqlite3.connect(
            directory / self.name,
            isolation_level=None,
            timeout=self.busy_seconds,
            check_same_thread=not any_thread,
        )
        try:
            for pragma in self.pragmas:
                db.execute(f"PRAGMA {pragma}")
            self._migrate(db)
        except BaseException:
            db.close()
            raise
        return db

    def empty(self) -> sqlite3.Connection:
        """A file of the newest form in memory, with nothing in it: for readers where there is no
        file."""
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._migrate(db)
        return db

    # --- the form of the file ------------------------------------------------------------------

    def _refuse_newer_unopened(self, path: Path) -> None:
        """Look at the version before anything may write.

        A connection that writes sets the journal mode and moves a WAL into the file when it closes:
        both would change the bytes of a file that is to be left alone.
        """
        if not path.exists():
            return
        uri = f"{path.resolve().as_uri()}?mode=ro"
        # What else is wrong with the file, opening it to write says better.
        with (
            contextlib.suppress(*DRIVER_ERRORS),
            contextlib.closing(sqlite3.connect(uri, uri=True, timeout=self.busy_seconds)) as db,
        ):
            self.refuse_newer(db)

    def refuse_newer(self, db: sqlite3.Connection) -> int:
        """The version of the file's form. A file that a newer program wrote is left alone."""
        version: int = db.execute("PRAGMA user_version").fetchone()[0]
        if version < 0:
            raise self.damaged(f"its version is {version}")
        if version > len(_scripts(self.scripts)):
            raise StoreUnavailableError(
                f"{self.called} is of a newer version ({version}) than this program"
            )
        return version

    def _migrate(self, db: sqlite3.Connection) -> None:
        """Numbered scripts, each applied once and whole, by whichever process comes first."""
        scripts = _scripts(self.scripts)
        while (version := self.refuse_newer(db)) != len(scripts):
            with transaction(db):
                # The other process may have been quicker.
                if db.execute("PRAGMA user_version").fetchone()[0] == version:
                    for statement in _statements(scripts[version]):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {version + 1}")

    # --- errors --------------------------------------------------------------------------------

    def damaged(self, why: str) -> StoreCorruptError:
        """The error for a file that does not hold what was written."""
        return StoreCorruptError(f"{self.called} is damaged: {why}")

    def translated(self, error: Exception) -> StoreError:
        """A driver's error in the port's terms. A ValueError: a stored value is not valid."""
        if isinstance(error, UnicodeDecodeError):
            return self.damaged("its own text is unreadable")
        code = getattr(error, "sqlite_errorname", "")
        if isinstance(error, ValueError) or code.startswith(_DAMAGE):
            return self.damaged(str(error))
        return StoreUnavailableError(f"{self.prefix}{error}" + (f" ({code})" if code else ""))

    def judged(self, error: Exception) -> StoreError:
        """The same for an audit, which trusts nothing in the file: a missing table or column is
        damage too. Whatever the file puts into the message comes out as one printable line."""
        code = getattr(error, "sqlite_errorname", "")
        if code.startswith(_SURROUNDINGS):
            return StoreUnavailableError(f"{self.prefix}{_one_line(str(error))} ({code})")
        if isinstance(error, UnicodeDecodeError):
            return self.translated(error)
        return self.damaged(_one_line(str(error)))

    def as_bytes(self, value: object, what: str) -> bytes:
        """SQLite stores a type with every value: a flipped bit turns bytes into something else."""
        if not isinstance(value, bytes):
            raise self.damaged(f"{what} is not bytes")
        return value


def _one_line(text: str) -> str:
    """What a file put into a message: short and printable, whatever it holds."""
    if len(text) > SHOWN_MAX:
        text = text[:SHOWN_MAX] + "…"
    return "".join([char if char.isprintable() else ascii(char)[1:-1] for char in text])


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


@functools.cache
def _scripts(folder: str) -> tuple[str, ...]:
    """The texts of a folder of scripts, in the order of their numbers."""
    entries = resources.files("progressive.adapters.sqlite").joinpath("sql", folder).iterdir()
    named = sorted((entry.name, entry) for entry in entries if entry.name.endswith(".sql"))
    return tuple(entry.read_text("utf-8") for _, entry in named)


def _statements(script: str) -> Iterator[str]:
    """One by one: `executescript` would commit the transaction it is in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
