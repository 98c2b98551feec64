"""Removes old backups, and shared segments that no backup speaks of any more.

Never the newest verified one; nothing at all where a manifest cannot be read, because it may speak
of any segment.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.backup.manifest import BadManifestError
from progressive.adapters.backup.place import (
    REMOVED_PREFIX,
    backup_names,
    failed_names,
    read_backup,
    shared_files,
)
from progressive.adapters.durable import remove_tree, rename, sync_folder
from progressive.common.steps import step

FAILED_KEPT: Final = 3
"""Backups that were not good and are kept for whoever looks into it."""


class Keep(Struct, frozen=True):
    """What is to stay: a backup that either of the two asks for."""

    number: int | None = None
    days: int | None = None


def prune(place: Path, keep: Keep, now: datetime, warn: Callable[[str], None]) -> list[str]:
    """The backups that were removed."""
    if keep.number is None and keep.days is None:
        return []
    names = backup_names(place)
    try:
        verified = {
            name: backup.made
            for name, backup in ((name, read_backup(place / name)) for name in names)
            if backup.stamp is not None
        }
    except BadManifestError as error:
        warn(f"nothing old is removed: {error}")
        return []
    if not verified:
        return []
    newest = max(verified)
    stay = set(sorted(verified)[-max(1, keep.number or 0) :])
    if keep.days is not None:
        since = now - timedelta(days=keep.days)
        stay |= {name for name, made in verified.items() if made >= since}
    # One that nobody has checked stays while it is the newest of all.
    removed = [name for name in names if name not in stay and name < newest]
    for name in removed:
        _remove(place, name)
    _remove_unspoken(place, warn)
    return removed


def prune_failed(place: Path) -> None:
    """All but the newest few that were not good."""
    for name in failed_names(place)[:-FAILED_KEPT]:
        _remove(place, name)


def _remove(place: Path, name: str) -> None:
    """At once out of sight, then gone."""
    rename(place / name, place / f"{REMOVED_PREFIX}{name}")
    sync_folder(place)
    remove_tree(place / f"{REMOVED_PREFIX}{name}")


def _remove_unspoken(place: Path, warn: Callable[[str], None]) -> None:
    spoken: set[Path] = set()
    for name in (*backup_names(place), *failed_names(place)):
        try:
            manifest = read_backup(place / name).manifest
        except BadManifestError as error:
            warn(f"no segments are removed: {error}")
            return
        spoken |= {place / file.path for file in manifest.segments}
    for path in shared_files(place):
        if path not in spoken:
            step(f"remove {path.name}")
            path.unlink()
