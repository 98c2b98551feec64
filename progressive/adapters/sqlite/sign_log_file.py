"""The file the sign log is kept in: its name, its form, and how its rows are read.

WAL with one writing connection, like the journal's (SQLite before 3.51.3 can corrupt a WAL that two
connections reset). `synchronous=NORMAL`: a commit outlives the process, and a power cut costs
seconds of a log that is evidence and not money.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.sqlite import file
from progressive.adapters.sqlite.sign_blocks import BadBlockError
from progressive.application.signs.reports import SignEntry

FILE_NAME: Final = "signs.sqlite3"
TAIL_BYTES_MAX: Final = 64 * 2**20

FILE: Final = file.StoreFile(
    name=FILE_NAME,
    called=FILE_NAME,
    prefix=f"{FILE_NAME}: ",
    scripts="signs",
    pragmas=("journal_mode = WAL", "synchronous = NORMAL"),
    busy_seconds=5.0,
)
DRIVER_ERRORS: Final = (*file.DRIVER_ERRORS, BadBlockError)


class TailEntry(Struct, frozen=True, array_like=True):
    """An entry that is in no block yet."""

    sign: str
    link: str
    entry: SignEntry
    keyed: bool = True
    """Whether only the holder of a key could say so."""


_tail_decoder = msgspec.msgpack.Decoder(list[TailEntry])
_tail_encoder = msgspec.msgpack.Encoder()


def open_to_write(directory: Path) -> sqlite3.Connection:
    """The one connection that writes; the file is made where there is none."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The writer's thread uses it; whoever closes it may be another.
    return FILE.open_to_write(directory, any_thread=True)


def tail_row(entries: Iterable[TailEntry]) -> bytes:
    """Entries of a second, as a row of the tail."""
    return zlib.compress(_tail_encoder.encode(list(entries)), 1)


def read_tail(db: sqlite3.Connection) -> Iterator[TailEntry]:
    """Everything that is in no block yet, oldest first; raises BadBlockError."""
    for (body,) in db.execute("SELECT body FROM tail ORDER BY id"):
        try:
            yield from _tail_decoder.decode(
                zlib.decompressobj().decompress(FILE.as_bytes(body, "a row"), TAIL_BYTES_MAX)
            )
        except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadBlockError(str(error)) from None
