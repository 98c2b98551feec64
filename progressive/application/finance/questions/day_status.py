"""Where a gaming day stands on its way to being closed, and which days there are.

Answers for people (`/finance`) and for the act of preparing a day. Raises FinanceRefusedError for a
day that cannot be asked for, StoreError and JournalBrokenError.
"""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.closing.checks import Check, checks_of
from progressive.application.finance.closing.late import late_items
from progressive.application.finance.closing.totals import totals_of
from progressive.application.finance.days import LinkDays, days_between
from progressive.application.finance.questions.asking import (
    Asked,
    Question,
    Surroundings,
    asked_for,
    context_of,
    known_link,
)
from progressive.application.finance.questions.left_behind import LeftBehind, left_behind
from progressive.application.finance.reports import cage, exceptions, readings, reconciliation
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.finance.stated.closed_days import (
    Close,
    close_of,
    closed_days,
    restatements_of,
)
from progressive.application.finance.stated.entries import Entered, entries, of_kind
from progressive.application.journal.finding import finding
from progressive.application.journal.reading import reading
from progressive.domain.finance_events import DayTotals, LateItem, SignReading
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.jurisdiction import ReadingRule
from progressive.domain.state.days import Days, Prepared
from progressive.domain.time_text import on_the_wall

DayState = Literal["running", "open", "ready", "prepared", "closed", "restated", "outside"]
"""`outside`: before the first day that was closed; such a day is never closed."""
DAYS_LISTED: Final = 62
OVERDUE_RECORDS: Final = 20_000
"""How far behind a day's end the settlement of its last rounds is looked for."""
_TABLES_MESSAGES: Final = (b'"type":"round_settled"', b'"type":"round_voided"')


class Statement(Struct, frozen=True, kw_only=True):
    """What somebody stated about a day, and when."""

    seq: int
    at: str
    number: int
    by: tuple[str, ...]
    note: str


class DayStatus(Struct, frozen=True, kw_only=True):
    """One day of one link, on its way to being closed."""

    link: LinkId
    day: str
    state: DayState
    begins: str
    ends: str
    over: bool
    checks: tuple[Check, ...]
    keeps_open: tuple[str, ...]
    """Sentences: what keeps the day from closing."""
    left_behind: LeftBehind | None
    """Where no day was closed yet: what stays outside the closes if this one is the first."""
    totals: DayTotals
    late: tuple[LateItem, ...]
    """Of a closed day: what was booked for it since."""
    prepared: Statement | None
    closed: Statement | None
    restatements: tuple[Statement, ...]
    entries: tuple[Entered, ...]
    """What finance entered for the day."""
    journal_seq: int
    """The record up to which all this was read."""


class DayLine(Struct, frozen=True, kw_only=True):
    """One day of the strip of days."""

    day: str
    state: DayState
    begins: str
    ends: str
    records: int


class DayLines(Struct, frozen=True, kw_only=True):
    """The strip of days of one link, newest first."""

    link: LinkId
    today: str
    first_day: str
    days: tuple[DayLine, ...]


async def day_status(around: Surroundings, link: str | None, day: str) -> DayStatus:
    """Everything that somebody needs to know before a day is prepared or closed."""
    asked = await asked_for(Question(kind=reconciliation.KIND, day=day, link=link), around)
    return await status_of(asked, around)


async def status_of(asked: Asked, around: Surroundings) -> DayStatus:
    """The same of a day that was asked for already: from one state of the journal."""
    context, day = asked.context, asked.context.last.day
    reader, of, book = around.reader, context.link, context.last
    end = context.end_seq
    days = context.days
    totals = totals_of(book)
    checks = checks_of(
        context,
        {
            kind: KINDS[kind].report(await context_of(kind, asked, around))
            for kind in (exceptions.KIND, readings.KIND, cage.KIND)
        },
        open_tables=await _open_tables(around, of, book, end),
        unread=await _unread(around, context),
    )
    closed = restated = None
    late: tuple[LateItem, ...] = ()
    restatements: Sequence[Close] = ()
    if days.is_closed(day):
        closed = await close_of(reader, of, days, day)
        restatements = await restatements_of(reader, of, days, day)
        late = await late_items(
            reader, of, day, closed.event.totals, close_seq=closed.seq, until_seq=end
        )
        restated = restatements[-1] if restatements else None
    keeps_open = tuple(_keeps_open(context, checks, days, late, restated))
    behind = None
    if not days.first:
        behind = await left_behind(reader, of, day, until_seq=book.opening.seq)
    outside = days.is_outside(day)
    return DayStatus(
        link=of,
        day=day,
        state=_state(days, day, over=context.over, ready=not keeps_open),
        begins=book.begins,
        ends=book.ends,
        over=context.over,
        checks=checks,
        keeps_open=keeps_open,
        left_behind=behind,
        totals=totals,
        late=late,
        prepared=None if outside else await _prepared(around, of, days.preparation(day)),
        closed=None if closed is None else _statement(closed),
        restatements=tuple(map(_statement, restatements)),
        entries=tuple(each for each in context.entries if each.day == day),
        journal_seq=end,
    )


