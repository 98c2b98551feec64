"""Patience of a simulated table whose service is away: short waits at first, and an end to them."""

import asyncio
from random import Random
from typing import Final

from progressive.client.timing import Patience
from progressive.common.backoff import Backoff

FIRST_WAIT_SECONDS: Final = 0.04
LONGEST_WAIT_SECONDS: Final = 0.4
"""A table that slept through a short life of the service would not notice that it was there."""
GIVE_UP_SECONDS: Final = 30.0
"""Long enough for a service to be started again and to read its journal."""
GIVE_UP_STOPPING_SECONDS: Final = 3.0
"""When the play is to end anyway, nobody waits for long."""


def patience(stop: asyncio.Event, random: Random) -> Patience:
    """Of one table, in a run that ends with `stop`."""
    backoff = Backoff(
        random.random, first_seconds=FIRST_WAIT_SECONDS, longest_seconds=LONGEST_WAIT_SECONDS
    )

    def limit_seconds() -> float:
        return GIVE_UP_STOPPING_SECONDS if stop.is_set() else GIVE_UP_SECONDS

    return Patience(backoff, limit_seconds=limit_seconds)
