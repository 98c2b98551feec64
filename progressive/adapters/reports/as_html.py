"""A report as one HTML page for screen and printer: no script, nothing loaded from anywhere.

Its style is the same for every report, so its hash stands in the page's own policy, and whoever
serves the page can send the same policy as a header. Texts are escaped, charts are inline SVG.
"""

import base64
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from msgspec import Struct

from progressive.adapters.reports.charts.plot import plotted
from progressive.adapters.reports.charts.svg import svg
from progressive.adapters.reports.figures.breadths import TextRoom, breadths, keys_of
from progressive.adapters.reports.figures.decks import Decks, arranged
from progressive.adapters.reports.figures.details import at, details, places_shown
from progressive.adapters.reports.figures.facts import (
    SIGNATURES,
    basis,
    days_text,
    journal_text,
    open_means,
    open_text,
    place_text,
)
from progressive.adapters.reports.figures.figures import IMBALANCE, Figures, is_number
from progressive.adapters.reports.figures.visible import shortened, visible
from progressive.application.finance.report import Column, Report, Row

_STYLE: Final = (resources.files(__package__) / "web" / "report.css").read_text("utf-8")
_HASH: Final = base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
CONTENT_SECURITY_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
)
"""For the header of an answer that holds such a page; `frame-ancestors` has to be added there."""
_ROOM: Final = 165
"""So many letters of seven points stand beside each other on a page of paper."""
_TEXT_ROOM: Final = TextRoom(least=12, best=40)
_TEXT_LONGEST: Final = 2_000
_NEVER_WRAPPED: Final = 16
"""Letters: the number of an award is on one line, as short texts are."""
_CHART_SIZE: Final = (9000, 1900)


class _Cell(Struct, frozen=True):
    text: str
    marked: Markup
    """The class attribute, with a space before it; empty for plain texts."""
    isolated: bool
    """A text of a person: its writing direction must not reach its neighbors."""


class _Row(Struct, frozen=True):
    lines: list[list[_Cell]]
    details: list[tuple[str, str]]


class _Table(Struct, frozen=True):
    stacked: bool
    slots: int
    header: list[list[_Cell]]
    rows: list[_Row]
    totals: _Row | None


_NUMBER: Final = Markup(' class="n"')
_WRONG: Final = Markup(' class="n wrong"')
_EMPTY: Final = _Cell("", Markup(""), isolated=False)


def html_bytes(report: Report, printed_at: datetime) -> bytes:
    """The whole page."""
    figures = Figures(report)
    page = _template().render(
        report=report,
        policy=CONTENT_SECURITY_POLICY,
        # Our own file, and no report's words are in it.
        style=Markup(_STYLE),  # noqa: S704
        place=place_text(report),
        days=days_text(report),
        journal=journal_text(report),
        open=open_text(report),
        open_means=open_means(report),
        table=_table(report, figures),
        charts=[
            (chart.title, svg(plotted(chart, figures, *_CHART_SIZE))) for chart in report.charts
        ],
        notes=[visible(note) for note in report.notes],
        basis=basis(report, printed_at, figures),
        signatures=SIGNATURES,
    )
    return page.encode()


@cache
def _template() -> Template:
    # The environment of the pages of the service belongs to an outer layer; this one is as strict.
    environment = Environment(
        loader=PackageLoader(__package__, "web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("report.html")


def _table(report: Report, figures: Figures) -> _Table:
    written = figures.row(report.columns)
    rows = [[shortened(text, _TEXT_LONGEST) for text in written(row)] for row in report.rows]
    totals = figures.totals(report)
    places = places_shown(report.columns)
    columns, cells = at(places, report.columns), [at(places, row) for row in rows]
    wanted = breadths(columns, cells, at(places, totals), measure=len, text_room=_TEXT_ROOM)
    decks = arranged(wanted, _ROOM, 2, keys_of(columns))
    classes = [
        _marked(column, max((len(row[place]) for row in cells), default=0))
        for place, column in enumerate(columns)
    ]
    isolated = [column.kind == "text" for column in columns]
    plain = [False] * len(columns)
    titles = [column.title for column in columns]

    def row_of(texts: Sequence[str], isolated: Sequence[bool], row: Row | None = None) -> _Row:
        lines = _lines(at(places, texts), decks, classes, isolated)
        return _Row(lines, details(report.columns, texts, row))

    return _Table(
        stacked=len(decks.lines) > 1,
        slots=len(decks.slots),
        header=_lines(titles, decks, classes, plain),
        rows=[row_of(texts, isolated, row) for texts, row in zip(rows, report.rows, strict=True)],
        totals=row_of(totals, plain) if report.totals else None,
    )


def _marked(column: Column, longest: int) -> Markup:
    if is_number(column.kind):
        return _NUMBER
    wraps = column.kind == "text" and longest > _NEVER_WRAPPED
    return Markup("") if wraps else Markup(' class="fixed"')


def _lines(
    texts: Sequence[str], decks: Decks, classes: Sequence[Markup], isolated: Sequence[bool]
) -> list[list[_Cell]]:
    def cell(place: int) -> _Cell:
        text = texts[place]
        marked = classes[place]
        if marked == _NUMBER and text.startswith(IMBALANCE):
            marked = _WRONG
        return _Cell(text, marked, isolated[place])

    return [[_EMPTY if place is None else cell(place) for place in deck] for deck in decks.lines]
