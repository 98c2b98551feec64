"""Runs the process that verifies the past of the journals. It ends with the service."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from progressive.application.link.verifying import CannotVerifyError, PastFindings
from progressive.common.child_process import kill
from progressive.common.idle_command import idle_command

MODULE: Final = "progressive.entry.commands.past_verifier"
REST: Final = 99
"""The process works for a hundredth of the time. What is new of a day is audited in an hour or two;
a whole audit of a year of a large casino, two hundred million records, takes about nine days."""
FIRST_REST: Final = 9
"""In its first seconds of work, a tenth: whoever has put a journal right waits for this process,
and where there are days to read, a few seconds more or less of it are nothing."""
FOUND: Final = 1
"""Exit code of a process that has found something. Python ends with it as well when it fails: only
with a report does it count."""
ERROR_CHARS: Final = 500
"""Of the last line that a process says when it fails."""

_decoder: Final = msgspec.json.Decoder(PastFindings)


def resting_command(rest: int) -> tuple[str, ...]:
    """What the interpreter is to run, with rests so many times as long as the work."""
    return idle_command(MODULE, rest=rest, first=FIRST_REST)


class VerifyProcess:
    """Implements `Verifier`: a process for each look at a data directory."""

    def __init__(self, data: Path, *, command: Sequence[str] | None = None) -> None:
        """`command`: what the interpreter is to run; tests give another one."""
        self._data = data
        self._command = resting_command(REST) if command is None else command

    async def hashes(self) -> PastFindings:
        """Whether every segment file is the one that was written."""
        return await self._run("hashes")

    async def audit(self) -> PastFindings:
        """What `verify` finds."""
        return await self._run("audit")

    async def _run(self, what: str) -> PastFindings:
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, *self._command, what, str(self._data.resolve())),
                # Held open until the process has ended: its end would end the process.
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise CannotVerifyError(f"no process for it: {error}") from error
        assert child.stdout is not None  # noqa: S101 - for the type checker
        assert child.stderr is not None  # noqa: S101 - for the type checker
        try:
            report, said = await asyncio.gather(child.stdout.read(), child.stderr.read())
            code = await child.wait()
        finally:
            kill(child)
            await asyncio.shield(child.wait())
        return _findings(code, report, said)


def _findings(code: int, report: bytes, said: bytes) -> PastFindings:
    """Only a whole report that agrees with the exit code counts."""
    lines = said.decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "it said nothing")
    failed = CannotVerifyError(f"the process ended with exit code {code}: {last[:ERROR_CHARS]}")
    if code not in (0, FOUND):
        raise failed
    try:
        findings = _decoder.decode(report)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise failed from None
    if bool(len(findings)) is not (code == FOUND):
        raise failed
    return findings
