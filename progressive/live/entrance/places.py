"""Who holds the places, which are open files: those nobody knows yet, strangers, tables and staff.

Strangers and unfinished requests together never have all of them.
"""

import enum
from collections import Counter
from itertools import islice
from typing import Final, Generic, Protocol, TypeVar

from progressive.live.entrance.limits import (
    OTHER_FILES,
    STRANGERS_PERCENT,
    UNFINISHED_PERCENT,
    YOUNG_PERCENT,
)

_LEAST: Final = 8
"""Of each kind, however few files there are."""
_COMPARED_MAX: Final = 64
"""Addresses that are compared, the longest waiting first: the look itself must stay short."""


class Standing(enum.Enum):
    """What is known of a connection."""

    UNFINISHED = "unfinished"
    """Its first request, or its TLS handshake, is not complete."""
    STRANGER = "stranger"
    CLAIMING = "claiming"
    """It shows a key or a session that is being looked at."""
    KNOWN = "known"
    GONE = "gone"


class Guest(Protocol):
    """A connection."""

    address: str


G = TypeVar("G", bound=Guest)


class Places(Generic[G]):
    """Counts them, and says who has to go."""

    def __init__(self, files: int) -> None:
        places = max(_LEAST, files - OTHER_FILES)
        self.strangers_max = max(_LEAST, places * STRANGERS_PERCENT // 100)
        self.unfinished_max = max(_LEAST, places * UNFINISHED_PERCENT // 100)
        self._young_max = max(_LEAST, places * YOUNG_PERCENT // 100)
        self._others_max = self.strangers_max + self.unfinished_max
        self.held: Counter[Standing] = Counter()
        self._unfinished: dict[str, dict[G, None]] = {}
        """By address, the oldest first."""

    def take(self, guest: G, standing: Standing) -> None:
        """A connection has this standing from now on."""
        self.held[standing] += 1
        if standing is Standing.UNFINISHED:
            self._unfinished.setdefault(guest.address, {})[guest] = None

    def leave(self, guest: G, standing: Standing) -> None:
        """A connection no longer has this standing."""
        self.held[standing] -= 1
        if standing is Standing.UNFINISHED:
            of_address = self._unfinished[guest.address]
            del of_address[guest]
            if not of_address:
                del self._unfinished[guest.address]

    @property
    def room_for_stranger(self) -> bool:
        """Whether a stranger may stay."""
        return self.held[Standing.STRANGER] < self.strangers_max

    def unfinished_at(self, address: str) -> int:
        """Unfinished requests of an address."""
        return len(self._unfinished.get(address, ()))

    def oldest_at(self, address: str) -> G:
        """The one that has been unfinished the longest."""
        return next(iter(self._unfinished[address]))

    @property
    def room_for_young(self) -> bool:
        """Whether a request that has only just begun may stay, however many are unfinished."""
        unfinished = self.held[Standing.UNFINISHED]
        others = unfinished + self.held[Standing.STRANGER]
        return unfinished <= self._young_max and others <= self._others_max

    def must_go(self) -> G | None:
        """Where too many are unfinished: the oldest of the address that has the most."""
        if self.held[Standing.UNFINISHED] <= self.unfinished_max:
            return None
        longest_waiting = islice(self._unfinished, _COMPARED_MAX)
        return self.oldest_at(max(longest_waiting, key=self.unfinished_at))
