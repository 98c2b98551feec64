"""Runs the process that writes segments. It ends with the service, and the service never waits."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.segments.job import Job, decode_outcome, encode
from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.journal.segments import Segment
from progressive.common.child_process import kill
from progressive.common.idle_command import idle_command

log = logging.getLogger(__name__)

MODULE: Final = "progressive.entry.archiver"
LINE_BYTES_MAX: Final = 1 << 20
"""Far more than an outcome takes."""
REST: Final = 199
"""The process works for one two-hundredth of the time: far fewer than one answer in a hundred comes
while it does. A segment of 100,000 records takes about four minutes; at that pace it still archives
more than thirty million records a day, many times what a large casino plays."""
SECONDS_MAX: Final = 4 * 3_600.0
"""Many times what a segment takes: at idle priority it may wait long on a busy machine. What takes
longer hangs, on a disk that does not answer, and nobody would be told."""


class ProcessArchiver:
    """`application.journal.archiving.Archiver`: a process for every segment."""

    def __init__(
        self,
        data: Path,
        *,
        command: Sequence[str] = idle_command(MODULE, rest=REST),
        seconds_max: float = SECONDS_MAX,
    ) -> None:
        """`command`: what the interpreter is to run; tests give another one."""
        self._data = data
        self._command = command
        self._seconds_max = seconds_max

    async def archive(self, cut: Cut, *, last_seq_max: int) -> Segment:
        """Write and prove one segment. Cancelled, it ends the process. Raises StoreError."""
        try:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_BYTES_MAX,
            )
        except OSError as error:
            raise StoreUnavailableError(f"no process for archiving: {error}") from error
        stdin, stdout = child.stdin, child.stdout
        line, code = b"", 0
        try:
            if stdin is None or stdout is None:
                raise StoreUnavailableError("no pipes to the process that archives")
            job = Job(str(self._data.resolve()), cut, last_seq_max)
            with contextlib.suppress(ConnectionError):
                stdin.write(encode(job) + b"\n")
                await stdin.drain()
            # Its end is what ends the process when the service dies: it stays open until then.
            async with asyncio.timeout(self._seconds_max):
                line = await stdout.readline()
                code = 0 if line else await child.wait()
        except TimeoutError:
            raise StoreUnavailableError(
                f"the process that archives gave no answer for {self._seconds_max:.0f} seconds"
            ) from None
        finally:
            kill(child)
            await asyncio.shield(child.wait())
        try:
            return decode_outcome(line).given()
        except (msgspec.DecodeError, ValueError):
            raise StoreUnavailableError(
                f"the process that archives ended without an answer (exit code {code})"
            ) from None
