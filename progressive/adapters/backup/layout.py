"""A backup laid out as a data directory again: for a restore, and for every check of a backup.

Each file is hashed while it is copied; one that does not fit its manifest ends it.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from progressive.adapters.backup.place import Backup
from progressive.adapters.durable import (
    FOLDER_MODE,
    NotRegularError,
    copy_file,
    remove_tree,
    sum_of,
    sync_folder,
)
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER
from progressive.application.journal.segments import FileSum

SCRATCH_PREFIX: Final = ".scratch-"


class DamagedBackupError(Exception):
    """A backup is not what was written."""


def lay_out(backup: Backup, folder: Path) -> int:
    """All files of a backup in an empty folder, synced; how many bytes.

    Raises DamagedBackupError where one is missing or not the one that was written.
    """
    total = 0
    paths = [file.path for file in backup.manifest.files]
    for file in backup.manifest.files:
        target = folder / file.path
        for parent in reversed(target.relative_to(folder).parents):
            (folder / parent).mkdir(mode=FOLDER_MODE, exist_ok=True)
        with _readable(backup, file.path):
            _must_fit(backup, file.path, copy_file(backup.source(file.path), target), file.sum)
        total += file.bytes
    made = {folder, *[parent for path in paths for parent in (folder / path).parents]}
    for each in sorted(path for path in made if path.is_relative_to(folder)):
        sync_folder(each)
    return total


def check_hashes(backup: Backup) -> None:
    """Hash every file where it lies; raises DamagedBackupError."""
    for file in backup.manifest.files:
        with _readable(backup, file.path):
            _must_fit(backup, file.path, sum_of(backup.source(file.path)), file.sum)


def lay_out_open_part(backup: Backup, folder: Path) -> None:
    """The same without copying the segments: they are looked at where they lie."""
    for file in backup.manifest.files:
        if not file.is_segment:
            (folder / file.path).parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            with _readable(backup, file.path):
                copy_file(backup.source(file.path), folder / file.path)
    if backup.manifest.segments:
        (folder / SEGMENTS_FOLDER).symlink_to((backup.place / SEGMENTS_FOLDER).resolve())


@contextlib.contextmanager
def scratch_folder(where: Path) -> Iterator[Path]:
    """A private folder for as long as the block lasts.

    What an earlier process that was killed has left is removed: nobody holds its lock any more.
    """
    for old in where.glob(f"{SCRATCH_PREFIX}*"):
        with contextlib.suppress(OSError), _held(old):
            remove_tree(old)
    folder = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=where))
    try:
        with _held(folder):
            yield folder
    finally:
        remove_tree(folder)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(file)


@contextlib.contextmanager
def _readable(backup: Backup, path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if error.filename is not None and Path(error.filename) != backup.source(path):
            raise
        raise DamagedBackupError(f"backup {backup.name}: {path} is missing") from None
    except NotRegularError:
        raise DamagedBackupError(f"backup {backup.name}: {path} is not a file") from None


def _must_fit(backup: Backup, path: str, found: FileSum, written: FileSum) -> None:
    if found.bytes != written.bytes:
        raise DamagedBackupError(
            f"backup {backup.name}: {path} has {found.bytes:,} bytes, "
            f"and {written.bytes:,} were written"
        )
    if found != written:
        raise DamagedBackupError(
            f"backup {backup.name}: {path} is damaged: its hash is not the one in the manifest"
        )
