"""CSV: numbers stay numbers, texts never become formulas, and nothing is lost."""

import csv
import io
from decimal import Decimal

import pytest
from msgspec.structs import replace

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import HOSTILE, PRINTED_AT, hostile, made_up, plain, row


def read(report: Report) -> list[dict[str, str]]:
    text = render(report, "csv", PRINTED_AT).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_amounts_stand_there_as_integers_and_as_decimals() -> None:
    first = read(plain(2))[0]
    assert first == {
        "report_link": "main",
        "report_from": "2026-11-01",
        "report_to": "2026-11-01",
        "report_status": "closed",
        "table": "BJ-01",
        "day": "2026-11-01",
        "locked_at": "2026-11-01T00:00:09.250000Z",
        "locked_local": "2026-10-31T20:00:09.250000-04:00",
        "wagers": "1",
        "wager_cents": "500",
        "wager_amount": "5.00",
        "to_meters_microcents": "117283500",
        "to_meters_exact_amount": "1.17283500",
        "rate_ppm": "234567",
        "effective_ppm": "234567",
        "reason": "Miscounted chips",
        "first_seq": "1",
        "last_seq": "9",
    }


@pytest.mark.parametrize(
    ("cents", "amount"),
    [(0, "0.00"), (1, "0.01"), (-1, "-0.01"), (-123_456, "-1234.56"), (10**11, "1000000000.00")],
)
def test_numbers_are_never_touched(cents: int, amount: str) -> None:
    found = read(made_up([{**row(0), "wager_cents": cents}]))[0]
    assert (found["wager_cents"], found["wager_amount"]) == (str(cents), amount)


@pytest.mark.parametrize("microcents", [0, 1, -1, 10**17, -123_456_789_012_345_678])
def test_microcents_keep_every_digit(microcents: int) -> None:
    found = read(made_up([{**row(0), "to_meters_microcents": microcents}]))[0]
    assert int(found["to_meters_microcents"]) == microcents
    assert Decimal(found["to_meters_exact_amount"]) * 10**8 == microcents
    assert "E" not in found["to_meters_exact_amount"]


def test_an_hour_that_comes_twice_has_its_offset() -> None:
    times = ["2026-11-01T05:30:00.000000Z", "2026-11-01T06:30:00.000000Z"]
    found = read(made_up([{**row(0), "locked_at": at} for at in times]))
    assert [each["locked_local"] for each in found] == [
        "2026-11-01T01:30:00-04:00",
        "2026-11-01T01:30:00-05:00",
    ]


def test_no_text_begins_as_a_formula_does() -> None:
    reasons = [each["reason"] for each in read(hostile())]
    assert len(reasons) == len(HOSTILE)
    for reason, given in zip(reasons, HOSTILE, strict=True):
        assert reason.lstrip(" ")[:1] not in {*"=+-@\t\r＝＋－＠"}
        # Whatever was put before it, the text itself is there.
        assert reason.removeprefix("'") == given.replace("\ud800", "\ufffd")


def test_only_dangerous_texts_get_an_apostrophe() -> None:
    guarded = [each["reason"] for each in read(hostile()) if each["reason"].startswith("'")]
    assert guarded == [f"'{text}" for text in HOSTILE[:8]]


def test_nothing_is_empty_and_zero_is_zero() -> None:
    found = read(made_up([{**row(0), "effective_ppm": None, "wager_cents": None}]))[0]
    assert (found["effective_ppm"], found["wager_cents"], found["wager_amount"]) == ("", "", "")


def test_an_open_day_says_so_in_every_line() -> None:
    assert {each["report_status"] for each in read(plain(3, closed=False))} == {"OPEN"}


def test_a_report_without_rows_is_a_header() -> None:
    data = render(made_up(), "csv", PRINTED_AT)
    assert data.count(b"\r\n") == 1
    assert data.startswith(b"report_link,report_from,")


def test_a_hostile_link_is_guarded_too() -> None:
    assert read(replace(plain(1), link="=main"))[0]["report_link"] == "'=main"
