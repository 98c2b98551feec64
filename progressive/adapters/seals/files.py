"""Seals of a link as files in `seals/LINK`: notes, ranges, stored roots, what witnesses said.

A note is written whole: a temporary file, synced, renamed, and the folder synced. Files of roots
only grow at their end; what a crash left half is cut off before more is written. Nothing is signed
or judged here.
"""

import contextlib
import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.durable import (
    FILE_MODE,
    FOLDER_MODE,
    UNFINISHED,
    regular,
    sync_folder,
    write_whole,
)
from progressive.application.seals.merkle import HASH_BYTES
from progressive.application.seals.ports import WitnessMemory
from progressive.common.steps import step
from progressive.domain.ids import LinkId

FOLDER: Final = "seals"
NEWEST: Final = "newest.note"
NOTE: Final = ".note"
COSIGNED: Final = "cosigned-"
RANGE: Final = ".range"
TREE: Final = "tree-"
WITNESSES: Final = "witnesses.json"
_WAITING: Final = re.compile(r"at-([0-9]+)\.note", re.ASCII)
_COSIGNED: Final = re.compile(r"cosigned-[0-9a-f]{8}\.note", re.ASCII)
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
NOTE_BYTES_MAX: Final = 64 << 10
"""Read of a file at the most: many times what a note may have."""
UNKNOWN: Final = bytes(HASH_BYTES)
"""Stands where a root is not known any more: its records were purged."""

_decode_witnesses: Final = msgspec.json.Decoder(dict[str, WitnessMemory]).decode


