"""The table for a terminal: no line wider than asked, every figure there, an open day shouts."""

import pytest
from rich.cells import cell_len

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import HEAD, PRINTED_AT, hostile, made_up, plain, wide


def text_of(report: Report, width: int = 120) -> str:
    return render(report, "table", PRINTED_AT, table_width=width).decode("utf-8")


def test_a_small_report_as_a_whole() -> None:
    lines = text_of(plain(2), 140).splitlines()
    assert lines[:3] == ["WAGERS", "Riverside Casino · Main link (main)", "Gaming day 2026-11-01"]
    figures = [" ".join(line.split()) for line in lines if line.startswith(("BJ-", "Total"))]
    assert figures == [
        "BJ-01 2026-11-01 2026-10-31 20:00:09 EDT 1 $5.00 $1.172835 234,567 ppm 23.4567% "
        "Miscounted chips 1 9",
        "BJ-02 2026-11-01 2026-10-31 21:01:09 EDT 2 $10.00 $2.34567 234,567 ppm 23.4567% 2 10",
        "Total 3 $15.00 $3.518505 23.4567%",
    ]
    rest = "\n".join(lines)
    for fact in (HEAD, "records 1 to 11", "Printed at      2026-11-02 09:05:06 EST", "3, 4"):
        assert fact in rest


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("report", [plain(4), wide(), hostile(), made_up()])
def test_no_line_is_wider_than_asked(report: Report, width: int) -> None:
    lines = text_of(report, width).splitlines()
    assert len(lines) > 10
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", [60, 100, 180, 400])
def test_a_wide_row_keeps_all_its_figures(width: int) -> None:
    report = wide(1)
    found = text_of(report, width).split()
    assert found.count("-$1,234,567.89012345") == 15
    assert found.count("312450") == len(report.rows)
    assert "-$3,703,703.67037035" in found


def test_an_open_day_is_said_in_large_letters() -> None:
    assert "*** O P E N   D A Y ***" in text_of(plain(1, closed=False))
    assert "O P E N" not in text_of(plain(1))


def test_a_report_without_rows_says_so() -> None:
    text = text_of(made_up())
    assert "No rows." in text
    assert "$0.00" in text


def test_hostile_texts_are_shown_as_what_they_are() -> None:
    text = text_of(hostile())
    assert "[U+202E]00.1$[U+202C]" in text
    assert "zero[U+200B]width" in text
    assert "two lines three" in text
    assert not {*text} & {*"\x00\x07\x1b\r\t\u202e\u200b"}


def test_another_currency_goes_by_its_code() -> None:
    assert "EUR 5.00" in text_of(made_up(plain(1).rows, currency="EUR"))
