"""What every kind of report is made from: the books of a range of days, and how they are shown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook, currency_of
from progressive.application.finance.book.figures import Behind, PartFlows
from progressive.application.finance.report import (
    Cell,
    Chart,
    Column,
    JournalRange,
    Report,
    Row,
    sums,
)
from progressive.application.finance.reports.gl_accounts import OWN_WORD, GlAccounts
from progressive.application.finance.reports.readings_then import SignsThen
from progressive.application.finance.stated.entries import Entered
from progressive.application.journal.times import clock_text
from progressive.domain.finance_events import CageFile
from progressive.domain.happenings import HappenedThen
from progressive.domain.ids import LinkId, MeterId
from progressive.domain.money import difference_text
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.state.days import Days

NOT_OVER: Final = "DAY NOT OVER: figures up to record {seq} ({at})."

OUTSIDE: Final = "OUTSIDE THE CLOSES: {days}, before the first closed day, {first}."


class Context(Struct, frozen=True, kw_only=True):
    """A question and what answers it."""

    link: LinkId
    books: tuple[DayBook, ...]
    """One a day, oldest first, without a gap."""
    closed: bool
    """Whether all of the days are closed."""
    not_as_closed: tuple[str, ...] = ()
    """Days among them whose records do not come to what two people closed."""
    set_aside: tuple[str, ...] = ()
    """Stored books that were not as their day was closed: nothing rests on them any more."""
    end_seq: int = 0
    """The record up to which the journal was read."""
    days: Days = Days()
    """Every day that is closed or prepared by now."""
    entries: tuple[Entered, ...] = ()
    """All that finance entered from the first of the days on, also for other days; and before, as
    far as a kind of report looks back."""
    earlier: tuple[DayBook, ...] = ()
    later: tuple[DayBook, ...] = ()
    """Days before and after, for the kinds that look there."""
    cage_file: CageFile | None = None
    """A file that is not entered: it stands in the place of that of the last day."""
    signs: SignsThen | None = None
    """What signs and the journal showed when signs were read, for the kind that shows it."""
    over: bool
    """Whether the last day has ended."""
    program: str
    table: str | None = None
    """Only this table, where a kind of report can be asked for one."""
    combined_min_ppm: int | None = None
    """What the meters of a bet must take of a wager by the jurisdiction; None: no rule is known."""
    progression_clause: str = ""
    accounts: GlAccounts = GlAccounts()
    base_by: str = OWN_WORD
    """Who says what the house's money on meters is in the books."""
    happened: HappenedThen | None = None
    """What left no record, for the kinds that show it; None: nobody could be asked."""

    @property
    def first(self) -> DayBook:
        """The oldest book."""
        return self.books[0]

    @property
    def last(self) -> DayBook:
        """The newest book."""
        return self.books[-1]

    def clock(self, at: str) -> str:
        """A moment on the floor's clock, for notes."""
        return clock_text(at, self.last.days.zone)

    @property
    def house_money_note(self) -> str:
        """How the house's money on meters stands in the books, and who says so."""
        what = "accrued" if self.accounts.accrues_base else "a memo, not a liability"
        return f"House money on the meters: {what} ({self.base_by})."

    @property
    def outside(self) -> tuple[str, ...]:
        """The days of the range before the first one that was closed: they are never closed."""
        return tuple(book.day for book in self.books if self.days.is_outside(book.day))

    @property
    def terms(self) -> LinkTerms | None:
        """The terms at the end of the range."""
        return self.last.closing.present_terms

    @property
    def meters(self) -> list[MeterId]:
        """Every meter that the books know: those of the terms first, in their order."""
        present = [] if self.terms is None else [meter.id for meter in self.terms.meters]
        known = [meter for meter in self.last.closing.meters if meter not in present]
        return present + known

    @property
    def bet_of_meter(self) -> Mapping[str, str]:
        """The bet that feeds each meter, by all terms of the range."""
        return {
            meter.id: bet.id
            for book in self.books
            for terms in book.closing.terms.values()
            for bet in terms.bets
            for meter in bet.meters
        }

    def flows(self, meter: MeterId, part: str) -> PartFlows:
        """What moved a part of a meter over the whole range."""
        together = PartFlows()
        for book in self.books:
            of_meter = book.flows.get(meter, {})
            if (moved := of_meter.get(part)) is not None:  # type: ignore[call-overload]
                for name in PartFlows.__struct_fields__:
                    if name not in Behind.__struct_fields__:
                        setattr(together, name, getattr(together, name) + getattr(moved, name))
                together.stands_on(moved.first_seq, moved.last_seq)
        return together

    def at_table(self, table: str) -> bool:
        """Whether a table is asked for."""
        return self.table is None or self.table == table


