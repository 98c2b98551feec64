"""The service's folder: the journal, the table keys, and the mark that it is in use."""

import fcntl
import os
from pathlib import Path
from typing import Final

LOCK_NAME: Final = "in-use"
RESTORING_NAME: Final = "restoring.json"
"""There while a restore moves files: what lies in the folder is then partly old, partly new."""
RESTORES_NAME: Final = "restores.jsonl"
"""Every restore into this folder, one line each."""
MANIFEST_NAME: Final = "manifest.json"
"""What a backup says of itself; in no data directory."""
ASIDE_PREFIX: Final = "before-restore-"
"""Folders with what a restore has replaced."""


class DirectoryInUseError(Exception):
    """Another process works on this folder."""


class UnusableError(DirectoryInUseError):
    """No data directory that may be read or written: half restored, or a backup."""


def refuse_unusable(directory: Path) -> None:
    """Raise UnusableError where nothing may be read or written.

    A restore that was cut off while it moved files has to be finished by another one. A backup is
    no data directory: it has no segments of its own, and whatever is written there spoils it.
    """
    if (directory / MANIFEST_NAME).exists():
        raise UnusableError(
            f"{directory} is a backup, not a data directory: `progressive restore --from "
            f"{directory} --data DIR` makes one of it"
        )
    if (directory / RESTORING_NAME).exists():
        raise UnusableError(
            f"{directory} is half restored ({RESTORING_NAME} lies there): run the same "
            "`progressive restore` again, which finishes it"
        )


class DirectoryLock:
    """Held for the life of the process; the system releases it however the process ends."""

    def __init__(self, directory: Path, *, to_restore: bool = False) -> None:
        """`to_restore`: also a folder that is half restored."""
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = directory / LOCK_NAME
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(self._file)
            raise DirectoryInUseError(
                f"{directory} is in use by another progressive (process {holder})"
            ) from None
        try:
            if not to_restore:
                refuse_unusable(directory)
        except UnusableError:
            os.close(self._file)
            raise
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others in."""
        os.close(self._file)
