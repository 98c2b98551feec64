"""JSON: the names that programs rely on."""

import json
from typing import Any

import msgspec

from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from tests.support.reports import HEAD, HOSTILE, PRINTED_AT, hostile, made_up, plain, wide


class Journal(msgspec.Struct, forbid_unknown_fields=True):
    first_seq: int | None
    last_seq: int | None
    head: str


class Contract(msgspec.Struct, rename={"from_day": "from", "to_day": "to"}):
    """What was promised; more fields may stand beside."""

    report: str
    link: str
    from_day: str
    to_day: str
    closed: bool
    journal: Journal
    columns: list[dict[str, Any]]
    rows: list[dict[str, str | int | None]]
    totals: dict[str, int]


def read(report: Report) -> Contract:
    return msgspec.json.decode(render(report, "json", PRINTED_AT), type=Contract)


def test_the_contract_holds() -> None:
    found = read(plain(2, closed=False))
    assert (found.report, found.link) == ("wagers", "main")
    assert (found.from_day, found.to_day, found.closed) == ("2026-11-01", "2026-11-01", False)
    assert found.journal == Journal(1, 11, HEAD)
    assert found.totals == {
        "wagers": 3,
        "wager_cents": 1_500,
        "to_meters_microcents": 351_850_500,
        "effective_ppm": 234_567,
    }
    assert [column["id"] for column in found.columns] == list(found.rows[0])
    assert found.rows[1]["wager_cents"] == 1_000
    assert found.rows[1]["locked_at"] == "2026-11-01T01:01:09.250000Z"


def test_reconciliation_rows_have_their_names() -> None:
    first = read(wide()).rows[0]
    assert {
        "meter",
        "part",
        "opening_microcents",
        "closing_microcents",
        "difference_microcents",
    } <= (first.keys())


def test_amounts_are_whole_numbers_of_any_size() -> None:
    text = render(wide(), "json", PRINTED_AT).decode()
    rows = json.loads(text, parse_float=lambda digits: f"a float: {digits}")["rows"]
    assert {type(cell) for each in rows for cell in each.values()} == {str, int}
    assert rows[0]["opening_microcents"] == -123_456_789_012_345


def test_no_records_are_null() -> None:
    found = read(made_up())
    assert found.journal == Journal(None, None, HEAD)
    assert found.rows == []


def test_texts_come_through_as_they_are() -> None:
    reasons = [each["reason"] for each in read(hostile()).rows]
    assert reasons == [text.replace("\ud800", "\ufffd") for text in HOSTILE]


def test_the_time_of_printing_is_the_one_given() -> None:
    found = json.loads(render(plain(1), "json", PRINTED_AT))
    assert found["printed_at"] == "2026-11-02T14:05:06.000000Z"