def made(
    context: Context,
    *,
    kind: str,
    title: str,
    clauses: tuple[str, ...],
    columns: Sequence[Column],
    rows: Sequence[Row],
    notes: Sequence[str] = (),
    charts: Sequence[Chart] = (),
    rates: Mapping[str, int] | None = None,
) -> Report:
    """The report with its head. `rates`: figures for the whole that are no sums."""
    terms = context.terms
    house = None if terms is None else terms.house
    with_records = [book for book in context.books if book.records]
    outside = context.outside
    others = [book.day for book in context.books if book.day not in outside]
    zone, starts = context.last.time_zone, context.last.day_starts
    return Report(
        report=kind,
        title=title,
        link=context.link,
        link_name="" if house is None else house.name,
        floor=context.last.closing.floor,
        currency="" if house is None else house.currency,
        time_zone=zone,
        from_day=context.first.day,
        to_day=context.last.day,
        closed=context.closed,
        outside=bool(outside) and all(map(context.days.is_closed, others)),
        journal=JournalRange(
            with_records[0].first_seq if with_records else None,
            with_records[-1].last_seq if with_records else None,
            context.last.closing.head,
        ),
        terms_versions=tuple(
            sorted({version for book in context.books for version in _versions(book)})
        ),
        day_rule=(
            "A round belongs to the gaming day of its lock-out, an award to the day of its "
            "settlement, a payment to the day it is paid, a void to the day of the void. "
            f"Day starts {starts} {zone}."
        ),
        clauses=clauses,
        columns=tuple(columns),
        rows=tuple(rows),
        totals=sums(columns, rows) | dict(rates or {}),
        program=context.program,
        notes=(*_standing_notes(context), *notes),
        charts=tuple(charts),
    )


def _versions(book: DayBook) -> set[int]:
    used = {use.terms_version for use in book.bets.values()}
    return used or ({book.closing.terms_version} - {0})


def _standing_notes(context: Context) -> Iterator[str]:
    closing = context.last.closing
    if not context.over:
        yield NOT_OVER.format(seq=closing.seq, at=context.clock(closing.at))
    if outside := context.outside:
        which = outside[0] if len(outside) == 1 else f"{outside[0]} to {outside[-1]}"
        yield OUTSIDE.format(days=which, first=context.days.first)
    if not any(book.records for book in context.books):
        yield "No record in these days: the meters stood still."
    for wrong in context.not_as_closed:
        yield f"DIFFERENCE: {wrong}."
    for book in context.books:
        for each in book.differences:
            amount = difference_text(each.microcents, currency_of(context.last))
            yield f"DIFFERENCE: record {each.seq}: {each.what}, by {amount}."
        if book.differences_more:
            yield f"DIFFERENCE: {book.differences_more} more records on {book.day}."


def behind(figure: Behind) -> dict[str, Cell]:
    """The last two columns of a row."""
    return {"first_seq": figure.first_seq or None, "last_seq": figure.last_seq or None}


def ratio_ppm(part: int, whole: int) -> int | None:
    """A share in parts per million, half up; None of nothing. Both in the same unit."""
    if whole <= 0:
        return None
    return (2 * part * 1_000_000 + whole) // (2 * whole)
