"""`parameters`: every change of terms, field by field, with the people and the first record."""

from typing import Final

from progressive.application.finance.report import Report, Row
from progressive.application.finance.reports.columns import columns
from progressive.application.finance.reports.context import Context, made
from progressive.application.finance.stated.entries import Entered, of_kind
from progressive.domain.finance_events import AccountingNotified

KIND: Final = "parameters"
TITLE: Final = "Changes of parameters"
CLAUSES: Final = ("N.J.A.C. 13:69F-2.28(i)",)

COLUMNS: Final = columns("""
    at             time          At: When it came into force.
    day            day           Day: The gaming day.
    kind           text          Kind: The type of the record that brought it.
    terms_version  int           Terms: The version of the terms since then.
    field          text          Field: What was changed.
    old            text          Old: What it was.
    new            text          New: What it is.
    proposed_by    text          Proposed by: The first person.
    proposed_at    time, detail  Proposed at: When.
    approved_by    text          Approved by: The second person, of another department.
    reason         text, detail  Reason: Of the first person, then of the second.
    notified_at    time          Accounting told: When accounting was notified; empty: not
        entered.
    notified_by    text, detail  Told by: Who entered that.
""")


def report(context: Context) -> Report:
    """The changes of a range of days, oldest first."""
    # The first notice of a change counts: told again is still told then.
    notices: dict[int, Entered] = {}
    for entered, notice in of_kind(context.entries, AccountingNotified):
        notices.setdefault(notice.seq, entered)
    rows: list[Row] = [
        {
            "at": entry.at,
            "day": book.day,
            "kind": entry.kind,
            "terms_version": entry.version,
            "field": field,
            "old": old or None,
            "new": new or None,
            "proposed_by": entry.by or None,
            "proposed_at": entry.proposed_at or None,
            "approved_by": entry.second or None,
            "reason": "; ".join(filter(None, (entry.reason, entry.second_reason))) or None,
            "notified_at": notices[entry.seq].at if entry.seq in notices else None,
            "notified_by": notices[entry.seq].by.name if entry.seq in notices else None,
            "first_seq": entry.seq,
            "last_seq": entry.seq,
        }
        for book in context.books
        for entry in book.terms
        for field, old, new in entry.changes
    ]
    signed = sum(len(book.sign_ons) for book in context.books)
    notes = [f"Dealers signed on or off {signed} times; that changes no terms."]
    return made(
        context, kind=KIND, title=TITLE, clauses=CLAUSES, columns=COLUMNS, rows=rows, notes=notes
    )
