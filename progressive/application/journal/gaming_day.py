"""Gaming days: from one start of day on the floor's wall clock to the next.

The day a moment belongs to is named by the calendar date on which it began. A day on which clocks
change has 23 or 25 hours.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct


class GamingDays(Struct, frozen=True):
    """How one floor counts its days."""

    zone: ZoneInfo
    starts: time

    @classmethod
    def of(cls, time_zone: str, starts: str) -> "GamingDays":
        """From the floor file's own texts, `America/New_York` and `06:00`."""
        return cls(ZoneInfo(time_zone), time.fromisoformat(starts))

    def day_of(self, at: str) -> str:
        """The gaming day of a time in the journal's form, as `2026-11-17`."""
        moment = datetime.fromisoformat(at)
        day = moment.astimezone(self.zone).date()
        while self._begins(day) > moment:
            day -= timedelta(days=1)
        while self._begins(day + timedelta(days=1)) <= moment:
            day += timedelta(days=1)
        return day.isoformat()

    def begins(self, day: str) -> str:
        """The first moment of a gaming day, in the journal's form."""
        return _text(self._begins(date.fromisoformat(day)))

    def ends(self, day: str) -> str:
        """The first moment after it."""
        return _text(self._begins(date.fromisoformat(day) + timedelta(days=1)))

    def _begins(self, day: date) -> datetime:
        """A start that the clocks skip is taken as if they had not; one that comes twice, at the
        first time."""
        return datetime.combine(day, self.starts, self.zone).astimezone(UTC)


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
