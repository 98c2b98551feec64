"""Files that are there whole and on the disk, or not at all: copies, small texts, folders.

Everything is for its owner only. A target is never overwritten in place: whoever reads it, or ends
this process, sees the old file or the new one.
"""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from progressive.application.journal.segments import FileSum
from progressive.common.steps import step
from progressive.common.whole_files import FILE_MODE, UNFINISHED, made, sync_folder, write_whole

__all__ = [
    "FILE_MODE",
    "FOLDER_MODE",
    "UNFINISHED",
    "NotRegularError",
    "copy_file",
    "make_folder",
    "opened",
    "remove_tree",
    "rename",
    "sum_of",
    "sync_file",
    "sync_folder",
    "write_whole",
]
"""The small ones are `common`'s: whoever knows no adapter writes them too."""

CHUNK_BYTES: Final = 1 << 20
"""Read and written at a time."""
FOLDER_MODE: Final = 0o700


class NotRegularError(Exception):
    """A name that is a link, a pipe or anything else but a file."""


def copy_file(source: Path, target: Path) -> FileSum:
    """A synced copy under a name that is free; its length and hash.

    Raises FileNotFoundError where the source is gone, NotRegularError where it is not a file.
    """
    with opened(source) as reading:
        step(f"make {target.name}")
        with made(target) as writing:
            digest, size = hashlib.sha256(), 0
            while chunk := reading.read(CHUNK_BYTES):
                step(f"write {target.name}")
                writing.write(chunk)
                writing.flush()
                # One large sync at the end would hold up the commits of a service on this disk.
                os.fdatasync(writing.fileno())
                digest.update(chunk)
                size += len(chunk)
            step(f"sync {target.name}")
            os.fsync(writing.fileno())
    return FileSum(size, digest.hexdigest())


def sum_of(path: Path) -> FileSum:
    """Length and hash of a file; raises as `copy_file` does."""
    with opened(path) as reading:
        digest, size = hashlib.sha256(), 0
        while chunk := reading.read(CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return FileSum(size, digest.hexdigest())


def make_folder(path: Path) -> None:
    """A new folder, for its owner only."""
    step(f"make folder {path.name}")
    path.mkdir(mode=FOLDER_MODE)


def sync_file(path: Path) -> None:
    """The bytes of a file that somebody else wrote are on the disk."""
    step(f"sync {path.name}")
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def rename(path: Path, target: Path) -> None:
    """Another name on the same disk; durable once the folders are synced."""
    step(f"rename {path.name}")
    path.rename(target)


def remove_tree(path: Path) -> None:
    """A folder with all that is in it; fine where it is not there."""
    step(f"remove {path.name}")
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def regular(path: str, flags: int) -> int:
    """An `opener` for `open`: a pipe in the place of a file holds up no start.

    A link is followed. What is no file cannot be read, as any file may turn out to be.
    """
    file = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return file
    os.close(file)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "it is a pipe or a device", path)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file, to read."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(file, "rb") as reading:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise NotRegularError(f"{path} is not a regular file")
        yield reading
