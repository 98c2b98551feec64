"""Key files behind the ports of `application/keys`: read and written in a thread, off the loop."""

import asyncio
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

from progressive.adapters.keys.held import HeldKeys
from progressive.application.journal.ports import StoreUnavailableError

P = ParamSpec("P")
T = TypeVar("T")


class FileKeyStore:
    """`application.keys.ports.KeyStore` for the keys of one kind of holder."""

    def __init__(self, keys: HeldKeys) -> None:
        self._keys = keys

    async def fits(self, name: str, key: str) -> bool:
        """Whether this is the key that was last issued to that name."""
        return await _in_thread(self._keys.fits_name, name, key)

    async def versions(self) -> Mapping[str, object]:
        """Every name that has a key file, with what changes when it is replaced."""
        return await _in_thread(self._keys.versions)

    async def issue(self, name: str, *, holder: str | None = None) -> str:
        """A new key; it replaces the former one."""
        return await _in_thread(self._keys.issue_to, name, holder=holder or self._keys.kind)

    async def remove(self, name: str) -> bool:
        """Remove a key; whether there was one."""
        return await _in_thread(self._keys.remove, name)

    async def holder(self, name: str) -> str | None:
        """Who the name's key was made for."""
        stored = await _in_thread(self._keys.stored, name)
        return None if stored is None else stored.holder


async def _in_thread(work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
    try:
        return await asyncio.to_thread(work, *values, **named)
    except OSError as error:
        raise StoreUnavailableError(str(error)) from error
