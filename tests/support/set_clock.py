"""A machine's clock that can be set, as somebody with the right to would."""

from datetime import datetime, timedelta

from progressive.adapters.clock import SystemClock
from progressive.domain.time_text import later


class SetClock(SystemClock):
    """The real clock, off by so many seconds; the steady one goes on as ever."""

    def __init__(self, *, offset_seconds: int = 0) -> None:
        super().__init__()
        self.offset_seconds = offset_seconds
        self._stopped = ""

    def wall(self) -> str:
        if self._stopped:
            return self._stopped
        return later(super().wall(), seconds=self.offset_seconds)

    def stop_at(self, at: str) -> None:
        """It says this from now on, also where that is earlier."""
        self._stopped = self._latest = at

    def set_to(self, at: str) -> None:
        """What the clock is to say now."""
        ahead = datetime.fromisoformat(at) - datetime.fromisoformat(super().wall())
        self.offset_seconds = ahead // timedelta(seconds=1)
