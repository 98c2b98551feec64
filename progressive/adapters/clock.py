"""The machine's clock, held where it is set back."""

import time
from datetime import UTC, datetime
from typing import Final

_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
"""RFC 3339 UTC with microseconds: text that sorts by time."""


class SystemClock:
    """Wall and monotonic time. `now` never goes back within this process."""

    def __init__(self) -> None:
        self._latest = ""

    def now(self) -> str:
        """What the clock says; where it was set back, the latest time it said before."""
        wall = self.wall()
        if wall < self._latest:
            return self._latest
        self._latest = wall
        return wall

    def wall(self) -> str:
        """What the clock says, right or wrong."""
        return datetime.now(UTC).strftime(_FORMAT)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()
