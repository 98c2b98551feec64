"""How much room the columns of a report want, from the texts of all their cells.

Numbers, days and times are never broken; texts are wrapped.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.adapters.reports.figures.decks import Breadth
from progressive.adapters.reports.figures.wrap import Measure, longest_word
from progressive.application.finance.report import Column

_KEYS_MOST: Final = 2


class TextRoom(Struct, frozen=True):
    """What texts are given, in the unit that `measure` counts in."""

    least: int
    best: int


def breadths(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    totals: Sequence[str],
    *,
    measure: Measure,
    text_room: TextRoom,
) -> list[Breadth]:
    """For every column, from its title, all its cells and its total."""
    found = []
    for number, column in enumerate(columns):
        widest = max(map(measure, {row[number] for row in rows}), default=0)
        total = measure(totals[number])
        word = longest_word(column.title, measure)
        least = best = max(widest, word, total)
        if column.kind == "text":
            usual = text_room.best if column.width is None else column.width * measure("n")
            best = max(word, total, min(widest, usual))
            least = max(word, total, min(best, text_room.least))
        found.append(Breadth(least, best, max(best, measure(column.title))))
    return found


def keys_of(columns: Sequence[Column]) -> int:
    """How many columns at the start say what a row is about: a table, a meter and its part."""
    count = 0
    while count < _KEYS_MOST and columns[count].kind in ("text", "day"):
        count += 1
    return count
