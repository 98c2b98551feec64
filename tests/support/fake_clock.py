"""A clock that stands still until it is turned."""

from datetime import UTC, datetime, timedelta

_BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class FakeClock:
    """`application.ports.Clock`. Wall and monotonic time move together, only by `advance`."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> str:
        at = _BEGAN + timedelta(seconds=self._seconds)
        return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def monotonic(self) -> float:
        return self._seconds

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("a clock does not go back")
        self._seconds += seconds
