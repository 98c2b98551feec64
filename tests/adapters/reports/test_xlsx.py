"""XLSX, read back by another program: real numbers, exact integers, totals that can be followed."""

import io
import re
import zipfile
from datetime import datetime
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import (
    DAY_RULE,
    HEAD,
    HOSTILE,
    PRINTED_AT,
    hostile,
    made_up,
    plain,
    row,
    wide,
)

HEADER = 5
"""The row of the header, counted from 1."""


def opened(report: Report, *, values: bool = False) -> openpyxl.Workbook:
    data = io.BytesIO(render(report, "xlsx", PRINTED_AT))
    return openpyxl.load_workbook(data, data_only=values)


def by_title(sheet: Worksheet, number: int) -> dict[str, Any]:
    """One row of the sheet under the titles of its columns."""
    titles = [cell.value for cell in sheet[HEADER]]
    return {str(title): cell.value for title, cell in zip(titles, sheet[number], strict=True)}


def test_amounts_are_numbers_with_exact_integers_beside_them() -> None:
    sheet = opened(plain(2))["Wagers"]
    assert by_title(sheet, HEADER + 1) == {
        "Table": "BJ-01",
        "Gaming day": datetime(2026, 11, 1),  # noqa: DTZ001 - Excel knows no zones
        "Lock-out": datetime(2026, 10, 31, 20, 0, 9, 250_000),  # noqa: DTZ001
        "Lock-out (UTC)": "2026-11-01T00:00:09.250000Z",
        "Wagers": 1,
        "Wagered": 5,
        "Wagered (cents)": 500,
        "To meters": 1.172835,
        "To meters (whole cents)": 117,
        "To meters (and microcents)": 283_500,
        "Rate": 234_567,
        "Effective rate": 0.234567,
        "Reason": "Miscounted chips",
        "First record": 1,
        "Last record": 9,
    }


def test_totals_are_formulas_with_the_reports_own_totals_as_values() -> None:
    formulas = by_title(opened(plain(2))["Wagers"], HEADER + 3)
    assert {title: each for title, each in formulas.items() if each is not None} == {
        "Table": "Total",
        "Wagers": "=SUM(E6:E7)",
        "Wagered": "=SUM(G6:G7)/100",
        "Wagered (cents)": "=SUM(G6:G7)",
        "To meters": "=SUM(I6:I7)/100+SUM(J6:J7)/100000000",
        "To meters (whole cents)": "=SUM(I6:I7)+INT(SUM(J6:J7)/1000000)",
        "To meters (and microcents)": "=MOD(SUM(J6:J7),1000000)",
        "Effective rate": 0.234567,
    }
    values = by_title(opened(plain(2), values=True)["Wagers"], HEADER + 3)
    assert {title: each for title, each in values.items() if each is not None} == {
        "Table": "Total",
        "Wagers": 3,
        "Wagered": 15,
        "Wagered (cents)": 1_500,
        "To meters": 3.518505,
        "To meters (whole cents)": 351,
        "To meters (and microcents)": 850_500,
        "Effective rate": 0.234567,
    }


@pytest.mark.parametrize(
    ("microcents", "whole", "part"),
    [
        (0, 0, 0),
        (999_999, 0, 999_999),
        (-1, -1, 999_999),
        (-123_456_789_012_345_678, -123_456_789_013, 654_322),
        (10**17, 10**11, 0),
    ],
)
def test_every_microcent_can_be_read_back(microcents: int, whole: int, part: int) -> None:
    report = made_up([{**row(0), "to_meters_microcents": microcents}])
    sheet = opened(report, values=True)["Wagers"]
    for found in (by_title(sheet, HEADER + 1), by_title(sheet, HEADER + 2)):
        assert found["To meters (whole cents)"] == whole
        assert found["To meters (and microcents)"] == part
    assert whole * 10**6 + part == microcents


def test_formulas_give_what_the_report_says() -> None:
    """The formulas of the totals row, worked out over the cells with exact decimals."""
    report = wide()
    sheet, values = opened(report)["Wagers"], opened(report, values=True)["Wagers"]
    last = HEADER + len(report.rows)
    checked = 0
    for cell in sheet[last + 1]:
        if not isinstance(cell.value, str) or not cell.value.startswith("="):
            continue
        found = _worked_out(cell.value, sheet)
        assert Decimal(repr(values[cell.coordinate].value)) == found, cell.value
        checked += 1
    assert checked == 15 * 3 + 1


