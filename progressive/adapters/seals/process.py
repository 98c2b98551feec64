"""Runs the process that seals, for the life of the service. It ends with the service.

Only that process reads the private key. One that ends is started again at the next question, and
whoever asked is told; the service itself never waits for it without a limit.
"""

import asyncio
import itertools
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from progressive.adapters.seals.messages import Orders, Question, Said, decode_said, encode
from progressive.application.seals.link_log import Target
from progressive.application.seals.sealing import (
    Asked,
    SealAnswer,
    SealerUnavailableError,
    WitnessNews,
)
from progressive.common.child_process import kill

log = logging.getLogger(__name__)

MODULE: Final = "progressive.entry.sealer"
REST: Final = 49
"""The process works for a fiftieth of the time, as long as nobody waits for it. A minute of a busy
night, 5,000 records, takes it a second; the first seal of forty million records some hours."""
LINE_BYTES_MAX: Final = 1 << 20
HELLO_SECONDS: Final = 60.0
ANSWER_SECONDS: Final = 600.0
"""Many times what a part of the work takes: what takes longer hangs, on a disk, say."""


class BadSealKeyError(Exception):
    """The key cannot be used; in words for whoever gave it."""


class ProcessSealer:
    """`application.seals.sealing.SealerPort`."""

    def __init__(self, orders: Orders, *, command: Sequence[str] = ("-m", MODULE)) -> None:
        """`command`: what the interpreter is to run; tests give another one."""
        self._orders = orders
        self._command = command
        self._child: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[SealAnswer]] = {}
        self._starting = asyncio.Lock()
        self.key = ""
        """The public line of the key, once the process has said it."""
        self.on_news: Callable[[WitnessNews], None] = lambda _: None

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        return None if self._child is None else self._child.pid

    async def start(self) -> None:
        """Start the process; raises BadSealKeyError, SealerUnavailableError."""
        async with self._starting:
            if self._child is None:
                await self._start()

    async def ask(self, do: Asked, target: Target, *, hurry: bool = False) -> SealAnswer:
        """One question; the process is started where it is gone."""
        try:
            await self.start()
        except BadSealKeyError as error:
            raise SealerUnavailableError(str(error)) from None
        number = next(self._numbers)
        answer: asyncio.Future[SealAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            self._write(encode(Question(number, do, target, hurry)))
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answer
        except TimeoutError:
            # It hangs: the next question has another process.
            self._kill()
            raise SealerUnavailableError("the process that seals gave no answer") from None
        finally:
            self._waiting.pop(number, None)

    async def stop(self) -> None:
        """End the process."""
        self._kill()
        if self._reading is not None:
            await self._reading

    # --- the process -----------------------------------------------------------------------------

    async def _start(self) -> None:
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, *self._command),
                # Held open until the process has ended: its end would end the process.
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LINE_BYTES_MAX,
            )
        except OSError as error:
            raise SealerUnavailableError(f"no process to seal: {error}") from error
        self._child = child
        try:
            self._write(encode(self._orders))
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await _said(child)
        except (TimeoutError, SealerUnavailableError):
            hello = None
        if hello is None or hello.problem:
            self._kill()
            await child.wait()
            self._child = None
            if hello is None:
                raise SealerUnavailableError("the process that seals did not start")
            raise BadSealKeyError(hello.problem)
        self.key = hello.key
        self._reading = asyncio.create_task(self._read(child), name="answers of the sealer")

    async def _read(self, child: asyncio.subprocess.Process) -> None:
        while (said := await _said(child)) is not None:
            if said.news is not None:
                self.on_news(said.news)
            waiting = self._waiting.get(said.id)
            if said.answer is not None and waiting is not None and not waiting.done():
                waiting.set_result(said.answer)
        self._kill(child)
        code = await child.wait()
        if self._child is child:
            self._child = None
        for waiting in self._waiting.values():
            if not waiting.done():
                error = SealerUnavailableError(f"the process that seals ended (exit code {code})")
                waiting.set_exception(error)

    def _write(self, line: bytes) -> None:
        child = self._child
        if child is None or child.stdin is None or child.stdin.is_closing():
            raise SealerUnavailableError("the process that seals has ended")
        child.stdin.write(line + b"\n")

    def _kill(self, child: asyncio.subprocess.Process | None = None) -> None:
        child = self._child if child is None else child
        if child is not None:
            kill(child)


async def _said(child: asyncio.subprocess.Process) -> Said | None:
    """The next thing it says; None at its end, or where it says what nobody understands."""
    if child.stdout is None:
        return None
    try:
        line = await child.stdout.readline()
        return decode_said(line) if line else None
    except (ValueError, msgspec.DecodeError, UnicodeDecodeError):
        log.error("the process that seals said what cannot be understood")
        return None
