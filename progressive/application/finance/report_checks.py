"""Whether the parts of a report and of a chart fit together.

Only looks: what is found is a mistake in our own code, so `Report` and `Chart` raise it. Knows the
parts by their fields, as protocols, so that `report.py` can import it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

_ID: Final = re.compile(r"[a-z][a-z0-9_]*")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_UNITS: Final = {"_cents": "cents", "_microcents": "microcents", "_milli": "milli"}
_LAST: Final = ["first_seq", "last_seq"]
_RESERVED: Final = ("_amount", "_local")
"""Formats add decimal texts and local times under such names, beside what is stored."""


class ReportError(ValueError):
    """The parts of a report contradict each other."""


class _Column(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def total(self) -> bool: ...
    @property
    def must_be_zero(self) -> bool: ...
    @property
    def detail(self) -> bool: ...


class _Series(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def values(self) -> Sequence[int | None]: ...


class _Band(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def low(self) -> Sequence[int | None]: ...
    @property
    def high(self) -> Sequence[int | None]: ...


class _Mark(Protocol):
    @property
    def at(self) -> int: ...


def table_problem(
    columns: Sequence[_Column],
    rows: Sequence[Mapping[str, str | int | None]],
    totals: Mapping[str, int],
) -> str | None:
    """What is wrong with columns, rows and totals together; None where nothing is."""
    ids = [column.id for column in columns]
    if len(set(ids)) != len(ids):
        return "two columns have one id"
    if ids[-2:] != _LAST:
        return "the last two columns must be first_seq and last_seq"
    if columns[0].detail or any(column.detail for column in columns[-2:]):
        return "the first column and the journal numbers are never details"
    for column in columns:
        if (problem := _column_problem(column)) is not None:
            return f"column {column.id!r}: {problem}"
    for number, row in enumerate(rows):
        if row.keys() != set(ids):
            return f"row {number}: its cells are not those of the columns"
        for column in columns:
            if not _fits(row[column.id], column.kind):
                return f"row {number}: {row[column.id]!r} is not a {column.kind} ({column.id})"
    return _totals_problem(columns, rows, totals)


def _column_problem(column: _Column) -> str | None:
    if not _ID.fullmatch(column.id):
        return "an id is lower-case letters, digits and underscores"
    if column.id.endswith(_RESERVED):
        return f"ids that end in {' or '.join(_RESERVED)} are made by the formats"
    unit = next((kind for end, kind in _UNITS.items() if column.id.endswith(end)), None)
    if (unit or column.kind) != column.kind or (column.kind in _UNITS.values() and unit is None):
        return f"its id does not end as its kind {column.kind!r} asks for"
    if column.detail and column.must_be_zero:
        return "what must be zero is never a detail"
    if column.kind not in ("int", "cents", "microcents"):
        if column.total:
            return f"a column of {column.kind!r} has no sum"
        if column.must_be_zero:
            return f"a column of {column.kind!r} is never zero"
    return None


def _fits(cell: object, kind: str) -> bool:
    if cell is None:
        return True
    match kind:
        case "text":
            return isinstance(cell, str)
        case "day":
            return isinstance(cell, str) and _DAY.fullmatch(cell) is not None
        case "time":
            return isinstance(cell, str) and _TIME.fullmatch(cell) is not None
        case _:
            # `True` is an int to Python, and a float is never money.
            return type(cell) is int


def _totals_problem(
    columns: Sequence[_Column],
    rows: Sequence[Mapping[str, str | int | None]],
    totals: Mapping[str, int],
) -> str | None:
    kinds = {column.id: column.kind for column in columns}
    for name, total in totals.items():
        if kinds.get(name) not in ("int", "cents", "microcents", "milli", "ppm", "percent"):
            return f"a total stands under {name!r}, which is not a column of numbers"
        if type(total) is not int:
            return f"the total of {name!r} is not a whole number"
    for column in columns:
        if not column.total:
            continue
        if column.id not in totals:
            return f"the total of {column.id!r} is missing"
        cells = (row[column.id] for row in rows)
        found = sum(cell for cell in cells if isinstance(cell, int))
        if totals[column.id] != found:
            return f"the total of {column.id!r} is {totals[column.id]}, its rows sum to {found}"
    return None


def chart_problem(
    x: Sequence[str] | Sequence[int],
    series: Sequence[_Series],
    bands: Sequence[_Band],
    marks: Sequence[_Mark],
) -> str | None:
    """What is wrong with the parts of a chart; None where nothing is."""
    drawn = [(each.name, each.values) for each in series]
    drawn += [(each.name, values) for each in bands for values in (each.low, each.high)]
    if not series:
        return "it has no series"
    for name, values in drawn:
        if len(values) != len(x):
            return f"{name!r} has {len(values)} values for {len(x)} places"
        if any(value is not None and type(value) is not int for value in values):
            return f"{name!r} has a value that is not a whole number"
    if any(not 0 <= mark.at < len(x) for mark in marks):
        return "a mark stands outside of the x axis"
    numbers = [each for each in x if type(each) is int]
    if numbers and (len(numbers) != len(x) or numbers != sorted(set(numbers))):
        return "numbers on the x axis must grow, and labels must not stand among them"
    return None
