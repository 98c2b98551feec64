"""The file that holds people: how it is opened and shared.

The service and `progressive user` write it at the same time. A rollback journal
(`journal_mode=TRUNCATE`) and not a WAL: SQLite before 3.51.3 can corrupt a WAL that two processes
reset, and a few commits a minute need no faster way. With `synchronous=FULL` the truncated journal
is synced too, so a commit is on the disk when it returns. Transactions are short and IMMEDIATE:
two writers wait for each other, and neither finds out at its end that it must begin again.
"""

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.file import StoreFile

FILE_NAME: Final = "people.sqlite3"

FILE: Final = StoreFile(
    name=FILE_NAME,
    called=FILE_NAME,
    prefix=f"{FILE_NAME}: ",
    scripts="people",
    pragmas=("journal_mode = TRUNCATE", "synchronous = FULL", "foreign_keys = ON"),
    # The other process's transactions take milliseconds.
    busy_seconds=10.0,
)


def open_people_file(directory: Path) -> sqlite3.Connection:
    """A connection that may write; the file is made where there is none, for its owner only."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Only a file that is not there yet: closing one that SQLite has open would drop its locks.
    with contextlib.suppress(FileExistsError):
        os.close(
            os.open(directory / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        )
    # The store's one thread uses it; whoever closes it may be another.
    return FILE.open_to_write(directory, any_thread=True)
