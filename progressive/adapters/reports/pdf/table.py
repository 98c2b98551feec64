"""The table of a report on paper: header and totals on every page, texts wrapped, no number broken.

Rows that are wider than the page stand on several lines, all of them on one page.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from progressive.adapters.reports.figures.breadths import TextRoom, breadths, keys_of
from progressive.adapters.reports.figures.decks import Decks, arranged
from progressive.adapters.reports.figures.details import at, detail_lines, details, places_shown
from progressive.adapters.reports.figures.figures import IMBALANCE, TOTAL, Figures, is_number
from progressive.adapters.reports.figures.visible import shortened
from progressive.adapters.reports.figures.wrap import wrapped
from progressive.adapters.reports.pdf.flow import Block, Flow
from progressive.adapters.reports.pdf.paper import (
    HEAD_FILL,
    INK,
    MARGIN,
    MUTED,
    RED,
    SECOND_INK,
    ZEBRA,
    Color,
    Paper,
    Weight,
)
from progressive.application.finance.report import Report, Row

_SIZES: Final = (85, 80, 75, 70, 65)
"""The largest of these at which a row fits on one line."""
_WIDE_SIZE: Final = 70
"""For rows that fit on one line at none of them."""
_TEXT_LONGEST: Final = 400
_TEXT_EMS: Final = TextRoom(least=6_000, best=20_000)
_GAP_EMS: Final = 1_600
_EDGE: Final = 40
"""Between the edge of a filled row and its first and last letter."""
_UNDER_EMS: Final = 1_200
"""How far to the right stands what is named under a row."""
_NO_ROWS: Final = "No rows."
_OF_ALL: Final = "All pages"
"""In place of "Total" where more rows follow."""


class Lines(Struct, frozen=True):
    """One row, wrapped: for each line of decks the lines of each cell."""

    decks: tuple[tuple[tuple[str, ...], ...], ...]
    text_lines: int
    under: tuple[str, ...]
    """What is named under it."""


class TableLayout:
    """How the table of one report lies on one paper."""

    def __init__(self, report: Report, figures: Figures, paper: Paper) -> None:
        """Turns the paper, too."""
        written = figures.row(report.columns)
        self._paper = paper
        self._report = report
        self._places = places_shown(report.columns)
        columns = at(self._places, report.columns)
        self._flush_right = [is_number(column.kind) for column in columns]
        self._zeros = [column.must_be_zero for column in columns]
        self._titles = [column.title for column in columns]
        self._rows = [
            [paper.drawable(shortened(text, _TEXT_LONGEST)) for text in written(row)]
            for row in report.rows
        ]
        totals = figures.totals(report)
        self._totals = totals if report.totals else None
        wanted = breadths(
            columns,
            [at(self._places, row) for row in self._rows],
            at(self._places, _of_all(totals)),
            measure=lambda text: paper.ems(text, "B"),
            text_room=_TEXT_EMS,
        )
        keys = keys_of(columns)
        self._size, self._decks = self._fitted(lambda ems: arranged(wanted, ems, _GAP_EMS, keys))
        self._lefts, self._widths = self._slots()

    def _fitted(self, arrange: Callable[[int], Decks]) -> tuple[int, Decks]:
        """Upright paper where that is enough."""
        for landscape in (False, True):
            self._paper.turn(landscape=landscape)
            sizes = _SIZES if landscape else _SIZES[:2]
            for size in sizes:
                decks = arrange(self._ems(size))
                if len(decks.lines) == 1:
                    return size, decks
        return _WIDE_SIZE, arrange(self._ems(_WIDE_SIZE))

    def _ems(self, size: int) -> int:
        return (self._paper.room - 2 * _EDGE) * 1000 // size

    def _slots(self) -> tuple[list[int], list[int]]:
        """Left edge and width of each slot: what is left over is shared out, so that the table is
        as wide as the page."""
        count = len(self._decks.slots)
        gap = _GAP_EMS * self._size // 1000
        widths = [ems * self._size // 1000 + 1 for ems in self._decks.slots]
        spare = self._paper.room - 2 * _EDGE - sum(widths) - gap * (count - 1)
        widths = [width + max(0, spare) // count for width in widths]
        lefts = [MARGIN + _EDGE + sum(widths[:slot]) + gap * slot for slot in range(count)]
        return lefts, widths

    def flow_into(self, flow: Flow) -> None:
        """All rows, on as many pages as they need."""
        header = self._header()
        totals = on_the_way = None
        if self._totals is not None:
            totals = self._block(self._totals, weight="B", ruled=True)
            on_the_way = self._block(_of_all(self._totals), weight="B", ruled=True)
        totals_height = 0 if on_the_way is None else on_the_way.height
        rows = [
            self._block(texts, row, fill=ZEBRA if number % 2 else None)
            for number, (texts, row) in enumerate(zip(self._rows, self._report.rows, strict=True))
        ] or [self._no_rows()]
        if header.height + rows[0].height + totals_height > flow.left:
            flow.next_page()
        flow.put(header)
        for row in rows:
            if row.height + totals_height > flow.left:
                if on_the_way is not None:
                    flow.put(on_the_way)
                flow.next_page()
                flow.put(header)
            flow.put(row)
        if totals is not None:
            flow.put(totals)

    def _no_rows(self) -> Block:
        line = self._line_height

        def draw(top: int) -> None:
            self._paper.words(MARGIN + _EDGE, top + 2 * line, _NO_ROWS, size=self._size)

        return Block(3 * line, draw)

    @property
    def _line_height(self) -> int:
        return self._size * 128 // 100

    def _block(
        self,
        texts: Sequence[str],
        row: Row | None = None,
        *,
        weight: Weight = "",
        fill: Color | None = None,
        ruled: bool = False,
    ) -> Block:
        room = (self._paper.room - 2 * _EDGE) * 1000 // self._size - _UNDER_EMS
        named = details(self._report.columns, texts, row)
        under = detail_lines(named, room, lambda text: self._paper.ems(text, weight))
        lines = self._wrapped(at(self._places, texts), weight, under)
        return self._drawn(lines, weight, fill, ruled=ruled)

    def _header(self) -> Block:
        return self._drawn(self._wrapped(self._titles, "B"), "B", HEAD_FILL)

    def _drawn(
        self, lines: Lines, weight: Weight, fill: Color | None, *, ruled: bool = False
    ) -> Block:
        height = lines.text_lines * self._line_height + self._size * 7 // 10

        def draw(top: int) -> None:
            self._draw(lines, top, height, weight, fill, ruled=ruled)

        return Block(height, draw)

    def _wrapped(self, texts: Sequence[str], weight: Weight, under: Sequence[str] = ()) -> Lines:
        decks = []
        for deck in self._decks.lines:
            cells = []
            for column, width in zip(deck, self._widths, strict=True):
                room = width * 1000 // self._size
                text = "" if column is None else texts[column]
                cells.append(tuple(wrapped(text, room, lambda part: self._paper.ems(part, weight))))
            decks.append(tuple(cells))
        heights = [max(map(len, cells)) for cells in decks]
        return Lines(tuple(decks), sum(heights) + len(under), tuple(under))

    def _draw(
        self,
        lines: Lines,
        top: int,
        height: int,
        weight: Weight,
        fill: Color | None,
        *,
        ruled: bool,
    ) -> None:
        paper, left = self._paper, MARGIN
        if fill is not None:
            paper.box(left, top, paper.room, height, fill)
        if ruled:
            paper.line([(left, top), (left + paper.room, top)], INK, 8)
            bottom = top + height
            for y in (bottom - 14, bottom):
                paper.line([(left, y), (left + paper.room, y)], INK, 5)
        y = top + self._size * 132 // 100
        for number, (deck, cells) in enumerate(zip(self._decks.lines, lines.decks, strict=True)):
            ink = SECOND_INK if number % 2 else INK
            for slot, (column, cell) in enumerate(zip(deck, cells, strict=True)):
                if column is not None:
                    wrong = self._zeros[column] and cell[0].startswith(IMBALANCE)
                    flush_right = self._flush_right[column]
                    color = RED if wrong else ink
                    self._cell(slot, y, cell, weight, color, flush_right=flush_right)
            y += max(map(len, cells)) * self._line_height
        for text in lines.under:
            x = MARGIN + _EDGE + _UNDER_EMS * self._size // 1000
            paper.words(x, y, text, size=self._size, weight=weight, color=MUTED)
            y += self._line_height

    def _cell(
        self,
        slot: int,
        y: int,
        cell: Sequence[str],
        weight: Weight,
        color: Color,
        *,
        flush_right: bool,
    ) -> None:
        x = self._lefts[slot]
        for number, text in enumerate(cell):
            if text:
                self._paper.words(
                    x + self._widths[slot] if flush_right else x,
                    y + number * self._line_height,
                    text,
                    size=self._size,
                    weight=weight,
                    color=color,
                    align="right" if flush_right else "left",
                )


def _of_all(totals: Sequence[str]) -> list[str]:
    """The totals where more rows follow."""
    return [_OF_ALL if text == TOTAL else text for text in totals]
