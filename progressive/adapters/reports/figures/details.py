"""Facts under a row, each with its name: what a wide report has beside its columns.

A column that is a detail has no place in the header of a table for people. What a row has of it is
named under the row, and left out where nothing applies, or where it adds nothing to a sum. CSV,
JSON and XLSX know no such difference.
"""

from collections.abc import Sequence
from typing import Final, TypeVar

from progressive.adapters.reports.figures.figures import NOTHING
from progressive.adapters.reports.figures.wrap import Measure, wrapped
from progressive.application.finance.report import Column, Row

_Any = TypeVar("_Any")
BETWEEN: Final = " · "


def places_shown(columns: Sequence[Column]) -> list[int]:
    """Where the columns stand that have a place in the header."""
    return [place for place, column in enumerate(columns) if not column.detail]


def at(places: Sequence[int], cells: Sequence[_Any]) -> list[_Any]:
    """The cells at these places."""
    return [cells[place] for place in places]


def details(
    columns: Sequence[Column], texts: Sequence[str], row: Row | None = None
) -> list[tuple[str, str]]:
    """Title and text of every detail that a row has; of texts for all columns, or of totals.

    What is summed is left out of a row that adds nothing to it: the sum stands in the totals.
    """
    return [
        (column.title, text)
        for column, text in zip(columns, texts, strict=True)
        if column.detail and text not in ("", NOTHING) and not _adds_nothing(column, row)
    ]


def _adds_nothing(column: Column, row: Row | None) -> bool:
    return row is not None and column.total and row[column.id] == 0


def detail_lines(found: Sequence[tuple[str, str]], room: int, measure: Measure) -> list[str]:
    """As many on a line as fit: a name and its text stay together where a line holds them."""
    lines: list[str] = []
    for title, text in found:
        item = f"{title} {text}"
        if lines and measure(together := f"{lines[-1]}{BETWEEN}{item}") <= room:
            lines[-1] = together
        else:
            lines += wrapped(item, room, measure)
    return lines
