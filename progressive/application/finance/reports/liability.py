"""`liability`: what lies on the meters and whose it is, what is owed to winners and for how long.

As of the end of the range. What the books accrue and what is only a memo is as the jurisdiction's
file has it, unless the house's own `[gl]` mapping says otherwise.
"""

from datetime import datetime, timedelta
from typing import Final

from progressive.application.finance.book.house_money import RULE
from progressive.application.finance.book.standing import AwardEntry, MeterPast, Parts, Standing
from progressive.application.finance.report import Chart, Report, Row, Series
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.domain.finance_events import BankBalance
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT

KIND: Final = "liability"
TITLE: Final = "Progressive liability"
CLAUSES: Final = ("ASC 924-605 (ASU 2010-16)",)
AGES: Final = (
    ("age_0_1", 1),
    ("age_2_7", 7),
    ("age_8_30", 30),
    ("age_31_90", 90),
    ("age_over_90", None),
)
"""Names of the columns and the days they reach to."""

COLUMNS: Final = columns("""
    item                  text             Item: A meter, the awards that are owed, money of a
        retired link, or the bank.
    displayed_microcents  microcents, sum  Displayed: On display.
    player_microcents     microcents, sum  Player part: Players' money of it.
    house_microcents      microcents, sum  House part: The house's money of it.
    reserve_microcents    microcents, sum  Reset meter: Put by for the next reset.
    overflow_microcents   microcents, sum  Overflow: Above the limit.
    parked_microcents     microcents, sum  Parked: Of retired links.
    pending               int, sum         Awards owed: How many.
    pending_cents         cents, sum       Owed: What they come to.
    age_0_1_cents         cents, sum       Up to 1 day: Of it, settled up to a day before.
    age_2_7_cents         cents, sum       2 to 7 days: Two to seven days before.
    age_8_30_cents        cents, sum       8 to 30 days: Eight to thirty.
    age_31_90_cents       cents, sum       31 to 90 days: Thirty-one to ninety.
    age_over_90_cents     cents, sum       Over 90 days: Longer.
    accrued_microcents    microcents, sum  Accrued: What the books show as a liability.
    memo_microcents       microcents, sum  Memo: What they only note.
    bank_required_cents   cents, sum       Bank required: Whole cents on display and owed,
        rounded up.
    bank_entered_cents    cents            Bank: What lies in the bank at the end of the last day,
        as entered; empty: not entered.
    shortfall_cents       cents, zero      Shortfall: What all of bank required is above that; zero:
        nothing.
    change_microcents     microcents, sum  Change: Of all of it since the range began.
""")


def report(context: Context) -> Report:
    """The liability at the end of a range."""
    rows = [_meter_row(context, meter) for meter in context.meters]
    rows += [_pending_row(context), _parked_row(context)]
    required = sum(int(row["bank_required_cents"] or 0) for row in rows)
    entered = of_kind(context.entries, BankBalance, day=context.last.day)
    if entered:
        rows.append(_bank_row(*entered[-1], required))
    notes = [
        f"As of record {context.last.closing.seq}.",
        RULE,
        context.house_money_note,
        f"Bank: entered by {entered[-1][0].by.name} in record {entered[-1][0].seq}."
        if entered
        else f"Bank: no balance is entered for the end of {context.last.day}.",
    ]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=notes,
        charts=_charts(context),
    )  # fmt: skip


def _charts(context: Context) -> list[Chart]:
    """What lay on the meters and what was owed, at the end of each day."""
    if len(context.books) < 2:
        return []
    displayed, put_by, owed = [], [], []
    for book in context.books:
        parts = book.closing.meters.values()
        displayed.append(sum(each.primary for each in parts))
        put_by.append(sum(each.reset + each.overflow for each in parts))
        owed.append(
            sum(entry.made.due_cents for entry in book.closing.awards.values() if entry.open)
            * MICROCENTS_PER_CENT
        )
    series = (
        Series("On display", tuple(displayed)),
        Series("Awards owed", tuple(owed)),
        Series("Put by", tuple(put_by)),
    )
    days = tuple(book.day for book in context.books)
    return [Chart("Liability day by day", "line", days, series, "microcents")]


def _bank_row(entered: Entered, balance: BankBalance, required: int) -> Row:
    return _empty("bank") | {
        "bank_entered_cents": balance.cents,
        "shortfall_cents": max(0, required - balance.cents),
        "first_seq": entered.seq,
        "last_seq": entered.seq,
    }


def house_part(standing: Standing, meter: MeterId) -> int:
    """The house's money on a displayed meter, in microcents."""
    return standing.pasts.get(meter, MeterPast()).house


def _empty(item: str) -> dict[str, str | int | None]:
    row: dict[str, str | int | None] = {
        column.id: 0 if column.total else None for column in COLUMNS
    }
    return row | {"item": item}


def _meter_row(context: Context, meter: MeterId) -> Row:
    opening, closing = context.first.opening, context.last.closing
    parts, before = closing.meters.get(meter, Parts()), opening.meters.get(meter, Parts())
    house = house_part(closing, meter)
    memo = 0 if context.accounts.accrues_base else house
    whole = parts.primary + parts.reset + parts.overflow
    moved = context.flows(meter, "primary")
    return _empty(meter) | {
        "displayed_microcents": parts.primary,
        "player_microcents": parts.primary - house,
        "house_microcents": house,
        "reserve_microcents": parts.reset,
        "overflow_microcents": parts.overflow,
        "accrued_microcents": whole - memo,
        "memo_microcents": memo,
        "bank_required_cents": -(-parts.primary // MICROCENTS_PER_CENT),
        "change_microcents": whole - before.primary - before.reset - before.overflow,
        "first_seq": moved.first_seq or None,
        "last_seq": moved.last_seq or None,
    }


def _pending_row(context: Context) -> Row:
    owed = [entry for entry in context.last.closing.awards.values() if entry.open]
    cents = sum(entry.made.due_cents for entry in owed)
    before = sum(entry.made.due_cents for entry in context.first.opening.awards.values())
    ages = {f"{name}_cents": 0 for name, _ in AGES}
    # Of a day that is not over, up to its last record.
    until = min(context.last.ends, context.last.closing.at or context.last.ends)
    for entry in owed:
        ages[f"{_age(entry, until)}_cents"] += entry.made.due_cents
    return _empty("awards owed") | ages | {
        "pending": len(owed),
        "pending_cents": cents,
        "accrued_microcents": cents * MICROCENTS_PER_CENT,
        "bank_required_cents": cents,
        "change_microcents": (cents - before) * MICROCENTS_PER_CENT,
        "first_seq": min((entry.seq for entry in owed), default=None),
        "last_seq": max((entry.last_seq for entry in owed), default=None),
    }  # fmt: skip


def _age(entry: AwardEntry, until: str) -> str:
    passed = datetime.fromisoformat(until) - datetime.fromisoformat(entry.at)
    # A day that has begun counts.
    days = -(-passed // timedelta(days=1))
    return next(name for name, most in AGES if most is None or days <= most)


def _parked_row(context: Context) -> Row:
    parked = context.last.closing.accounts.get("parked", 0)
    before = context.first.opening.accounts.get("parked", 0)
    return _empty("parked") | {
        "parked_microcents": parked,
        "accrued_microcents": parked,
        "change_microcents": parked - before,
    }
