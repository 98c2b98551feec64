"""Rows that are wider than the page: printed on several lines, with a header of as many lines.

Columns stand in slots. The first line of a row holds the first columns, the second line the next
ones under them, and so on; all lines share the slots. Pure; widths are whole numbers in any unit.
"""

from collections.abc import Sequence

from msgspec import Struct


class Breadth(Struct, frozen=True):
    """How much room one column wants."""

    least: int
    """Below this it cannot be read: a number is never broken."""
    best: int
    """Enough for its longest cell on one line."""
    ample: int
    """Enough for its title on one line, too."""


class Decks(Struct, frozen=True):
    """Where every column stands."""

    lines: tuple[tuple[int | None, ...], ...]
    """For each line of a row, the column in each slot, by its place in the report."""
    slots: tuple[int, ...]
    """The width of each slot, gaps not included."""

    @property
    def width(self) -> int:
        """Of all slots together, gaps not included."""
        return sum(self.slots)


def arranged(columns: Sequence[Breadth], room: int, gap: int, keys: int) -> Decks:
    """As few lines as possible, so that every column has at least what it needs.

    The first `keys` columns say what a row is about: nothing is set under them, if there is room
    for that. A single column that is wider than the page gets the page.
    """
    others = len(columns) - keys
    for line_count in range(1, others + 1):
        per_line = -(-others // line_count)
        lines = _lines(len(columns), keys, per_line)
        inner = room - gap * (keys + per_line - 1)
        least = _slots(lines, [column.least for column in columns])
        if sum(least) <= inner or (keys == 0 and per_line == 1):
            best = _slots(lines, [column.best for column in columns])
            ample = _slots(lines, [column.ample for column in columns])
            # Cells before titles: those come once a row, these once a page.
            return Decks(lines, _shared_out(_shared_out(least, best, inner), ample, inner))
    return arranged(columns, room, gap, 0) if keys else Decks((), ())


def _lines(count: int, keys: int, per_line: int) -> tuple[tuple[int | None, ...], ...]:
    """The keys on the first line only; the last line may be short."""
    found: list[tuple[int | None, ...]] = []
    for start in range(keys, count, per_line):
        leading = range(keys) if start == keys else [None] * keys
        here = [*range(start, min(start + per_line, count))]
        found.append((*leading, *here, *[None] * (per_line - len(here))))
    return tuple(found)


def _slots(lines: Sequence[Sequence[int | None]], widths: Sequence[int]) -> list[int]:
    """The widest column in each slot."""
    return [
        max(widths[column] for column in slot if column is not None)
        for slot in zip(*lines, strict=True)
    ]


def _shared_out(least: Sequence[int], best: Sequence[int], room: int) -> tuple[int, ...]:
    """Each slot its least; what is left over goes to those that want more, in proportion."""
    spare = room - sum(least)
    wanted = [max(0, more - less) for less, more in zip(least, best, strict=True)]
    if spare <= 0:
        return tuple(min(less, room) for less in least)
    if sum(wanted) <= spare:
        return tuple(less + more for less, more in zip(least, wanted, strict=True))
    return tuple(
        less + spare * more // sum(wanted) for less, more in zip(least, wanted, strict=True)
    )
