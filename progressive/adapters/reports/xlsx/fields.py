"""What a column of a report becomes in a sheet: values, and formulas for the totals.

A spreadsheet counts in doubles, exact to 15 digits. So beside every amount stand whole numbers:
cents, and for meters also the fraction of a cent in microcents. Totals are formulas over those, so
they are exact, and a reader can follow them. The texts and numbers are only described here.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from progressive.adapters.reports.figures.figures import (
    Figures,
    cents_decimal,
    microcents_decimal,
)
from progressive.application.finance.report import Cell, Column
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rounding import floor_cents

Style = Literal[
    "text", "day", "time", "int", "money", "exact_money", "milli", "ppm", "percent", "seq"
]
Value = str | int | Fraction
Formula = Callable[[Callable[[int], str]], str]
"""Given how to write the range of rows of the field so many places to the right: the formula."""


class Field(Struct, frozen=True):
    """One column of the sheet."""

    title: str
    source: str
    style: Style
    meaning: str
    value: Callable[[Cell], Value | None]
    total: Callable[[int], int | Decimal] | None = None
    """The total, from the report's own; None: the field has none."""
    formula: Formula | None = None
    """None where the total is not a sum of the rows."""
    must_be_zero: bool = False


def fields_of(column: Column, figures: Figures) -> list[Field]:
    """One field for most columns; two or three for amounts and times."""
    found = _fields(column, figures)
    return [replace(each, must_be_zero=True) for each in found] if column.must_be_zero else found


def _fields(column: Column, figures: Figures) -> list[Field]:
    match column.kind:
        case "cents":
            return _cents(column)
        case "microcents":
            return _microcents(column)
        case "time":
            return _time(column, figures)
        case "milli":
            return [_one(column, "milli", _milli, total=lambda total: Decimal(total).scaleb(-3))]
        case "percent":
            return [_one(column, "percent", _ppm, total=lambda total: Decimal(total).scaleb(-6))]
        case kind:
            return [_one(column, kind, _as_is, total=int)]


def _one(
    column: Column,
    style: Style,
    value: Callable[[Cell], Value | None],
    *,
    total: Callable[[int], int | Decimal],
) -> Field:
    formula: Formula | None = (lambda rows: f"=SUM({rows(0)})") if column.total else None
    return Field(column.title, column.id, style, column.meaning, value, total, formula)


def _cents(column: Column) -> list[Field]:
    amount = Field(
        column.title,
        column.id,
        "money",
        column.meaning,
        lambda cell: Fraction(cell, 100) if isinstance(cell, int) else None,
        cents_decimal,
        (lambda rows: f"=SUM({rows(1)})/100") if column.total else None,
    )
    whole = Field(
        f"{column.title} (cents)",
        column.id,
        "int",
        "The same amount in whole cents.",
        _as_is,
        int,
        (lambda rows: f"=SUM({rows(0)})") if column.total else None,
    )
    return [amount, whole]


def _microcents(column: Column) -> list[Field]:
    amount = Field(
        column.title,
        column.id,
        "exact_money",
        column.meaning,
        lambda cell: Fraction(cell, 100 * MICROCENTS_PER_CENT) if isinstance(cell, int) else None,
        microcents_decimal,
        (lambda rows: f"=SUM({rows(1)})/100+SUM({rows(2)})/100000000") if column.total else None,
    )
    whole = Field(
        f"{column.title} (whole cents)",
        column.id,
        "int",
        "The whole cents of it, rounded down.",
        lambda cell: floor_cents(cell) if isinstance(cell, int) else None,
        floor_cents,
        (lambda rows: f"=SUM({rows(0)})+INT(SUM({rows(1)})/1000000)") if column.total else None,
    )
    part = Field(
        f"{column.title} (and microcents)",
        column.id,
        "int",
        "What it has beyond whole cents, in millionths of a cent: 0 to 999,999.",
        lambda cell: cell % MICROCENTS_PER_CENT if isinstance(cell, int) else None,
        lambda total: total % MICROCENTS_PER_CENT,
        (lambda rows: f"=MOD(SUM({rows(0)}),1000000)") if column.total else None,
    )
    return [amount, whole, part]


def _time(column: Column, figures: Figures) -> list[Field]:
    """A spreadsheet knows no time zones, and one hour comes twice when clocks go back: the exact
    moment stands beside the floor's time."""
    local = Field(
        column.title,
        column.id,
        "time",
        f"{column.meaning} On the floor's clock.",
        lambda cell: _naive(figures, cell) if isinstance(cell, str) else None,
    )
    exact = Field(f"{column.title} (UTC)", column.id, "text", "The same, as recorded.", _as_is)
    return [local, exact]


def _naive(figures: Figures, at: str) -> str:
    return figures.local(at).replace(tzinfo=None).isoformat()


def _as_is(cell: Cell) -> str | int | None:
    return cell


def _milli(cell: Cell) -> Fraction | None:
    return Fraction(cell, 1_000) if isinstance(cell, int) else None


def _ppm(cell: Cell) -> Fraction | None:
    return Fraction(cell, 1_000_000) if isinstance(cell, int) else None
