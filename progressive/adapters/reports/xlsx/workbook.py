"""The workbook as bytes. Its only time is that of printing, so equal reports are equal files."""

import io
from datetime import UTC, datetime
from typing import Final

from xlsxwriter.workbook import Workbook

from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.figures.visible import visible
from progressive.adapters.reports.xlsx.about import write_about
from progressive.adapters.reports.xlsx.fields import fields_of
from progressive.adapters.reports.xlsx.sheet import write_figures
from progressive.adapters.reports.xlsx.styles import Styles
from progressive.application.finance.report import Report

_SHEET_NAME_LONGEST: Final = 31


def xlsx_bytes(report: Report, printed_at: datetime) -> bytes:
    """The whole file."""
    file = io.BytesIO()
    # In memory: no file of ours is left behind on a machine that is switched off meanwhile.
    with Workbook(file, {"in_memory": True}) as workbook:
        workbook.set_properties(
            {
                "title": report.title,
                "subject": f"{report.link} {report.from_day} to {report.to_day}",
                "company": visible(report.floor),
                "comments": f"progressive {report.program}",
                "created": printed_at.astimezone(UTC),
            }
        )
        figures = Figures(report)
        styles = Styles(workbook, report.currency)
        fields = [field for column in report.columns for field in fields_of(column, figures)]
        name = report.report.replace("_", " ").capitalize()[:_SHEET_NAME_LONGEST]
        write_figures(workbook.add_worksheet(name), report, fields, figures, styles)
        about = workbook.add_worksheet("About")
        write_about(about, report, fields, printed_at, figures, styles)
    return file.getvalue()
