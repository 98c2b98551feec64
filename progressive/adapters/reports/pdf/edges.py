"""What stands around the figures: the heading, the head and foot of every page.

An open day is said in large letters on the first page and again on every other.
"""

from datetime import datetime
from typing import Final

from progressive.adapters.reports.figures.facts import (
    days_text,
    journal_text,
    open_means,
    open_text,
    place_text,
)
from progressive.adapters.reports.figures.figures import Figures, moment_text
from progressive.adapters.reports.figures.visible import shortened
from progressive.adapters.reports.pdf.flow import Block
from progressive.adapters.reports.pdf.paper import INK, MARGIN, MUTED, RED, RULE, Paper
from progressive.application.finance.report import Report

_NAME_LONGEST: Final = 90
_BANNER: Final = 470
_HEADING: Final = 730


def heading(report: Report, paper: Paper) -> Block:
    """Title, place and days; below, in large letters, that the day is open."""
    text = open_text(report)

    def draw(top: int) -> None:
        paper.words(MARGIN, top + 200, paper.drawable(report.title), size=220, weight="B")
        place = shortened(paper.drawable(place_text(report)), _NAME_LONGEST)
        paper.words(MARGIN, top + 390, place, size=110)
        paper.words(MARGIN, top + 540, days_text(report), size=110)
        right = MARGIN + paper.room
        if report.closed:
            paper.words(right, top + 200, "CLOSED", size=130, weight="B", align="right")
        paper.words(right, top + 390, journal_text(report), size=85, color=MUTED, align="right")
        paper.line([(MARGIN, top + 640), (right, top + 640)], INK, 12)
        if text is not None:
            _banner(paper, top + 690, text, open_means(report))

    return Block(_HEADING if text is None else _HEADING + _BANNER, draw)


def _banner(paper: Paper, top: int, text: str, means: str) -> None:
    bottom, right = top + _BANNER - 60, MARGIN + paper.room
    corners = [(MARGIN, top), (right, top), (right, bottom), (MARGIN, bottom), (MARGIN, top)]
    paper.line(corners, RED, 20)
    paper.words(MARGIN + 120, top + 290, text, size=300, weight="B", color=RED)
    paper.words(right - 120, top + 245, means, size=100, color=RED, align="right")


def head_and_foot(
    report: Report, figures: Figures, paper: Paper, printed_at: datetime, page: int, pages: int
) -> None:
    """On every page; the head not on the first, which has the heading."""
    right = MARGIN + paper.room
    text = open_text(report)
    if page > 1:
        words = f"{report.title} · {place_text(report)} · {days_text(report)}"
        short = shortened(paper.drawable(words), 2 * _NAME_LONGEST)
        paper.words(MARGIN, MARGIN + 100, short, size=80, weight="B")
        if text is not None:
            paper.words(right, MARGIN + 110, text, size=140, weight="B", color=RED, align="right")
        paper.line([(MARGIN, MARGIN + 160), (right, MARGIN + 160)], RULE, 5)
    y = paper.height - MARGIN
    paper.line([(MARGIN, y - 210), (right, y - 210)], RULE, 5)
    printed = f"Printed at {moment_text(printed_at.astimezone(figures.zone))}"
    paper.words(MARGIN, y - 100, printed, size=75, color=MUTED)
    hashed = f"{journal_text(report)} · last hash {report.journal.head or 'none'}"
    paper.words(MARGIN, y, paper.drawable(hashed), size=65, color=MUTED)
    paper.words(right, y - 100, f"Page {page} of {pages}", size=85, weight="B", align="right")