def _worked_out(formula: str, sheet: Worksheet) -> Decimal:
    """Just the functions that are used: SUM, INT, MOD."""

    def total(area: str) -> Decimal:
        return sum((Decimal(cell.value) for (cell,) in sheet[area]), Decimal(0))

    def floored(number: Decimal) -> Decimal:
        return number.to_integral_value("ROUND_FLOOR")

    names = {
        "SUM": total,
        "INT": floored,
        "MOD": lambda number, by: number - by * floored(number / by),
    }
    quoted = re.sub(r"SUM\(([A-Z]+\d+:[A-Z]+\d+)\)", r'SUM("\1")', formula.removeprefix("="))
    return Decimal(eval(quoted, {"__builtins__": {}}, names))


def test_header_stays_and_filters() -> None:
    sheet = opened(plain(3))["Wagers"]
    assert sheet.freeze_panes == "B6"
    assert sheet.auto_filter.ref == "A5:O8"
    assert sheet.print_title_rows == "$5:$5"
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.column_dimensions["M"].width >= len("Miscounted chips")


@pytest.mark.parametrize(
    ("currency", "mark"), [("USD", '"$"'), ("GBP", '"£"'), ("EUR", '"EUR "'), ("JPY", '"JPY "')]
)
def test_amounts_have_the_floors_currency(currency: str, mark: str) -> None:
    sheet = opened(made_up([row(0)], currency=currency))["Wagers"]
    assert sheet["F6"].number_format == f"{mark}#,##0.00;-{mark}#,##0.00"
    assert sheet["H6"].number_format == f"{mark}#,##0.00######;-{mark}#,##0.00######"
    assert sheet["L6"].number_format == "0.0000%"


def test_hostile_texts_are_texts() -> None:
    report = hostile()
    sheet = opened(report)["Wagers"]
    reasons = [by_title(sheet, HEADER + 1 + number)["Reason"] for number in range(len(HOSTILE))]
    assert reasons[:5] == ["=1+1", "+1", "-1", "@SUM(A1)", " =1"]
    assert "paid [U+202E]00.1$[U+202C]" in reasons
    assert "emoji 🎰👨[U+200D]👩[U+200D]👧" in reasons
    found = [sheet.cell(HEADER + 1 + number, 13) for number in range(len(HOSTILE))]
    assert {cell.data_type for cell in found} <= {"s", "n"}
    # A text that a person edits must not turn into a formula either.
    guarded = [cell.value for cell in found if cell.quotePrefix]
    assert guarded == ["=1+1", "+1", "-1", "@SUM(A1)", " =1", " =1", "  =HYPERLINK(1)"]


def test_about_says_what_the_figures_rest_on() -> None:
    sheet = opened(plain(2, closed=False))["About"]
    facts = {line[0].value: line[1].value for line in sheet.iter_rows(max_col=2)}
    assert facts["Day rule"] == DAY_RULE
    assert facts["Last hash"] == HEAD
    assert facts["Journal"] == "link main, records 1 to 11"
    assert facts["Terms versions"] == "3, 4"
    assert facts["Clauses"] == "N.J.A.C. 13:69D-1.52(e); 25 CFR 543.24"
    assert facts["Status"].startswith("OPEN DAY. ")
    assert facts["Wagered"] == "Their sum."
    assert "Prepared by (name, date)" in facts


def test_an_open_day_is_said_in_large_letters() -> None:
    cell = opened(plain(1, closed=False))["Wagers"]["A4"]
    assert cell.value.startswith("OPEN DAY.")
    assert cell.font.sz >= 20
    assert opened(plain(1))["Wagers"]["A4"].value is None


def test_a_report_without_rows_has_totals_of_zero() -> None:
    sheet = opened(made_up())["Wagers"]
    found = by_title(sheet, HEADER + 1)
    assert (found["Table"], found["Wagers"], found["Wagered"]) == ("Total", 0, 0)


def test_the_only_time_in_the_file_is_that_of_printing() -> None:
    data = render(plain(2), "xlsx", PRINTED_AT)
    properties = openpyxl.load_workbook(io.BytesIO(data)).properties
    printed = PRINTED_AT.replace(tzinfo=None)
    assert (properties.created, properties.modified) == (printed, printed)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert {each.date_time for each in packed.infolist()} == {(1980, 1, 1, 0, 0, 0)}
