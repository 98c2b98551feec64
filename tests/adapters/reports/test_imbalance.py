"""A number that should be zero and is not: every format for people points at it."""

import io

import openpyxl
from msgspec.structs import replace
from pypdf import PdfReader

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import PRINTED_AT, wide

OFF = "! $0.00000001"


def paper_of(report: Report) -> str:
    reader = PdfReader(io.BytesIO(render(report, "pdf", PRINTED_AT)))
    return " ".join(reader.pages[0].extract_text().split())


def test_one_microcent_is_pointed_at_in_its_row_and_in_the_total() -> None:
    balanced, off = wide(), wide(off_by=1)
    for form in ("table", "html"):
        assert render(off, form, PRINTED_AT).decode().count(OFF) == 2
        assert "! " not in render(balanced, form, PRINTED_AT).decode().split("</style>")[-1]
    assert paper_of(off).count(OFF) == 2
    assert "! " not in paper_of(balanced)


def test_html_and_pdf_say_it_in_red() -> None:
    page = render(wide(off_by=1), "html", PRINTED_AT).decode()
    assert page.count(f'<td class="n wrong">{OFF}</td>') == 2
    red = b"0.7059 0.1373 0.0941 rg"
    streams = [
        PdfReader(io.BytesIO(render(report, "pdf", PRINTED_AT))).pages[0].get_contents()
        for report in (wide(off_by=1), wide())
    ]
    assert [stream is not None and stream.get_data().count(red) for stream in streams] == [2, 0]


def test_a_sheet_points_at_it_whoever_changes_it() -> None:
    data = io.BytesIO(render(wide(), "xlsx", PRINTED_AT))
    sheet = openpyxl.load_workbook(data)["Wagers"]
    titles = {cell.value: cell.column_letter for cell in sheet[5]}
    ranges = {str(each.sqref) for each in sheet.conditional_formatting}
    assert ranges == {
        f"{titles[title]}6:{titles[title]}15"
        for title in ("Difference", "Difference (whole cents)", "Difference (and microcents)")
    }


def test_nothing_applies_is_no_imbalance() -> None:
    report = wide()
    rows = tuple({**row, "difference_microcents": None} for row in report.rows)
    assert "! " not in render(replace(report, rows=rows), "table", PRINTED_AT).decode()
