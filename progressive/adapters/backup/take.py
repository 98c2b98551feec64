"""Copies a data directory into a new backup, whether its service runs, has stopped or was killed.

The order matters, because the service writes meanwhile. What must never be ahead of the journal is
copied before it: what it has committed (`committed/`), seals, people and their acts, what signs
have read.
Then the journal file, as it is at one moment; then exactly the segments which that file speaks of.
Segments never change. One that is purged in between is no longer spoken of by the next copy of the
journal file, which is then taken instead.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from progressive.adapters.backup import contents
from progressive.adapters.backup.databases import (
    JournalView,
    copy_people,
    copy_wal_file,
    read_view,
)
from progressive.adapters.backup.manifest import (
    VERSION,
    BackedUpFile,
    Manifest,
    encode,
)
from progressive.adapters.backup.place import NEW_SUFFIX, free_name
from progressive.adapters.backup.shared import SegmentGoneError, SharedSegments
from progressive.adapters.committed import LOSSES_FOLDER, MARKS_FOLDER
from progressive.adapters.data_directory import MANIFEST_NAME, RESTORES_NAME, refuse_unusable
from progressive.adapters.durable import (
    copy_file,
    make_folder,
    remove_tree,
    rename,
    sync_folder,
    write_whole,
)
from progressive.adapters.happenings import FOLDER as HAPPENINGS_FOLDER
from progressive.adapters.seals.files import FOLDER as SEALS_FOLDER
from progressive.adapters.sqlite import journal_file, sign_log_file
from progressive.adapters.sqlite.read_only import ChangedMeanwhileError
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.segments import FileSum

TRIES: Final = 3
"""A service that starts, or a purge, voids what was copied once; three times it is a fault."""


class Taken(Struct, frozen=True):
    """A backup that is whole and not yet checked."""

    folder: Path
    manifest: Manifest
    bytes_copied: int
    bytes_shared: int
    """Of segments that an earlier backup has brought."""
    replaced: tuple[str, ...]
    """Shared files that were damaged in the place, and were copied again."""


def take_backup(
    data: Path, place: Path, *, program: str, now: datetime, say: Callable[[str], None]
) -> Taken:
    """A whole backup under its name; raises StoreCorruptError where the data are damaged."""
    for _ in range(TRIES - 1):
        try:
            return _taken(data, place, program=program, now=now, say=say)
        except ChangedMeanwhileError:
            say("a service was started meanwhile: copying again")
    return _taken(data, place, program=program, now=now, say=say)


def _taken(
    data: Path, place: Path, *, program: str, now: datetime, say: Callable[[str], None]
) -> Taken:
    name = free_name(place, now)
    folder = place / f".{name}{NEW_SUFFIX}"
    make_folder(folder)
    try:
        return _Taking(data, place, folder, say).run(name, program, now)
    except BaseException:
        remove_tree(folder)
        raise


class _Taking:
    def __init__(self, data: Path, place: Path, folder: Path, say: Callable[[str], None]) -> None:
        self._data = data
        self._place = place
        self._folder = folder
        self._say = say
        self._files: dict[str, FileSum] = {}
        self._shared = SharedSegments(data, place)

    def run(self, name: str, program: str, now: datetime) -> Taken:
        refuse_unusable(self._data)
        restored_before = self._restores()
        # Before all that they must not be ahead of: marks of the seals, both of the journal.
        self._small_folder(MARKS_FOLDER)
        self._small_folder(LOSSES_FOLDER)
        self._seals()
        self._restore_log()
        for folder in contents.KEY_FOLDERS:
            self._small_folder(folder)
        self._small_folder(HAPPENINGS_FOLDER)
        self._say("copying people and sign log")
        if _filled(self._data / contents.PEOPLE):
            self._files[contents.PEOPLE] = copy_people(self._data, self._folder / contents.PEOPLE)
        if _filled(self._data / contents.SIGNS):
            self._files[contents.SIGNS] = copy_wal_file(
                sign_log_file.FILE, self._data, self._folder / contents.SIGNS
            )
        view = self._journal_and_segments()
        refuse_unusable(self._data)
        if self._restores() != restored_before:
            raise ChangedMeanwhileError(f"{self._data} was restored while it was copied: run again")
        manifest = Manifest(
            version=VERSION,
            program=program,
            made_at=now.astimezone(UTC).replace(microsecond=0),
            links=view.links,
            files=tuple(
                BackedUpFile(path, sum_.bytes, sum_.sha256)
                for path, sum_ in sorted((self._files | self._shared.sums).items())
            ),
        )
        write_whole(self._folder / MANIFEST_NAME, encode(manifest))
        for each in sorted(path for path in self._folder.rglob("*") if path.is_dir()):
            sync_folder(each)
        sync_folder(self._folder)
        rename(self._folder, self._place / name)
        sync_folder(self._place)
        return Taken(
            folder=self._place / name,
            manifest=manifest,
            bytes_copied=sum(each.bytes for each in self._files.values())
            + self._shared.bytes_copied,
            bytes_shared=self._shared.bytes_shared,
            replaced=tuple(self._shared.replaced),
        )

    def _journal_and_segments(self) -> JournalView:
        for tries_left in reversed(range(TRIES)):
            view = self._journal()
            try:
                self._shared.take(view.segments, self._say)
                return view
            except SegmentGoneError as error:
                if not tries_left:
                    raise StoreCorruptError(str(error)) from None
                self._say(f"{error}: looking at the journal again")
        raise AssertionError

    def _journal(self) -> JournalView:
        path = self._data / contents.JOURNAL
        if not _filled(path):
            if contents.small_files(self._folder / MARKS_FOLDER):
                raise StoreCorruptError(f"{contents.JOURNAL} is gone")
            raise StoreUnavailableError(f"there is no journal in {self._data}")
        self._say("copying the journal")
        target = self._folder / contents.JOURNAL
        target.unlink(missing_ok=True)
        self._files[contents.JOURNAL] = copy_wal_file(journal_file.FILE, self._data, target)
        return read_view(self._folder)

    def _seals(self) -> None:
        links = contents.seal_folders(self._data)
        if links:
            make_folder(self._folder / SEALS_FOLDER)
        for link in links:
            folder = f"{SEALS_FOLDER}/{link}"
            self._copy_all(folder, contents.seal_files(self._data / folder))

    def _small_folder(self, folder: str) -> None:
        self._copy_all(folder, contents.small_files(self._data / folder))

    def _copy_all(self, folder: str, names: Sequence[str]) -> None:
        if names:
            make_folder(self._folder / folder)
        for name in names:
            target = self._folder / folder / name
            try:
                self._files[f"{folder}/{name}"] = copy_file(self._data / folder / name, target)
            except FileNotFoundError:
                # Removed between the look at the folder and this one.
                continue

    def _restore_log(self) -> None:
        try:
            self._files[RESTORES_NAME] = copy_file(
                self._data / RESTORES_NAME, self._folder / RESTORES_NAME
            )
        except FileNotFoundError:
            return

    def _restores(self) -> int | None:
        try:
            return (self._data / RESTORES_NAME).stat().st_ino
        except FileNotFoundError:
            return None


def _filled(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0
