"""Seals of a link as they lie in `seals/LINK`: signed checkpoints, and ranges beside them.

They are read before the journal, which grows meanwhile: so no seal is ahead of it. Nothing is
judged here, and nothing in them is trusted.
"""

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from progressive.verifier.findings import shown
from progressive.verifier.proof.checkpoint import Checkpoint, Keyring, parse_checkpoint
from progressive.verifier.proof.merkle import NotARangeError, Range
from progressive.verifier.proof.note import NOTE_BYTES_MAX, NoteError
from progressive.verifier.reading.opened_file import NOT_FILES, plain_file
from progressive.verifier.seals_report import UntriedKeys

FOLDER: Final = "seals"
NEWEST: Final = "newest"
"""The name of the seal that is never smaller than another of its log."""
_NOTE: Final = ".note"
_RANGE: Final = ".range"
KEPT: Final = "kept"
_RANGE_BYTES_MAX: Final = 8192
"""64 subtrees at the most, a line each."""
_NAMES: Final = re.compile(
    r"(\d{6,}-\d{4}-\d\d-\d\d|at-\d+|ended-\d+(-\d+)?|cosigned-[0-9a-f]{8}|newest)\.note", re.ASCII
)
_SEGMENT: Final = re.compile(r"\d{6,}-\d{4}-\d\d-\d\d", re.ASCII)
_LOG: Final = re.compile(r"\d+-[0-9a-f]{8}", re.ASCII)
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoredSeal:
    """One note; `trouble` says why it, or the range beside it, is none."""

    name: str
    """Of its file, without the ending."""
    file: str
    checkpoint: Checkpoint | None = None
    hashes: tuple[bytes, ...] | None = None
    """The range beside it, where there is one."""
    trouble: str | None = None

    @property
    def of_segment(self) -> bool:
        """Whether it is the seal at the end of a closed segment."""
        return _SEGMENT.fullmatch(self.name) is not None


@dataclass(frozen=True, slots=True)
class LinkSeals:
    """All that lies there of one link."""

    link: str
    folder: Path | None
    """Where they lie; None: somebody brought them along."""
    seals: tuple[StoredSeal, ...]

    @property
    def sizes(self) -> set[int]:
        """How many records each is about."""
        return {each.checkpoint.size for each in self.seals if each.checkpoint is not None}

    def range_of(self, name: str, size: int) -> Range | None:
        """The tree at the end of a segment, as its seal has it; None: it cannot be known."""
        for seal in self.seals:
            checkpoint = seal.checkpoint
            if seal.name == name and checkpoint is not None and checkpoint.size == size:
                try:
                    tree = Range.from_hashes(size, seal.hashes or ())
                except NotARangeError:
                    return None
                return tree if tree.root() == checkpoint.root else None
        return None


def seals_of(link: str, kept: Sequence[StoredSeal]) -> list[StoredSeal]:
    """Those of a link, among seals that the auditor brought along."""
    return [
        each
        for each in kept
        if each.checkpoint is not None and log_in(each.checkpoint.origin, link) is not None
    ]


def of_no_link(kept: Sequence[StoredSeal], links: Collection[str]) -> list[str]:
    """A link that somebody has a seal of cannot have vanished."""
    known = [each for link in links for each in seals_of(link, kept)]
    return [
        f"{each.file} is a seal of {shown(each.checkpoint.origin)}: not here"
        for each in kept
        if each.checkpoint is not None and each not in known
    ]


def untried(keys: Keyring | None) -> UntriedKeys | None:
    """What is to be said of keys where no seal is that they could be tried on."""
    return None if keys is None else UntriedKeys(keys.houses, keys.not_among(()))


def read_seals(data: Path, link: object, kept: Sequence[StoredSeal] = ()) -> LinkSeals | None:
    """The seals of a link; None: there are none. `kept`: those that the auditor brought along."""
    folder = data / FOLDER / str(link)
    found = seals_of(str(link), kept)
    names = [name.removesuffix(_NOTE) for name in _names(folder) if _NAMES.fullmatch(name)]
    # The newest last: it is written before any other of its size, so none that was read is larger.
    # A listing may have missed it while it got its name.
    names = [*[name for name in names if name != NEWEST], NEWEST] if names else []
    found += [seal for name in names if (seal := _read(folder, str(link), name)) is not None]
    return LinkSeals(str(link), folder, tuple(found)) if found else None


def sealed_links(data: Path) -> list[str]:
    """The links whose seals lie in a data directory, whatever its journal says."""
    return [
        link
        for link in _names(data / FOLDER)
        if any(_NAMES.fullmatch(name) for name in _names(data / FOLDER / link))
    ]


def read_kept_seal(path: Path) -> StoredSeal:
    """A seal that the auditor took away at some time; raises NoteError, OSError."""
    with open(path, "rb") as file:
        checkpoint = parse_checkpoint(file.read(NOTE_BYTES_MAX + 1))
    return StoredSeal(KEPT, str(path), checkpoint)


def log_in(origin: str, link: str) -> str | None:
    """Which log of a link an origin is of: NAME/LINK, or NAME/LINK/LOG; None: of another link."""
    parts = origin.split("/")
    log = ""
    if len(parts) > 2 and parts[-2] == link and _LOG.fullmatch(parts[-1]):
        log = parts.pop()
    return log if len(parts) > 1 and parts[-1] == link else None


def _read(folder: Path, link: str, name: str) -> StoredSeal | None:
    file = f"{FOLDER}/{link}/{name}{_NOTE}"
    hashes: tuple[bytes, ...] | None = None
    try:
        checkpoint = parse_checkpoint(_content(folder / f"{name}{_NOTE}", NOTE_BYTES_MAX))
        try:
            hashes = _hashes(_content(folder / f"{name}{_RANGE}", _RANGE_BYTES_MAX))
        except FileNotFoundError:
            # A range gets the segment's name before the note does.
            if _SEGMENT.fullmatch(name):
                return StoredSeal(name, file, trouble=f"{name}{_RANGE} beside it is missing")
    except FileNotFoundError:
        # It has got another name since the folder was listed.
        if os.path.lexists(folder / f"{name}{_NOTE}"):
            return StoredSeal(name, file, trouble="it is a link to a file that is not there")
        return None
    except NoteError as error:
        return StoredSeal(name, file, trouble=str(error))
    except OSError as error:
        if error.errno not in NOT_FILES:
            raise
        return StoredSeal(name, file, trouble=f"{error.strerror}")
    return StoredSeal(name, file, checkpoint, hashes)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        # ValueError: the name of a forged link is none.
        return []


def _content(path: Path, limit: int) -> bytes:
    with open(path, "rb", opener=plain_file) as file:
        return file.read(limit + 1)


def _hashes(body: bytes) -> tuple[bytes, ...]:
    lines = body.decode("ascii", "replace").split("\n")
    if lines.pop() or not all(_HASH.fullmatch(line) for line in lines):
        raise NoteError(f"the {_RANGE} beside it is unreadable: a hash a line is due")
    return tuple([bytes.fromhex(line) for line in lines])
