"""COLD. How the gaming days of a link stand: which one should be closed, whether all adds up."""

import contextlib
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

from msgspec import Struct

from progressive.application.finance.days import LinkDays, days_between
from progressive.application.finance.desk.asked import LinkSight
from progressive.application.finance.desk.ready_days import ReadyDays
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.asking import Question, Surroundings, context_for
from progressive.application.finance.questions.day_status import day_status
from progressive.application.finance.refusals import DayRefusedError
from progressive.application.finance.reports import reconciliation
from progressive.application.finance.stated.closed_days import closed_days
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader, StoreCorruptError
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId
from progressive.domain.state.days import Days
from progressive.domain.time_text import later, on_the_wall

RECONCILED_DAYS_MAX: Final = 31
"""Days that are not closed and are reconciled all the time; older ones are when they are closed."""
_ENDS: Final = frozenset({"link_retired", "link_reopened"})
RECORDS_BETWEEN: Final = 1_000
"""The open day is reconciled again after so many."""


class _Reconciled(Struct, frozen=True):
    """What a reconciliation of a day came to, up to a record."""

    last_seq: int
    microcents: int
    wrong: bool


class Looking:
    """Remembers what was reconciled: a day that is over stays as it is."""

    def __init__(
        self,
        reader: JournalReader,
        books: WarmBooks,
        around: Callable[[str], Surroundings],
        *,
        ready: ReadyDays,
        close_within_hours: int,
    ) -> None:
        """`around`: what a question is answered from at a moment."""
        self._ready = ready
        self._close_within_seconds = close_within_hours * 3_600
        self._reader = reader
        self._books = books
        self._around = around
        self._reconciled: dict[tuple[LinkId, str], _Reconciled] = {}

    async def look(self, link: LinkId, now: str) -> LinkSight:
        """Read on, then say how the link's days stand; raises StoreUnavailableError."""
        try:
            days = await LinkDays.load(self._reader, link)
            await self._books.read_on(link, days, now)
            sight = await self._sight(link, days, now)
            await self._work_out(link, days, sight, now)
            return sight
        except DayRefusedError:
            # An old journal that does not say when its days begin, or was purged up to today.
            return LinkSight(link=link)
        except (StoreCorruptError, JournalBrokenError) as error:
            return LinkSight(link=link, difference=f"the journal cannot be followed: {error}")

    async def _sight(self, link: LinkId, days: LinkDays, now: str) -> LinkSight:
        stated = await closed_days(self._reader, link, until_seq=days.end.seq)
        today = days.today(now)
        late_before = days.day_of(later(now, seconds=-self._close_within_seconds))
        due = due_day(stated, today, late_before=late_before, first_day=days.first_day)
        if due is not None and not days.first_day <= due <= await self._last_day(link, days, today):
            due = None
        ended = "" if due is None else days.how(due).ends(due)
        oldest = max(due or today, days.first_day, _days_before(today, RECONCILED_DAYS_MAX))
        microcents, wrong = 0, ""
        for day in days_between(oldest, today):
            found = await self._reconcile(link, days, day, now)
            microcents += found.microcents
            if found.wrong and not wrong:
                wrong = f"the reconciliation of {day} does not come to zero"
        self._forget_before(link, oldest)
        return LinkSight(
            link=link,
            due_day=due or "",
            due_since=ended,
            due_ended="" if due is None else on_the_wall(ended, days.how(due).zone),
            difference_microcents=microcents,
            difference=wrong,
        )

    async def _work_out(self, link: LinkId, days: LinkDays, sight: LinkSight, now: str) -> None:
        """The checklist of the days that could be closed next, where it is not known."""
        stated = await closed_days(self._reader, link, until_seq=days.end.seq)
        yesterday = _days_before(days.today(now), 1)
        next_days = {sight.due_day} if stated.last else {sight.due_day, yesterday}
        known = await self._ready.days(link, now)
        for day in sorted(next_days - known.keys()):
            if days.first_day <= day <= yesterday and stated.preparation(day) is None:
                with contextlib.suppress(DayRefusedError):
                    self._ready.note(await day_status(self._around(now), link, day), now)

    async def _last_day(self, link: LinkId, days: LinkDays, today: str) -> str:
        """Of a link that was retired, the day on which it was: nothing follows that could move."""
        end = days.end.seq
        ends = await self._reader.acts(link, after_seq=0, until_seq=end, types=_ENDS)
        last = finding(ends[-1]) if ends else None
        retired = last is not None and last.event.type == "link_retired"
        return days.day_of(last.at) if last is not None and retired else today

    async def _reconcile(self, link: LinkId, days: LinkDays, day: str, now: str) -> _Reconciled:
        known = self._reconciled.get((link, day))
        last = (await days.stretch(day, what_is_left=True)).last_seq
        if known is not None and known.last_seq <= last < known.last_seq + (
            RECORDS_BETWEEN if day == days.today(now) else 1
        ):
            return known
        question = Question(kind=reconciliation.KIND, day=day, link=link)
        context = await context_for(question, self._around(now))
        report = reconciliation.report(context)
        microcents = sum(_size(row["difference_microcents"]) for row in report.rows)
        # Where a record contradicts the one before, the sums may agree all the same.
        microcents += sum(abs(each.microcents) for each in context.last.differences)
        wrong = reconciliation.difference(report)
        found = self._reconciled[link, day] = _Reconciled(last, microcents, wrong)
        return found

    def _forget_before(self, link: LinkId, day: str) -> None:
        for known in [each for each in self._reconciled if each[0] == link and each[1] < day]:
            del self._reconciled[known]


def due_day(stated: Days, today: str, *, late_before: str, first_day: str) -> str | None:
    """The oldest day that is over and should be closed.

    Where none ever was closed, the newest one that is late: a house that does not close its days is
    reminded of one of them, and not of all. Before there is one, the first day of the journal.
    `late_before`: days before it should be closed by now.
    """
    due = _days_before(stated.last, -1) if stated.last else _days_before(late_before, 1)
    if not stated.last:
        due = max(due, first_day)
    return due if due < today else None


def _days_before(day: str, number: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=number)).isoformat()


def _size(cell: object) -> int:
    return abs(cell) if isinstance(cell, int) else 0
