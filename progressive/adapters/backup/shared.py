"""The segments that all backups of a place share: each file is copied once, and trusted never.

A file that lies there already is hashed again: disks forget.
"""

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

from progressive.adapters.backup.manifest import BadManifestError
from progressive.adapters.backup.place import backup_names, read_backup
from progressive.adapters.durable import (
    FOLDER_MODE,
    copy_file,
    rename,
    sum_of,
    sync_folder,
)
from progressive.adapters.segments.files import FOLDER, SegmentFiles
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.segments import FileSum, Segment


class SegmentGoneError(Exception):
    """A file of a segment is missing: it was purged, or it is lost."""


class AnotherJournalError(Exception):
    """The place holds backups of another journal, or of a newer one."""


class SharedSegments:
    """Brings the segments of one data directory to a place."""

    def __init__(self, data: Path, place: Path) -> None:
        self._files = SegmentFiles(data)
        self._place = place
        self.sums: dict[str, FileSum] = {}
        """By path in the data directory."""
        self.bytes_copied = 0
        self.bytes_shared = 0
        self.replaced: list[str] = []

    def take(self, segments: Iterable[Segment], say: Callable[[str], None]) -> None:
        """Exactly these; raises SegmentGoneError, StoreCorruptError, AnotherJournalError."""
        self.sums, self.bytes_copied, self.bytes_shared = {}, 0, 0
        changed: set[Path] = set()
        link = None
        for segment in segments:
            if link != segment.link:
                link = segment.link
                say(f"copying segments of {link}")
            for source, sum_ in self._files.sums(segment):
                path = f"{FOLDER}/{segment.link}/{source.name}"
                if self._bring(source, path, sum_):
                    changed.add(self._place / FOLDER / segment.link)
                self.sums[path] = sum_
        for folder in sorted(changed):
            sync_folder(folder)

    def _bring(self, source: Path, path: str, sum_: FileSum) -> bool:
        """Whether it had to be copied."""
        target = self._place / path
        with contextlib.suppress(FileNotFoundError):
            found = sum_of(target)
            if found == sum_:
                self.bytes_shared += sum_.bytes
                return False
            self._refuse_known(path, found)
            self.replaced.append(path)
        self._make_folders(target.parent)
        temporary = target.with_name(f".{target.name}.new")
        temporary.unlink(missing_ok=True)
        try:
            copied = copy_file(source, temporary)
        except FileNotFoundError:
            raise SegmentGoneError(f"{path} is missing") from None
        if copied != sum_:
            temporary.unlink()
            raise StoreCorruptError(
                f"{path} is damaged: its hash is not the one that the journal file holds of it"
            )
        rename(temporary, target)
        self.bytes_copied += sum_.bytes
        return True

    def _make_folders(self, folder: Path) -> None:
        for each in (folder.parent, folder):
            if not each.is_dir():
                each.mkdir(mode=FOLDER_MODE)
                sync_folder(each.parent)

    def _refuse_known(self, path: str, found: FileSum) -> None:
        """A file that another backup speaks of, just as it is, is not a damaged one."""
        for name in backup_names(self._place):
            with contextlib.suppress(BadManifestError):
                for file in read_backup(self._place / name).manifest.segments:
                    if file.path == path and file.sum == found:
                        raise AnotherJournalError(
                            f"{path} in {self._place} is not this journal's, and the backup {name} "
                            "holds it: backups of another journal lie there. Choose another place"
                        )
