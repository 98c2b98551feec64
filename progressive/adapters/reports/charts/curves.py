"""Series and bands as lines, staircases, bars and areas, in whole numbers.

However many values a line has, no more points are drawn than the sheet can show.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from progressive.adapters.reports.charts.scale import Scale
from progressive.adapters.reports.charts.shapes import SERIES_ROLES, Area, Box, Path, Point
from progressive.application.finance.report import Band, Series

_COLUMN: Final = 10
"""Points nearer than this beside each other, one point of paper, are drawn as one column."""


def drawn_series(
    series: Series, places: Sequence[int], y: Scale, role: str, *, stepped: bool
) -> Iterator[Path]:
    """A path for every stretch without a gap."""
    for stretch in _stretches(places, series.values):
        points = [(x, y.at(value)) for x, value in thinned(stretch)]
        if len(points) == 1:
            (x, height) = points[0]
            points = [(x - 15, height), (x + 15, height)]
        yield Path(tuple(_stairs(points) if stepped else points), role)


def drawn_band(band: Band, places: Sequence[int], y: Scale, role: str) -> Iterator[Area]:
    """An area for every stretch in which both edges are known."""
    known = [
        None if low is None or high is None else 1
        for low, high in zip(band.low, band.high, strict=True)
    ]
    edges = {x: ends for x, *ends in zip(places, band.low, band.high, strict=True)}
    for stretch in _stretches(places, known):
        sides: list[list[Point]] = [[], []]
        for x, _ in stretch:
            for side, value in zip(sides, edges[x], strict=True):
                side.append((x, y.at(value or 0)))
        yield Area((*sides[0], *reversed(sides[1])), role)


def bars(series: Sequence[Series], places: Sequence[int], y: Scale, room: int) -> Iterator[Box]:
    """Bars of one place side by side, from zero."""
    group = room * 7 // (10 * max(len(places), 1))
    width = max(group // len(series), 4)
    zero = y.at(0)
    for number, each in enumerate(series):
        for place, value in zip(places, each.values, strict=True):
            if value is None:
                continue
            top = y.at(value)
            x = place - width * len(series) // 2 + number * width
            role = f"bar-{number % SERIES_ROLES + 1}"
            yield Box(x, min(top, zero), max(width - 4, 3), abs(top - zero), role)


def thinned(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """First, lowest, highest and last of each column of the sheet: it looks the same."""
    found: list[tuple[int, int]] = []
    column: list[tuple[int, int]] = []
    for point in points:
        if column and point[0] // _COLUMN != column[0][0] // _COLUMN:
            found += _extremes(column)
            column = []
        column.append(point)
    return found + _extremes(column)


def _extremes(column: list[tuple[int, int]]) -> list[tuple[int, int]]:
    if len(column) <= 4:
        return column
    values = [value for _, value in column]
    chosen = {0, len(column) - 1, values.index(min(values)), values.index(max(values))}
    return [column[place] for place in sorted(chosen)]


def _stretches(
    places: Sequence[int], values: Sequence[int | None]
) -> Iterator[list[tuple[int, int]]]:
    stretch: list[tuple[int, int]] = []
    for place, value in zip(places, values, strict=True):
        if value is not None:
            stretch.append((place, value))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _stairs(points: Sequence[Point]) -> Iterator[Point]:
    """A value holds until the next one."""
    before: Point | None = None
    for x, y in points:
        if before is not None and before[1] != y:
            yield (x, before[1])
        yield (x, y)
        before = (x, y)
