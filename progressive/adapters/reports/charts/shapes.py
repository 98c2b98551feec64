"""What a chart is made of: lines, areas, boxes and words, each with a role instead of a color.

Places are whole numbers, tenths of a point from the upper left corner.
"""

from typing import Final, Literal

from msgspec import Struct

Point = tuple[int, int]
SERIES_ROLES: Final = 4
"""So many series can be told apart, by color and by dashes."""


class Path(Struct, frozen=True):
    """An open line through points."""

    points: tuple[Point, ...]
    role: str
    """`axis`, `grid`, `mark`, or `series-1` to `series-4`."""


class Area(Struct, frozen=True):
    """A filled shape: `band-1` and so on, or `mark`."""

    points: tuple[Point, ...]
    role: str


class Box(Struct, frozen=True):
    """A filled bar: `bar-1` to `bar-4`, or a legend's sample of a band."""

    x: int
    y: int
    width: int
    height: int
    role: str


class Words(Struct, frozen=True):
    """A text whose baseline stands at `y`."""

    x: int
    y: int
    text: str
    anchor: Literal["start", "middle", "end"]
    role: str
    """`tick`, `legend`, or `mark-label`."""


Shape = Path | Area | Box | Words


class Drawing(Struct, frozen=True):
    """A chart, ready to be drawn in the order of its shapes."""

    width: int
    height: int
    title: str
    summary: str
    """The same in words, for those who cannot see it."""
    shapes: tuple[Shape, ...]


LETTER_SIZE: Final = 80
"""All words of a chart: eight points."""
LETTER_WIDTH: Final = 46
"""About as wide is one letter or digit of that size, in any plain typeface."""


def words_width(text: str) -> int:
    """About how wide a text is; enough to keep labels apart."""
    return len(text) * LETTER_WIDTH
