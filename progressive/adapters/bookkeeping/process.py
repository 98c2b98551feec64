"""Runs the process that answers questions of finance, for the life of the service.

One question at a time. A process that ends is started again at the next question; the one that it
ended over is not asked again. It ends with the service: its standard input is then at its end.
"""

import asyncio
import contextlib
import itertools
import logging
import sys
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.bookkeeping.messages import (
    FRAME_BYTES_MAX,
    LENGTH_BYTES,
    PART_BYTES,
    Orders,
    Said,
    Told,
    decode_said,
    frame,
)
from progressive.application.finance.desk.asked import Answer, Asked
from progressive.application.finance.desk.ports import BookkeeperDiedError, BookkeeperError
from progressive.common.child_process import kill
from progressive.common.idle_command import nice_command

log = logging.getLogger(__name__)

MODULE: Final = "progressive.entry.bookkeeper"
REST: Final = 49
"""While nobody waits, the process works for a fiftieth of the time: 600,000 records, a day of a
large casino, take it two minutes after a start."""
MEMORY_BYTES: Final = 1_536 * 2**20
"""A report that needs more is refused, and the process is started again."""
HELLO_SECONDS: Final = 120.0
ANSWER_SECONDS: Final = 600.0
"""Many times what a report takes: what takes longer hangs, on a disk, say."""
DROP_SECONDS: Final = 10.0
"""A question that nobody waits for any more ends within it, or its process does."""


class _Waiting(Struct):
    """Somebody waits for an answer of a process."""

    id: int
    child: asyncio.subprocess.Process
    answer: asyncio.Future[Answer]
    parts: list[bytes]


class ProcessBookkeeper:
    """Implements `application.finance.desk.ports.Bookkeeper`."""

    def __init__(
        self,
        orders: Orders,
        *,
        command: Sequence[str] = nice_command(MODULE),
        answer_seconds: float = ANSWER_SECONDS,
        drop_seconds: float = DROP_SECONDS,
    ) -> None:
        """`command`: what the interpreter is to run; tests give another one."""
        self._orders = orders
        self._command = command
        self._answer_seconds = answer_seconds
        self._drop_seconds = drop_seconds
        self._child: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._numbers = itertools.count(1)
        self._waiting: _Waiting | None = None
        self._starts = 0

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        return None if self._child is None else self._child.pid

    @property
    def restarts(self) -> int:
        """How often a process had to be started in the place of one that had ended."""
        return max(0, self._starts - 1)

    async def ask(self, question: Asked) -> Answer:
        """The answer; raises BookkeeperError. One at a time."""
        child = self._child or await self._start()
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        waiting = self._waiting = _Waiting(next(self._numbers), child, answer, [])
        try:
            _write(child, Told(waiting.id, question))
            async with asyncio.timeout(self._answer_seconds):
                return await asyncio.shield(answer)
        except TimeoutError:
            self._kill(child)
            raise BookkeeperDiedError("no answer: the process was ended") from None
        except asyncio.CancelledError:
            await self._let_go(waiting)
            raise
        finally:
            self._waiting = None
            answer.cancel()

    async def stop(self) -> None:
        """End the process."""
        if self._child is not None:
            self._kill(self._child)
        if self._reading is not None:
            await self._reading

    # --- the process -----------------------------------------------------------------------------

    async def _start(self) -> asyncio.subprocess.Process:
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, *self._command),
                # Held open until the process has ended: its end would end the process.
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=PART_BYTES,
            )
        except OSError as error:
            raise BookkeeperError(f"no process for it: {error}") from error
        hello = None
        try:
            _write(child, self._orders)
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await _said(child)
        except (TimeoutError, BookkeeperError):
            pass
        finally:
            if hello is None:
                kill(child)
                await asyncio.shield(child.wait())
        if hello is None:
            raise BookkeeperError("the process did not start")
        self._starts += 1
        self._child = child
        self._reading = asyncio.create_task(self._read(child), name="answers of the bookkeeper")
        return child

    async def _read(self, child: asyncio.subprocess.Process) -> None:
        while (said := await _said(child)) is not None:
            self._hear(said)
        self._kill(child)
        code = await child.wait()
        waiting = self._waiting
        if waiting is not None and waiting.child is child and not waiting.answer.done():
            error = BookkeeperDiedError(f"the process ended (exit code {code})")
            waiting.answer.set_exception(error)

    def _hear(self, said: Said) -> None:
        waiting = self._waiting
        if waiting is None or waiting.id != said.id or waiting.answer.done():
            return
        if said.kind == "part":
            waiting.parts.append(said.data)
        elif said.kind == "answer":
            answer = Answer(
                code=said.code,
                message=said.message,
                media_type=said.media_type,
                file_name=said.file_name,
                parts=tuple(waiting.parts),
            )
            waiting.answer.set_result(answer)

    async def _let_go(self, waiting: _Waiting) -> None:
        """Until the process is free again: it says so, or it is ended."""
        free = False
        try:
            with contextlib.suppress(BookkeeperError, TimeoutError):
                _write(waiting.child, Told(waiting.id))
                async with asyncio.timeout(self._drop_seconds):
                    await asyncio.shield(waiting.answer)
                free = True
        finally:
            if not free:
                self._kill(waiting.child)

    def _kill(self, child: asyncio.subprocess.Process) -> None:
        if self._child is child:
            self._child = None
        kill(child)


def _write(child: asyncio.subprocess.Process, message: Orders | Told) -> None:
    if child.stdin is None or child.stdin.is_closing():
        raise BookkeeperDiedError("the process has ended")
    child.stdin.write(frame(message))


async def _said(child: asyncio.subprocess.Process) -> Said | None:
    """The next thing it says; None at its end, or where it says what nobody understands."""
    if child.stdout is None:
        return None
    try:
        length = int.from_bytes(await child.stdout.readexactly(LENGTH_BYTES))
        if length > FRAME_BYTES_MAX:
            log.error("the bookkeeper said too much at once")
            return None
        return decode_said(await child.stdout.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except msgspec.DecodeError:
        log.error("the bookkeeper said what cannot be understood")
        return None
