"""`progressive explain`: the records of every line, and which moment is meant."""

import json
from pathlib import Path

import pytest

from progressive.application.finance.questions.explain_lines import ExplainLine
from progressive.entry.commands.explain import _records
from tests.support.finance_days import FinanceShelf
from tests.support.journals import JournalFile
from tests.support.service import run_inside


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody writes into it: its days are short, so no book is stored."""
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data").directory


def explained(data: Path, *words: str) -> tuple[int, str, str]:
    done = run_inside("explain", "main", "progressive", "--data", data, *words)
    return done.returncode, done.stdout, done.stderr


def test_each_line_names_its_own_records(data: Path) -> None:
    code, text, told = explained(data, "--at", "34")
    assert (code, told) == (0, "")
    lines = {line.split("  ")[0]: line for line in text.splitlines()}
    records = JournalFile(data).records()
    plain, moved = (
        each["seq"] for each in records if each["event"]["type"] == "correction_approved"
    )
    assert lines["corrections"].endswith(f"  record {plain}")
    assert lines["transfers from and to other meters"].endswith(f"  record {moved}")
    assert lines["put there by the house at the beginning"].endswith("  record 1")
    found = json.loads(explained(data, "--at", "34", "--json")[1])
    for line in found["lines"]:
        if line["what"] != "wagers":
            assert line["records"]
            assert line["first_seq"] == line["records"][0]


def test_many_records_are_counted_for_people_and_named_for_programs() -> None:
    def said(*records: int) -> str:
        return _records(ExplainLine(what="corrections", microcents=1, records=records))

    assert said(908) == "record 908"
    assert said(451, 620) == "records 451 and 620"
    assert said(451, 620, 908) == "records 451, 620 and 908"
    assert said(451, 620, *range(700, 712)) == "records 451, 620 and 12 more"


@pytest.mark.parametrize("at", ["2199-01-01T00:00:00Z", "2199-01-01 00:00:00"])
def test_a_time_that_is_still_to_come_is_refused_with_the_newest_record(
    data: Path, at: str
) -> None:
    code, text, told = explained(data, "--at", at)
    assert (code, text) == (2, "")
    assert f"{at} is still to come: the newest record of main is 44, of 2026-11-03 14:00:" in told
    assert "EST" in told


def test_of_an_hour_that_comes_twice_it_says_which_one_was_taken(data: Path) -> None:
    """The clocks were set back on 1 November 2026: BJ-03 played at 01:30 EDT and at 01:30 EST."""

    def seq(at: str) -> tuple[int, str]:
        code, text, told = explained(data, "--at", at, "--json")
        assert code == 0, told
        return json.loads(text)["seq"], told

    first, told = seq("2026-11-01 01:45")
    assert told == (
        "note: --at 2026-11-01 01:45 comes twice: taken is the first, "
        "2026-11-01T01:45:00-04:00; for the second say 2026-11-01T01:45:00-05:00\n"
    )
    assert seq("2026-11-01T01:45:00-04:00") == (first, "")
    second, told = seq("2026-11-01T01:45:00-05:00")
    assert (second, told) == (first + 2, "")
    # Neither an hour that comes once nor one that never comes.
    assert seq("2026-11-01 03:00")[1] == ""
