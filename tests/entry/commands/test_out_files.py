"""Commands that write a file: whatever is wrong with it is one line that names the file."""

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.entry.commands import seal
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.service import run_command, run_inside

PRINTED = "2026-11-04T09:00:00-05:00"
LIMIT = 2_000


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody writes into it."""
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data").directory


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def made(*_: object) -> bytes:
        return b"a seal\n"

    monkeypatch.setattr(seal, "_made", made)


Command = Callable[[Path], tuple[str | Path, ...]]


def export(data: Path) -> tuple[str | Path, ...]:
    return ("export", "--data", data, "--link", "main", "--out")


def report(data: Path) -> tuple[str | Path, ...]:
    asked = ("report", "awards", "--data", data, "--day", DAYS[0], "--format", "pdf")
    return (*asked, "--printed-at", PRINTED, "-o")


def seal_of(data: Path) -> tuple[str | Path, ...]:
    return ("seal", "--data", data, "--link", "main", "-o")


def verifier(_: Path) -> tuple[str | Path, ...]:
    return ("verifier", "--out")


def audit_pack(data: Path) -> tuple[str | Path, ...]:
    return ("audit-pack", "--data", data, "--day", DAYS[0], "-o")


def told(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 2, done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.usefixtures("sealed")
@pytest.mark.parametrize("command", [export, report, seal_of, verifier])
def test_a_folder_that_is_missing_is_said_of_the_file_that_was_named(
    data: Path, tmp_path: Path, command: Command
) -> None:
    out = tmp_path / "missing" / "x"
    done = run_inside(*command(data), out)
    assert told(done) == f"Error: {out}: No such file or directory"


@pytest.mark.parametrize("command", [export, report])
def test_a_device_that_is_full_is_named(data: Path, command: Command) -> None:
    """These two write where they are told to; they put no file in the place of another."""
    done = run_inside(*command(data), "/dev/full")
    assert told(done) == "Error: /dev/full: No space left on device"


@pytest.mark.slow
@pytest.mark.parametrize("command", [export, report, verifier])
def test_a_full_disk_is_named(data: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "x"
    done = run_command(
        *command(data),
        out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)),
    )
    assert told(done) == f"Error: {out}: File too large"
    # A verifier is whole, or the next try finds the name free.
    assert out.exists() == (command is not verifier)


@pytest.mark.usefixtures("sealed")
@pytest.mark.parametrize("command", [seal_of, audit_pack])
def test_no_file_takes_the_place_of_a_device_or_a_pipe(
    data: Path, tmp_path: Path, command: Command
) -> None:
    """Whoever is root would otherwise have a file under the name of the device."""
    out = tmp_path / "pipe"
    os.mkfifo(out)
    done = run_inside(*command(data), out)
    assert told(done) == f"Error: {out}: is there already, and is not a file: name another one"
    assert out.is_fifo()


def test_what_needs_no_sync_is_exported_to(data: Path) -> None:
    done = run_inside(*export(data), "/dev/null")
    assert done.returncode == 0, done.stderr
