"""One question about a link's finances, from its words to the report.

Checks the question first (link, days, table), then brings the books, then has the kind make its
report. Raises FinanceRefusedError for a question that has no answer, StoreError and
JournalBrokenError for a journal that has none.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date
from typing import Final

from msgspec import Struct, structs

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.days import LinkDays, days_between, days_of_month
from progressive.application.finance.questions.as_closed import books_as_closed
from progressive.application.finance.questions.beside import entered_since, with_cage
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.ports import BookCache, HappeningsReader
from progressive.application.finance.questions.readings import with_readings
from progressive.application.finance.refusals import (
    DayRefusedError,
    FinanceRefusedError,
    NotThereError,
    PurgedDayError,
)
from progressive.application.finance.report import Report
from progressive.application.finance.reports import cage, readings
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.gl_accounts import GlAccounts, with_base
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.finance.stated.closed_days import closed_days
from progressive.application.finance.stated.entries import entries
from progressive.application.journal.ports import JournalReader
from progressive.application.signs.ports import ReadsSignLogs
from progressive.domain.finance_events import CageFile
from progressive.domain.happenings import HappenedThen
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.jurisdiction import Jurisdiction

DAYS_MAX: Final = 3_660
"""In one report: ten years."""
NAMED_MAX: Final = 12
"""Tables that a refusal names."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH: Final = re.compile(r"\d{4}-\d{2}")


class Question(Struct, frozen=True, kw_only=True):
    """What is asked, in the words of whoever asks."""

    kind: str
    day: str | None = None
    from_day: str | None = None
    to_day: str | None = None
    month: str | None = None
    link: str | None = None
    table: str | None = None


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a question is answered from."""

    reader: JournalReader
    now: str
    """In the journal's form: what is later has not happened."""
    program: str
    cache: BookCache | None = None
    jurisdiction: Callable[[str], Jurisdiction | None] = lambda name: None
    """What a regulator asks of contributions, of reading signs, and how the books are kept."""
    accounts: GlAccounts = GlAccounts()
    happenings: HappeningsReader | None = None
    """What happened without a record; None: the reports say that they do not know."""
    sign_log: ReadsSignLogs | None = None
    """The sign log of this node; None: readings stand beside the journal alone."""
    cage_file: Callable[[str], CageFile] | None = None
    """A cage's file of the last day that is not entered, given the floor's time zone."""
    refold: bool = False
    """Fold the days that are asked for again, whatever is stored: for what people sign."""
    confirming: bool = False
    """Hold the records behind stored books against the chain: for whoever can wait for it."""


class Asked(Struct, frozen=True):
    """A question whose days and books are at hand, for the kinds that are made from them."""

    context: Context
    books: Books
    today: str


async def context_for(question: Question, around: Surroundings) -> Context:
    """Everything that a report of the question is made from."""
    asked = await asked_for(question, around)
    context = await context_of(question.kind, asked, around)
    if around.confirming:
        await asked.books.confirm()
    return context


async def asked_for(question: Question, around: Surroundings) -> Asked:
    """The question looked at, and its books brought: what all kinds need."""
    kind = KINDS.get(question.kind)
    if kind is None:
        raise FinanceRefusedError(f"unknown report {question.kind!r} ({', '.join(KINDS)})")
    if question.table is not None and not kind.by_table:
        able = ", ".join(each.kind for each in KINDS.values() if each.by_table)
        raise FinanceRefusedError(
            f"{kind.kind} cannot be asked for one table: all feed one meter (these can: {able})"
        )
    first, last = asked_days(question)
    link = await known_link(around.reader, question.link)
    days = await LinkDays.load(around.reader, link)
    today = days.today(around.now)
    _refuse_days(days, first, last, today)
    last = min(last, today) if question.month is not None else last
    first = max(first, days.first_day) if question.month is not None else first
    books = Books(around.reader, link, days, cache=around.cache)
    end = days.end.seq
    stated = await closed_days(around.reader, link, until_seq=end)
    brought = await books_as_closed(
        around.reader, books, stated, days_between(first, last), refold=around.refold
    )
    found = brought.books
    _refuse_table(question.table, found)
    house = None if (terms := found[-1].closing.present_terms) is None else terms.house
    asks = None if house is None else around.jurisdiction(house.jurisdiction)
    progression = None if asks is None else asks.progression
    accounts, base_by = with_base(around.accounts, asks)
    context = Context(
        link=link,
        books=tuple(found),
        not_as_closed=tuple(brought.not_as_closed),
        set_aside=tuple(brought.set_aside),
        closed=stated.is_closed(first) and stated.is_closed(last),
        end_seq=end,
        days=stated,
        entries=await entries(around.reader, link, after_seq=entered_since(found), until_seq=end),
        over=found[-1].ends <= around.now,
        program=around.program,
        table=question.table,
        combined_min_ppm=None if progression is None else progression.combined_min_ppm,
        progression_clause="" if progression is None else progression.clause,
        accounts=accounts,
        base_by=base_by,
    )
    return Asked(context, books, today)


