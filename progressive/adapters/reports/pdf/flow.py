"""Blocks set one under the other, and where pages end.

Everything is placed before anything is drawn, so that every page can say how many there are.
"""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from progressive.adapters.reports.pdf.paper import MARGIN, Paper

Draw = Callable[[int], None]
"""Draws a block whose upper edge is at this height."""
_HEAD_ROOM: Final = 300
"""For the short heading of all pages but the first."""
_FOOT_ROOM: Final = 330


class Block(Struct, frozen=True):
    """Something that is not broken over two pages."""

    height: int
    draw: Draw


class Flow:
    """Pages while they fill up."""

    def __init__(self, paper: Paper) -> None:
        """On this paper; the first page is there."""
        self._bottom = paper.height - MARGIN - _FOOT_ROOM
        self.pages: list[list[tuple[int, Draw]]] = [[]]
        self._y = MARGIN

    @property
    def left(self) -> int:
        """How much room the page still has."""
        return self._bottom - self._y

    def put(self, block: Block) -> None:
        """Under what stands there already; on a new page where it does not fit."""
        if block.height > self.left and self.pages[-1]:
            self.next_page()
        self.pages[-1].append((self._y, block.draw))
        self._y += block.height

    def gap(self, height: int) -> None:
        """Room between two blocks; none at the end of a page."""
        self._y += min(height, max(self.left, 0))

    def next_page(self) -> None:
        """What follows starts on a new page."""
        self.pages.append([])
        self._y = MARGIN + _HEAD_ROOM
