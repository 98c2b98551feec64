"""COLD. Files that are on the disk when they are said to be, and folders with one writer.

Nothing here knows what a segment is.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.segments import FileSum

SYNC_BYTES: Final = 1 << 20
"""Bytes between two syncs: one large sync at the end would hold up the commits of the service."""


class SyncedFile:
    """A file that is on the disk, all but its last piece, while it is written."""

    def __init__(self, file: BinaryIO, before_writing: Callable[[], None]) -> None:
        self._file = file
        self._before_writing = before_writing
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._pending = bytearray()

    @property
    def sum(self) -> FileSum:
        """Length and hash of all that was written."""
        return FileSum(self._bytes, self._digest.hexdigest())

    def write(self, body: bytes) -> None:
        """The next bytes; they may lie in memory until `sync`."""
        self._digest.update(body)
        self._bytes += len(body)
        self._pending += body
        if len(self._pending) >= SYNC_BYTES:
            self.flush()

    def sync(self) -> None:
        """All is on the disk, and is read from there next."""
        self.flush()
        os.fsync(self._file.fileno())
        os.posix_fadvise(self._file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def flush(self) -> None:
        """Nothing lies in memory."""
        while self._pending:
            self._before_writing()
            written = self._file.write(self._pending[:SYNC_BYTES])
            del self._pending[:written]
            os.fdatasync(self._file.fileno())


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One writer a link: that of a service which was killed may still be at work."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreConflictError(f"another process writes segments of {folder.name}") from None
        yield
    finally:
        os.close(held)


def same_bytes(one: Path, other: Path) -> bool:
    """Whether two files hold the same."""
    with open(one, "rb") as first, open(other, "rb") as second:
        while True:
            bodies = first.read(SYNC_BYTES), second.read(SYNC_BYTES)
            if bodies[0] != bodies[1]:
                return False
            if not bodies[0]:
                return True
