"""PDF, read back by another program: every page says what it is, and nothing is lost."""

import io
import re

import pytest
from msgspec.structs import replace
from pypdf import PdfReader

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import (
    DAY_RULE,
    GROWTH,
    HEAD,
    HOLD,
    PRINTED_AT,
    hostile,
    made_up,
    plain,
    wide,
)


def pages_of(report: Report) -> list[str]:
    reader = PdfReader(io.BytesIO(render(report, "pdf", PRINTED_AT)))
    return [page.extract_text() for page in reader.pages]


def flat(text: str) -> str:
    return " ".join(text.split())


def test_one_page_has_everything_a_signer_needs() -> None:
    (page,) = pages_of(replace(plain(3), charts=()))
    text = flat(page)
    for words in (
        "Wagers",
        "CLOSED",
        "Riverside Casino · Main link (main)",
        "Gaming day 2026-11-01",
        "BJ-02 2026-11-01 2026-10-31 21:01:09 EDT 2 $10.00 $2.34567 234,567 ppm 23.4567% 2 10",
        "Total 6 $30.00 $7.03701 23.4567%",
        DAY_RULE,
        HEAD,
        "link main, records 1 to 12",
        "Terms versions 3, 4",
        "N.J.A.C. 13:69D-1.52(e); 25 CFR 543.24",
        "Wagered Their sum.",
        "Voided rounds are not counted.",
        "Prepared by",
        "Reviewed by",
        "Audited by",
        "Printed at 2026-11-02 09:05:06 EST",
        "Page 1 of 1",
    ):
        assert words in text
    assert "OPEN" not in text


def test_every_page_has_its_number_the_header_and_the_totals() -> None:
    report = replace(plain(100), charts=())
    pages = pages_of(report)
    assert len(pages) >= 4
    with_rows = [page for page in pages if "BJ-" in page]
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
        assert HEAD in page
    for page in with_rows:
        assert "Lock-out" in page
        # 100 rows of 1 to 7 wagers in turn: 14 x 28, and 1 + 2.
        assert re.search(r"395\s+\$1,975\.00\s+\$463\.269825", page)
    assert [flat(page).count("All pages 395") for page in with_rows] == [1] * (
        len(with_rows) - 1
    ) + [0]
    assert "Total 395" in flat(with_rows[-1])
    records = re.findall(r"(?m)(\d+) (\d+)$", "\n".join(with_rows))
    assert [int(first) for first, _ in records if int(first) <= 100] == list(range(1, 101))


def test_an_open_day_is_said_on_every_page() -> None:
    pages = pages_of(plain(60, closed=False))
    assert len(pages) >= 3
    assert all("OPEN DAY" in page for page in pages)
    assert "figures can still change" in pages[0]
    assert "CLOSED" not in pages[0]


def test_large_letters_are_large() -> None:
    sizes: dict[str, float] = {}
    page = PdfReader(io.BytesIO(render(plain(1, closed=False), "pdf", PRINTED_AT))).pages[0]

    def seen(text: str, _cm: object, _tm: object, _font: object, size: float) -> None:
        sizes.setdefault(text.strip(), size)

    page.extract_text(visitor_text=seen)
    assert sizes["OPEN DAY"] >= 28


@pytest.mark.slow
def test_signatures_stand_under_what_they_sign() -> None:
    for count in range(1, 40, 6):
        last = flat(pages_of(replace(plain(count), charts=()))[-1])
        assert last.index("Day rule") < last.index("Prepared by") < last.index("Audited by")


def test_wide_rows_stand_on_one_page_with_all_their_figures() -> None:
    report = wide(20)
    pages = pages_of(report)
    together = " ".join(pages).split()
    assert together.count("312450") == len(report.rows)
    for number, row in enumerate(report.rows):
        meter = str(row["meter"])
        homes = [page for page in pages if f"{meter} {row['part']}" in flat(page)]
        assert len(homes) == 1, number
    # Five of the fifteen flows are below zero, in each of the three parts of a meter.
    assert together.count("-$1,234,567.89012345") == 5 * 3


def test_paper_lies_as_the_table_needs_it() -> None:
    def size(report: Report) -> tuple[int, int]:
        page = PdfReader(io.BytesIO(render(report, "pdf", PRINTED_AT))).pages[0]
        return round(page.mediabox.width), round(page.mediabox.height)

    narrow = made_up(columns=made_up().columns[-2:])
    assert size(narrow) == (612, 792)
    assert size(wide()) == (792, 612)
    assert size(replace(wide(), time_zone="Europe/Vienna")) == (842, 595)


def test_hostile_texts_are_drawn_or_named() -> None:
    text = "".join(" ".join(pages_of(hostile())).split())
    for words in (
        "<script>alert(1)</script>",
        "{{7*7}}{%raw%}",
        "paid[U+202E]00.1$[U+202C]",
        "zero[U+200B]width",
        "[U+65E5][U+672C][U+8A9E]",
        "ΕλληνικάЖ",
        "lone[U+D800]surrogate",
        "[U+1F3B0]",
        "(9,600morecharacters)",
    ):
        assert words in text


def test_a_report_without_rows_is_one_page() -> None:
    (page,) = pages_of(made_up())
    assert "No rows." in page
    assert "Total 0 $0.00 $0.00" in flat(page)


def test_charts_have_their_titles_marks_and_axes() -> None:
    text = " ".join(flat(page) for page in pages_of(replace(plain(2), charts=(GROWTH, HOLD))))
    for words in ("Mega meter", "hit A-17", "$1,500,000", "Two standard errors", "30%", "28%"):
        assert words in text


def test_fonts_are_embedded_and_archives_are_told() -> None:
    reader = PdfReader(io.BytesIO(render(plain(1), "pdf", PRINTED_AT)))
    fonts = reader.pages[0]["/Resources"]["/Font"]
    assert len(fonts) == 2
    for font in fonts.values():
        descriptor = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"]
        assert "/FontFile2" in descriptor.get_object()
    about = reader.trailer["/Root"]["/Metadata"].get_object().get_data().decode()
    assert "<pdfaid:part>2</pdfaid:part>" in about


def test_the_only_time_in_the_file_is_that_of_printing() -> None:
    data = render(replace(plain(1), charts=()), "pdf", PRINTED_AT)
    about = PdfReader(io.BytesIO(data)).trailer["/Root"]["/Metadata"].get_object().get_data()
    assert re.findall(rb"\d{4}-\d\d-\d\dT[\d:+]+", about) == [b"2026-11-02T14:05:06+00:00"]
    assert re.findall(rb"D:\d{8,}", data) in ([], [b"D:20261102140506"])


@pytest.mark.parametrize("count", [0, 1, 17, 18, 19, 20, 21, 22, 23, 24])
def test_no_page_is_empty(count: int) -> None:
    for page in pages_of(replace(plain(count), charts=())):
        assert len(page) > 300
