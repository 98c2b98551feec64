"""The machine's clock."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Wall and monotonic time."""

    def now(self) -> str:
        """RFC 3339 UTC with microseconds: text that sorts by time."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()
