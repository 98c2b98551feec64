"""Keys of tables, signs and relays: random, shown once, kept only as a hash.

A key has 256 random bits, so a plain SHA-256 cannot be guessed back; a slow hash would buy nothing
and would cost a reconnecting floor seconds. One file per holder: a key can be issued while the
service runs, and the service sees it at the holder's next connection. A key that is removed leaves
a mark: a file that is gone without one was not removed by anybody who may.
"""

import contextlib
import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from progressive.domain.ids import is_id

REMOVED: Final = ".removed"
"""What the file of a removed key ends with."""


class StoredKey(msgspec.Struct, frozen=True):
    """What is kept of a key."""

    sha256: str
    holder: str


class HeldKeys:
    """The keys of one kind of holder, in a folder of the data directory."""

    def __init__(self, directory: Path, *, folder: str, prefix: str, kind: str) -> None:
        self._folder = directory / folder
        self._prefix = prefix
        self.kind = kind

    def new(self, name: str, *, holder: str) -> tuple[str, StoredKey]:
        """A key that is not stored yet, and what to store of it."""
        if not is_id(name):
            raise ValueError(f"{name!r} cannot be a {self.kind}'s id")
        key = self._prefix + secrets.token_urlsafe(32)
        return key, StoredKey(sha256=hash_of(key), holder=holder)

    def issue_to(self, name: str, *, holder: str) -> str:
        """A new key; it replaces the former one. `holder` says who it was made for."""
        key, made = self.new(name, holder=holder)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / f"{name}.json"
        stored = msgspec.json.encode(made)
        # Whole or not at all: a reader never sees half a file, a crash never leaves one. Every
        # writer has a part of its own: of two at the same moment, one key fits.
        part = path.with_suffix(f".{secrets.token_hex(8)}.part")
        try:
            with open(part, "wb", opener=_private) as file:
                file.write(stored)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
            path.with_suffix(REMOVED).unlink(missing_ok=True)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return key

    def remove(self, name: str) -> bool:
        """Forget a key; whether there was one."""
        if not is_id(name):
            return False
        path = self._folder / f"{name}.json"
        try:
            path.replace(path.with_suffix(REMOVED))
        except FileNotFoundError:
            return False
        return True

    def was_removed(self, name: str) -> bool:
        """Whether the name's key was removed, and did not merely vanish."""
        return is_id(name) and (self._folder / f"{name}{REMOVED}").exists()

    def mark_removed(self, name: str) -> None:
        """Remove a key that has vanished already."""
        if is_id(name):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self._folder / f"{name}{REMOVED}").touch(mode=0o600)

    def fits_name(self, name: str, key: str) -> bool:
        """Whether this is the key that was issued to that name."""
        return fits(self.stored(name), key)

    def stored(self, name: str) -> StoredKey | None:
        """What is kept of a name's key; None where there is none, or it is damaged."""
        if not is_id(name):
            return None
        try:
            content = (self._folder / f"{name}.json").read_bytes()
            return msgspec.json.decode(content, type=StoredKey)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None

    def versions(self) -> dict[str, tuple[int, int]]:
        """Every name that has a key file, damaged or not, with what changes when it is replaced."""
        found: dict[str, tuple[int, int]] = {}
        with contextlib.suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json"):
                    with contextlib.suppress(FileNotFoundError):
                        status = entry.stat()
                        name = entry.name.removesuffix(".json")
                        found[name] = (status.st_mtime_ns, status.st_ino)
        return found


def fits(stored: StoredKey | None, key: str) -> bool:
    """Whether this is the key whose hash is stored."""
    return stored is not None and hmac.compare_digest(stored.sha256.encode(), hash_of(key).encode())


def hash_of(key: str) -> str:
    """What is kept of a key."""
    return sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
