"""The hours of one gaming day: 23, 24 or 25 of them, counted from its beginning.

An hour is sixty minutes of real time. Where clocks are set back, one hour of the wall clock comes
twice and its two halves are two hours here, told apart by their offset from UTC.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from progressive.application.journal.gaming_day import GamingDays

SHIFT_HOURS: Final = 8
"""A gaming day has three shifts of eight hours of the wall clock, from its beginning on."""
_TEXT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


class Hours:
    """The hours between two moments in the journal's form."""

    def __init__(self, begins: str) -> None:
        self._begins = datetime.fromisoformat(begins)

    def hour_of(self, at: str) -> int:
        """The number of the hour that a moment lies in."""
        return (datetime.fromisoformat(at) - self._begins) // timedelta(hours=1)

    def ends(self, hour: int) -> str:
        """The first moment after an hour, in the journal's form."""
        return (self._begins + timedelta(hours=hour + 1)).strftime(_TEXT)

    def label(self, hour: int, days: GamingDays) -> str:
        """An hour by the wall clock where it began, with its offset: `2026-11-01 01:00 -05:00`."""
        local = self._local(hour, days)
        offset = local.strftime("%z")
        return f"{local:%Y-%m-%d %H:%M} {offset[:3]}:{offset[3:5]}"

    def shift(self, hour: int, days: GamingDays) -> int:
        """1, 2 or 3: by the wall clock, so the change of clocks makes one shift longer or shorter.

        A time that comes twice belongs to the shift of its first occurrence.
        """
        began = self._begins.astimezone(days.zone).replace(tzinfo=None)
        passed = self._local(hour, days).replace(tzinfo=None) - began
        return min(3, max(1, passed // timedelta(hours=SHIFT_HOURS) + 1))

    def _local(self, hour: int, days: GamingDays) -> datetime:
        return (self._begins + timedelta(hours=hour)).astimezone(UTC).astimezone(days.zone)
