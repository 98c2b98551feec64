"""Keys of tables, signs and relays on a Redis server: only their hashes, as in files.

What was seen last is remembered: while the server is away, whoever had a key then comes in with it.
A name of which the server knows nothing is judged by the key files of this node: a floor that moves
to several nodes keeps its keys. A removed key leaves a mark, which counts on all nodes.
"""

import time
from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from progressive.adapters.keys.held import HeldKeys, StoredKey, fits
from progressive.adapters.keys.store import FileKeyStore
from progressive.adapters.redis import functions
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreUnavailableError
from progressive.domain.ids import is_id

LOOK_SECONDS: Final = 60.0
"""At a key that is shown: so old may be what is remembered of all others."""
REMOVED: Final = "removed"
"""In the place of a key that was removed."""


class SharedKeyStore:
    """`application.keys.ports.KeyStore` for the keys of one kind of holder."""

    def __init__(self, server: RedisServer, keys: HeldKeys) -> None:
        self._server = server
        self._keys = keys
        self._files = FileKeyStore(keys)
        # One hash tag: a cluster stores all keys on one node.
        self._key = f"{server.place.prefix}:{{keys}}:{keys.kind}"
        self._known: dict[str, str] = {}
        """By name: what the server had when it was last asked, removed keys too."""
        self._vanished: frozenset[str] = frozenset()
        self._looked_at: float | None = None

    @property
    def missing(self) -> Collection[str]:
        """Names whose key was there at an earlier look, and is gone without being removed."""
        return self._vanished | {name for name in self._files.missing if name not in self._known}

    async def fits(self, name: str, key: str) -> bool:
        """Whether this is the key that was last issued to that name."""
        if not is_id(name):
            return False
        found = await self._found(name)
        return await self._files.fits(name, key) if found is None else fits(_read(found), key)

    async def versions(self) -> Mapping[str, object]:
        """Every name that has a key: with its hash, or the version of its file."""
        await self._look()
        own = {
            name: version
            for name, version in (await self._files.versions()).items()
            if name not in self._known
        }
        return own | {name: found for name, found in self._known.items() if found != REMOVED}

    async def issue(self, name: str, *, holder: str | None = None) -> str:
        """A new key; it replaces the former one."""
        key, stored = self._keys.new(name, holder=holder or self._keys.kind)
        await self._set(name, msgspec.json.encode(stored).decode())
        return key

    async def remove(self, name: str) -> bool:
        """Leave a mark; whether there was a key."""
        if not is_id(name):
            return False
        found = await self._asked(name)
        if found == REMOVED:
            return False
        if found is None and not await self._files.remove(name):
            return False
        return await self._set(name, REMOVED) != REMOVED

    async def holder(self, name: str) -> str | None:
        """Who the name's key was made for."""
        if not is_id(name):
            return None
        found = await self._found(name)
        if found is None:
            return await self._files.holder(name)
        stored = _read(found)
        return None if stored is None else stored.holder

    async def _found(self, name: str) -> str | None:
        """What the server has of a name; what it had, while it is away."""
        try:
            if self._looked_at is None or time.monotonic() - self._looked_at > LOOK_SECONDS:
                await self._look()
            else:
                await self._asked(name)
        except StoreUnavailableError:
            if self._looked_at is None and name not in self._known:
                # Nobody can be turned away by what was never seen.
                raise
        return self._known.get(name)

    async def _asked(self, name: str) -> str | None:
        (found,) = await self._server.ask("HMGET", self._key, name)
        if found is not None:
            self._known[name] = found.decode("utf-8", "replace")
        return self._known.get(name)

    async def _look(self) -> None:
        began = time.monotonic()
        found = await self._server.fields(self._key)
        known = self._known | found
        self._vanished = frozenset(
            name for name in known.keys() - found.keys() if known[name] != REMOVED
        )
        self._known, self._looked_at = known, began

    async def _set(self, name: str, value: str) -> str:
        """What was there before."""
        await self._server.check()
        _, before = await self._server.write(functions.KEY_SET, (self._key,), name, value)
        self._known[name] = value
        return bytes(before).decode("utf-8", "replace")


def _read(stored: str) -> StoredKey | None:
    """None: removed or damaged, and nothing fits."""
    try:
        return msgspec.json.decode(stored, type=StoredKey)
    except msgspec.DecodeError:
        return None
