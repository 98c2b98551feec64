"""Import templates of accounting programs, as their makers describe them.

Oracle: GL_INTERFACE by file-based data import. Sage Intacct: the journal-entry template.
QuickBooks Online: import of journal entries. SAP: the upload template of journal entries.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from progressive.adapters.reports.ledgers.batch import (
    Batch,
    amount,
    credit,
    csv_of,
    debit,
)

INTACCT_DESCRIPTION_MAX: Final = 30
"""Characters of an entry's description."""
SAP_LINES_MAX: Final = 999
"""Lines of one entry."""

_ORACLE: Final = (
    *("STATUS", "LEDGER_ID", "ACCOUNTING_DATE", "USER_JE_SOURCE_NAME", "USER_JE_CATEGORY_NAME"),
    *("CURRENCY_CODE", "DATE_CREATED", "ACTUAL_FLAG", "SEGMENT1", "SEGMENT2", "SEGMENT3"),
    *("SEGMENT4", "ENTERED_DR", "ENTERED_CR", "REFERENCE1", "REFERENCE4", "REFERENCE10"),
)


def oracle(batch: Batch) -> bytes:
    """GL_INTERFACE: company, department, location and account as segments 1 to 4."""
    of = batch.accounts
    created = batch.created.replace("-", "/")
    rows: Iterator[Sequence[object]] = (
        (
            *("NEW", of.company, entry.day.replace("-", "/"), of.source, entry.memo),
            *(batch.currency, created, "A", of.company, of.department, of.location),
            *(line.account.number, debit(line), credit(line)),
            *(f"{of.source} {entry.day}", entry.number, f"{entry.memo} {line.meter}".strip()),
        )
        for entry, _, line in batch.lines
    )
    return csv_of(_ORACLE, rows)


def intacct(batch: Batch) -> bytes:
    """The header's cells stand on the first line of each entry only."""
    of = batch.accounts

    def rows() -> Iterator[Sequence[object]]:
        for entry, number, line in batch.lines:
            year, month, day = entry.day.split("-")
            head = (
                ("GJ", f"{month}/{day}/{year}", entry.number[:INTACCT_DESCRIPTION_MAX])
                if number == 1
                else ("", "", "")
            )
            yield (
                *head,
                *(number, line.account.number, debit(line), credit(line)),
                *(f"{entry.memo} {line.meter}".strip(), of.location, of.department),
            )

    return csv_of(
        (
            *("JOURNAL", "DATE", "DESCRIPTION", "LINE_NO", "ACCT_NO", "DEBIT", "CREDIT"),
            *("MEMO", "LOCATION_ID", "DEPT_ID"),
        ),
        rows(),
    )


def quickbooks(batch: Batch) -> bytes:
    """Accounts by name, `Parent:Sub`; no amount is below zero."""

    def rows() -> Iterator[Sequence[object]]:
        for entry, _, line in batch.lines:
            year, month, day = entry.day.split("-")
            yield (
                *(entry.number, f"{month}/{day}/{year}", ":".join(line.account.path[1:])),
                *(debit(line), credit(line), f"{entry.memo} {line.meter}".strip()),
            )

    return csv_of(
        ("JournalNo", "JournalDate", "AccountName", "Debits", "Credits", "Description"), rows()
    )


def sap(batch: Batch) -> bytes:
    """Journal entries with signed amounts; an entry of too many lines would be refused there."""
    of = batch.accounts

    def rows() -> Iterator[Sequence[object]]:
        for entry, number, line in batch.lines:
            if number > SAP_LINES_MAX:
                raise ValueError(f"{entry.number} has more than {SAP_LINES_MAX} lines")
            yield (
                *(entry.number, of.company, "SA", entry.day, entry.day, batch.currency),
                *(number, line.account.number, amount(line.cents), entry.memo),
                *(of.department, line.meter),
            )

    return csv_of(
        (
            *("DocumentReference", "CompanyCode", "DocumentType", "DocumentDate", "PostingDate"),
            *("Currency", "Item", "GLAccount", "Amount", "ItemText", "CostCenter", "Assignment"),
        ),
        rows(),
    )
