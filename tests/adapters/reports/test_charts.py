"""Charts: every value inside its frame, ticks that a person reads easily, no more ink than room."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from progressive.adapters.reports.charts.curves import thinned
from progressive.adapters.reports.charts.plot import plotted
from progressive.adapters.reports.charts.scale import Scale, tick_step, tick_texts, widened
from progressive.adapters.reports.charts.shapes import Area, Box, Drawing, Path, Words, words_width
from progressive.adapters.reports.charts.svg import svg
from progressive.adapters.reports.figures.figures import Figures
from progressive.application.finance.report import Band, Chart, Mark, Series
from tests.support.reports import BY_HOUR, GROWTH, HOLD, plain

FIGURES = Figures(plain(0))
SIZE = (7000, 1500)


def drawn(chart: Chart) -> Drawing:
    return plotted(chart, FIGURES, *SIZE)


@pytest.mark.parametrize(
    ("span", "aim", "step"),
    [(1, 5, 1), (5, 5, 1), (6, 5, 2), (10, 5, 2), (11, 5, 5), (26, 5, 10), (999_999, 5, 200_000)],
)
def test_ticks_are_one_two_or_five(span: int, aim: int, step: int) -> None:
    assert tick_step(span, aim) == step


@pytest.mark.parametrize(
    ("low", "high", "bounds"),
    [(0, 9, (0, 10, 2)), (-3, 7, (-4, 8, 2)), (7, 7, (7, 8, 1)), (0, 0, (0, 1, 1))],
)
def test_bounds_stand_on_ticks(low: int, high: int, bounds: tuple[int, int, int]) -> None:
    assert widened(low, high, 5) == bounds


def test_ticks_lose_zeros_that_all_of_them_have() -> None:
    assert tick_texts([0, 500_000], "cents", FIGURES) == ["$0", "$5,000"]
    assert tick_texts([0, 50], "cents", FIGURES) == ["$0.00", "$0.50"]
    assert tick_texts([200_000, 205_000], "percent", FIGURES) == ["20.0%", "20.5%"]
    assert tick_texts([200_000, 300_000], "percent", FIGURES) == ["20%", "30%"]


def test_a_scale_meets_its_ends_and_its_middle() -> None:
    scale = Scale(0, 10, 100, 0)
    assert [scale.at(value) for value in (0, 5, 10)] == [100, 50, 0]


@pytest.mark.parametrize("chart", [BY_HOUR, GROWTH, HOLD], ids=lambda chart: chart.kind)
def test_everything_stays_on_the_sheet(chart: Chart) -> None:
    for shape in drawn(chart).shapes:
        match shape:
            case Path(points=points) | Area(points=points):
                corners = list(points)
            case Box(x=x, y=y, width=width, height=height):
                corners = [(x, y), (x + width, y + height)]
            case Words(x=x, y=y, text=text, anchor=anchor):
                left = x - {"start": 0, "middle": 1, "end": 2}[anchor] * words_width(text) // 2
                corners = [(left, y), (left + words_width(text), y)]
        for x, y in corners:
            assert 0 <= x <= SIZE[0], shape
            assert 0 <= y <= SIZE[1], shape


def test_labels_of_the_x_axis_do_not_touch() -> None:
    for chart in (BY_HOUR, GROWTH, HOLD):
        ticks = [each for each in drawn(chart).shapes if isinstance(each, Words)]
        below = [each for each in ticks if each.role == "tick" and each.anchor == "middle"]
        assert len(below) >= 3
        for left, right in pairwise(below):
            ends = left.x + words_width(left.text) // 2
            assert ends < right.x - words_width(right.text) // 2


def test_bars_are_as_high_as_their_values() -> None:
    chart = Chart("t", "bars", ("a", "b", "c"), (Series("s", (10, 5, -5)),), "int")
    bars = [each for each in drawn(chart).shapes if isinstance(each, Box)]
    heights = [bar.height for bar in bars]
    assert abs(heights[0] - 2 * heights[1]) <= 1
    assert abs(heights[1] - heights[2]) <= 1
    assert bars[2].y == bars[1].y + bars[1].height


def test_a_gap_stays_a_gap() -> None:
    chart = Chart("t", "line", ("a", "b", "c", "d"), (Series("s", (1, None, 3, 4)),), "int")
    paths = [each for each in drawn(chart).shapes if each.role == "series-1"]
    assert len(paths) == 2


def test_stairs_hold_a_value_until_the_next() -> None:
    chart = Chart("t", "steps", (0, 10), (Series("s", (0, 100)),), "int")
    (path,) = [each for each in drawn(chart).shapes if each.role == "series-1"]
    assert isinstance(path, Path)
    (x1, y1), corner, (x2, y2) = path.points
    assert corner == (x2, y1)
    assert (x1 < x2, y1 > y2) == (True, True)


def test_bands_break_where_an_edge_is_not_known() -> None:
    chart = replace(HOLD, bands=(Band("b", (None, *(1,) * 29), (*(2,) * 15, None, *(2,) * 14)),))
    areas = [
        each for each in drawn(chart).shapes if each.role == "band-1" and isinstance(each, Area)
    ]
    assert [len(area.points) for area in areas] == [28, 28]


def test_marks_keep_their_labels_apart() -> None:
    crowded = replace(GROWTH, marks=tuple(Mark(place, f"hit {place}") for place in range(12)))
    labels = [each for each in drawn(crowded).shapes if each.role == "mark-label"]
    triangles = [each for each in drawn(crowded).shapes if isinstance(each, Area)]
    assert len(triangles) == 12
    assert 1 < len(labels) < 12
    many = replace(GROWTH, marks=tuple(Mark(place, "hit") for place in range(13)))
    assert not [each for each in drawn(many).shapes if each.role == "mark-label"]


def test_a_line_of_many_values_is_thinned_and_keeps_its_extremes() -> None:
    values = tuple((place * 7919) % 10_007 for place in range(50_000))
    points = [(place // 100, value) for place, value in enumerate(values)]
    kept = thinned(points)
    assert len(kept) <= 4 * (500 // 10)
    assert {min(values), max(values)} <= {value for _, value in kept}
    chart = Chart("t", "line", tuple(range(50_000)), (Series("s", values),), "int")
    (path,) = [each for each in drawn(chart).shapes if each.role == "series-1"]
    assert isinstance(path, Path)
    assert len(path.points) <= 4 * SIZE[0] // 10


@pytest.mark.parametrize("values", [(), (None, None)])
def test_a_chart_without_values_says_so(values: tuple[None, ...]) -> None:
    chart = Chart("t", "line", ("a", "b")[: len(values)], (Series("s", values),), "cents")
    assert "No data" in svg(drawn(chart))


def test_words_in_svg_are_escaped() -> None:
    chart = Chart("<b>", "bars", ("<i>",), (Series("s", (1,)),), "int", x_title="&")
    picture = svg(drawn(chart))
    assert "<b>" not in picture
    assert "<i>" not in picture
    assert "&amp;</text>" in picture
