"""`wagers`: what was wagered by day, shift, hour, table and bet, and where it went."""

from collections.abc import Iterable, Sequence
from typing import Final

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import WagerCell
from progressive.application.finance.book.hours import Hours
from progressive.application.finance.report import (
    Chart,
    Report,
    Row,
    Series,
)
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made
from progressive.application.finance.reports.count_mismatches import (
    CountMismatches,
    counted_bets,
    notes_of,
)

KIND: Final = "wagers"
TITLE: Final = "Wagers"
CLAUSES: Final = ("N.J.A.C. 13:69F-2.28(b)", "N.J.A.C. 13:69D-1.34")
HOURS_FOR_DAYS: Final = 7
"""Up to so many days are shown by the hour, longer ranges by the day."""

COLUMNS: Final = columns("""
    day                   day              Day: The gaming day of the lock-out, or of the void
        or settlement.
    shift                 int              Shift: 1 to 3: eight hours of the wall clock each,
        from the day's start.
    hour                  text, width 23   Hour: Where the hour began, by the floor's clock.
    table                 text             Table: The table.
    bet                   text             Bet: The side bet.
    rounds                int              Rounds: Rounds that had a wager on the bet.
    wagers                int, sum         Wagers: Chips and coupons.
    chips                 int, sum         Chips: Wagers in chips.
    chip_cents            cents, sum       In chips: Their amount.
    coupons               int, sum         Coupons: Wagers by coupon.
    coupon_cents          cents, sum       By coupon: Their face amount.
    registered_cents      cents, sum       Registered: What the lock-outs registered.
    difference_cents      cents, sum, zero  Difference: Chips and coupons less registered: zero.
    voided                int, sum         Voided: Wagers of rounds voided in this hour.
    voided_cents          cents, sum       Voided amount: What went back for them.
    net_cents             cents, sum       Net: Registered less voided.
    to_meters_microcents  microcents, sum  To meters: What meters took, net of voids.
    to_hold_microcents    microcents, sum  To hold: What remained with the house, net of voids.
    fixed_awards          int, sum         Fixed awards: Awards of fixed lines settled in this
        hour.
    fixed_cents           cents, sum       Fixed pays: What they pay.
    returned_cents        cents, sum       Stakes back: Stakes that went back to winners.
    count_mismatches      int              Mismatches: Lock-outs of the table refused for their
        chip count in this hour; empty: not known, or no chips are counted for the bet.
""")


def report(context: Context) -> Report:
    """The wagers of a range of days, of all tables or one."""
    by_hour = len(context.books) <= HOURS_FOR_DAYS
    mismatches = CountMismatches(context)
    rows = []
    for book in context.books:
        cells = [cell for cell in book.cells.values() if context.at_table(cell.table)]
        counted = counted_bets(book)
        cells += _without_wagers(cells, counted, mismatches.places(book))
        if not by_hour:
            cells = _by_day(cells)
        cells.sort(key=lambda cell: (cell.hour, cell.table, cell.bet))
        for cell in cells:
            hour = cell.hour if by_hour else None
            times = mismatches.of(book, hour, cell.table) if cell.bet in counted else None
            rows.append(_row(book, cell, times, by_hour=by_hour))
    hours = [
        each
        for book in context.books
        for each in book.hours.values()
        if context.at_table(each.table)
    ]
    rounds = sum(each.rounds for each in hours)
    notes = [
        f"{rounds} rounds, {sum(each.without_wagers for each in hours)} of them without a wager; "
        f"{sum(each.voided for each in hours)} voided. "
        "A round counts in the row of every bet it had.",
        *notes_of(context),
    ]
    rates = {"rounds": rounds}
    if mismatches.total is not None:
        rates["count_mismatches"] = mismatches.total
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows,
        notes=notes, charts=_charts(context), rates=rates,
    )  # fmt: skip


def _without_wagers(
    cells: Sequence[WagerCell], counted: Sequence[str], places: Iterable[tuple[int, str]]
) -> list[WagerCell]:
    """Cells for the hours in which lock-outs of a table were refused and none was taken."""
    played = {(cell.hour, cell.table) for cell in cells}
    return [
        WagerCell(hour=hour, table=table, bet=bet)
        for hour, table in places
        if (hour, table) not in played
        for bet in counted
    ]


def _by_day(cells: list[WagerCell]) -> list[WagerCell]:
    found: dict[tuple[str, str], WagerCell] = {}
    for cell in cells:
        together = found.setdefault(
            (cell.table, cell.bet), WagerCell(hour=0, table=cell.table, bet=cell.bet)
        )
        for name in WagerCell.__struct_fields__:
            if name not in ("hour", "table", "bet", "first_seq", "last_seq"):
                setattr(together, name, getattr(together, name) + getattr(cell, name))
        together.stands_on(cell.first_seq, cell.last_seq)
    return list(found.values())


def _row(book: DayBook, cell: WagerCell, mismatches: int | None, *, by_hour: bool) -> Row:
    hours, days = Hours(book.begins), book.days
    voided = cell.voided_chip_cents + cell.voided_coupon_cents
    return {
        "day": book.day,
        "shift": hours.shift(cell.hour, days) if by_hour else None,
        "hour": hours.label(cell.hour, days) if by_hour else None,
        "table": cell.table,
        "bet": cell.bet,
        "rounds": cell.rounds,
        "wagers": cell.chips + cell.coupons,
        "chips": cell.chips,
        "chip_cents": cell.chip_cents,
        "coupons": cell.coupons,
        "coupon_cents": cell.coupon_cents,
        "registered_cents": cell.registered_cents,
        "difference_cents": cell.chip_cents + cell.coupon_cents - cell.registered_cents,
        "voided": cell.voided,
        "voided_cents": voided,
        "net_cents": cell.registered_cents - voided,
        "to_meters_microcents": cell.to_meters,
        "to_hold_microcents": cell.to_hold,
        "fixed_awards": cell.fixed_awards,
        "fixed_cents": cell.fixed_cents,
        "returned_cents": cell.returned_cents,
        "count_mismatches": mismatches,
        **behind(cell),
    }


def _charts(context: Context) -> list[Chart]:
    """Wagers by hour, or by day for longer ranges."""
    by_hour = len(context.books) <= HOURS_FOR_DAYS
    cents: dict[str, int] = {}
    for book in context.books:
        for cell in sorted(book.cells.values(), key=lambda each: each.hour):
            if context.at_table(cell.table):
                label = Hours(book.begins).label(cell.hour, book.days) if by_hour else book.day
                cents[label] = cents.get(label, 0) + cell.registered_cents
    if not cents:
        return []
    title = "Wagers by hour" if by_hour else "Wagers by day"
    series = (Series("Registered", tuple(cents.values())),)
    return [Chart(title, "bars", tuple(cents), series, "cents")]
