"""What every ledger format is given: days of entries, and what the house calls itself."""

from collections.abc import Callable, Iterator, Sequence
from csv import writer
from io import StringIO

from msgspec import Struct

from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.application.finance.reports.gl_entries import GlDay, GlEntry, GlLine


class Batch(Struct, frozen=True, kw_only=True):
    """Days of balanced entries."""

    days: tuple[GlDay, ...]
    accounts: GlAccounts
    currency: str
    created: str
    """The day of printing: an input, so that the same input gives the same bytes."""
    head: str
    """Hash of the last record behind the entries."""

    @property
    def lines(self) -> Iterator[tuple[GlEntry, int, GlLine]]:
        """Every line with its entry and its number in it."""
        for day in self.days:
            for entry in day.entries:
                for number, line in enumerate(entry.lines, 1):
                    yield entry, number, line


def amount(cents: int) -> str:
    """`1234.05`, with a minus where it is below zero; no mark between thousands."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def debit(line: GlLine) -> str:
    """Empty for a credit."""
    return amount(line.cents) if line.cents > 0 else ""


def credit(line: GlLine) -> str:
    """Empty for a debit."""
    return amount(-line.cents) if line.cents < 0 else ""


def csv_of(header: Sequence[str], rows: Iterator[Sequence[object]]) -> bytes:
    """Lines that end as RFC 4180 has it."""
    out = StringIO()
    to = writer(out)
    to.writerow(header)
    to.writerows([[_safe(cell) for cell in row] for row in rows])
    return out.getvalue().encode()


def _safe(cell: object) -> object:
    """A text that a spreadsheet would take for a formula is marked as text."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+@\t" and cell else cell


Writer = Callable[[Batch], bytes]
