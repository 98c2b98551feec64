"""Back-off of a table whose service is away: short waits at first, and an end to them."""

import asyncio
from typing import Final

FIRST_WAIT_SECONDS: Final = 0.02
LONGEST_WAIT_SECONDS: Final = 1.0
GIVE_UP_SECONDS: Final = 30.0
"""Long enough for a service to be started again and to read its journal."""
GIVE_UP_STOPPING_SECONDS: Final = 3.0
"""When the play is to end anyway, nobody waits for long."""


class GaveUpError(Exception):
    """The service did not come back."""


class Patience:
    """How long one message has been in trouble."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._since: float | None = None
        self._wait_seconds = FIRST_WAIT_SECONDS

    async def wait(self, why: str) -> None:
        """Until the next try is due; raises GaveUpError when there were enough."""
        now = asyncio.get_running_loop().time()
        if self._since is None:
            self._since = now
        limit = GIVE_UP_STOPPING_SECONDS if self._stop.is_set() else GIVE_UP_SECONDS
        if now - self._since >= limit:
            raise GaveUpError(f"tried for {limit:.0f} seconds: {why}")
        await asyncio.sleep(self._wait_seconds)
        self._wait_seconds = min(2 * self._wait_seconds, LONGEST_WAIT_SECONDS)
