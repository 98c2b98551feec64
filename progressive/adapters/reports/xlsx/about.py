"""The sheet "About": what the figures rest on, and what every column means."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from xlsxwriter.worksheet import Worksheet

from progressive.adapters.reports.figures.facts import (
    SIGNATURES,
    basis,
    days_text,
    place_text,
)
from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.figures.visible import visible
from progressive.adapters.reports.xlsx.fields import Field
from progressive.adapters.reports.xlsx.styles import Styles
from progressive.application.finance.report import Report

_HOW: Final = (
    "Amounts are shown in the currency; the whole numbers beside them are exact. "
    "Totals are formulas over the whole numbers."
)


def write_about(
    sheet: Worksheet,
    report: Report,
    fields: Sequence[Field],
    printed_at: datetime,
    figures: Figures,
    styles: Styles,
) -> None:
    """Everything on the second sheet."""
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 1, 100)
    sheet.set_row(0, 24)
    sheet.write_string(0, 0, report.title, styles.title)
    lines = [
        ("Floor and link", place_text(report)),
        ("Days", days_text(report)),
        *basis(report, printed_at, figures),
        *(("Note", visible(note)) for note in report.notes),
        ("Figures", _HOW),
    ]
    row = 2
    for label, text in lines:
        sheet.write_string(row, 0, label, styles.label)
        sheet.write_string(row, 1, text, styles.prose)
        row += 1
    row += 1
    sheet.write_string(row, 0, "Column", styles.header)
    sheet.write_string(row, 1, "Meaning", styles.header)
    for field in fields:
        row += 1
        sheet.write_string(row, 0, field.title, styles.prose)
        sheet.write_string(row, 1, field.meaning, styles.prose)
    row += 2
    for signature in SIGNATURES:
        sheet.write_string(row, 0, f"{signature} (name, date)", styles.label)
        sheet.write_string(row, 1, "_" * 60, styles.prose)
        row += 2
