"""docs/client.md: its program runs as it stands, and its tables name what the code knows."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from progressive.client import connection, timing
from progressive.client.route import HOPS_MAX
from progressive.client.table_client import State
from tests.support.service import ROOT, ServiceProcess, issue_key

PAGE = (ROOT / "docs" / "client.md").read_text("utf-8")


@pytest.mark.slow
def test_program_runs_as_it_stands(tmp_path: Path) -> None:
    program = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert program is not None
    with ServiceProcess(tmp_path / "data") as service:
        (tmp_path / "BJ-01.key").write_text(issue_key(service.data, "BJ-01") + "\n")
        text = program[1].replace("http://127.0.0.1:8080", service.url)
        assert text != program[1]
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", text],
                cwd=tmp_path,
                env={"PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert "live None\n" in done.stdout
            assert re.search(r"settled in record \d+\n", done.stdout)


def test_states_are_those_of_the_client() -> None:
    table = PAGE[PAGE.index("| state | means") : PAGE.index("## What becomes")]
    assert set(re.findall(r"(?m)^\| `(\w+)` ", table)) == set(get_args(State))


def test_codes_that_send_a_table_away_are_those_of_the_client() -> None:
    row = next(line for line in PAGE.splitlines() if "`StayAwayError`; the message" in line)
    assert {int(code) for code in re.findall(r"\d{4}", row)} == set(connection.STAY_AWAY)


def test_numbers_are_those_of_the_client() -> None:
    page = " ".join(PAGE.split())
    for words in (
        f"a random time up to {timing.FIRST_WAIT_SECONDS:g} s",
        f"to {timing.LONGEST_WAIT_SECONDS:g} s;",
        f"has come for {connection.SILENT_SECONDS:g} s, or no answer for "
        f"{connection.ANSWER_SECONDS:g} s",
    ):
        assert words in page
    assert HOPS_MAX == 4
    assert "four times in a row" in page
