"""What every kind of report produces and every format shows: one plain value.

All numbers are whole: cents, microcents, parts per million, journal numbers. Nothing here reads a
journal, a clock or a locale, and nothing rounds. A report whose parts contradict each other cannot
be made: a wrong sum must not reach paper.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from msgspec import Struct

from progressive.application.finance.report_checks import ReportError, chart_problem, table_problem

__all__ = [
    "JOURNAL_COLUMNS",
    "Band",
    "Cell",
    "Chart",
    "ChartUnit",
    "Column",
    "JournalRange",
    "Kind",
    "Mark",
    "Report",
    "ReportError",
    "Row",
    "Series",
    "sums",
]

Kind = Literal[
    "text", "day", "time", "int", "cents", "microcents", "milli", "ppm", "percent", "seq"
]
"""What stands in a column.

`day`: a gaming day, `2026-11-17`; `time`: a moment in the journal's form,
`2026-11-17T05:00:00.000000Z`; `percent`: parts per million, shown as percent; `ppm`: shown as
parts per million; `milli`: thousandths, shown as a decimal; `seq`: a journal number.
"""
ChartUnit = Literal["int", "cents", "microcents", "ppm", "percent"]

Cell = str | int | None
"""None where nothing applies; that is not zero."""
Row = Mapping[str, Cell]


class Column(Struct, frozen=True):
    """One column: what it is called, what stands in it, and what that means."""

    id: str
    """Ends in `_cents`, `_microcents` or `_milli` if, and only if, the kind says so."""
    title: str
    kind: Kind
    meaning: str
    """One sentence for a person who has never seen the report."""
    total: bool = False
    """Whether the rows add up to something."""
    width: int | None = None
    """How many characters a text usually needs; None: as many as its longest cell."""
    must_be_zero: bool = False
    """Whether any other number is an imbalance: formats for people point at it, in red."""
    detail: bool = False
    """Whether formats for people name it under the row, where it applies, in place of a column."""


JOURNAL_COLUMNS: Final = (
    Column("first_seq", "First record", "seq", "The first journal record behind this row."),
    Column("last_seq", "Last record", "seq", "The last journal record behind this row."),
)
"""Every report ends with these two."""


class Series(Struct, frozen=True):
    """One line, staircase or row of bars. One value for each `x`; None leaves a gap."""

    name: str
    values: tuple[int | None, ...]


class Band(Struct, frozen=True):
    """A shaded range behind the series, such as what chance alone explains."""

    name: str
    low: tuple[int | None, ...]
    high: tuple[int | None, ...]


class Mark(Struct, frozen=True):
    """Something that happened at one place of the x axis, such as a hit."""

    at: int
    """Which `x`, counted from 0."""
    label: str


class Chart(Struct, frozen=True):
    """A picture of some of the rows. All series share one unit and one axis."""

    title: str
    kind: Literal["line", "bars", "steps"]
    x: tuple[str, ...] | tuple[int, ...]
    """Labels, equally far apart; or numbers that grow, each at its place."""
    series: tuple[Series, ...]
    unit: ChartUnit
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    x_title: str = ""

    def __post_init__(self) -> None:
        problem = chart_problem(self.x, [*self.series], [*self.bands], [*self.marks])
        if problem is not None:
            raise ReportError(f"chart {self.title!r}: {problem}")


class JournalRange(Struct, frozen=True):
    """Which part of the journal a report was computed from."""

    first_seq: int | None
    """None where the days hold no record."""
    last_seq: int | None
    head: str
    """The hash of the last record: whoever has the journal can see that it is the same one."""


class Report(Struct, frozen=True, kw_only=True):
    """One report of one link over one or more gaming days."""

    report: str
    """The kind: `reconciliation`, `wagers`, …"""
    title: str
    link: str
    link_name: str
    floor: str
    currency: str
    time_zone: str
    from_day: str
    to_day: str
    closed: bool
    """Whether every day of the range is closed. If not, the figures can still change."""
    outside: bool = False
    """Whether every day of the range that is not closed lies before the first closed day: none of
    them will ever be closed."""
    journal: JournalRange
    terms_versions: tuple[int, ...]
    day_rule: str
    """Which day an amount belongs to: printed on every report."""
    clauses: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    totals: Mapping[str, int]
    """The sum of every column with `total`; and figures for the whole that are no sums (a rate of
    all rows together) under the id of their column."""
    program: str
    """Which version of the program computed it."""
    notes: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()

    def __post_init__(self) -> None:
        problem = table_problem([*self.columns], self.rows, self.totals)
        if problem is not None:
            raise ReportError(f"report {self.report!r}: {problem}")


def sums(columns: Iterable[Column], rows: Iterable[Row]) -> dict[str, int]:
    """The sum of every column with `total`. A cell where nothing applies adds nothing."""
    found = {column.id: 0 for column in columns if column.total}
    for row in rows:
        for name in found:
            cell = row[name]
            if isinstance(cell, int):
                found[name] += cell
    return found
