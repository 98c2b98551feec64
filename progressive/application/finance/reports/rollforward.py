"""`rollforward`: every meter from the opening of a month to its closing, in whole cents, beside the
general ledger's balance as finance entered it.

A balance is of the end of a month: it stands beside ranges that end with that month.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import PARTS, PartFlows
from progressive.application.finance.book.standing import Parts
from progressive.application.finance.days import days_of_month
from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made
from progressive.application.finance.reports.whole_cents import steps_in_cents
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.domain.finance_events import LedgerBalance
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT

KIND: Final = "rollforward"
TITLE: Final = "Roll-forward of the progressive liability"
CLAUSES: Final = ("OAC 3772-10-17", "ASC 924-605 (ASU 2010-16)")

STEPS: Final = (
    ("increments_cents", ("contributions", "void_contra")),
    ("base_cents", ("house_initial", "house_reset")),
    ("moved_cents", ("reserve_moved", "overflow_moved")),
    ("awards_cents", ("awards", "award_void_back")),
    ("transfers_cents", ("transfers",)),
    ("adjustments_cents", ("corrections",)),
    ("retired_cents", ("retired",)),
)
"""Columns in the order in which the cents are taken, and the causes in each."""

COLUMNS: Final = columns("""
    meter                text             Meter: The meter.
    part                 text             Part: primary (displayed), reset or overflow.
    account              text             Account: Of the general ledger.
    opening_cents        cents, sum       Opening: Whole cents at the beginning.
    increments_cents     cents, sum       Increments: From wagers, less voided rounds.
    base_cents           cents, sum       House: Put there by the house.
    moved_cents          cents, sum       Moved: Between the parts of the meter.
    awards_cents         cents, sum       Awards: To winners, less voided awards.
    transfers_cents      cents, sum       Transfers: To and from other meters.
    adjustments_cents    cents, sum       Adjustments: Corrections.
    retired_cents        cents, sum       Retired: Parked at the end of the link.
    closing_cents        cents, sum       Closing: Whole cents at the end: the sum of the above.
    fraction_microcents  microcents, sum  Fraction: What lies on the meter beside whole cents.
    gl_cents             cents            Ledger: The ledger's balance as entered; empty: not
        entered.
    difference_cents     cents, zero      Difference: Closing less ledger.
    explanation          text             Explanation: Of a difference, as entered.
""")


def report(context: Context) -> Report:
    """The roll-forward of a range of days."""
    balances = balances_of(context)
    rows = [_row(context, meter, part, balances) for meter in context.meters for part in PARTS]
    notes = [
        "Whole cents are differences of floored running amounts: they sum without a remainder.",
        *_notes(context, balances),
    ]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=notes
    )


Balances = Mapping[tuple[str, str], tuple[Entered, LedgerBalance]]


def balances_of(context: Context) -> Balances:
    """The newest balance of each part of each meter, where the range ends with a month."""
    month = context.last.day[:7]
    if days_of_month(month)[1] != context.last.day:
        return {}
    return {
        (balance.meter, balance.part): (entered, balance)
        for entered, balance in of_kind(context.entries, LedgerBalance)
        if balance.month == month
    }


def _notes(context: Context, balances: Balances) -> Iterator[str]:
    month = context.last.day[:7]
    if balances:
        listed = ", ".join(str(seq) for seq in sorted({e.seq for e, _ in balances.values()}))
        people = ", ".join(sorted({entered.by.name for entered, _ in balances.values()}))
        yield f"The ledger's balances of {month} were entered by {people} (records {listed})."
    elif days_of_month(month)[1] == context.last.day:
        yield f"The ledger's balances are entered by people; none is entered of {month}."
    else:
        yield "The ledger's balances are those of the ends of months: none stands beside this day."


def amounts(moved: PartFlows) -> list[int]:
    """Microcents of each step."""
    return [sum(getattr(moved, cause) for cause in causes) for _, causes in STEPS]


def day_steps(book: DayBook, meter: MeterId, part: str) -> list[int]:
    """Whole cents of each step of one day."""
    moved = book.flows.get(meter, {}).get(part, PartFlows())  # type: ignore[call-overload]
    opening: int = getattr(book.opening.meters.get(meter, Parts()), part)
    return steps_in_cents(opening, amounts(moved))


def _row(context: Context, meter: MeterId, part: str, balances: Balances) -> Row:
    moved = context.flows(meter, part)
    opening: int = getattr(context.first.opening.meters.get(meter, Parts()), part)
    closing: int = getattr(context.last.closing.meters.get(meter, Parts()), part)
    cents = [0] * len(STEPS)
    for book in context.books:
        # Day by day, as the ledger is posted.
        cents = [sum(pair) for pair in zip(cents, day_steps(book, meter, part), strict=True)]
    _, balance = balances.get((meter, part), (None, None))
    accounts = context.accounts
    account = {"primary": accounts.display, "reset": accounts.reserve}.get(part, accounts.overflow)
    return {
        "meter": meter,
        "part": part,
        "account": account,
        "opening_cents": opening // MICROCENTS_PER_CENT,
        **{name: each for (name, _), each in zip(STEPS, cents, strict=True)},
        "closing_cents": closing // MICROCENTS_PER_CENT,
        "fraction_microcents": closing % MICROCENTS_PER_CENT,
        "gl_cents": None if balance is None else balance.cents,
        "difference_cents": None
        if balance is None
        else closing // MICROCENTS_PER_CENT - balance.cents,
        "explanation": None if balance is None else balance.explanation or None,
        **behind(moved),
    }