async def context_of(kind: str, asked: Asked, around: Surroundings) -> Context:
    """The same question for one kind, with what that kind needs besides."""
    context, books = asked.context, asked.books
    if KINDS[kind].beside_journal:
        happened = await _happened(context.link, books.days, context.books, around)
        return structs.replace(context, happened=happened)
    if kind == cage.KIND:
        return await with_cage(context, books, around.reader, asked.today, around.cage_file)
    if kind == readings.KIND:
        return await with_readings(context, books, around.reader, around.sign_log)
    return context


async def _happened(
    link: LinkId, days: LinkDays, books: Sequence[DayBook], around: Surroundings
) -> HappenedThen | None:
    """What happened beside the journal in the days of these books, up to now."""
    if around.happenings is None:
        return None
    from_at, to_at = books[0].begins, min(books[-1].ends, around.now)
    then = await asyncio.to_thread(around.happenings.read, from_at, to_at, link)
    begins = [book.begins for book in books]

    def day_of(at: str) -> str:
        place = bisect_right(begins, at)
        return books[place - 1].day if place else days.day_of(at)

    happened = tuple(structs.replace(each, day=day_of(each.at)) for each in then.happened)
    return structs.replace(then, happened=happened)


async def answer(question: Question, around: Surroundings) -> Report:
    """The report that a question asks for."""
    context = await context_for(question, around)
    return KINDS[question.kind].report(context)


def asked_days(question: Question) -> tuple[str, str]:
    """The first and the last day that are asked for; raises DayRefusedError."""
    given = [question.day, question.from_day or question.to_day, question.month]
    if sum(each is not None for each in given) != 1:
        raise DayRefusedError("give one of: a day, a range of days (from and to), a month")
    if question.month is not None:
        try:
            if not _MONTH.fullmatch(question.month):
                raise ValueError(question.month)
            return days_of_month(question.month)
        except ValueError:
            raise DayRefusedError(f"{question.month!r} is not a month like 2026-11") from None
    if question.day is not None:
        return (checked_day(question.day),) * 2
    if question.from_day is None or question.to_day is None:
        raise DayRefusedError("a range needs both its first and its last day")
    first, last = checked_day(question.from_day), checked_day(question.to_day)
    if last < first:
        raise DayRefusedError(f"{last} is before {first}")
    if len(days_between(first, last)) > DAYS_MAX:
        raise DayRefusedError(f"more than {DAYS_MAX} days in one report")
    return first, last


def checked_day(text: str) -> str:
    """A gaming day like `2026-11-17`; raises DayRefusedError."""
    try:
        if not _DAY.fullmatch(text):
            raise ValueError(text)
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise DayRefusedError(f"{text!r} is not a day like 2026-11-17") from None


async def known_link(reader: JournalReader, asked: str | None) -> LinkId:
    """The link that is asked for; the only one where none is named. Raises NotThereError."""
    known = await reader.links()
    if asked is None and len(known) == 1:
        return known[0]
    there = f"there are: {', '.join(known)}" if known else "there is no journal"
    if asked is None:
        raise NotThereError(f"which link? ({there})")
    if asked not in known:
        raise NotThereError(f"no link {asked!r} ({there})")
    return LinkId(asked)


def _refuse_days(days: LinkDays, first: str, last: str, today: str) -> None:
    # A month may reach beyond both ends: what is asked for are its days so far.
    month = _is_month(first, last)
    early = last if last < days.first_day else first
    if last < days.first_day or (first < days.first_day and not month):
        refused = PurgedDayError if days.purged else DayRefusedError
        gone = " that was not purged" if days.purged else ""
        raise refused(
            f"{early} is before the first record{gone}: the journal begins on {days.first_day}"
        )
    if first > today:
        raise DayRefusedError(f"{first} has not begun: today is gaming day {today}")
    if last > today and not month:
        raise DayRefusedError(f"{last} has not begun: today is gaming day {today}")


def _is_month(first: str, last: str) -> bool:
    return days_of_month(first[:7]) == (first, last)


def _refuse_table(table: str | None, books: Sequence[DayBook]) -> None:
    if table is None:
        return
    known = {each for book in books for each in book.closing.tables}
    known |= {each.table for book in books for each in book.hours.values()}
    if table not in known:
        some = sorted(known)[:NAMED_MAX]
        more = f" and {len(known) - len(some)} more" if len(known) > len(some) else ""
        raise NotThereError(f"no table {table!r} (there are: {', '.join(some) or 'none'}{more})")
