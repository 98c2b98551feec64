"""How long a client waits: its clock, which tests turn, and its patience with a service."""

import asyncio
import random
import time
from collections.abc import Callable
from typing import Final, Protocol

from progressive.common.backoff import Backoff

FIRST_WAIT_SECONDS: Final = 0.25
LONGEST_WAIT_SECONDS: Final = 2.0
"""A standby leads within seconds: a table that has waited longer would be the outage itself."""

any_chance: Final[Callable[[], float]] = random.SystemRandom().random


class ClientTime(Protocol):
    """A clock that never goes back, and a way to wait by it."""

    def monotonic(self) -> float:
        """Seconds since some moment."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class RealTime:
    """Implements `ClientTime`."""

    def monotonic(self) -> float:
        """The machine's own."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """By the event loop."""
        await asyncio.sleep(seconds)


REAL_TIME: Final = RealTime()


class GaveUpError(Exception):
    """The service did not come back while somebody was willing to wait."""


class Patience:
    """How long the service has been in trouble, and how long to wait until the next try."""

    def __init__(
        self,
        backoff: Backoff,
        *,
        clock: ClientTime = REAL_TIME,
        limit_seconds: Callable[[], float] | None = None,
    ) -> None:
        """`limit_seconds`: after so long in trouble it ends. None: never, the caller decides."""
        self._backoff = backoff
        self._clock = clock
        self._limit_seconds = limit_seconds
        self._since: float | None = None

    def eased(self) -> None:
        """All is well."""
        self._since = None
        self._backoff.reset()

    async def wait(self, why: str) -> None:
        """Until the next try is due; raises GaveUpError when there were enough."""
        now = self._clock.monotonic()
        if self._since is None:
            self._since = now
        if self._limit_seconds is not None:
            limit = self._limit_seconds()
            if now - self._since >= limit:
                raise GaveUpError(f"tried for {limit:.0f} seconds: {why}")
        await self._clock.sleep(self._backoff.next_seconds())


def usual_patience(chance: Callable[[], float] = any_chance, *, clock: ClientTime) -> Patience:
    """Of a table: without end."""
    backoff = Backoff(
        chance, first_seconds=FIRST_WAIT_SECONDS, longest_seconds=LONGEST_WAIT_SECONDS
    )
    return Patience(backoff, clock=clock)
