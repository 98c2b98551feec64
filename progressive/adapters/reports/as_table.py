"""A report as plain text for a terminal: heading, table, totals, what it rests on.

Plain characters, no color codes: it may be piped, mailed or compared. The width is an input; the
terminal itself is never asked. Rows that are too wide for it are printed on several lines. Rich
counts the cells that a character takes; its tables take seconds for ten thousand rows, so the lines
are set here.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from rich.cells import cell_len

from progressive.adapters.reports.figures.breadths import TextRoom, breadths, keys_of
from progressive.adapters.reports.figures.decks import Decks, arranged
from progressive.adapters.reports.figures.details import at, detail_lines, details, places_shown
from progressive.adapters.reports.figures.facts import (
    basis,
    days_text,
    open_means,
    open_text,
    place_text,
)
from progressive.adapters.reports.figures.figures import Figures, is_number
from progressive.adapters.reports.figures.visible import shortened, visible
from progressive.adapters.reports.figures.wrap import wrapped
from progressive.application.finance.report import Column, Report, Row

_TEXT_ROOM: Final = TextRoom(least=12, best=40)
_TEXT_LONGEST: Final = 400
_GAP: Final = "  "
_UNDER: Final = "    "
"""Before what is named under a row."""
_NARROWEST: Final = 40
_NO_ROWS: Final = "No rows."


def table_bytes(report: Report, printed_at: datetime, width: int) -> bytes:
    """The whole text, `width` characters wide (never less than 40)."""
    width = max(width, _NARROWEST)
    figures = Figures(report)
    lines = [
        *_heading(report, width),
        *_table(report, figures, width),
        *_footing(report, printed_at, figures, width),
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines).encode()


def _heading(report: Report, width: int) -> Iterator[str]:
    yield from wrapped(report.title.upper(), width, cell_len)
    yield from wrapped(place_text(report), width, cell_len)
    yield days_text(report)
    text = open_text(report)
    if text is not None:
        spaced = " ".join(text)
        edge = "*" * min(width, len(spaced) + 8)
        yield from (
            "",
            edge,
            f"*** {spaced} ***" if len(edge) < width else text,
            edge,
            open_means(report),
        )
    yield ""


def _table(report: Report, figures: Figures, width: int) -> Iterator[str]:
    written = figures.row(report.columns)
    rows = [[shortened(text, _TEXT_LONGEST) for text in written(row)] for row in report.rows]
    totals = figures.totals(report)
    places = places_shown(report.columns)
    columns, cells = at(places, report.columns), [at(places, row) for row in rows]
    wanted = breadths(columns, cells, at(places, totals), measure=cell_len, text_room=_TEXT_ROOM)
    decks = arranged(wanted, width, len(_GAP), keys_of(columns))
    rule = "─" * min(width, decks.width + len(_GAP) * (len(decks.slots) - 1))

    def row_of(texts: Sequence[str], row: Row | None = None) -> Iterator[str]:
        yield from _set(at(places, texts), columns, decks)
        named = details(report.columns, texts, row)
        for line in detail_lines(named, width - len(_UNDER), cell_len):
            yield f"{_UNDER}{line}"

    yield from _set([column.title for column in columns], columns, decks)
    yield rule
    for number, row in enumerate(rows):
        if number and (len(decks.lines) > 1 or len(columns) < len(report.columns)):
            yield ""
        yield from row_of(row, report.rows[number])
    if not rows:
        yield _NO_ROWS
    if report.totals:
        yield rule
        yield from row_of(totals)
    yield rule


def _set(texts: Sequence[str], columns: Sequence[Column], decks: Decks) -> Iterator[str]:
    """One row: as many lines as its decks and its longest text need."""
    for deck in decks.lines:
        cells = [
            [" " * slot]
            if column is None
            else _block(texts[column], slot, flush_right=is_number(columns[column].kind))
            for column, slot in zip(deck, decks.slots, strict=True)
        ]
        height = max(map(len, cells))
        for line in range(height):
            yield _GAP.join(
                cell[line] if line < len(cell) else " " * slot
                for cell, slot in zip(cells, decks.slots, strict=True)
            )


def _block(text: str, room: int, *, flush_right: bool) -> list[str]:
    lines = []
    for line in wrapped(text, room, cell_len):
        filling = " " * (room - cell_len(line))
        lines.append(filling + line if flush_right else line + filling)
    return lines


def _footing(report: Report, printed_at: datetime, figures: Figures, width: int) -> Iterator[str]:
    yield ""
    for note in report.notes:
        yield from wrapped(f"Note: {shortened(visible(note), _TEXT_LONGEST)}", width, cell_len)
    facts = basis(report, printed_at, figures)
    label_room = max(len(label) for label, _ in facts) + len(_GAP)
    for label, text in facts:
        first, *more = wrapped(text, width - label_room, cell_len)
        yield f"{label:{label_room}}{first}"
        for line in more:
            yield f"{'':{label_room}}{line}"
