"""Cells as people read them: amounts in the floor's currency, times on the floor's clock.

Whole numbers become digits, and nothing is rounded: what is printed adds up.
"""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from progressive.adapters.reports.figures.visible import visible
from progressive.application.finance.report import Cell, Column, Kind, Report, Row
from progressive.domain.money import exact_money_text, money_text

NOTHING: Final = "–"
"""Where nothing applies, which is not zero."""
TOTAL: Final = "Total"
IMBALANCE: Final = "! "
"""Before a number that should be zero: it is seen without colors, too."""
_CENT_DIGITS: Final = 2
_MICROCENT_DIGITS: Final = 8


class Figures:
    """How one report writes its values."""

    def __init__(self, report: Report) -> None:
        """In the report's currency and time zone."""
        self.currency = report.currency
        self.zone = ZoneInfo(report.time_zone)
        self._local: dict[str, str] = {}

    def number(self, kind: Kind, value: int) -> str:
        """One figure with its unit."""
        match kind:
            case "cents":
                return money_text(value, self.currency)
            case "microcents":
                return exact_money_text(value, self.currency)
            case "milli":
                return milli_text(value)
            case "percent":
                return percent_text(value)
            case "ppm":
                return f"{value:,} ppm"
            case "seq":
                return str(value)
            case _:
                return f"{value:,}"

    def cell(self, kind: Kind, cell: Cell) -> str:
        """One cell of a table."""
        if cell is None:
            return NOTHING
        if isinstance(cell, int):
            return self.number(kind, cell)
        return self.time(cell) if kind == "time" else visible(cell)

    def time(self, at: str) -> str:
        """A moment of the journal on the floor's clock, with the zone: `… 01:30:00 EDT`."""
        found = self._local.get(at)
        if found is None:
            found = self._local[at] = moment_text(self.local(at))
        return found

    def local(self, at: str) -> datetime:
        """The same as a date and time."""
        return datetime.fromisoformat(at).astimezone(self.zone)

    def row(self, columns: tuple[Column, ...]) -> Callable[[Row], list[str]]:
        """The texts of a row, in the order of the columns."""
        return lambda row: [self._marked(column, row[column.id]) for column in columns]

    def _marked(self, column: Column, cell: Cell) -> str:
        text = self.cell(column.kind, cell)
        return f"{IMBALANCE}{text}" if column.must_be_zero and cell else text

    def totals(self, report: Report) -> list[str]:
        """The texts of the totals row: empty where a column has no total."""
        found = [
            self._marked(column, report.totals[column.id]) if column.id in report.totals else ""
            for column in report.columns
        ]
        if report.totals and not found[0]:
            found[0] = TOTAL
        return found


def moment_text(moment: datetime) -> str:
    """`2026-11-17 05:00:00 EST`, independent of any locale."""
    zone = moment.tzname() or ""
    return f"{moment.replace(tzinfo=None, microsecond=0).isoformat(sep=' ')} {zone}".rstrip()


def percent_text(ppm: int) -> str:
    """Parts per million as percent, every digit: `20.0000%`."""
    whole, part = divmod(abs(ppm), 10_000)
    return f"{'-' if ppm < 0 else ''}{whole:,}.{part:04}%"


def milli_text(thousandths: int) -> str:
    """Thousandths as a decimal, every digit: `-11.495`."""
    whole, part = divmod(abs(thousandths), 1_000)
    return f"{'-' if thousandths < 0 else ''}{whole:,}.{part:03}"


def cents_decimal(cents: int) -> Decimal:
    """Whole cents in the currency's unit, exactly."""
    return Decimal(cents).scaleb(-_CENT_DIGITS)


def microcents_decimal(microcents: int) -> Decimal:
    """Microcents in the currency's unit, exactly."""
    return Decimal(microcents).scaleb(-_MICROCENT_DIGITS)


def is_number(kind: Kind) -> bool:
    """Whether the kind is set flush right."""
    return kind not in ("text", "day", "time")
