"""Whether an open SQLite file is still the one that its path leads to.

A file that was unlinked, replaced or cut short goes on taking commits, and the next start finds
nothing of them. The `-wal` beside it counts as much: until it is moved into the file it holds the
newest.
"""

import ctypes
import os
import sqlite3
from pathlib import Path
from typing import Final

_Identity = tuple[int, int]

_WAL_MAGIC: Final = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")


class FilePlace:
    """The identity of a WAL file and its `-wal`, taken once they are open.

    A look costs two `stat` and the first bytes of the `-wal`. It is taken where SQLite writes:
    between two looks nothing is half written.
    """

    def __init__(self, path: Path, *, shrinks_to_bytes: int | None = None) -> None:
        self._path = os.fspath(path)
        self._wal = f"{self._path}-wal"
        self._name = path.name
        self._identity = _identity(self._path)
        self._wal_identity = _identity(self._wal)
        self._size_bytes = 0
        # SQLite made it smaller, and may still have to wait for a reader to do so on the disk.
        self._shrinks_to_bytes = shrinks_to_bytes
        self.lost: str | None = None
        """What became of it; stays, also where the file is put back: what was written to the other
        one meanwhile is not in it."""

    def expect_another_wal(self) -> None:
        """The connection was closed, and the WAL went with it."""
        self._wal_identity = None

    def look(self) -> str | None:
        """What became of the files, or None while they are in their place."""
        if self.lost is None:
            self.lost = _gone(self._name, self._identity, _identity(self._path))
        if self.lost is None:
            self.lost = self._cut_short()
        now = _identity(self._wal)
        if self._wal_identity is None:
            # SQLite makes it when it first needs it.
            self._wal_identity = now
        elif self.lost is None:
            self.lost = _gone(f"{self._name}-wal", self._wal_identity, now)
        return self.lost

    def _cut_short(self) -> str | None:
        """Whether somebody emptied or shortened a file in its place; None: nobody did."""
        was, self._size_bytes = self._size_bytes, os.stat(self._path).st_size
        if self._size_bytes < was:
            expected, self._shrinks_to_bytes = self._shrinks_to_bytes, None
            # What is removed from it leaves free pages: once it is open it only grows.
            if expected is None or self._size_bytes < expected:
                return f"{self._name} was cut short"
        if not _begins_like_a_wal(self._wal):
            return f"{self._name}-wal was cut short"
        return None


def _begins_like_a_wal(path: str) -> bool:
    """An empty one does, or none. SQLite goes on writing behind the place where it was before: a
    WAL that was cut then begins with zeros, and nobody can read it.

    Opened beside SQLite, unlike the file itself, whose locks would be lost when it is closed.
    """
    try:
        with open(path, "rb", buffering=0) as file:
            magic = file.read(4)
    except FileNotFoundError:
        return True
    return not magic or magic in _WAL_MAGIC


def _gone(name: str, was: _Identity | None, now: _Identity | None) -> str | None:
    if was == now:
        return None
    return f"{name} was {'removed' if now is None else 'replaced by another file'}"


def _identity(path: str) -> _Identity | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def abandon(connection: sqlite3.Connection | None) -> None:
    """Drop a connection without closing it, as a kill would.

    Closing the last connection moves the WAL into the file and removes `-wal` by its name: that may
    be the WAL of the file which lies there now. Nothing else keeps SQLite from it, so the object
    is never freed; the system closes its descriptors when the process ends.
    """
    if connection is not None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
