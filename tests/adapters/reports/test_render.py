"""One door to all formats: the same bytes anywhere, ten thousand rows, clear refusals."""

import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from progressive.adapters.reports.render import (
    FACTS,
    FORMATS,
    Format,
    TooManyRowsError,
    file_name,
    render,
)
from tests.support.reports import PRINTED_AT, made_up, plain, row

ROOT = Path(__file__).parents[3]
# Every format of every kind of report, as one line of digests each.
DIGESTS = """
from hashlib import sha256
from tests.support.reports import GROWTH, HOLD, PRINTED_AT, hostile, made_up, plain, wide
from progressive.adapters.reports.render import FORMATS, render
for report in (plain(30, closed=False), hostile(), wide(), made_up()):
    for form in FORMATS:
        print(form, sha256(render(report, form, PRINTED_AT)).hexdigest())
"""
PLACES = (
    {"TZ": "UTC", "LANG": "C", "LC_ALL": "C", "PYTHONHASHSEED": "1", "COLUMNS": "40"},
    {
        "TZ": "Asia/Tokyo",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "de_DE.UTF-8",
        "PYTHONHASHSEED": "2",
        "COLUMNS": "200",
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "SOURCE_DATE_EPOCH": "1",
    },
)


MANY_ROWS = """
import resource
from tests.support.reports import PRINTED_AT, plain
from progressive.adapters.reports.render import render
print(len(render(plain(10_000), "{form}", PRINTED_AT)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run_program(program: str, surroundings: dict[str, str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **surroundings},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_two_machines_print_the_same_bytes() -> None:
    here, there = (run_program(DIGESTS, place) for place in PLACES)
    assert here == there
    assert len(here) == 4 * len(FORMATS)


@pytest.mark.parametrize("form", FORMATS)
def test_another_time_of_printing_is_another_file_where_it_is_printed(form: Format) -> None:
    report = plain(3)
    later = PRINTED_AT.replace(second=7)
    first, again, other = (render(report, form, at) for at in (PRINTED_AT, PRINTED_AT, later))
    assert first == again
    assert (first == other) == (form == "csv")


@pytest.mark.parametrize("form", FORMATS)
def test_one_cent_is_another_file(form: Format) -> None:
    rows = [row(number) for number in range(3)]
    changed = [*rows[:2], {**rows[2], "wager_cents": 1_501}]
    assert render(made_up(rows), form, PRINTED_AT) != render(made_up(changed), form, PRINTED_AT)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_ten_thousand_rows_fit_into_bounded_memory(form: Format) -> None:
    size_bytes, peak_kib = map(int, run_program(MANY_ROWS.format(form=form), {}))
    assert size_bytes > 100_000
    assert peak_kib < 500 * 1024


@pytest.mark.slow
def test_a_report_that_is_too_long_is_refused_with_a_way_out() -> None:
    report = made_up([row(0)] * 50_001)
    for form in ("pdf", "html"):
        with pytest.raises(TooManyRowsError) as refused:
            render(report, form, PRINTED_AT)
        assert str(refused.value) == (
            f"the report has 50,001 rows, and a {form} file takes 50,000: "
            "ask for fewer days, or for csv or json"
        )
    assert render(report, "csv", PRINTED_AT).count(b"\r\n") == 50_002


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="printed_at has no time zone"):
        render(plain(1), "json", datetime(2026, 11, 2))  # noqa: DTZ001


def test_formats_are_those_of_the_command() -> None:
    assert FORMATS == ("table", "csv", "json", "xlsx", "pdf", "html")
    assert set(FACTS) == set(FORMATS)


def test_file_names_say_what_is_inside() -> None:
    assert file_name(plain(1), "pdf") == "wagers_main_2026-11-01.pdf"
    month = replace(plain(1, closed=False), to_day="2026-11-30")
    assert file_name(month, "xlsx") == "wagers_main_2026-11-01_2026-11-30_OPEN.xlsx"


def test_the_page_on_reports_names_every_format_with_its_limit() -> None:
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    page = page.partition("## Formats")[2].partition("\n## ")[0]
    for form, facts in FACTS.items():
        (line,) = [each for each in page.splitlines() if each.startswith(f"| `{form}` |")]
        if facts.rows_max is not None:
            assert f"at most {facts.rows_max:,} rows" in line
