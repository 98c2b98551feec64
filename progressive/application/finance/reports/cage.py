"""`cage`: what the cage paid, as its files say, beside the documents that the service paid.

Payments of the rack have no document and are in no file of the cage; notes and a chart show them
beside each other by table.
"""

from collections.abc import Iterator, Sequence, Set
from typing import Final

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.standing import AwardEntry
from progressive.application.finance.report import Chart, Report, Row, Series
from progressive.application.finance.reports.awards import day_at, in_range
from progressive.application.finance.reports.cage_matching import Match, Ours, Theirs, matched
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.application.finance.stated.explained import Explanations
from progressive.application.journal.times import as_journal_time
from progressive.domain.finance_events import CageFile
from progressive.domain.ids import AwardId
from progressive.domain.money import money_text

KIND: Final = "cage"
TITLE: Final = "Cage payments"
CLAUSES: Final = ("N.J.A.C. 13:69F-2.28(h)", "N.J.A.C. 13:69D-1.34")
TABLES_DRAWN: Final = 24
"""In the chart: those with the highest payments."""

COLUMNS: Final = columns("""
    document          text              Document: The payment document.
    award             text              Award: The award that was paid with it.
    table             text              Table: Where it was won.
    system_cents      cents, sum        Service: What the service paid on these days; empty: it
        has no such payment on them.
    cage_cents        cents, sum        Cage: What the cage's files of these days say; empty: no
        such payment is in them.
    cage_ref          text              Cage reference: The cage's own number.
    system_at         time              Service at: When the service paid it.
    system_day        day               Service day: The gaming day of that.
    cage_at           time, detail      Cage at: When the cage says it did; empty: it does not
        say.
    cage_day          day               Cage day: The gaming day of that, else that of its file.
    difference_cents  cents, sum, zero  Difference: Service less cage: zero.
    status            text              Status: matched; ours only; theirs only; amount differs;
        day differs: the amounts agree, and the cage has it on another day; twice: the cage has
        the document once more.
    explanation       text, detail      Explanation: As entered, of whatever is not matched.
    explained_by      text, detail      Explained by: Who entered it.
    entered_seq       seq, detail       Entered in: The record that entered the cage's file.
""")


def report(context: Context) -> Report:
    """The payments of a range of days, of both sides."""
    matches = matches_of(context)
    explanations = Explanations(context.entries, KIND)
    days = {book.day for book in context.books}
    rows = [_row(match, explanations, days) for match in matches]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows,
        notes=[*_notes(context, matches)], charts=_charts(context, matches),
    )  # fmt: skip


def matches_of(context: Context) -> list[Match]:
    """The matches that one of the days has a part in; a part may lie on a day beside them."""
    days = {book.day for book in context.books}
    return [
        match
        for match in matched([*_ours(context)], [*_theirs(context)])
        if (match.ours is not None and match.ours.day in days)
        or (match.theirs is not None and match.theirs.file_day in days)
    ]


def documents_paid(books: Sequence[DayBook]) -> set[str]:
    """What the service paid with on these days, in small letters."""
    return {
        (entry.document or "").casefold()
        for book in books
        for entry in book.awards.values()
        if entry.paid is not None
    }


def files_of(entries: Sequence[Entered]) -> dict[str, tuple[Entered, CageFile]]:
    """The cage's file of each day: a later one replaces those before it."""
    return {entered.day: (entered, file) for entered, file in of_kind(entries, CageFile)}


def _ours(context: Context) -> Iterator[Ours]:
    known: dict[AwardId, AwardEntry] = {}
    for book in (*context.earlier, *context.books, *context.later):
        known |= book.awards
    for entry in sorted(known.values(), key=lambda entry: entry.paid.seq if entry.paid else 0):
        if entry.paid is not None and entry.document is not None:
            yield Ours(
                document=entry.document,
                award=entry.made.award,
                table=entry.table,
                cents=entry.paid_cents,
                at=entry.paid.at,
                day=_day_of(context, entry.paid.at),
                first_seq=entry.seq,
                last_seq=entry.paid.seq,
            )


def _theirs(context: Context) -> Iterator[Theirs]:
    files = {day: (entered.seq, file) for day, (entered, file) in files_of(context.entries).items()}
    if context.cage_file is not None:
        files[context.last.day] = (0, context.cage_file)
    for day, (seq, file) in sorted(files.items()):
        for payment in file.payments:
            at = as_journal_time(payment.paid_at) or ""
            at_day = _day_of(context, at) if at else ""
            yield Theirs(payment=payment, file_day=day, at=at, at_day=at_day, seq=seq)


