"""The sheet of figures: heading, frozen header with a filter, rows, totals as formulas."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Final

from xlsxwriter.utility import xl_range
from xlsxwriter.worksheet import Worksheet

from progressive.adapters.reports.figures.facts import (
    days_text,
    open_means,
    open_text,
    place_text,
)
from progressive.adapters.reports.figures.figures import TOTAL, Figures
from progressive.adapters.reports.figures.visible import shortened, visible
from progressive.adapters.reports.xlsx.fields import Field, Value
from progressive.adapters.reports.xlsx.styles import Styles
from progressive.application.finance.report import Report

HEADER_ROW: Final = 4
"""Counted from 0: the heading stands above."""
_TEXT_LONGEST: Final = 32_000
"""Excel holds 32,767 characters in a cell."""
_FORMULA_STARTS: Final = frozenset("=+-@")
_WIDTHS: Final = {"day": 11, "time": 19, "text": 12, "ppm": 12, "percent": 11, "seq": 11}
_WIDEST: Final = 48
_HEADER_WORDS: Final = 14


def write_figures(
    sheet: Worksheet, report: Report, fields: Sequence[Field], figures: Figures, styles: Styles
) -> None:
    """Everything on the first sheet."""
    _heading(sheet, report, styles)
    _header(sheet, fields, styles)
    first = HEADER_ROW + 1
    for number, row in enumerate(report.rows):
        for place, field in enumerate(fields):
            _write(sheet, first + number, place, field, field.value(row[field.source]), styles)
    last = HEADER_ROW + len(report.rows)
    _totals(sheet, report, fields, styles, first, last)
    for place, field in enumerate(fields):
        if field.must_be_zero:
            # Also where somebody changes a figure later.
            not_zero = {"type": "cell", "criteria": "!=", "value": 0, "format": styles.wrong}
            sheet.conditional_format(first, place, last + 1, place, not_zero)
    sheet.autofilter(HEADER_ROW, 0, last, len(fields) - 1)
    sheet.freeze_panes(HEADER_ROW + 1, 1)
    _widths(sheet, report, fields, figures)
    _paper(sheet, report)


def _heading(sheet: Worksheet, report: Report, styles: Styles) -> None:
    sheet.write_string(0, 0, report.title, styles.title)
    sheet.set_row(0, 24)
    sheet.write_string(1, 0, place_text(report), styles.subtitle)
    sheet.write_string(2, 0, days_text(report), styles.subtitle)
    text = open_text(report)
    if text is not None:
        sheet.write_string(3, 0, f"{text}. {open_means(report)}", styles.open_day)
        sheet.set_row(3, 30)


def _header(sheet: Worksheet, fields: Sequence[Field], styles: Styles) -> None:
    sheet.set_row(HEADER_ROW, 42)
    for place, field in enumerate(fields):
        left = field.style in ("text", "day", "time")
        style = styles.header if left else styles.header_right
        sheet.write_string(HEADER_ROW, place, field.title, style)


def _write(
    sheet: Worksheet, row: int, place: int, field: Field, value: Value | None, styles: Styles
) -> None:
    """A text is written as a text, whatever it looks like."""
    style = styles.cells[field.style]
    if value is None:
        sheet.write_blank(row, place, None, style)
    elif isinstance(value, int | Fraction):
        sheet.write_number(row, place, value, style)
    elif field.style == "time":
        sheet.write_datetime(row, place, datetime.fromisoformat(value), style)
    elif field.style == "day":
        sheet.write_datetime(row, place, _midnight(value), style)
    else:
        text = shortened(visible(value), _TEXT_LONGEST)
        sheet.write_string(row, place, text, styles.literal if _formula(text) else style)


def _midnight(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), datetime.min.time())


def _formula(text: str) -> bool:
    return text.lstrip(" ")[:1] in _FORMULA_STARTS and text != ""


def _totals(
    sheet: Worksheet,
    report: Report,
    fields: Sequence[Field],
    styles: Styles,
    first: int,
    last: int,
) -> None:
    if not report.totals:
        return
    row = last + 1
    for place, field in enumerate(fields):
        style = styles.totals[field.style]
        if field.total is None or field.source not in report.totals:
            if place == 0:
                sheet.write_string(row, place, TOTAL, style)
            else:
                sheet.write_blank(row, place, None, style)
            continue
        total: int | Decimal = field.total(report.totals[field.source])
        if field.formula is None or last < first:
            sheet.write_number(row, place, Fraction(total), style)
            continue

        def rows(right: int, place: int = place) -> str:
            return xl_range(first, place + right, last, place + right)

        # The value that a program shows which does not compute: the report's own total.
        sheet.write_formula(row, place, field.formula(rows), style, total)


def _widths(sheet: Worksheet, report: Report, fields: Sequence[Field], figures: Figures) -> None:
    longest = {
        column.id: max(
            (len(figures.cell(column.kind, row[column.id])) for row in report.rows), default=0
        )
        for column in report.columns
    }
    for place, field in enumerate(fields):
        least = _WIDTHS.get(field.style, _HEADER_WORDS)
        total = len(f"{report.totals.get(field.source, 0):,}") if field.total else 0
        sheet.set_column(place, place, min(_WIDEST, max(least, longest[field.source], total) + 2))


def _paper(sheet: Worksheet, report: Report) -> None:
    """On paper: landscape, as wide as the page, the header on every page."""
    sheet.set_landscape()
    sheet.set_paper(1 if report.time_zone.startswith("America/") else 9)
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(HEADER_ROW)
    text = open_text(report)
    status = f" - {text}" if text is not None else ""
    heading = f"{report.title} {report.from_day} to {report.to_day}{status}"
    sheet.set_footer(f"&L{heading}&RPage &P of &N")
