"""A report whose parts contradict each other cannot be made."""

from typing import Any

import pytest
from msgspec.structs import replace

from progressive.application.finance.report import (
    JOURNAL_COLUMNS,
    Band,
    Chart,
    Column,
    Mark,
    Report,
    ReportError,
    Series,
    sums,
)
from tests.support.reports import BY_HOUR, EVERY_KIND, HOLD, made_up, plain, row


def test_sums_add_up_what_applies() -> None:
    columns = (Column("paid_cents", "Paid", "cents", "Paid.", total=True),)
    rows = [{"paid_cents": 5}, {"paid_cents": None}, {"paid_cents": -7}]
    assert sums(columns, rows) == {"paid_cents": -2}
    assert sums(columns, []) == {"paid_cents": 0}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"wagers": 1.0}, "row 0: 1.0 is not a int (wagers)"),
        ({"wager_cents": 5.0}, "row 0: 5.0 is not a cents (wager_cents)"),
        ({"wagers": True}, "row 0: True is not a int (wagers)"),
        ({"wagers": "1"}, "row 0: '1' is not a int (wagers)"),
        ({"reason": 1}, "row 0: 1 is not a text (reason)"),
        ({"day": "17.11.2026"}, "row 0: '17.11.2026' is not a day (day)"),
        ({"locked_at": "2026-11-17T05:00:00Z"}, "is not a time (locked_at)"),
        ({"first_seq": "8"}, "row 0: '8' is not a seq (first_seq)"),
        ({"more": 1}, "row 0: its cells are not those of the columns"),
    ],
)
def test_a_cell_of_another_kind_is_refused(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(ReportError, match="report 'wagers': ") as refused:
        made_up([{**row(0), **changed}])
    assert problem in str(refused.value)


def test_a_missing_cell_is_refused() -> None:
    less = {name: cell for name, cell in row(0).items() if name != "reason"}
    with pytest.raises(ReportError, match="its cells are not those of the columns"):
        replace(plain(1), rows=(less,))


@pytest.mark.parametrize(
    ("totals", "problem"),
    [
        ({"wagers": 2}, "the total of 'wagers' is 2, its rows sum to 1"),
        ({"first_seq": 1}, "a total stands under 'first_seq'"),
        ({"nowhere": 1}, "a total stands under 'nowhere'"),
        ({"effective_ppm": 0.5}, "the total of 'effective_ppm' is not a whole number"),
    ],
)
def test_a_wrong_total_is_refused(totals: dict[str, Any], problem: str) -> None:
    with pytest.raises(ReportError) as refused:
        made_up([row(0)], **totals)
    assert problem in str(refused.value)


def test_a_missing_total_is_refused() -> None:
    with pytest.raises(ReportError, match="the total of 'wagers' is missing"):
        replace(plain(1), totals={})


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (Column("paid", "Paid", "cents", ""), "does not end as its kind 'cents' asks for"),
        (Column("paid_cents", "Paid", "int", ""), "does not end as its kind 'int' asks for"),
        (Column("paid_cents", "Paid", "microcents", ""), "does not end as its kind"),
        (Column("paid_amount", "Paid", "text", ""), "are made by the formats"),
        (Column("paid_local", "Paid", "text", ""), "are made by the formats"),
        (Column("Paid", "Paid", "text", ""), "an id is lower-case letters"),
        (Column("who", "Who", "text", "", total=True), "a column of 'text' has no sum"),
        (Column("r_ppm", "Rate", "ppm", "", total=True), "a column of 'ppm' has no sum"),
        (Column("who", "Who", "text", "", must_be_zero=True), "a column of 'text' is never zero"),
    ],
)
def test_a_column_says_its_unit_in_its_name(column: Column, problem: str) -> None:
    with pytest.raises(ReportError) as refused:
        made_up(columns=(column, *JOURNAL_COLUMNS))
    assert problem in str(refused.value)


def test_every_row_ends_with_its_journal_numbers() -> None:
    with pytest.raises(ReportError, match="the last two columns must be first_seq and last_seq"):
        made_up(columns=EVERY_KIND[:-1])
    with pytest.raises(ReportError, match="two columns have one id"):
        made_up(columns=(*JOURNAL_COLUMNS, *JOURNAL_COLUMNS))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"series": ()}, "it has no series"),
        ({"series": (Series("Wagered", (1, 2)),)}, "'Wagered' has 2 values for 24 places"),
        ({"series": (Series("Wagered", (1.5,) * 24),)}, "a value that is not a whole number"),  # type: ignore[arg-type]
        ({"bands": (Band("b", (1,) * 24, (2,) * 3),)}, "'b' has 3 values for 24 places"),
        ({"marks": (Mark(24, "hit"),)}, "a mark stands outside of the x axis"),
        ({"x": tuple(range(24, 0, -1))}, "numbers on the x axis must grow"),
        ({"x": (1, *("a",) * 23)}, "labels must not stand among them"),
    ],
)
def test_a_chart_has_a_value_for_every_place(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ReportError, match="chart 'Wagers by hour': ") as refused:
        replace(BY_HOUR, **changes)
    assert problem in str(refused.value)


def test_good_reports_and_charts_are_made() -> None:
    reports: list[Report] = [plain(0), plain(3), made_up()]
    charts: list[Chart] = [BY_HOUR, HOLD]
    assert [len(report.rows) for report in reports] == [0, 3, 0]
    assert [len(chart.x) for chart in charts] == [24, 30]
