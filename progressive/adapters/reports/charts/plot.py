"""A chart of a report as shapes on a sheet of a given size.

Chooses places only. What the figures are, the report has said; colors are the format's.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from progressive.adapters.reports.charts.curves import (
    bars,
    drawn_band,
    drawn_series,
)
from progressive.adapters.reports.charts.scale import Scale, tick_step, tick_texts, widened
from progressive.adapters.reports.charts.shapes import (
    LETTER_SIZE,
    SERIES_ROLES,
    Area,
    Box,
    Drawing,
    Path,
    Shape,
    Words,
    words_width,
)
from progressive.adapters.reports.figures.figures import Figures
from progressive.adapters.reports.figures.visible import visible
from progressive.application.finance.report import Chart

_Y_TICKS: Final = 5
_TOP: Final = 260
"""Room above the picture for legend and marks."""
_BOTTOM: Final = 230
_RIGHT: Final = 60
_SAMPLE: Final = 180
"""How long a legend's sample of a line is."""
_LABELLED_MARKS: Final = 12


class _Frame(Struct, frozen=True):
    """The picture inside its margins."""

    left: int
    right: int
    top: int
    bottom: int
    y: Scale
    places: tuple[int, ...]
    """Where each `x` stands."""


def plotted(chart: Chart, figures: Figures, width: int, height: int) -> Drawing:
    """Width and height in tenths of a point."""
    low, high = _bounds(chart)
    low, high, step = widened(low, high, _Y_TICKS)
    ticks = range(low, high + 1, step)
    texts = tick_texts(ticks, chart.unit, figures)
    left = max(map(words_width, texts)) + 80
    right, bottom = width - _RIGHT, height - _BOTTOM
    frame = _Frame(
        left=left,
        right=right,
        top=_TOP,
        bottom=bottom,
        y=Scale(low, high, bottom, _TOP),
        places=_places(chart, left, right),
    )
    shapes = [
        *_grid(frame, ticks, texts),
        *_x_axis(chart, frame),
        *_content(chart, frame),
        *_marks(chart, frame),
        *_legend(chart, left),
    ]
    return Drawing(width, height, chart.title, _summary(chart, figures), tuple(shapes))


def _values(chart: Chart) -> list[int]:
    drawn = [each.values for each in chart.series]
    drawn += [values for band in chart.bands for values in (band.low, band.high)]
    return [value for values in drawn for value in values if value is not None]


def _bounds(chart: Chart) -> tuple[int, int]:
    """Bars grow from zero; a line starts there too unless that would flatten it."""
    values = _values(chart)
    low, high = min(values, default=0), max(values, default=0)
    if chart.kind == "bars" or 0 <= low <= high // 2:
        return min(low, 0), max(high, 0)
    return low, high