class LinkSeals:
    """`application.seals.ports.SealFolder` in a data directory."""

    def __init__(self, data: Path, link: LinkId) -> None:
        self._data = data
        self.folder = data / FOLDER / link

    # --- notes -------------------------------------------------------------------------------

    def remove_unfinished(self) -> None:
        """Temporary files."""
        for name in self._names():
            if name.startswith(".") and name.endswith(UNFINISHED):
                (self.folder / name).unlink(missing_ok=True)

    def newest(self) -> bytes | None:
        """The newest note."""
        return _read(self.folder / NEWEST)

    def write_newest(self, note: bytes) -> None:
        """A newer one takes its place."""
        self._make_folder()
        write_whole(self.folder / NEWEST, note)

    def cosigned(self) -> Sequence[bytes]:
        """In the order of the keys' ids."""
        notes = [_read(self.folder / name) for name in sorted(self._names()) if _is_cosigned(name)]
        return [note for note in notes if note is not None]

    def write_cosigned(self, witness: str, note: bytes) -> None:
        """In the place of the one before; one that is there already is not written again."""
        path = self.folder / f"{COSIGNED}{witness}{NOTE}"
        if _read(path) != note:
            self._make_folder()
            write_whole(path, note)

    def keep_ended(self, size: int, note: bytes) -> None:
        """Under its size; another one of that size gets a name of its own."""
        self._make_folder()
        for turn in range(1, 1000):
            path = self.folder / f"ended-{size}{f'-{turn}' if turn > 1 else ''}{NOTE}"
            if (there := _read(path)) is None:
                write_whole(path, note)
                return
            if there == note:
                return

    def waiting(self) -> Sequence[int]:
        """Those whose note is there: it is written behind its range."""
        return sorted(
            int(found[1]) for name in self._names() if (found := _WAITING.fullmatch(name))
        )

    def write_waiting(self, size: int, note: bytes, hashes: Sequence[bytes]) -> None:
        """The range first."""
        self._make_folder()
        lines = "".join([f"{each.hex()}\n" for each in hashes])
        write_whole(self.folder / f"at-{size}{RANGE}", lines.encode())
        write_whole(self.folder / f"at-{size}{NOTE}", note)

    def name_waiting(self, size: int, name: str) -> None:
        """The range first: where the note has the segment's name, all is done."""
        for ending in (RANGE, NOTE):
            step(f"rename at-{size}{ending}")
            with contextlib.suppress(FileNotFoundError):
                (self.folder / f"at-{size}{ending}").replace(self.folder / f"{name}{ending}")
        sync_folder(self.folder)

    def drop_waiting(self, below_size: int) -> None:
        """The notes first: a range alone means nothing."""
        for size in self.waiting():
            if size < below_size:
                for ending in (NOTE, RANGE):
                    step(f"remove at-{size}{ending}")
                    (self.folder / f"at-{size}{ending}").unlink(missing_ok=True)

    def segment_note(self, name: str) -> bytes | None:
        """The note at the end of a segment."""
        return _read(self.folder / f"{name}{NOTE}")

    def segment_range(self, name: str) -> Sequence[bytes] | None:
        """The range at the end of a segment."""
        content = _read(self.folder / f"{name}{RANGE}")
        if content is None:
            return None
        lines = content.decode("ascii", "replace").split("\n")
        if lines.pop() or not all(_HASH.fullmatch(line) for line in lines):
            return None
        return [bytes.fromhex(line) for line in lines]

    # --- the tree ------------------------------------------------------------------------------

    def roots(self, level: int) -> int:
        """How many whole ones are there."""
        try:
            return self._tree(level).stat().st_size // HASH_BYTES
        except FileNotFoundError:
            return 0

    def root(self, level: int, index: int) -> bytes | None:
        """One of them, by its place in the file."""
        found = self.run(level, index, 1)
        return found[0] if found else None

    def run(self, level: int, first: int, count: int) -> Sequence[bytes | None]:
        """Some of them."""
        try:
            with open(self._tree(level), "rb", opener=regular) as file:
                found = os.pread(file.fileno(), count * HASH_BYTES, first * HASH_BYTES)
        except FileNotFoundError:
            return []
        whole = range(0, len(found) // HASH_BYTES * HASH_BYTES, HASH_BYTES)
        roots = [found[place : place + HASH_BYTES] for place in whole]
        return [None if root == UNKNOWN else root for root in roots]

    def add_roots(self, level: int, first: int, roots: Sequence[bytes]) -> None:
        """From a place on: what a crash or a full disk left behind it is cut off."""
        if not roots:
            return
        self._make_folder()
        path = self._tree(level)
        step(f"make {path.name}")
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        with open(file, "r+b", buffering=0) as writing:
            if self.roots(level) < first:
                raise OSError(errno.EIO, f"{path.name} is shorter than it was")
            writing.seek(first * HASH_BYTES)
            writing.truncate()
            step(f"write {path.name}")
            body = b"".join(roots)
            if writing.write(body) != len(body):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            step(f"sync {path.name}")
            os.fsync(file)
        if first == 0:
            sync_folder(self.folder)

    def cut_roots(self, level: int, count: int) -> None:
        """Only the first ones stay."""
        if self.roots(level) > count:
            step(f"cut {TREE}{level}")
            os.truncate(self._tree(level), count * HASH_BYTES)

    # --- witnesses -----------------------------------------------------------------------------

    def witnesses(self) -> dict[str, WitnessMemory]:
        """What cannot be read is asked for again."""
        content = _read(self.folder / WITNESSES)
        try:
            return {} if content is None else _decode_witnesses(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}

    def write_witnesses(self, witnesses: dict[str, WitnessMemory]) -> None:
        """Instead of those that are remembered."""
        self._make_folder()
        write_whole(self.folder / WITNESSES, msgspec.json.encode(witnesses) + b"\n")

    # --- parts ---------------------------------------------------------------------------------

    def _tree(self, level: int) -> Path:
        return self.folder / f"{TREE}{level}"

    def _names(self) -> list[str]:
        try:
            return os.listdir(self.folder)
        except FileNotFoundError:
            return []

    def _make_folder(self) -> None:
        """Not the data directory: one that is gone is not made again."""
        if self.folder.is_dir():
            return
        for folder in (self.folder.parent, self.folder):
            step(f"make folder {folder.name}")
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
            sync_folder(folder.parent)


def _is_cosigned(name: str) -> bool:
    return _COSIGNED.fullmatch(name) is not None


def _read(path: Path) -> bytes | None:
    try:
        with open(path, "rb", opener=regular) as file:
            return file.read(NOTE_BYTES_MAX)
    except FileNotFoundError:
        return None
