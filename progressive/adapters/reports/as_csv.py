"""A report as CSV (RFC 4180, UTF-8 without a byte order mark): for programs and spreadsheets.

One line a row under one header of column ids; no totals, so that a column can be summed as it is.
Amounts stand there as integers and as decimal texts, times as stored and on the floor's clock.
A text must never become a formula in somebody's spreadsheet; a number is never touched.
"""

import csv
import io
from collections.abc import Callable
from typing import Final

from progressive.adapters.reports.figures.figures import (
    Figures,
    cents_decimal,
    microcents_decimal,
)
from progressive.adapters.reports.figures.visible import well_formed
from progressive.application.finance.report import Cell, Column, Report

_FORMULA_STARTS: Final = frozenset("=+-@\t\r\n＝＋－＠")
"""Spreadsheets take a text that begins so for a formula; the wide forms too, in East Asian ones."""
_ABOUT_THE_REPORT: Final = ("report_link", "report_from", "report_to", "report_status")

_Written = Callable[[Cell], str | int]


def csv_bytes(report: Report) -> bytes:
    """The whole file."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    figures = Figures(report)
    fields = [field for column in report.columns for field in _fields(column, figures)]
    writer.writerow([*_ABOUT_THE_REPORT, *(name for name, _, _ in fields)])
    status = "closed" if report.closed else "OUTSIDE THE CLOSES" if report.outside else "OPEN"
    about = [_text(report.link), report.from_day, report.to_day, status]
    for row in report.rows:
        writer.writerow([*about, *(written(row[source]) for _, source, written in fields)])
    return file.getvalue().encode()


def _fields(column: Column, figures: Figures) -> list[tuple[str, str, _Written]]:
    """What a column becomes: name, id of the column, how its cell is written."""
    name, kind = column.id, column.kind
    match kind:
        case "cents":
            amount = f"{name.removesuffix('_cents')}_amount"
            return [(name, name, _as_is), (amount, name, _cents)]
        case "microcents":
            # Other than that of cents: a report may show one amount in both units.
            amount = f"{name.removesuffix('_microcents')}_exact_amount"
            return [(name, name, _as_is), (amount, name, _microcents)]
        case "time":
            local = f"{name.removesuffix('_at')}_local"
            return [(name, name, _as_is), (local, name, _local(figures))]
        case "text":
            return [(name, name, _text)]
        case _:
            return [(name, name, _as_is)]


def _as_is(cell: Cell) -> str | int:
    return "" if cell is None else cell


def _text(cell: Cell) -> str:
    if not isinstance(cell, str):
        return ""
    text = well_formed(cell)
    start = text.lstrip(" \u00a0\u3000\ufeff\0")[:1]
    return f"'{text}" if start and start in _FORMULA_STARTS else text


def _cents(cell: Cell) -> str:
    return f"{cents_decimal(cell):f}" if isinstance(cell, int) else ""


def _microcents(cell: Cell) -> str:
    return f"{microcents_decimal(cell):f}" if isinstance(cell, int) else ""


def _local(figures: Figures) -> _Written:
    """With the offset, as an hour comes twice when daylight-saving time ends."""
    return lambda cell: figures.local(cell).isoformat() if isinstance(cell, str) else ""