def _places(chart: Chart, left: int, right: int) -> tuple[int, ...]:
    numbers = [each for each in chart.x if isinstance(each, int)]
    count, room = len(chart.x), right - left
    if chart.kind == "bars":
        return tuple(left + room * (2 * place + 1) // (2 * count) for place in range(count))
    if len(numbers) > 1:
        scale = Scale(numbers[0], numbers[-1], left, right)
        return tuple(map(scale.at, numbers))
    return tuple(left + room * place // max(count - 1, 1) for place in range(count))


def _grid(frame: _Frame, ticks: Sequence[int], texts: Sequence[str]) -> Iterator[Shape]:
    for tick, text in zip(ticks, texts, strict=True):
        y = frame.y.at(tick)
        yield Path(((frame.left, y), (frame.right, y)), "axis" if tick == 0 else "grid")
        yield Words(frame.left - 40, y + LETTER_SIZE * 35 // 100, text, "end", "tick")


def _x_axis(chart: Chart, frame: _Frame) -> Iterator[Shape]:
    yield Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "axis")
    base = frame.bottom + LETTER_SIZE + 30
    for place, text in _x_labels(chart, frame):
        yield Path(((place, frame.bottom), (place, frame.bottom + 25)), "axis")
        half = words_width(text) // 2
        inside = min(max(place, half), frame.right + _RIGHT - half)
        yield Words(inside, base, text, "middle", "tick")
    if chart.x_title:
        middle = (frame.left + frame.right) // 2
        yield Words(middle, base + LETTER_SIZE + 10, visible(chart.x_title), "middle", "legend")


def _x_labels(chart: Chart, frame: _Frame) -> list[tuple[int, str]]:
    """As many as stand apart."""
    numbers = [each for each in chart.x if isinstance(each, int)]
    if len(numbers) > 1 and chart.kind != "bars":
        room = (frame.right - frame.left) // (words_width(str(numbers[-1])) + LETTER_SIZE)
        step = tick_step(numbers[-1] - numbers[0], max(2, min(room, 8)))
        scale = Scale(numbers[0], numbers[-1], frame.left, frame.right)
        first = -(-numbers[0] // step) * step
        return [(scale.at(tick), str(tick)) for tick in range(first, numbers[-1] + 1, step)]
    texts = [visible(str(each)) for each in chart.x]
    if not texts:
        return []
    room = max(1, (frame.right - frame.left) // (max(map(words_width, texts)) + LETTER_SIZE))
    each = -(-len(texts) // room)
    return [(frame.places[place], texts[place]) for place in range(0, len(texts), each)]


def _content(chart: Chart, frame: _Frame) -> Iterator[Shape]:
    if not _values(chart):
        middle = (frame.left + frame.right) // 2, (frame.top + frame.bottom) // 2
        yield Words(*middle, "No data", "middle", "legend")
        return
    for number, band in enumerate(chart.bands):
        yield from drawn_band(band, frame.places, frame.y, f"band-{_role(number)}")
    if chart.kind == "bars":
        yield from bars(chart.series, frame.places, frame.y, frame.right - frame.left)
        return
    for number, series in enumerate(chart.series):
        role = f"series-{_role(number)}"
        stepped = chart.kind == "steps"
        yield from drawn_series(series, frame.places, frame.y, role, stepped=stepped)


def _marks(chart: Chart, frame: _Frame) -> Iterator[Shape]:
    """A line down, a small triangle on top, and the label where there is room for it."""
    free_from = 0
    for mark in chart.marks:
        x = frame.places[mark.at]
        yield Path(((x, frame.top), (x, frame.bottom)), "mark")
        yield Area(((x - 30, frame.top - 50), (x + 30, frame.top - 50), (x, frame.top)), "mark")
        text = visible(mark.label)
        half = words_width(text) // 2
        middle = min(max(x, half), frame.right + _RIGHT - half)
        if len(chart.marks) <= _LABELLED_MARKS and middle - half >= free_from:
            yield Words(middle, frame.top - 70, text, "middle", "mark-label")
            free_from = middle + half + LETTER_SIZE


def _legend(chart: Chart, left: int) -> Iterator[Shape]:
    """Not for a single series: the title names it."""
    if len(chart.series) + len(chart.bands) < 2:
        return
    x, y = left, LETTER_SIZE
    middle = y - LETTER_SIZE * 35 // 100
    samples = [(each.name, number, "series") for number, each in enumerate(chart.series)]
    samples += [(each.name, number, "band") for number, each in enumerate(chart.bands)]
    for name, number, kind in samples:
        if kind == "band" or chart.kind == "bars":
            role = f"{'band' if kind == 'band' else 'bar'}-{_role(number)}"
            yield Box(x, middle - 35, _SAMPLE, 70, role)
        else:
            yield Path(((x, middle), (x + _SAMPLE, middle)), f"series-{_role(number)}")
        yield Words(x + _SAMPLE + 40, y, visible(name), "start", "legend")
        x += _SAMPLE + 140 + words_width(name)


def _role(number: int) -> int:
    return number % SERIES_ROLES + 1


def _summary(chart: Chart, figures: Figures) -> str:
    parts = []
    for series in chart.series:
        values = [value for value in series.values if value is not None]
        if values:
            ends = [figures.number(chart.unit, value) for value in (min(values), max(values))]
            parts.append(f"{visible(series.name)}: from {ends[0]} to {ends[1]}")
    parts += [f"{visible(mark.label)} at {chart.x[mark.at]}" for mark in chart.marks]
    return "; ".join(parts) or "No data"
