"""COLD. The journal file at a start: read from the disk in one go, and made small where most of it
is free pages.

What is trimmed leaves free pages, and the next batches fill them: a file that is archived every day
keeps its size. One that held years before segments were made would stay as large for ever, and
every start and every copy would read it.
"""

import contextlib
import logging
import os
import sqlite3
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

FREE_BYTES_MIN: Final = 256 * 1024 * 1024
"""Less is not worth a longer start."""
FREE_TIMES_USED: Final = 2
"""Writing the used pages again costs less than reading the free ones at two starts."""

READ_AHEAD_BYTES_MAX: Final = 512 * 1024 * 1024
"""Several times an open part; what is beyond is free pages, which nobody reads."""
_CHUNK_BYTES: Final = 1 << 20


def read_ahead(path: Path) -> int | None:
    """Bring the file into the machine's cache, in order: SQLite's check asks page by page.

    On a disk that was not read since the machine started that takes seconds for a hundred
    megabytes; this way some tenths. Returns the descriptor: closing it would drop the locks that
    SQLite holds on the file in this process (POSIX), so whoever calls closes it at its own end.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        with contextlib.suppress(OSError):
            for offset in range(0, READ_AHEAD_BYTES_MAX, _CHUNK_BYTES):
                if not os.pread(descriptor, _CHUNK_BYTES, offset):
                    break
        return descriptor
    return None


def give_back_free_pages(db: sqlite3.Connection) -> int | None:
    """Make the file as small as what it holds; None where nothing was to do or it did not succeed.

    Returns the bytes that it comes down to: at once, or when the last reader has left. Not while
    the file is watched for somebody who cuts it short.
    """
    page_bytes = _number(db, "page_size")
    pages, free = _number(db, "page_count"), _number(db, "freelist_count")
    if free * page_bytes <= FREE_BYTES_MIN or free <= FREE_TIMES_USED * (pages - free):
        return None
    log.info("giving %d MiB of the journal file back to the disk", free * page_bytes >> 20)
    try:
        db.execute("VACUUM")
    except sqlite3.OperationalError as error:
        # It needs room for a copy of what is used. Without it the file is as it was.
        log.warning("the journal file keeps its free pages: %s", error)
        return None
    left = _number(db, "page_count")
    # What SQLite wrote lies in the WAL; the file gets shorter once it is moved.
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return left * page_bytes


def _number(db: sqlite3.Connection, pragma: str) -> int:
    number: int = db.execute(f"PRAGMA {pragma}").fetchone()[0]
    return number
