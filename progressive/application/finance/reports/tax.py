"""`tax`: the forms that awards need, and three bases of taxation side by side, a row each.

References only: no name and no tax number of a player is in the journal.
"""

from typing import Final

from progressive.application.finance.book.figures import Behind
from progressive.application.finance.book.standing import AwardEntry
from progressive.application.finance.report import Cell, Report, Row
from progressive.application.finance.reports.awards import day_at, entries_of
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, behind, made
from progressive.application.finance.reports.tax_bases import bases_of
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.domain.finance_events import FormFiled

KIND: Final = "tax"
TITLE: Final = "Tax forms and bases"
CLAUSES: Final = ("26 CFR 7.6041-1", "NRS 463.3715")
NOTE: Final = "Which of the three bases is the right one is for each jurisdiction to say."
OF_A_TABLE: Final = (
    "Forms and bases of table {}. There is none as accrued: the money on the meters is of all "
    "tables."
)

COLUMNS: Final = columns("""
    item            text           Item: form: an award needs it; base as paid, base as awarded,
        base as accrued: what is left of the wagers, worked out in three ways.
    award           text           Award: The award that needs a form.
    document        text           Document: Its payment document.
    form            text           Form: Which form.
    status          text           Status: due: not paid yet; to file: paid; filed; void.
    settled_day     day            Settled: The gaming day of its settlement.
    paid_day        day            Paid on: The gaming day of its payment.
    table           text           Table: Where.
    gross_cents     cents          Gross: Amount and bonus.
    wager_cents     cents          Wager: The wager that won.
    net_cents       cents          Winnings: Gross less the wager; on a line that gives the stake
        back, gross.
    multiple        int            Times the wager: Winnings in whole wagers.
    form_serial     text, detail   Serial: Of the form as filed; empty: not entered yet.
    filed_at        time, detail   Filed at: When it was entered as filed.
    handle_cents    cents, detail  Handle: Of a base: wagers less those of voided rounds.
    coupon_cents    cents, detail  Coupons: Of the handle: by coupon.
    returned_cents  cents, detail  Returned: Of a base: stakes that went back to winners, less
        those that voids of awards took back.
    deducted_cents  cents, detail  Deducted: Of a base: what was paid; what was awarded, less
        voids and with what they changed; or this and what the players' money on the meters grew
        by.
    base_cents      cents, detail  Base: Handle less returned and deducted.
""")


def report(context: Context) -> Report:
    """The forms of a range of days, and behind them its three bases."""
    entries = [entry for entry in entries_of(context) if entry.made.tax_form is not None]
    filed = {form.award: (entered, form) for entered, form in of_kind(context.entries, FormFiled)}
    rows = [_row(context, entry, filed.get(entry.made.award)) for entry in entries]
    rows += [
        _empty("form")
        | {
            "form": "as due",
            "status": "to file",
            "settled_day": book.day,
            "paid_day": book.day,
            "table": rack.table,
            **behind(rack),
        }
        for book in context.books
        for rack in book.racks.values()
        if rack.tax_forms and context.at_table(rack.table)
    ]
    rows += _base_rows(context)
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows,
        notes=[NOTE] if context.table is None else [NOTE, OF_A_TABLE.format(context.table)],
    )  # fmt: skip


def _empty(item: str) -> dict[str, Cell]:
    row: dict[str, Cell] = dict.fromkeys([column.id for column in COLUMNS])
    return row | {"item": item}


def _row(context: Context, entry: AwardEntry, filed: tuple[Entered, FormFiled] | None) -> Row:
    award = entry.made
    gross = award.amount_cents + award.bonus_cents
    net = gross if award.stake_returned_cents else gross - award.wager_cents
    status = {"paid": "to file", "void": "void"}.get(entry.status, "due")
    if filed is not None and entry.status != "void":
        status = "filed"
    return _empty("form") | {
        "award": award.award,
        "document": entry.document,
        "form": award.tax_form if filed is None else filed[1].form,
        "status": status,
        "settled_day": day_at(context, entry.at),
        "paid_day": None if entry.paid is None else day_at(context, entry.paid.at),
        "table": entry.table,
        "gross_cents": gross,
        "wager_cents": award.wager_cents,
        "net_cents": net,
        "multiple": net // award.wager_cents if award.wager_cents else None,
        "form_serial": None if filed is None else filed[1].serial,
        "filed_at": None if filed is None else filed[0].at,
        "first_seq": entry.seq,
        "last_seq": entry.last_seq,
    }


def _base_rows(context: Context) -> list[Row]:
    bases = bases_of(context)
    stands = Behind()
    for book in context.books:
        if book.first_seq is not None:
            stands.stands_on(book.first_seq, book.last_seq)
    return [
        _empty(f"base as {name}")
        | {
            "handle_cents": bases.handle,
            "coupon_cents": bases.coupons,
            "returned_cents": bases.returned,
            "deducted_cents": deducted,
            "base_cents": None if deducted is None else bases.left(deducted),
            **behind(stands),
        }
        for name, deducted in (
            ("paid", bases.paid),
            ("awarded", bases.awarded),
            ("accrued", bases.accrued),
        )
    ]
