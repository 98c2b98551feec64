"""The newest cosigned checkpoints as small files, one a log: `logs/HASH.json`.

Written whole: a temporary file, synced, renamed, and the folder synced. A file that is there and
cannot be read is never taken for a log that was not seen yet.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, structs

from progressive.adapters.durable import FOLDER_MODE, regular, sync_folder, write_whole
from progressive.application.seals.note import NoteError, read_note
from progressive.application.witness.ports import Seen, SeenUnreadableError
from progressive.application.witness.request import checkpoint_in

FOLDER: Final = "logs"
VERSION: Final = 1
_SUFFIX: Final = ".json"
_NAME_DIGITS: Final = 40
_WHAT_TO_DO: Final = (
    "a witness that forgets could cosign two histories, so it does not start: see 'When its disk "
    "is damaged' in docs/witness.md"
)


class _Stored(Struct, frozen=True):
    version: int
    sha256: str
    """Of the rest: a disk that changed a byte of it must not accuse the log."""
    time: int
    note: str

    @property
    def digest(self) -> str:
        return sha256(f"{self.version}\n{self.time}\n{self.note}".encode()).hexdigest()


class SeenFiles:
    """`application.witness.ports.SeenStore` in a witness's data directory."""

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER
        if not self._folder.is_dir():
            self._folder.mkdir(mode=FOLDER_MODE)
            sync_folder(data)

    def load(self) -> Mapping[str, Seen]:
        """Every log that was ever seen."""
        # A name with a dot before it is of a write that was cut off: it never counted.
        found = [_read(path) for path in sorted(self._folder.glob(f"[!.]*{_SUFFIX}"))]
        return {seen.checkpoint.origin: seen for seen in found}

    def get(self, origin: str) -> Seen | None:
        """One of them."""
        path = self._path(origin)
        # By its name: a link that leads nowhere stands for something that was there.
        return _read(path) if os.path.lexists(path) else None

    def put(self, seen: Seen) -> None:
        """In the place of the one before."""
        unsigned = _Stored(VERSION, "", seen.time, seen.note)
        body = msgspec.json.encode(structs.replace(unsigned, sha256=unsigned.digest))
        write_whole(self._path(seen.checkpoint.origin), body + b"\n")

    def _path(self, origin: str) -> Path:
        return self._folder / f"{_name_of(origin)}{_SUFFIX}"


def _name_of(origin: str) -> str:
    """An origin may hold any character; its hash may not."""
    return sha256(origin.encode()).hexdigest()[:_NAME_DIGITS]


def _read(path: Path) -> Seen:
    try:
        with open(path, "rb", opener=regular) as file:
            stored = msgspec.json.decode(file.read(), type=_Stored)
        checkpoint = checkpoint_in(read_note(stored.note.encode()))
    except PermissionError:
        # Nothing is wrong with what this user may not read.
        raise
    except OSError as error:
        raise SeenUnreadableError(f"{path}: {error.strerror}; {_WHAT_TO_DO}") from None
    except (msgspec.DecodeError, UnicodeError, NoteError, RecursionError) as error:
        raise SeenUnreadableError(f"{path}: {error}; {_WHAT_TO_DO}") from None
    if stored.version != VERSION:
        raise SeenUnreadableError(
            f"{path} is of version {stored.version}, this program knows {VERSION}: use a newer one"
        )
    if stored.digest != stored.sha256 or path.stem != _name_of(checkpoint.origin):
        raise SeenUnreadableError(f"{path} is not what was written there; {_WHAT_TO_DO}")
    return Seen(checkpoint, stored.time, stored.note)
