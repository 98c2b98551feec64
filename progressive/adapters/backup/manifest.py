"""What a backup says of itself: every file with its length and hash, and where each journal ends.

A manifest may have been edited, or come from elsewhere: whatever it names is checked before a path
is made of it.
"""

import re
from datetime import datetime
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from progressive.adapters.backup.contents import FOLDERS, FOLDERS_OF_LINKS, HELD
from progressive.adapters.data_directory import MANIFEST_NAME
from progressive.adapters.segments.files import FOLDER as SEGMENTS_FOLDER
from progressive.application.journal.segments import FileSum
from progressive.domain.ids import LinkId, is_id

STAMP_NAME: Final = "verified"
VERSION: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")

Thoroughness = Literal["all", "hashes"]
_Size = Annotated[int, Meta(ge=0, le=2**62)]
_Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class BadManifestError(Exception):
    """A manifest or a stamp that cannot be used."""


class BackedUpFile(Struct, frozen=True):
    """One file of the data directory."""

    path: str
    """Where it lies in the data directory."""
    bytes: _Size
    sha256: _Hash

    @property
    def sum(self) -> FileSum:
        """Its length and hash."""
        return FileSum(self.bytes, self.sha256)

    @property
    def is_segment(self) -> bool:
        """Whether it lies among the segments that all backups of a place share."""
        return self.path.startswith(f"{SEGMENTS_FOLDER}/")


class BackedUpLink(Struct, frozen=True):
    """Where a link's journal ends in the backup."""

    link: LinkId
    last_seq: _Size
    head: _Hash
    at: str
    """Time of that record."""
    segments: int = 0


class Manifest(Struct, frozen=True, kw_only=True):
    """What `manifest.json` holds."""

    version: int
    program: str
    made_at: Annotated[datetime, Meta(tz=True)]
    """By the clock of that moment."""
    links: tuple[BackedUpLink, ...]
    files: tuple[BackedUpFile, ...]

    @property
    def bytes(self) -> int:
        """What it takes where it is restored."""
        return sum(file.bytes for file in self.files)

    @property
    def segments(self) -> tuple[BackedUpFile, ...]:
        """The files that lie among the shared segments."""
        return tuple(file for file in self.files if file.is_segment)


class Stamp(Struct, frozen=True, kw_only=True):
    """What `verified` holds: the backup was restored and checked, and was good."""

    version: int
    at: str
    program: str
    checked: Thoroughness
    manifest_sha256: _Hash
    """Of the very manifest that was checked."""


_T = TypeVar("_T", Manifest, Stamp)


class _Version(Struct):
    version: int


def encode(content: Manifest | Stamp) -> bytes:
    """As it lies on the disk: JSON for people too."""
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def decode_manifest(content: bytes) -> Manifest:
    """A manifest whose paths are safe to use; raises BadManifestError."""
    manifest = _decoded(content, Manifest, MANIFEST_NAME)
    paths = [file.path for file in manifest.files]
    for path in paths:
        if not _is_ours(path):
            raise BadManifestError(f"{MANIFEST_NAME} names {path[:80]!r}, which no backup holds")
    if len(set(paths)) != len(paths):
        raise BadManifestError(f"{MANIFEST_NAME} names a file twice")
    return manifest


def decode_stamp(content: bytes) -> Stamp:
    """A stamp; raises BadManifestError."""
    return _decoded(content, Stamp, STAMP_NAME)


def _decoded(content: bytes, kind: type[_T], name: str) -> _T:
    try:
        version = msgspec.json.decode(content, type=_Version).version
        if version > VERSION:
            raise BadManifestError(
                f"{name} is of a newer version ({version}) than this program knows ({VERSION})"
            )
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadManifestError(f"{name} cannot be read: {error}") from None


def _is_ours(path: str) -> bool:
    """Only names that the program itself would have written."""
    parts = path.split("/")
    if not all(_NAME.fullmatch(part) for part in parts):
        return False
    match parts:
        case [name]:
            return name in HELD and name not in FOLDERS
        case [folder, _]:
            return folder in FOLDERS
        case [folder, link, _]:
            return folder in FOLDERS_OF_LINKS and is_id(link)
        case _:
            return False
