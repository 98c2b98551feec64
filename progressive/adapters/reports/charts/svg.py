"""A drawing as SVG, to stand inside a page: roles become classes, colors are the page's.

No style attributes and no script, so that a strict Content-Security-Policy lets it be.
"""

from markupsafe import Markup, escape

from progressive.adapters.reports.charts.shapes import (
    LETTER_SIZE,
    Area,
    Box,
    Drawing,
    Path,
    Point,
    Shape,
    Words,
)


def svg(drawing: Drawing) -> Markup:
    """One `svg` element, as wide as its place."""
    parts = [
        Markup(
            '<svg class="chart" role="img" aria-label="{}. {}" viewBox="0 0 {} {}" '
            'font-size="{}" xmlns="http://www.w3.org/2000/svg">'
        ).format(drawing.title, drawing.summary, drawing.width, drawing.height, LETTER_SIZE),
        *map(_element, drawing.shapes),
        Markup("</svg>"),
    ]
    return Markup("\n").join(parts)


def _element(shape: Shape) -> Markup:
    match shape:
        case Path(points=points, role=role):
            return Markup('<polyline class="{}" fill="none" points="{}"/>').format(
                role, _points(points)
            )
        case Area(points=points, role=role):
            return Markup('<polygon class="{}" points="{}"/>').format(role, _points(points))
        case Box(x=x, y=y, width=width, height=height, role=role):
            return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
                role, x, y, width, height
            )
        case Words(x=x, y=y, text=text, anchor=anchor, role=role):
            return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(
                role, x, y, anchor, text
            )


def _points(points: tuple[Point, ...]) -> str:
    return escape(" ".join(f"{x},{y}" for x, y in points))
