"""Key files behind the ports of `application/keys`: read and written in a thread, off the loop.

Whose keys there are is remembered from look to look (`versions`). A file or a whole folder that is
gone without having been removed is a fault: its keys still fit, and nobody else's do.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import ParamSpec, TypeVar

from progressive.adapters.keys.held import HeldKeys, StoredKey, fits
from progressive.application.journal.ports import StoreUnavailableError

P = ParamSpec("P")
T = TypeVar("T")


class FileKeyStore:
    """`application.keys.ports.KeyStore` for the keys of one kind of holder."""

    def __init__(self, keys: HeldKeys) -> None:
        self._keys = keys
        self._known: dict[str, tuple[object, StoredKey | None]] = {}
        """By name: the version of its file, and what that held."""
        self._missing: frozenset[str] = frozenset()

    @property
    def missing(self) -> Collection[str]:
        """Names whose key was there at an earlier look, and is gone without being removed."""
        return self._missing

    async def fits(self, name: str, key: str) -> bool:
        """Whether this is the key that was last issued to that name."""
        if await _in_thread(self._keys.fits_name, name, key):
            return True
        return name in self._missing and fits(self._known[name][1], key)

    async def versions(self) -> Mapping[str, object]:
        """Every name that has a key, with what changes when it is replaced."""
        return await _in_thread(self._look)

    def _look(self) -> Mapping[str, object]:
        found = self._keys.versions()
        known = self._known.copy()
        for name, version in found.items():
            if name not in known or known[name][0] != version:
                known[name] = (version, self._keys.stored(name))
        missing = set()
        for name in self._known.keys() - found.keys():
            if self._keys.was_removed(name):
                del known[name]
            else:
                missing.add(name)
        self._known, self._missing = known, frozenset(missing)
        return {name: version for name, (version, _) in known.items()}

    async def issue(self, name: str, *, holder: str | None = None) -> str:
        """A new key; it replaces the former one."""
        return await _in_thread(self._keys.issue_to, name, holder=holder or self._keys.kind)

    async def remove(self, name: str) -> bool:
        """Remove a key; whether there was one."""
        if await _in_thread(self._keys.remove, name):
            return True
        if name not in self._missing:
            return False
        await _in_thread(self._keys.mark_removed, name)
        return True

    async def holder(self, name: str) -> str | None:
        """Who the name's key was made for."""
        stored = await _in_thread(self._keys.stored, name)
        return None if stored is None else stored.holder


async def _in_thread(work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    try:
        return await asyncio.to_thread(work, *values, **named)
    except OSError as error:
        raise StoreUnavailableError(str(error)) from error