def _day_of(context: Context, at: str) -> str:
    beside = (*context.earlier, *context.later)
    return next((book.day for book in beside if book.begins <= at < book.ends), "") or day_at(
        context, at
    )


def _row(match: Match, explanations: Explanations, days: Set[str]) -> Row:
    ours, theirs = match.ours, match.theirs
    # Of a payment on two days each side counts on its own, so that the sums are those of the days.
    system = ours.cents if ours is not None and ours.day in days else None
    cage = theirs.payment.cents if theirs is not None and theirs.file_day in days else None
    explained = None
    if match.status != "matched":
        explained = explanations.of(
            match.item,
            None if ours is None else ours.day,
            None if theirs is None else theirs.file_day,
        )
    return {
        "document": _document(match) or None,
        "award": None if ours is None else ours.award,
        "table": None if ours is None else ours.table,
        "system_cents": system,
        "cage_cents": cage,
        "cage_ref": None if theirs is None else theirs.payment.reference,
        "system_at": None if ours is None else ours.at,
        "system_day": None if ours is None else ours.day,
        "cage_at": None if theirs is None else theirs.at or None,
        "cage_day": None if theirs is None else theirs.day,
        "difference_cents": (system or 0) - (cage or 0),
        "status": match.status,
        "explanation": None if explained is None else explained.text,
        "explained_by": None if explained is None else explained.by,
        "entered_seq": None if theirs is None else theirs.seq or None,
        "first_seq": (theirs.seq or None if theirs else None) if ours is None else ours.first_seq,
        "last_seq": (theirs.seq or None if theirs else None) if ours is None else ours.last_seq,
    }


def _document(match: Match) -> str:
    if match.ours is not None:
        return match.ours.document
    return "" if match.theirs is None else match.theirs.payment.document


# --- notes and the chart --------------------------------------------------------------------------


def _notes(context: Context, matches: Sequence[Match]) -> Iterator[str]:
    counts: dict[str, int] = {}
    for match in matches:
        counts[match.status] = counts.get(match.status, 0) + 1
    counted = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    yield f"In these days: {counted or 'no payment'}."
    files = files_of(context.entries)
    for book in context.books:
        if context.cage_file is not None and book is context.last:
            file = context.cage_file
            yield f"{book.day}: compared with {file.file}, WHICH IS NOT ENTERED ({file.sha256})."
        elif book.day in files:
            entered, file = files[book.day]
            yield (
                f"{book.day}: {file.file}, {len(file.payments)} payments, entered by "
                f"{entered.by.name} in record {entered.seq} ({file.sha256})."
            )
        elif book.day in {match.ours.day for match in matches if match.ours is not None}:
            yield f"{book.day}: no file of the cage is entered."
    rack = _by_table_from_rack(context)
    house = None if context.terms is None else context.terms.house
    yield (
        "Payments of the rack have no document and stand in no row: "
        f"{money_text(sum(rack.values()), '' if house is None else house.currency)} at "
        f"{len(rack)} table{'' if len(rack) == 1 else 's'}."
    )


def _by_table_from_rack(context: Context) -> dict[str, int]:
    found: dict[str, int] = {}
    for book in context.books:
        for rack in book.racks.values():
            paid = rack.cents + rack.bonus_cents - rack.paid_before_cents
            found[rack.table] = found.get(rack.table, 0) + paid
    awards: dict[AwardId, AwardEntry] = {}
    for book in context.books:
        awards |= book.awards
    for entry in awards.values():
        if entry.paid is not None and entry.document is None and in_range(context, entry.paid.at):
            found[entry.table] = found.get(entry.table, 0) + entry.paid_cents
    return found


def _charts(context: Context, matches: Sequence[Match]) -> list[Chart]:
    rack, days = _by_table_from_rack(context), {book.day for book in context.books}
    cage: dict[str, int] = {}
    for match in matches:
        ours, theirs = match.ours, match.theirs
        if ours is not None and theirs is not None and theirs.file_day in days:
            table = ours.table
            cage[table] = cage.get(table, 0) + theirs.payment.cents
    tables = sorted(
        rack.keys() | cage.keys(), key=lambda at: (-rack.get(at, 0) - cage.get(at, 0), at)
    )
    if not tables:
        return []
    drawn = tuple(sorted(tables[:TABLES_DRAWN]))
    series = (
        Series("Paid from the rack", tuple(rack.get(table, 0) for table in drawn)),
        Series("Paid at the cage", tuple(cage.get(table, 0) for table in drawn)),
    )
    more = f" (the {TABLES_DRAWN} highest)" if len(tables) > TABLES_DRAWN else ""
    return [Chart(f"Rack against cage by table{more}", "bars", drawn, series, "cents")]
