"""Whether there is room for a copy, asked before it begins: half an hour later is too late.

What is asked for is never more than is needed, so that nothing is refused that would fit. A disk
may still fill up meanwhile.
"""

import contextlib
import os
from pathlib import Path
from typing import Final

from progressive.adapters.backup.contents import DATABASES
from progressive.adapters.backup.manifest import Thoroughness
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER

_MIB: Final = 1 << 20
_HEADER_BYTES: Final = 100
"""Of a SQLite file: its page size is at byte 16, its number of free pages at byte 36."""


class NoRoomError(Exception):
    """A disk is too full for what is to be written to it."""


def must_fit(where: Path, needed: int, what: str) -> None:
    """Raise NoRoomError where a folder's disk has less room than that."""
    disk = os.statvfs(where)
    free = disk.f_bavail * disk.f_frsize
    if needed > free:
        raise NoRoomError(
            f"no room in {where}: {what} takes {-(-needed // _MIB):,} MiB, "
            f"{free // _MIB:,} MiB are free"
        )


def must_fit_backup(data: Path, place: Path, scratch: Path, how: Thoroughness) -> None:
    """Room for a new backup in a place, and for its check; raises NoRoomError."""
    open_part = sum(_used(data / name) for name in DATABASES)
    segments = _sizes(data / SEGMENTS_FOLDER)
    there = _sizes(place / SEGMENTS_FOLDER)
    missing = sum(size for name, size in segments.items() if there.get(name) != size)
    copy = open_part + missing
    check = open_part + (sum(segments.values()) if how == "all" else 0)
    if os.stat(place).st_dev == os.stat(scratch).st_dev:
        must_fit(place, copy + check, "the backup and its check")
        return
    must_fit(place, copy, "the backup")
    must_fit(scratch, check, "the check of a backup")


def _sizes(folder: Path) -> dict[str, int]:
    sizes = {}
    for path in folder.glob("*/*"):
        # Purged or renamed between the look at the folder and this one.
        with contextlib.suppress(FileNotFoundError):
            sizes[f"{path.parent.name}/{path.name}"] = path.stat().st_size
    return sizes


def _used(path: Path) -> int:
    """Bytes of a SQLite file without its free pages."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return 0
    page = int.from_bytes(header[16:18], "big")
    free = int.from_bytes(header[36:40], "big") * (65_536 if page == 1 else page)
    return max(0, size - free)
