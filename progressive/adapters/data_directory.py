"""The service's folder: the journal, the table keys, and the mark that it is in use."""

import fcntl
import os
from pathlib import Path
from typing import Final

LOCK_NAME: Final = "in-use"


class DirectoryInUseError(Exception):
    """Another process works on this folder."""


class DirectoryLock:
    """Held for the life of the process; the system releases it however the process ends."""

    def __init__(self, directory: Path) -> None:
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
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let others in."""
        os.close(self._file)
