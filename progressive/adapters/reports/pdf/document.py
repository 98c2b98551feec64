"""The PDF as bytes: heading, table, charts, what it rests on, signatures.

Its only time is that of printing, so equal reports are equal files.
"""

from datetime import datetime
from typing import Final

from progressive.adapters.reports.figures.facts import days_text
from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.pdf.closing import closing_blocks
from progressive.adapters.reports.pdf.edges import head_and_foot, heading
from progressive.adapters.reports.pdf.flow import Flow
from progressive.adapters.reports.pdf.paper import Paper
from progressive.adapters.reports.pdf.picture import chart_block
from progressive.adapters.reports.pdf.table import TableLayout
from progressive.application.finance.report import Report

_GAP: Final = 200


def pdf_bytes(report: Report, printed_at: datetime) -> bytes:
    """The whole file."""
    subject = f"{report.link}, {days_text(report)}"
    paper = Paper(report.time_zone, printed_at, report.title, subject)
    figures = Figures(report)
    table = TableLayout(report, figures, paper)
    flow = Flow(paper)
    flow.put(heading(report, paper))
    table.flow_into(flow)
    for chart in report.charts:
        flow.gap(_GAP)
        flow.put(chart_block(chart, figures, paper))
    flow.gap(_GAP)
    for block in closing_blocks(report, printed_at, figures, paper):
        flow.put(block)
    for number, page in enumerate(flow.pages, start=1):
        paper.add_page()
        for top, draw in page:
            draw(top)
        head_and_foot(report, figures, paper, printed_at, number, len(flow.pages))
    return paper.done()
