"""`progressive audit-pack`: exit codes, what it writes, and what it leaves behind."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.finance_days import DAYS, FinanceShelf

FRIDAY = DAYS[0]
PRINTED = "2026-11-04T09:00:00-05:00"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody writes into it: its days are short, so no book is stored."""
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data").directory


def run(*words: str | Path, zone: str = "UTC") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "progressive", "audit-pack", *map(str, words)],
        capture_output=True,
        check=False,
        env=os.environ | {"TZ": zone, "PYTHONHASHSEED": str(len(zone))},
    )


@pytest.mark.slow
def test_the_same_time_of_printing_gives_the_same_bytes_anywhere(
    data: Path, tmp_path: Path
) -> None:
    """In another time zone, with other hashes of texts, an hour of work later."""
    packs = []
    for zone in ("UTC", "Asia/Tokyo"):
        out = tmp_path / f"{len(packs)}.zip"
        done = run("--data", data, "--day", FRIDAY, "--printed-at", PRINTED, "-o", out, zone=zone)
        assert done.returncode == 0, done.stderr
        assert f"(audit-pack_main_{FRIDAY}_OPEN.zip)" in done.stderr.decode()
        packs.append(out.read_bytes())
    assert packs[0] == packs[1]
    with zipfile.ZipFile(tmp_path / "0.zip") as archive:
        assert archive.testzip() is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--day", "2026-10-32"), "'2026-10-32' is not a day like 2026-11-17"),
        (("--day", "2026-10-29"), "the journal begins on 2026-10-30"),
        (("--day", "2199-01-01"), "2199-01-01 has not begun"),
        (("--day", FRIDAY, "--link", "high"), "no link 'high' (there are: main)"),
        (("--day", FRIDAY, "--sample", "1001"), "1001 is not in the range"),
        (("--day", FRIDAY, "--seed", "x"), "'x' is not a valid integer"),
        (("--day", FRIDAY, "--printed-at", "soon"), "is not a time with its offset"),
    ],
)
def test_bad_input_is_one_line_and_exit_2_and_no_file(
    data: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = run("--data", data, *words, "-o", tmp_path / "pack.zip")
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_not_there_is_named_as_it_was_given(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "p.zip"
    done = run("--data", data, "--day", FRIDAY, "-o", out)
    assert done.returncode == 2
    assert f"{out}: No such file or directory" in done.stderr.decode()
    assert ".p.zip" not in done.stderr.decode()


def test_a_private_key_is_not_packed(data: Path, tmp_path: Path) -> None:
    key = tmp_path / "seal-key"
    key.write_text("casino.example\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    done = run("--data", data, "--day", FRIDAY, "--key", key, "-o", tmp_path / "pack.zip")
    assert done.returncode == 2
    assert b"the public key: not a key" in done.stderr
    assert list(tmp_path.iterdir()) == [key]
