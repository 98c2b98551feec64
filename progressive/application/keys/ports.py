"""What a node needs of the keys of tables, signs and relays. A store holds those of one kind.

All of it waits: a key may lie in a file, or on another machine, and a disk or a network that hangs
must not stop the loop that the meters run on. Nothing here is HOT: a key is looked at when somebody
connects. Raises StoreUnavailableError where the keys cannot be read or written.
"""

from collections.abc import Collection, Mapping
from typing import Protocol


class KeyCheck(Protocol):
    """Whether somebody is who they say they are."""

    async def fits(self, name: str, key: str) -> bool:
        """Whether this is the key that was last issued to that name.

        Never for a name without a key, a name that is not a valid id, or a key that is damaged.
        """
        ...


class KeyWatch(KeyCheck, Protocol):
    """Also shows whose keys there are, for whoever must notice a new one."""

    async def versions(self) -> Mapping[str, object]:
        """Every name that has a key, damaged or not, with a value that changes with the key.

        A key that was there at an earlier look stays until it is removed, wherever its file went.
        """
        ...

    @property
    def missing(self) -> Collection[str]:
        """At the last look: names whose key vanished without being removed."""
        ...


class KeyStore(KeyWatch, Protocol):
    """The keys of one kind of holder, as an engine offers them."""

    async def issue(self, name: str, *, holder: str | None = None) -> str:
        """A new key; it replaces the former one. Only its hash is stored: it is shown this once.

        `holder` says who it was made for; without it, for what these keys are for. Raises
        ValueError for a name that is not a valid id.
        """
        ...

    async def remove(self, name: str) -> bool:
        """The name has no key any more; whether it had one."""
        ...

    async def holder(self, name: str) -> str | None:
        """Who the name's key was made for; None where it has none, or it is damaged."""
        ...
