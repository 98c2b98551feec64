"""Where each gaming day ended, as the verifier counts them: by the recorded zone and start of day.

A day begins where the one before it ended. Terms that change the start or the zone hold for the
day in which they came, unless by them that day would be over already.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.house import HouseTerms
from progressive.verifier.rules.treatment import zone_of

NEVER: Final = "~"
"""Later than any time: no terms have said yet how days are counted."""


class GamingDays:
    """How days are counted, and which one it is."""

    def __init__(self) -> None:
        self.day = ""
        self.begins = ""
        self.ends = NEVER
        self._house: HouseTerms | None = None

    def count_by(self, house: HouseTerms | None, at: str) -> None:
        """Terms hold from this moment on."""
        if house is None:
            return
        counted = self._house
        self._house = house
        if counted is None:
            self.day = self._day_of(at)
            self.begins, self.ends = self._begins(self.day), self._begins(next_day(self.day))
            return
        if (house.time_zone, house.gaming_day_starts) == (
            counted.time_zone,
            counted.gaming_day_starts,
        ):
            return
        if at < (ends := self._begins(next_day(self.day))):
            self.ends = ends

    def turn(self) -> None:
        """The day is over: on to the next one."""
        self.day = next_day(self.day)
        self.begins, self.ends = self.ends, self._begins(next_day(self.day))

    def _day_of(self, at: str) -> str:
        day = at[:10]
        while self._begins(day) > at:
            day = day_before(day)
        while self._begins(next_day(day)) <= at:
            day = next_day(day)
        return day

    def _begins(self, day: str) -> str:
        house = self._house
        assert house is not None  # noqa: S101 - for the type checker
        try:
            starts = time.fromisoformat(house.gaming_day_starts)
            moment = datetime.combine(date.fromisoformat(day), starts, zone_of(house))
            return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        except (ValueError, OverflowError):
            raise DiscrepancyError(
                f"no day {shown(day)} begins at {shown(house.gaming_day_starts)}"
            ) from None


def next_day(day: str) -> str:
    """The day after; raises where no calendar has it."""
    return _moved(day, 1)


def day_before(day: str) -> str:
    """The day before; raises where no calendar has it."""
    return _moved(day, -1)


def _moved(day: str, by_days: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days=by_days)).isoformat()
    except (ValueError, OverflowError):
        raise DiscrepancyError(f"{shown(day)} is not a day") from None
