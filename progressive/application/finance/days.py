"""Which records belong to a gaming day: by time, across the journal, without a gap or an overlap.

A day begins where the one before it ended, also where its start or the zone was changed by other
terms in between: so the closing of one day is always the opening of the next.
"""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.finance.refusals import DayRefusedError, PurgedDayError
from progressive.application.journal.export import last_before, oldest_seq
from progressive.application.journal.finding import Finding, finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.ports import JournalEnd, JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.journal.segments import LANDMARKS
from progressive.domain.events import FloorRecorded, LinkOpened, LinkReopened
from progressive.domain.ids import LinkId
from progressive.domain.person_events import TermsChanged


class Stretch(Struct, frozen=True, kw_only=True):
    """A gaming day and the records that belong to it."""

    day: str
    begins: str
    ends: str
    days: GamingDays
    first_seq: int
    last_seq: int
    """One before the first, where there is none."""
    whole: bool = True
    """Whether none of the day's records were purged."""


class LinkDays:
    """How one link counted its days, by the terms in its journal up to its end."""

    def __init__(
        self,
        reader: JournalReader,
        link: LinkId,
        end: JournalEnd,
        counted: list[tuple[str, GamingDays]],
        oldest: Finding,
    ) -> None:
        """`counted`: from which moment on days were counted how, oldest first. `oldest`: the first
        record that was not purged."""
        self._reader = reader
        self._link = link
        self._end = end
        self._counted = counted
        self._oldest = oldest.seq
        self._last: dict[str, int] = {}
        """By moments that were asked for: one day ends where the next begins."""
        self.first_day = self.day_of(oldest.at)
        """The gaming day of the oldest record that is still there."""

    @classmethod
    async def load(cls, reader: JournalReader, link: LinkId) -> "LinkDays":
        """Raises StoreError, JournalBrokenError, DayRefusedError."""
        end = await reader.journal_end(link)
        stored_terms = await reader.acts(link, after_seq=0, until_seq=end.seq, types=LANDMARKS)
        counted: list[tuple[str, GamingDays]] = []
        for stored in stored_terms:
            record = decode_record(stored)
            event = record.event
            if not isinstance(event, LinkOpened | LinkReopened | FloorRecorded | TermsChanged):
                continue
            house = None if event.terms is None else event.terms.house
            if house is not None:
                counted.append((record.at, GamingDays.of(house.time_zone, house.gaming_day_starts)))
        if not counted:
            raise DayRefusedError(f"the journal of {link} does not say when its gaming days begin")
        oldest = await oldest_seq(reader, link)
        first = await reader.record(link, oldest)
        if first is None:
            raise JournalBrokenError(f"record {oldest} is missing")
        return cls(reader, link, end, counted, finding(first))

    @property
    def end(self) -> JournalEnd:
        """Where the journal ended when this was loaded: all stretches are up to there."""
        return self._end

    @property
    def purged(self) -> bool:
        """Whether records before the oldest one that is there were removed."""
        return self._oldest > 1

    @property
    def zone(self) -> ZoneInfo:
        """Where the floor is now."""
        return self._counted[-1][1].zone

    def how(self, day: str) -> GamingDays:
        """How days were counted when this one ended."""
        found = self._counted[0][1]
        for since, days in self._counted:
            # By the count before it, or by its own, the day may be over already.
            if since < found.ends(day) and since < days.ends(day):
                found = days
        return found

    def day_of(self, at: str) -> str:
        """The gaming day of a moment: the first whose end is after it."""
        day = self._counted[-1][1].day_of(at)
        while at >= self.how(day).ends(day):
            day = _next(day)
        while at < self.how(_before(day)).ends(_before(day)):
            day = _before(day)
        return day

    def today(self, now: str) -> str:
        """The gaming day of a moment, as days are counted now."""
        return self._counted[-1][1].day_of(now)

    async def stretch(self, day: str, *, what_is_left: bool = False) -> Stretch:
        """The records of a day; raises StoreError, and DayRefusedError where some were purged.

        `what_is_left`: those that were not purged.
        """
        before = _before(day)
        begins, days = self.how(before).ends(before), self.how(day)
        ends = days.ends(day)
        after = await self._last_before(begins)
        last = await self._last_before(ends)
        whole = after + 1 >= self._oldest
        if not whole and not what_is_left:
            raise PurgedDayError(f"{day}: its records up to {self._oldest - 1:,} were purged")
        after, last = max(after, self._oldest - 1), max(last, self._oldest - 1)
        return Stretch(
            day=day,
            begins=begins,
            ends=ends,
            days=days,
            first_seq=after + 1,
            last_seq=last,
            whole=whole,
        )

    async def _last_before(self, at: str) -> int:
        """The last record before a moment; 0 where it is one of those that were purged."""
        if (known := self._last.get(at)) is not None:
            return known
        try:
            found = await last_before(self._reader, self._link, at, self._end)
        except StorePurgedError:
            found = 0
        self._last[at] = found
        return found


def _before(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def days_between(first: str, last: str) -> list[str]:
    """Every day of a range, both ends included."""
    from_day, to_day = date.fromisoformat(first), date.fromisoformat(last)
    return [
        (from_day + timedelta(days=number)).isoformat()
        for number in range((to_day - from_day).days + 1)
    ]


def days_of_month(month: str) -> tuple[str, str]:
    """The first and the last day of a month like `2026-11`; raises ValueError."""
    first = date.fromisoformat(f"{month}-01")
    following = (first + timedelta(days=32)).replace(day=1)
    return first.isoformat(), (following - timedelta(days=1)).isoformat()
