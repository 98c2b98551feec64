"""A place that backups lie in: which there are, and which of them are whole and verified.

PLACE/segments/LINK/…            closed segments, shared by all backups
PLACE/2026-11-18T07-30-00Z/      one backup: databases, keys, marks, manifest.json, verified
PLACE/.….new  .failed-…          not whole yet; whole, and not good
"""

import contextlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.backup.manifest import (
    STAMP_NAME,
    BadManifestError,
    Manifest,
    Stamp,
    decode_manifest,
    decode_stamp,
)
from progressive.adapters.data_directory import MANIFEST_NAME
from progressive.adapters.durable import opened, remove_tree, sync_folder
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER

FAILED_PREFIX: Final = ".failed-"
REMOVED_PREFIX: Final = ".removed-"
NEW_SUFFIX: Final = ".new"
_TIME: Final = "%Y-%m-%dT%H-%M-%SZ"
_NAMED: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")


class Backup(Struct, frozen=True):
    """One backup in its folder."""

    folder: Path
    manifest: Manifest
    stamp: Stamp | None
    """None: it was never checked, or its manifest is not the one that was."""

    @property
    def name(self) -> str:
        """Its folder's name: when it was made."""
        return self.folder.name

    @property
    def place(self) -> Path:
        """The place that it lies in."""
        return self.folder.parent

    @property
    def made(self) -> datetime:
        """When it was made, by the clock of that moment; its name may be ahead of it."""
        return self.manifest.made_at

    @property
    def was_altered(self) -> bool:
        """Whether it was verified once, with another manifest than the one that lies there."""
        return self.stamp is None and (self.folder / STAMP_NAME).exists()

    def source(self, path: str) -> Path:
        """Where a file of the manifest lies."""
        shared = path.startswith(f"{SEGMENTS_FOLDER}/")
        return (self.place if shared else self.folder) / path


def read_backup(folder: Path) -> Backup:
    """A backup by its folder; raises BadManifestError where it is none."""
    try:
        content = _content(folder / MANIFEST_NAME)
    except (FileNotFoundError, NotADirectoryError):
        raise BadManifestError(f"{folder} is not a backup: no {MANIFEST_NAME} in it") from None
    try:
        manifest = decode_manifest(content)
    except BadManifestError as error:
        raise BadManifestError(f"{folder}: {error}") from None
    return Backup(folder, manifest, _stamp(folder, content))


def _stamp(folder: Path, manifest: bytes) -> Stamp | None:
    try:
        stamp = decode_stamp(_content(folder / STAMP_NAME))
    except (FileNotFoundError, BadManifestError):
        return None
    return stamp if stamp.manifest_sha256 == sha256(manifest).hexdigest() else None


def backup_names(place: Path) -> list[str]:
    """The folders of whole backups, oldest first."""
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if _is_named(name))


def failed_names(place: Path) -> list[str]:
    """The folders of backups that were not good, oldest first."""
    return sorted(
        name
        for name in os.listdir(place)
        if name.startswith(FAILED_PREFIX) and _is_named(name.removeprefix(FAILED_PREFIX))
    )


def newest_verified(place: Path) -> Backup | None:
    """The newest backup that was checked and was good. One that cannot be read is passed over."""
    for name in reversed(backup_names(place)):
        with contextlib.suppress(BadManifestError):
            backup = read_backup(place / name)
            if backup.stamp is not None:
                return backup
    return None


def free_name(place: Path, now: datetime) -> str:
    """A name for a new backup, later than all that are there, also where a clock was set back."""
    names = backup_names(place) + [name.removeprefix(FAILED_PREFIX) for name in failed_names(place)]
    moment = now.astimezone(UTC)
    if names:
        moment = max(moment, _moment_of(max(names)) + timedelta(seconds=1))
    return moment.strftime(_TIME)


def _moment_of(name: str) -> datetime:
    """What a name says. It orders backups, and may be far ahead of the clock that made it."""
    return datetime.strptime(name, _TIME).replace(tzinfo=UTC)


def _is_named(name: str) -> bool:
    if not _NAMED.fullmatch(name) or name.startswith("9999"):
        return False
    try:
        _moment_of(name)
    except ValueError:
        return False
    return True


def remove_remains(place: Path) -> None:
    """What a backup that was killed has left. Only while no other backup runs."""
    remains = [
        name
        for name in os.listdir(place)
        if name.startswith(REMOVED_PREFIX)
        or (name.endswith(NEW_SUFFIX) and _NAMED.fullmatch(name[1 : -len(NEW_SUFFIX)]))
    ]
    for name in remains:
        remove_tree(place / name)
    for link in _link_folders(place):
        for temporary in link.glob(".*.new"):
            temporary.unlink()
    if remains:
        sync_folder(place)


def shared_files(place: Path) -> Iterator[Path]:
    """Every file among the shared segments."""
    for link in _link_folders(place):
        yield from sorted(path for path in link.iterdir() if path.name[0] != ".")


def _link_folders(place: Path) -> list[Path]:
    folder = place / SEGMENTS_FOLDER
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _content(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()
