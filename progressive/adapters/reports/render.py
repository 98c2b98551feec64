"""The one door to all formats: a report and the time of printing in, bytes out.

The same input gives the same bytes, on any machine and in any year. A report that is too long for
a format is refused with a `TooManyRowsError` that names a format that takes it.
"""

from datetime import datetime
from typing import Final, Literal, get_args

from msgspec import Struct

from progressive.application.finance.report import Report

Format = Literal["table", "csv", "json", "xlsx", "pdf", "html"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
TABLE_WIDTH: Final = 120
"""In characters, where no terminal says otherwise."""


class TooManyRowsError(ValueError):
    """The report has more rows than the format can hold."""


class FormatFacts(Struct, frozen=True):
    """What a browser and a file system want to know of a format."""

    media_type: str
    suffix: str
    rows_max: int | None = None
    """Bounded where a whole document is held in memory; a reader would not turn more pages."""


FACTS: Final[dict[Format, FormatFacts]] = {
    "table": FormatFacts("text/plain; charset=utf-8", ".txt"),
    "csv": FormatFacts("text/csv; charset=utf-8; header=present", ".csv"),
    "json": FormatFacts("application/json", ".json"),
    "xlsx": FormatFacts(
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", 200_000
    ),
    "pdf": FormatFacts("application/pdf", ".pdf", 50_000),
    "html": FormatFacts("text/html; charset=utf-8", ".html", 50_000),
}


def render(
    report: Report, form: Format, printed_at: datetime, *, table_width: int = TABLE_WIDTH
) -> bytes:
    """The report as a file. `printed_at` must have a time zone."""
    if printed_at.tzinfo is None:
        raise ValueError("printed_at has no time zone: give it one, such as 2026-11-02T14:05:06Z")
    most = FACTS[form].rows_max
    if most is not None and len(report.rows) > most:
        raise TooManyRowsError(
            f"the report has {len(report.rows):,} rows, and a {form} file takes {most:,}: "
            "ask for fewer days, or for csv or json"
        )
    return _made(report, form, printed_at, table_width)


def _made(report: Report, form: Format, printed_at: datetime, table_width: int) -> bytes:
    """Loads a format when it is asked for: the service must not start slower for their libraries,
    nor a CSV for those of the PDF."""
    match form:
        case "table":
            from progressive.adapters.reports.as_table import table_bytes

            return table_bytes(report, printed_at, table_width)
        case "csv":
            from progressive.adapters.reports.as_csv import csv_bytes

            return csv_bytes(report)
        case "json":
            from progressive.adapters.reports.as_json import json_bytes

            return json_bytes(report, printed_at)
        case "xlsx":
            from progressive.adapters.reports.xlsx.workbook import xlsx_bytes

            return xlsx_bytes(report, printed_at)
        case "pdf":
            from progressive.adapters.reports.pdf.document import pdf_bytes

            return pdf_bytes(report, printed_at)
        case "html":
            from progressive.adapters.reports.as_html import html_bytes

            return html_bytes(report, printed_at)


def file_name(report: Report, form: Format) -> str:
    """`wagers_main_2026-11-01.pdf`; with OPEN in it where the figures can still change."""
    days = [report.from_day] + [report.to_day] * (report.to_day != report.from_day)
    status = [] if report.closed or report.outside else ["OPEN"]
    return "_".join([report.report, report.link, *days, *status]) + FACTS[form].suffix
