"""A chart on paper: the shapes of `charts`, with colors that survive a black-and-white copier."""

from typing import Final

from progressive.adapters.reports.charts.plot import plotted
from progressive.adapters.reports.charts.shapes import LETTER_SIZE, Area, Box, Path, Shape, Words
from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.pdf.flow import Block
from progressive.adapters.reports.pdf.paper import (
    INK,
    MARGIN,
    MUTED,
    RULE,
    Align,
    Color,
    Paper,
)
from progressive.application.finance.report import Chart

_HEIGHT: Final = 1480
_TITLE: Final = 230
_COLORS: Final[dict[str, Color]] = {
    "1": (29, 78, 137),
    "2": (199, 116, 18),
    "3": (61, 125, 84),
    "4": (128, 76, 140),
}
_BAND: Final = (222, 230, 240)
_DASHES: Final[dict[str, tuple[int, int] | None]] = {
    "1": None,
    "2": (60, 30),
    "3": (20, 20),
    "4": (90, 30),
}
_ALIGN: Final[dict[str, Align]] = {"start": "left", "middle": "center", "end": "right"}


def chart_block(chart: Chart, figures: Figures, paper: Paper) -> Block:
    """Title and picture, as wide as the page."""
    drawing = plotted(chart, figures, paper.room, _HEIGHT)

    def draw(top: int) -> None:
        title = paper.drawable(drawing.title)
        paper.words(MARGIN, top + 120, title, size=105, weight="B")
        for shape in drawing.shapes:
            _draw(paper, shape, MARGIN, top + _TITLE)

    return Block(_TITLE + _HEIGHT, draw)


def _draw(paper: Paper, shape: Shape, left: int, top: int) -> None:
    kind, _, number = shape.role.partition("-")
    match shape:
        case Path(points=points):
            placed = [(left + x, top + y) for x, y in points]
            if kind == "series":
                paper.line(placed, _COLORS[number], 12, _DASHES[number])
            elif kind == "mark":
                paper.line(placed, INK, 5, (20, 20))
            else:
                paper.line(placed, MUTED if kind == "axis" else RULE, 5 if kind == "axis" else 3)
        case Area(points=points):
            placed = [(left + x, top + y) for x, y in points]
            paper.area(placed, _BAND if kind == "band" else INK)
        case Box(x=x, y=y, width=width, height=height):
            color = _BAND if kind == "band" else _COLORS[number]
            paper.box(left + x, top + y, width, height, color)
        case Words(x=x, y=y, text=text, anchor=anchor):
            paper.words(
                left + x,
                top + y,
                paper.drawable(text),
                size=LETTER_SIZE,
                color=MUTED if kind == "tick" else INK,
                align=_ALIGN[anchor],
            )
