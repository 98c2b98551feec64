"""The port for time: what every use case asks instead of the machine's own clock."""

from typing import Protocol


class Clock(Protocol):
    """Time, so that tests can turn it."""

    def now(self) -> str:
        """Wall-clock time, RFC 3339 UTC with microseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...
