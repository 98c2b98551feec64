"""Only a whole report that agrees with its exit code counts as a finding."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from progressive.adapters.verify_process import VerifyProcess
from progressive.application.link.verifying import CannotVerifyError
from progressive.domain.ids import LinkId

REPORT = '{"links":{"main":"cut"}}'


def saying(text: str, code: int) -> tuple[str, str]:
    return "-c", f"import sys; sys.stdout.write({text!r}); sys.exit({code})"


async def test_report_with_the_exit_code_of_a_finding_counts(tmp_path: Path) -> None:
    found = await VerifyProcess(tmp_path, command=saying(REPORT, 1)).hashes()
    assert found.links == {LinkId("main"): "cut"}


async def test_empty_report_with_exit_code_0_is_a_good_past(tmp_path: Path) -> None:
    assert len(await VerifyProcess(tmp_path, command=saying("{}", 0)).audit()) == 0


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "raise RuntimeError('a bug')"),
        saying("", 0),
        saying("", 1),
        saying(REPORT, 0),
        saying("{}", 1),
        saying(REPORT, 2),
        saying(REPORT[:-3], 1),
        saying('{"links":["main"]}', 1),
        ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"),
        ("-m", "progressive.no_such_module"),
    ],
)
async def test_anything_else_is_no_finding(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(CannotVerifyError):
        await VerifyProcess(tmp_path, command=command).hashes()


async def test_what_a_broken_process_says_is_passed_on(tmp_path: Path) -> None:
    command = ("-c", "raise RuntimeError('a bug')")
    with pytest.raises(CannotVerifyError, match="exit code 1: RuntimeError: a bug"):
        await VerifyProcess(tmp_path, command=command).hashes()


async def test_process_ends_when_the_service_stops(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = (
        "import os, pathlib, time;"
        f"p = pathlib.Path({str(note)!r} + '.new'); p.write_text(str(os.getpid()));"
        f"p.rename({str(note)!r}); time.sleep(600)"
    )
    running = asyncio.create_task(VerifyProcess(tmp_path, command=("-c", script)).hashes())
    async with asyncio.timeout(30):
        while not note.exists():
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), signal.SIGCONT)
