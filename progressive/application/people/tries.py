"""How many bad log-ins there may be, and where they are counted: in lanes, not by name alone.

A lock by name alone would let anybody keep a named supervisor out. So tries are counted by name and
place. A browser that somebody has signed in with has a lane of its own, and so has an address where
they have signed in; everybody else shares one lane a name besides the lane of their address. A lane
never closes: it slows down.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from msgspec import Struct

from progressive.application.people.rate_limits import address_key
from progressive.domain.time_text import later

PLACE_TRIES: Final = 5
PLACE_TRY_SECONDS: Final = 180
"""Bad tries at once for a name from one place, then one in three minutes: 480 a day."""
STRANGERS_TRIES: Final = 20
STRANGERS_TRY_SECONDS: Final = 15 * 60
"""The same from all places together where the person has never signed in: 96 a day."""
STRANGERS: Final = "strangers"
FAMILIAR_SECONDS: Final = 90 * 24 * 3600
"""How long a browser or an address is remembered after the last sign-in there."""


class Lane(Struct, frozen=True):
    """So many tries at once, then one in so many seconds."""

    name: str
    tries: int
    try_seconds: int
    shared: bool = False
    """Others' tries are counted here too: a good one takes back only itself."""

    def after_try(self, free_at: str | None, now: str) -> str | None:
        """When the lane is free again with one try more; None where it has no try left."""
        longest = later(now, seconds=self.tries * self.try_seconds)
        busy_until = max(free_at or now, now)
        if busy_until > longest:
            # Only a clock that was set back leaves such a time: it must close no lane for ever.
            busy_until = now
        after = later(busy_until, seconds=self.try_seconds)
        return after if after <= longest else None


def device_mark(token: str) -> str:
    """What is stored of the cookie that tells a browser."""
    return f"device {sha256(token.encode('utf-8', 'surrogateescape')).hexdigest()}"


def address_mark(where: str) -> str:
    """What is stored of an address."""
    return f"address {address_key(where)}"


def lanes_for(*, device: str | None, address: str, familiar: frozenset[str]) -> tuple[Lane, ...]:
    """Where a try is counted; `device` and `address` are marks, `familiar` those of the person."""
    if device is not None and device in familiar:
        return (Lane(device, PLACE_TRIES, PLACE_TRY_SECONDS),)
    place = Lane(address, PLACE_TRIES, PLACE_TRY_SECONDS)
    if address in familiar:
        return (place,)
    return (place, Lane(STRANGERS, STRANGERS_TRIES, STRANGERS_TRY_SECONDS, shared=True))


def slowed_until(free_at_by_lane: Mapping[str, str], now: str) -> str | None:
    """When the next try is taken in the slowest lane; None where every lane has one left."""
    waits: list[str] = []
    for name, free_at in free_at_by_lane.items():
        tries, seconds = (
            (STRANGERS_TRIES, STRANGERS_TRY_SECONDS)
            if name == STRANGERS
            else (PLACE_TRIES, PLACE_TRY_SECONDS)
        )
        waits.append(later(free_at, seconds=-(tries - 1) * seconds))
    slowest = max(waits, default=now)
    return slowest if slowest > now else None
