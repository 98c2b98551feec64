"""What stands under the figures: notes, what columns mean, what it all rests on, signatures."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from progressive.adapters.reports.figures.facts import SIGNATURES, basis
from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.figures.visible import shortened, visible
from progressive.adapters.reports.figures.wrap import wrapped
from progressive.adapters.reports.pdf.flow import Block
from progressive.adapters.reports.pdf.paper import INK, MARGIN, MUTED, Paper
from progressive.application.finance.report import Report

_SIZE: Final = 80
_LINE: Final = 110
_LABEL: Final = 900
_TEXT_LONGEST: Final = 1_000
_SMALL: Final = 70
_SMALL_LINE: Final = 95
_SIGNATURES_HEIGHT: Final = 720


def closing_blocks(
    report: Report, printed_at: datetime, figures: Figures, paper: Paper
) -> Iterator[Block]:
    """In the order in which they are read; signatures last."""
    for note in report.notes:
        yield _fact("Note", visible(note), paper)
    yield _meanings(report, paper)
    facts = basis(report, printed_at, figures)
    yield _together([*(_fact(label, text, paper) for label, text in facts), _signatures(paper)])


def _together(blocks: Sequence[Block]) -> Block:
    """On one page: people sign under what the figures rest on."""

    def draw(top: int) -> None:
        for block in blocks:
            block.draw(top)
            top += block.height

    return Block(sum(block.height for block in blocks), draw)


def _fact(label: str, text: str, paper: Paper) -> Block:
    room = (paper.room - _LABEL) * 1000 // _SIZE
    text = paper.drawable(shortened(text, _TEXT_LONGEST))
    lines = wrapped(text, room, paper.ems)

    def draw(top: int) -> None:
        paper.words(MARGIN, top + _SIZE, label, size=_SIZE, weight="B")
        for number, line in enumerate(lines):
            paper.words(MARGIN + _LABEL, top + _SIZE + number * _LINE, line, size=_SIZE)

    return Block(len(lines) * _LINE + 20, draw)


def _meanings(report: Report, paper: Paper) -> Block:
    """What every column means, in two columns of small letters."""
    gap = 300
    half = (paper.room - gap) // 2
    items = [
        (column.title, wrapped(column.meaning, (half - _LABEL) * 1000 // _SMALL, paper.ems))
        for column in report.columns
    ]
    middle = -(-len(items) // 2)
    sides = (items[:middle], items[middle:])
    height = max(sum(_item_height(lines) for _, lines in side) for side in sides)
    title = 190
    below = 120

    def draw(top: int) -> None:
        paper.words(MARGIN, top + 140, "What the columns mean", size=_SIZE, weight="B")
        for number, side in enumerate(sides):
            left, y = MARGIN + number * (half + gap), top + title
            for name, lines in side:
                _item(paper, left, y, name, lines)
                y += _item_height(lines)

    return Block(title + height + below, draw)


def _item_height(lines: Sequence[str]) -> int:
    return len(lines) * _SMALL_LINE + 10


def _item(paper: Paper, left: int, top: int, name: str, lines: Sequence[str]) -> None:
    paper.words(left, top + _SMALL, name, size=_SMALL, color=MUTED)
    for number, line in enumerate(lines):
        y = top + _SMALL + number * _SMALL_LINE
        paper.words(left + _LABEL, y, line, size=_SMALL)


def _signatures(paper: Paper) -> Block:
    gap = 300
    width = (paper.room - gap * (len(SIGNATURES) - 1)) // len(SIGNATURES)

    def draw(top: int) -> None:
        y = top + _SIGNATURES_HEIGHT - 250
        for number, label in enumerate(SIGNATURES):
            left = MARGIN + number * (width + gap)
            paper.line([(left, y), (left + width, y)], INK, 7)
            paper.words(left, y + 110, label, size=_SIZE, weight="B")
            signed = "name, signature, date"
            paper.words(left + width, y + 110, signed, size=_SMALL, color=MUTED, align="right")

    return Block(_SIGNATURES_HEIGHT, draw)
