"""The time that sessions live by: it runs on where the machine's clock is set back.

Held time would not do: a session has to fall idle also while the clock catches up.
"""

from progressive.application.clock import Clock
from progressive.domain.time_text import later, not_before


class SessionClock:
    """`Clock`: the later of the wall clock and what the steady one makes of the latest time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = ""
        self._seen_at = clock.monotonic()

    def now(self) -> str:
        """Wall-clock time, or the time that would be, had the clock not been set back."""
        at, monotonic = self._clock.now(), self._clock.monotonic()
        if self._latest:
            passed = round((monotonic - self._seen_at) * 1_000_000)
            at = not_before(at, later(self._latest, seconds=0, microseconds=passed))
        self._latest, self._seen_at = at, monotonic
        return at

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return self._clock.monotonic()

    def begin_after(self, at: str) -> None:
        """Something happened at this time, before the service was started."""
        self._latest, self._seen_at = not_before(self.now(), at), self._clock.monotonic()
