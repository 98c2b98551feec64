"""PURE. How long to wait before the next try: longer each time, and never in step with others."""

from collections.abc import Callable
from typing import Final

FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 5.0
"""A floor of signs waits for it: after a night without a service they heal within seconds."""


class Backoff:
    """Exponential with full jitter; `chance` gives numbers from 0 up to 1."""

    def __init__(
        self,
        chance: Callable[[], float],
        *,
        first_seconds: float | None = None,
        longest_seconds: float | None = None,
    ) -> None:
        """The longest first wait, and the longest of all, where they are not the usual ones."""
        self._chance = chance
        self._first_seconds = FIRST_SECONDS if first_seconds is None else first_seconds
        self._longest_seconds = LONGEST_SECONDS if longest_seconds is None else longest_seconds
        self._ceiling_seconds = self._first_seconds

    def reset(self) -> None:
        """All is well: the next failure begins again."""
        self._ceiling_seconds = self._first_seconds

    def next_seconds(self) -> float:
        """After one more failure."""
        ceiling = self._ceiling_seconds
        self._ceiling_seconds = min(self._longest_seconds, 2 * ceiling)
        # A relay that lost its service comes back with a thousand others.
        return ceiling * self._chance()
