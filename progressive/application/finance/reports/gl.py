"""`gl`: journal entries for the general ledger, day by day, in whole cents, each balanced."""

from typing import Final

from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.reports.gl_entries import GlDay, gl_day

KIND: Final = "gl"
TITLE: Final = "Entries for the general ledger"
CLAUSES: Final = ("ASC 924-605 (ASU 2010-16)",)

COLUMNS: Final = columns("""
    batch         text            Batch: Link, day and number: a second import of it is noticed.
    line          int             Line: Within the batch.
    day           day             Day: The gaming day, and the accounting date.
    company       text, detail    Company: By the [gl] mapping.
    department    text, detail    Department: By the [gl] mapping.
    location      text, detail    Location: By the [gl] mapping.
    account       text            Account: The number in the chart of accounts.
    account_name  text, width 36  Name: What the account is.
    meter         text            Meter: The meter, where the line is about one.
    debit_cents   cents, sum      Debit: Never below zero.
    credit_cents  cents, sum      Credit: Never below zero.
    currency      text            Currency: Of the floor.
    memo          text            Memo: What the batch is about.
""")


def report(context: Context) -> Report:
    """The entries of a range of days."""
    rows = [row for day in ledger(context) for row in _rows(context, day)]
    notes = [
        "Differences of floored cumulative cents: an account of a meter always equals the meter's "
        "whole cents; the fraction stays on the meter.",
        context.house_money_note,
        "Fixed awards of the rack are inside table win and not posted.",
    ]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=notes
    )


def ledger(context: Context) -> list[GlDay]:
    """The entries day by day, for the formats of ledger programs."""
    return [gl_day(book, context.accounts, context.link) for book in context.books]


def _rows(context: Context, day: GlDay) -> list[Row]:
    of, terms = context.accounts, context.terms
    currency = terms.house.currency if terms is not None and terms.house is not None else ""
    return [
        {
            "batch": entry.number,
            "line": number,
            "day": entry.day,
            "company": of.company or None,
            "department": of.department or None,
            "location": of.location or None,
            "account": line.account.number,
            "account_name": ":".join(line.account.path),
            "meter": line.meter or None,
            "debit_cents": max(0, line.cents),
            "credit_cents": max(0, -line.cents),
            "currency": currency or None,
            "memo": entry.memo,
            "first_seq": entry.first_seq or None,
            "last_seq": entry.last_seq or None,
        }
        for entry in day.entries
        for number, line in enumerate(entry.lines, 1)
    ]
