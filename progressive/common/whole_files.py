"""Small files that are there whole and on the disk, or as they were before.

Everything is for its owner only. Whoever reads a file, or ends this process, sees the old content
or the new one.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from progressive.common.steps import step

FILE_MODE: Final = 0o600
UNFINISHED: Final = ".new"
"""Ending of a file that is not yet whole; its name begins with a dot."""


def write_whole(path: Path, content: bytes) -> None:
    """The whole content or what was there before, whatever happens meanwhile."""
    temporary = path.with_name(f".{path.name}{UNFINISHED}")
    temporary.unlink(missing_ok=True)
    step(f"make {path.name}")
    with made(temporary) as writing:
        step(f"write {path.name}")
        writing.write(content)
        writing.flush()
        step(f"sync {path.name}")
        os.fsync(writing.fileno())
    step(f"rename {path.name}")
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """The names in a folder are on the disk."""
    step("sync a folder")
    file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def made(path: Path) -> Iterator[BinaryIO]:
    """A new file under a name that is free, to write."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(path, flags, FILE_MODE), "wb") as writing:
        yield writing
