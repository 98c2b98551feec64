"""`progressive report cage --cage FILE`: a file is compared without being entered."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.journals import JournalFile
from tests.support.stated_figures import FRIDAY, paid, write_cage_days

MAPPING = """
[cage]
reference = "Beleg"
document = "Zahlung"
amount = "Betrag"
time = "Zeit"
time_format = "%d.%m.%Y %H:%M"
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cage") / "data"
    directory.mkdir()
    asyncio.run(write_cage_days(directory))
    return directory


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "progressive", "report", *map(str, words)],
        capture_output=True,
        check=False,
    )


def test_a_file_is_compared_and_nothing_is_entered(data: Path, tmp_path: Path) -> None:
    cents = paid(JournalFile(data))["main-P000001"]
    (tmp_path / "mapping.toml").write_text(MAPPING, "utf-8")
    (tmp_path / "cage.csv").write_text(
        "Beleg;Zahlung;Betrag;Zeit\r\n"
        f"R-1;main-p000001;{cents // 100},{cents % 100:02};30.10.2026 22:10\r\n",
        "utf-8",
    )
    before = JournalFile(data).lines()
    done = run(
        *("cage", "--data", data, "--day", FRIDAY, "--format", "json"),
        *("--cage", tmp_path / "cage.csv", "--cage-mapping", tmp_path / "mapping.toml"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    first = found["rows"][0]
    assert (first["status"], first["cage_ref"]) == ("matched", "R-1")
    # On the floor's clock, as neither file names a zone.
    assert first["cage_at"] == "2026-10-31T02:10:00.000000Z"
    assert [row["status"] for row in found["rows"][1:]] == ["ours only"] * 4
    assert any("compared with cage.csv, WHICH IS NOT ENTERED" in note for note in found["notes"])
    assert JournalFile(data).lines() == before


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        ("cage", ("--from", FRIDAY, "--to", FRIDAY), "--cage is for `cage` of one --day only"),
        ("awards", ("--day", FRIDAY), "--cage is for `cage` of one --day only"),
        ("cage", ("--day", FRIDAY), "cage.csv: line 2, Betrag: 'x' is not an amount above zero"),
    ],
)
def test_what_cannot_be_compared_is_said(
    data: Path, tmp_path: Path, kind: str, words: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "cage.csv"
    file.write_text("Ref,Doc,Betrag\nR-1,D-1,x\n", "utf-8")
    (tmp_path / "mapping.toml").write_text('[cage]\namount = "Betrag"\n', "utf-8")
    done = run(
        *(kind, "--data", data, *words, "--cage", file),
        *("--cage-mapping", tmp_path / "mapping.toml"),
    )
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_a_mapping_alone_is_refused(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text(MAPPING, "utf-8")
    done = run("cage", "--data", data, "--day", FRIDAY, "--cage-mapping", tmp_path / "mapping.toml")
    assert done.returncode == 2
    assert "give both" in done.stderr.decode()


def test_readings_read_the_sign_log_of_the_data_directory(data: Path) -> None:
    done = run("readings", "--data", data, "--day", FRIDAY, "--format", "json")
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert "Nothing is known of the sign log: there is none that can be read." in notes
