"""The file the sign log is kept in: its name, its form, and how its rows are read.

WAL with one writing connection, like the journal's (SQLite before 3.51.3 can corrupt a WAL that two
connections reset). `synchronous=NORMAL`: a commit outlives the process, and a power cut costs
seconds of a log that is evidence and not money.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.sqlite.sign_blocks import BadBlockError
from progressive.application.journal.ports import (
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from progressive.application.signs.reports import SignEntry

FILE_NAME: Final = "signs.sqlite3"
BUSY_SECONDS: Final = 5.0
TAIL_BYTES_MAX: Final = 64 * 2**20

# sqlite3 cannot even decode SQLite's message where that quotes a damaged schema.
DRIVER_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError, BadBlockError)


class TailEntry(Struct, frozen=True, array_like=True):
    """An entry that is in no block yet."""

    sign: str
    link: str
    entry: SignEntry


_tail_decoder = msgspec.msgpack.Decoder(list[TailEntry])
_tail_encoder = msgspec.msgpack.Encoder()


def open_to_write(directory: Path) -> sqlite3.Connection:
    """The one connection that writes; the file is made where there is none."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The writer's thread uses it; whoever closes it may be another.
    db = sqlite3.connect(
        directory / FILE_NAME,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
    )
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        _migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def _migrate(db: sqlite3.Connection) -> None:
    scripts = _scripts()
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    refuse_newer(version)
    for number, script in enumerate(scripts[version:], start=version + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT;")


def refuse_newer(version: int) -> None:
    """A file that a newer program wrote is left alone."""
    if version > len(_scripts()):
        raise StoreUnavailableError(f"{FILE_NAME} is of a newer version ({version})")


def _scripts() -> list[str]:
    entries = resources.files("progressive.adapters.sqlite").joinpath("sql/signs").iterdir()
    named = sorted((entry.name, entry) for entry in entries if entry.name.endswith(".sql"))
    return [entry.read_text("utf-8") for _, entry in named]


def tail_row(entries: Iterable[TailEntry]) -> bytes:
    """Entries of a second, as a row of the tail."""
    return zlib.compress(_tail_encoder.encode(list(entries)), 1)


def read_tail(db: sqlite3.Connection) -> Iterator[TailEntry]:
    """Everything that is in no block yet, oldest first; raises BadBlockError."""
    for (body,) in db.execute("SELECT body FROM tail ORDER BY id"):
        try:
            yield from _tail_decoder.decode(
                zlib.decompressobj().decompress(as_bytes(body), TAIL_BYTES_MAX)
            )
        except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadBlockError(str(error)) from None


def as_bytes(value: object) -> bytes:
    """SQLite keeps a type with every value; a flipped bit there turns bytes into something else."""
    if not isinstance(value, bytes):
        raise BadBlockError("a row holds no bytes")
    return value


def translated(error: Exception) -> StoreError:
    """A driver's error in the port's terms."""
    name = getattr(error, "sqlite_errorname", "")
    damaged = isinstance(error, UnicodeDecodeError | BadBlockError)
    if damaged or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreCorruptError(f"{FILE_NAME} is damaged: {error}")
    return StoreUnavailableError(f"{FILE_NAME}: {error}")
