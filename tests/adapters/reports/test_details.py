"""Facts named under a row: in formats for people only, with nothing lost and nothing broken."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pypdf import PdfReader

from progressive.adapters.reports.figures.details import BETWEEN, detail_lines
from progressive.adapters.reports.render import Format, render
from progressive.application.finance.report import JOURNAL_COLUMNS, Column, Report, ReportError
from progressive.application.finance.reports import awards, gl
from progressive.application.finance.reports.kinds import KINDS
from tests.support.reports import PRINTED_AT, made_up

COLUMNS = (
    Column("award", "Award", "text", "Its number."),
    Column("paid_cents", "Paid", "cents", "What was paid.", total=True),
    Column("dealer", "Dealer", "text", "Who dealt.", detail=True),
    Column("bonus_cents", "Bonus", "cents", "On top.", total=True, detail=True),
    Column("minutes", "Minutes", "int", "How long it was open.", detail=True),
    *JOURNAL_COLUMNS,
)
ROWS = (
    {"award": "main.5.1", "paid_cents": 500, "dealer": "Dora <b>", "bonus_cents": 25, "minutes": 0,
     "first_seq": 5, "last_seq": 9},
    {"award": "main.7.1", "paid_cents": 0, "dealer": None, "bonus_cents": 0, "minutes": None,
     "first_seq": 7, "last_seq": 7},
)  # fmt: skip


def report() -> Report:
    return made_up(columns=COLUMNS, rows=ROWS)


def text_of(form: Format, made: Report) -> str:
    body = render(made, form, PRINTED_AT)
    if form == "pdf":
        text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(body)).pages)
    else:
        text = re.sub(r"<[^>]*>", " ", body.decode())
    return " ".join(text.replace("·", " ").split())


@pytest.mark.parametrize("form", ["table", "html", "pdf"])
def test_people_read_the_name_beside_the_fact(form: Format) -> None:
    text = text_of(form, report()).partition("What the columns mean")[0]
    dealer = "Dora &lt;b&gt;" if form == "html" else "Dora <b>"
    if form == "table":
        # The row as the terminal has it: angle brackets and all.
        text = " ".join(render(report(), form, PRINTED_AT).decode().replace("·", " ").split())
    assert f"Dealer {dealer} Bonus $0.25 Minutes 0" in text
    # The second row has none of it, and names nothing that adds nothing; the sum always is.
    assert text.count("Dealer") == 1
    assert text.count("Minutes") == 1
    assert text.count("Bonus $0.25") == 2
    assert "Bonus $0.00" not in text


def test_programs_get_columns_as_before() -> None:
    without = replace(report(), columns=tuple(replace(column, detail=False) for column in COLUMNS))
    for form in ("csv", "json", "xlsx"):
        assert render(report(), form, PRINTED_AT) == render(without, form, PRINTED_AT)
    (first, second) = csv.DictReader(io.StringIO(render(report(), "csv", PRINTED_AT).decode()))
    assert (first["bonus_cents"], second["bonus_cents"], second["dealer"]) == ("25", "0", "")
    assert json.loads(render(report(), "json", PRINTED_AT))["rows"][1]["bonus_cents"] == 0


@given(
    st.lists(st.tuples(st.text("abc", min_size=1), st.text("xyz ", max_size=30)), max_size=8),
    st.integers(8, 60),
)
def test_lines_of_facts_lose_nothing_and_fit(found: list[tuple[str, str]], room: int) -> None:
    lines = detail_lines(found, room, len)
    assert all(len(line) <= room for line in lines)
    letters = "".join(f"{title} {text}" for title, text in found)
    kept = "".join(lines).replace(BETWEEN, "")
    assert kept.replace(" ", "") == letters.replace(" ", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "award", "title": "Award", "kind": "text", "meaning": "Its number."},
        {"id": "off_cents", "title": "Off", "kind": "cents", "meaning": "0.", "must_be_zero": True},
    ],
)
def test_what_a_row_is_about_and_what_must_be_zero_are_never_hidden(wrong: dict[str, str]) -> None:
    first = () if wrong["id"] == "award" else (COLUMNS[0],)
    columns = (*first, Column(**wrong, detail=True), *JOURNAL_COLUMNS)  # type: ignore[arg-type]
    row = dict.fromkeys(column.id for column in columns)
    with pytest.raises(ReportError, match="never"):
        made_up(columns=columns, rows=(row,))


@pytest.mark.slow
def test_all_pages_is_never_broken() -> None:
    """However narrow the first column is."""
    rows = [dict(row, award=str(number)) for number in range(60) for row in ROWS]
    body = render(made_up(columns=COLUMNS, rows=rows), "pdf", PRINTED_AT)
    first, *_ = PdfReader(io.BytesIO(body)).pages
    assert "All pages" in first.extract_text()


@pytest.mark.parametrize(("kind", "most"), [("readings", 13), ("cage", 13), ("tax", 14)])
def test_what_a_row_is_read_for_fits_on_one_line(kind: str, most: int) -> None:
    assert sum(not column.detail for column in KINDS[kind].columns) <= most


def test_the_register_shows_first_what_a_signer_reads_first() -> None:
    shown = [column.id for column in awards.COLUMNS if not column.detail]
    assert shown[:4] == ["award", "document", "status", "settled_at"]
    assert {"before_microcents", "player_microcents", "house_microcents", "paid_cents"} < set(shown)
    assert len(shown) <= 17
    assert [column.id for column in gl.COLUMNS if column.detail] == [
        "company", "department", "location",
    ]  # fmt: skip