async def days_of(
    around: Surroundings,
    link: str | None,
    *,
    ready: Collection[str] = (),
    newest: int = DAYS_LISTED,
) -> DayLines:
    """The last days of a link. `ready`: those that nothing kept from closing when their checklist
    was worked out; that is not done here."""
    of = await known_link(around.reader, link)
    days = await LinkDays.load(around.reader, of)
    stated = await closed_days(around.reader, of, until_seq=days.end.seq)
    today = days.today(around.now)
    oldest = max(
        days.first_day, (date.fromisoformat(today) - timedelta(days=newest - 1)).isoformat()
    )
    lines = []
    for day in reversed(days_between(oldest, today)):
        stretch = await days.stretch(day, what_is_left=True)
        lines.append(
            DayLine(
                day=day,
                state=_state(stated, day, over=stretch.ends <= around.now, ready=day in ready),
                begins=stretch.begins,
                ends=stretch.ends,
                records=stretch.last_seq - stretch.first_seq + 1,
            )
        )
    return DayLines(link=of, today=today, first_day=days.first_day, days=tuple(lines))


def _state(days: Days, day: str, *, over: bool, ready: bool) -> DayState:
    if days.is_outside(day):
        return "outside"
    if days.preparation(day) is not None:
        return "prepared"
    if days.is_closed(day):
        return "restated" if days.restatement(day)[0] else "closed"
    if not over:
        return "running"
    return "ready" if ready else "open"


def _keeps_open(
    context: Context,
    checks: Sequence[Check],
    days: Days,
    late: Sequence[LateItem],
    restated: Close | None,
) -> list[str]:
    day, book = context.last.day, context.last
    if days.is_closed(day):
        stated = () if restated is None else restated.event.late
        return (
            [] if tuple(late) != stated else ["Nothing was booked for the day since it was closed."]
        )
    if days.is_outside(day):
        return [f"The first closed day is {days.first}: days before it stay as they are."]
    found = []
    if not context.over:
        ends = on_the_wall(book.ends, ZoneInfo(book.time_zone))
        found.append(f"The day is not over before {ends}.")
    if days.last:
        due = (date.fromisoformat(days.last) + timedelta(days=1)).isoformat()
        if day > due:
            found.append(f"{due} is to be closed first.")
    found += [f"{check.title}: {check.detail}" for check in checks if check.state == "open"]
    return found


async def _open_tables(
    around: Surroundings, link: LinkId, book: DayBook, end_seq: int
) -> tuple[str, ...]:
    """Tables whose round of the day is still open at the end of the journal."""
    waiting = set(book.closing.rounds)
    if not waiting or book.closing.seq >= end_seq:
        return tuple(sorted(waiting))
    until = min(end_seq, book.closing.seq + OVERDUE_RECORDS)
    records = around.reader.read(link, after_seq=book.closing.seq, until_seq=until)
    async with reading(records) as chunks:
        async for chunk in chunks:
            for stored in chunk:
                if any(mark in stored for mark in _TABLES_MESSAGES):
                    waiting.discard(finding(stored).event.table)
            if not waiting:
                break
    return tuple(sorted(waiting))


async def _unread(around: Surroundings, context: Context) -> tuple[str, ...]:
    """Displayed meters that were due to be read off a sign by the end of the day."""
    rule = _reading_rule(around, context)
    if rule is None:
        return ()
    day = context.last.day
    since = (date.fromisoformat(day) - timedelta(days=rule.every_days - 1)).isoformat()
    days = await LinkDays.load(around.reader, context.link)
    if since < days.first_day:
        return ()
    stretch = await days.stretch(since, what_is_left=True)
    found = await entries(
        around.reader,
        context.link,
        after_seq=stretch.first_seq - 1,
        until_seq=context.end_seq,
    )
    read = {entry.meter for each, entry in of_kind(found, SignReading) if since <= each.day <= day}
    return tuple(meter for meter in context.meters if meter not in read)


def _reading_rule(around: Surroundings, context: Context) -> ReadingRule | None:
    house = None if context.terms is None else context.terms.house
    asks = None if house is None else around.jurisdiction(house.jurisdiction)
    return None if asks is None else asks.readings


async def _prepared(
    around: Surroundings, link: LinkId, prepared: Prepared | None
) -> Statement | None:
    if prepared is None:
        return None
    stored = await around.reader.record(link, prepared.seq)
    event = prepared.event
    return Statement(
        seq=prepared.seq,
        at="" if stored is None else finding(stored).at,
        number=event.number,
        by=(event.by.name,),
        note=event.note,
    )


def _statement(close: Close) -> Statement:
    event = close.event
    return Statement(
        seq=close.seq,
        at=close.at,
        number=event.number,
        by=tuple(each.name for each in event.by),
        note="",
    )
