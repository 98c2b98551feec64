"""The lock-outs that were refused for their chip count, by gaming day, hour and table.

They left no record: the log of happenings counted them. An hour of which that log does not know
everything has no count, as a smaller number would be taken for the whole.
"""

from collections.abc import Iterator
from typing import Final

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.hours import Hours
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.not_recorded import notes_on_log
from progressive.domain.happenings import Happened, HappenedKind, HappenedThen
from progressive.domain.rejections import Rejection
from progressive.domain.time_text import later

NOT_KNOWN: Final = "Count mismatches are not known: the journal does not hold refusals."
BESIDE: Final = (
    "Count mismatches are from the log of happenings, which is not sealed and no part of the "
    "journal."
)
LOST_SECONDS: Final = 150
"""What a line of the log tells of in one number lies so far back at most: else it says that the
service wrote nothing."""
_EVER, _NEVER = "", "9999"

_Span = tuple[str, str]


class CountMismatches:
    """All that the log knows of them in the days of a context."""

    def __init__(self, context: Context) -> None:
        then = context.happened
        self._gaps = [(_EVER, _NEVER)] if then is None else [*_gaps(then)]
        self._by_hour: dict[tuple[str, int], dict[str, int]] = {}
        self._by_day: dict[str, dict[str, int]] = {}
        self._known: dict[tuple[str, int | None], bool] = {}
        hours = {book.day: Hours(book.begins) for book in context.books}
        for each in () if then is None else then.happened:
            if _mismatch(each) and context.at_table(each.about):
                table, hour = each.about, hours[each.day].hour_of(each.at)
                of_hour = self._by_hour.setdefault((each.day, hour), {})
                of_hour[table] = of_hour.get(table, 0) + each.times
                of_day = self._by_day.setdefault(each.day, {})
                of_day[table] = of_day.get(table, 0) + each.times
        self.total = (
            sum(times for of_day in self._by_day.values() for times in of_day.values())
            if all(self._knows(book, None) for book in context.books)
            else None
        )
        """None: not all of the days are known."""

    def places(self, book: DayBook) -> Iterator[tuple[int, str]]:
        """The hours and tables of a day that had any."""
        for (day, hour), of_hour in self._by_hour.items():
            if day == book.day:
                yield from ((hour, table) for table in of_hour)

    def of(self, book: DayBook, hour: int | None, table: str) -> int | None:
        """How many a table had in an hour, or on the whole day; None: not known."""
        if not self._knows(book, hour):
            return None
        found = self._by_day.get(book.day) if hour is None else self._by_hour.get((book.day, hour))
        return (found or {}).get(table, 0)

    def _knows(self, book: DayBook, hour: int | None) -> bool:
        key = (book.day, hour)
        if key not in self._known:
            hours = Hours(book.begins)
            begins = book.begins if not hour else hours.ends(hour - 1)
            ends = book.ends if hour is None else hours.ends(hour)
            self._known[key] = not any(
                since < ends and begins < until for since, until in self._gaps
            )
        return self._known[key]


def counted_bets(book: DayBook) -> list[str]:
    """The bets whose chips are counted at a lock-out, by all terms of a day."""
    bets = [bet for terms in book.closing.terms.values() for bet in terms.bets if bet.meters]
    return list(dict.fromkeys(bet.id for bet in bets))


def notes_of(context: Context) -> list[str]:
    """Where the counts come from, and what is not known."""
    return notes_on_log(context, "count mismatches", beside=BESIDE, without_log=NOT_KNOWN)


def _mismatch(each: Happened) -> bool:
    return each.kind is HappenedKind.REFUSED and each.code == Rejection.CHIP_COUNT_MISMATCH


def _gaps(then: HappenedThen) -> Iterator[_Span]:
    """From and until of what is not known. While the service is down, nothing is refused."""
    yield _EVER, then.begins or _NEVER
    yield from then.unreadable
    for each in then.happened:
        nameless = each.kind is HappenedKind.REFUSED and not (each.about or each.code)
        if each.kind is HappenedKind.LOST or nameless:
            yield later(each.at, seconds=-LOST_SECONDS), each.at
        elif each.kind is HappenedKind.SILENCE:
            yield each.at, each.until or _NEVER
