"""The one token bucket: how often something may happen, and how often at once.

Pure: it looks at no clock. The caller brings the time (`fill_until`), or fills it by its own beat
(`fill`).
"""


class TokenBucket:
    """Starts full and is never fuller than at the start."""

    __slots__ = ("_a_second", "_filled_at", "_size", "tokens")

    def __init__(self, size: float, *, a_second: float = 0.0, now: float = 0.0) -> None:
        """`a_second`: how many tokens come in by themselves, seen from `now` on."""
        self._size = size
        self._a_second = a_second
        self._filled_at = now
        self.tokens = size
        """What is left. A HOT caller counts this down itself, and below zero where it cannot
        refuse what has already come: that is a debt which the next filling pays first."""

    def take(self) -> bool:
        """Whether there was a token left; it is used up."""
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def fill(self, tokens: float) -> None:
        """Add so many."""
        self.tokens = min(self._size, self.tokens + tokens)

    def fill_until(self, now: float) -> None:
        """Add what has come in by this time, on the clock that the bucket was made with."""
        self.fill((now - self._filled_at) * self._a_second)
        self._filled_at = now
