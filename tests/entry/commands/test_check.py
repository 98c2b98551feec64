"""`progressive check` as an operator and as a script meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import progressive
from progressive.adapters.config.floor import shipped_config
from progressive.entry.cli import main
from progressive.entry.commands.check import command

DEMO = shipped_config() / "floor.toml"
GOOD = DEMO.read_text(encoding="utf-8")
LOW_MINOR = GOOD.replace("reset_cents = 250000 ", "reset_cents = 240000 ")
NO_SECOND_MEGA = GOOD.replace("reset_cents = 2500000", "reset_cents = 0").replace(
    "reset_rate_ppm = 10000", "reset_rate_ppm = 0"
)


def written(folder: Path, text: str) -> str:
    file = folder / "floor.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_good_file_is_summed_up_in_one_line() -> None:
    result = CliRunner().invoke(command, [str(DEMO)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        f"{DEMO}: good: Boardwalk Casino, 1 link, 12 tables, 3 meters, "
        "24% of each wager to the meters\n"
    )


def test_summary_tells_a_rate_exactly(tmp_path: Path) -> None:
    # 13:69F-2.28(i): a rate next to the legal floor must not be rounded onto it.
    text = GOOD.replace("rate_ppm = 120000", "rate_ppm = 80001")
    result = CliRunner().invoke(command, [written(tmp_path, text)])
    assert ", 20.0001% of each wager to the meters\n" in result.stdout


def test_problem_is_the_line_of_the_contract(tmp_path: Path) -> None:
    file = written(tmp_path, LOW_MINOR)
    result = CliRunner().invoke(main, ["check", file])
    assert (result.exit_code, result.stderr) == (2, "")
    assert result.stdout == (
        f"{file}: link.main.bet.blazing7.meter.minor.reset_cents: "
        "240000 is below 250000 (N.J.A.C. 13:69F-2.28(i))\n"
    )


def test_json_tells_the_same_to_machines(tmp_path: Path) -> None:
    file = written(tmp_path, LOW_MINOR)
    result = CliRunner().invoke(command, [file, "--json"])
    assert result.exit_code == 2
    assert json.loads(result.stdout) == {
        "ok": False,
        "problems": [
            {
                "file": file,
                "key": "link.main.bet.blazing7.meter.minor.reset_cents",
                "value": "240000",
                "message": "240000 is below 250000",
                "clause": "N.J.A.C. 13:69F-2.28(i)",
            }
        ],
        "warnings": [],
    }
    good = CliRunner().invoke(command, [str(DEMO), "--json"])
    assert good.exit_code == 0
    assert json.loads(good.stdout) == {"ok": True, "problems": [], "warnings": []}


def test_warning_alone_exits_with_0(tmp_path: Path) -> None:
    # 210,000 ppm are left without the Mega's reset rate: lawful, but not kind to a second winner.
    file = written(tmp_path, NO_SECOND_MEGA)
    result = CliRunner().invoke(command, [file])
    warning, summary = result.stdout.splitlines()
    assert result.exit_code == 0
    assert warning == (
        f"{file}: warning: link.main.bet.blazing7.meter.mega.reset_cents: 0 and no reset_rate_ppm: "
        "a second winner of the same round is left with nothing (N.J.A.C. 13:69F-2.28(i))"
    )
    assert summary.startswith(f"{file}: good: ")
    told = json.loads(CliRunner().invoke(command, [file, "--json"]).stdout)
    assert told["ok"] is True
    assert [each["value"] for each in told["warnings"]] == ["0"]


def test_combined_rate_is_the_value_of_its_problem(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD.replace("rate_ppm = 120000", "rate_ppm = 79999"))
    (problem,) = json.loads(CliRunner().invoke(command, [file, "--json"]).stdout)["problems"]
    assert (problem["key"], problem["value"]) == ("link.main.bet.blazing7.meter", "199999")


def test_missing_file_folder_and_bad_toml_exit_with_2(tmp_path: Path) -> None:
    missing = CliRunner().invoke(command, [str(tmp_path / "none.toml")])
    assert missing.exit_code == 2
    assert missing.stdout == f"{tmp_path / 'none.toml'}: there is no such file\n"
    folder = CliRunner().invoke(command, [str(tmp_path)])
    assert folder.exit_code == 2
    assert folder.stdout == f"{tmp_path}: is a folder, not a file\n"
    broken = CliRunner().invoke(command, [written(tmp_path, "schema = ")])
    assert broken.exit_code == 2
    assert "line 1, column 10" in broken.stdout


def test_file_must_be_given() -> None:
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 2
    assert "Missing argument 'FILE'" in result.stderr


def test_help_says_what_it_does() -> None:
    text = " ".join(CliRunner().invoke(main, ["check", "--help"]).stdout.split())
    assert "one line a problem" in text
    assert "exits with 2" in text
    assert "--json" in text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_program_runs_from_any_folder_and_on_any_terminal(tmp_path: Path, encoding: str) -> None:
    text = LOW_MINOR.replace('"USD"', '"ÄÖÜ"')
    written(tmp_path, text)
    source = str(Path(progressive.__file__).resolve().parents[1])
    ran = subprocess.run(
        [sys.executable, "-m", "progressive", "check", "floor.toml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": source, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (2, b"")
    shown = "ÄÖÜ" if encoding == "utf-8" else "\\xc4\\xd6\\xdc"
    assert ran.stdout.decode(encoding).splitlines() == [
        f'floor.toml: currency: "{shown}" is not three capital letters, like USD',
        "floor.toml: link.main.bet.blazing7.meter.minor.reset_cents: "
        "240000 is below 250000 (N.J.A.C. 13:69F-2.28(i))",
    ]
