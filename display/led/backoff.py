"""How long to wait before trying again: longer each time, and never in step with the others."""

import random
from typing import Final

FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 15.0


class Backoff:
    """Doubles the bound of a random wait until something has worked."""

    def __init__(self) -> None:
        self._bound_seconds = FIRST_SECONDS

    def reset(self) -> None:
        """It has worked."""
        self._bound_seconds = FIRST_SECONDS

    def next_seconds(self) -> float:
        """The wait before the next try: anything up to the bound, so that a crowd spreads out."""
        bound_seconds = self._bound_seconds
        self._bound_seconds = min(2 * bound_seconds, LONGEST_SECONDS)
        return random.uniform(0, bound_seconds)  # noqa: S311 (nothing secret)
