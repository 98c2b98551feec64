"""Table keys: random, shown once, kept only as a hash.

A key has 256 random bits, so a plain SHA-256 cannot be guessed back; a slow hash would buy nothing
and would cost a reconnecting floor seconds. One file per table: a key can be issued while the
service runs, and the service sees it at the table's next connection.
"""

import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from progressive.domain.ids import TableId, is_id

FOLDER: Final = "keys"
PREFIX: Final = "ptk_"
"""Lets a secret scanner recognise a table key that has gone astray."""


class _StoredKey(msgspec.Struct, frozen=True):
    sha256: str
    holder: str


class TableKeys:
    """The keys of a floor, in its data directory."""

    def __init__(self, directory: Path) -> None:
        self._folder = directory / FOLDER

    def issue(self, table: TableId, *, holder: str = "table") -> str:
        """A new key; it replaces the table's former one. `holder` says who it was made for."""
        if not is_id(table):
            raise ValueError(f"{table!r} cannot be a table's id")
        key = PREFIX + secrets.token_urlsafe(32)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / f"{table}.json"
        stored = msgspec.json.encode(_StoredKey(sha256=_hash(key), holder=holder))
        # Whole or not at all: a reader never sees half a file, a crash never leaves one.
        part = path.with_suffix(".part")
        with open(part, "wb", opener=_private) as file:
            file.write(stored)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        return key

    def holder(self, table: TableId) -> str | None:
        """Who the table's key was made for, or None where it has none."""
        stored = self._stored(table)
        return None if stored is None else stored.holder

    def fits(self, table: TableId, key: str) -> bool:
        """Whether this is the table's key."""
        stored = self._stored(table)
        return stored is not None and hmac.compare_digest(
            stored.sha256.encode(), _hash(key).encode()
        )

    def _stored(self, table: TableId) -> _StoredKey | None:
        if not is_id(table):
            return None
        try:
            content = (self._folder / f"{table}.json").read_bytes()
            return msgspec.json.decode(content, type=_StoredKey)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
