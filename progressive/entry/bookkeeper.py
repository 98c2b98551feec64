"""The process that answers questions of finance beside the service, as long as the service runs.

Questions are frames on its standard input, answers frames on its standard output, one question at a
time. It reads the journal and writes nothing but day books, a cache. It ends at once when the
service does: that closes its standard input.
"""

import asyncio
import contextlib
import os
import resource
import sys
import threading
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

from progressive import __version__
from progressive.adapters.bookkeeping.messages import (
    FILE_BYTES_MAX,
    LENGTH_BYTES,
    PART_BYTES,
    Orders,
    Said,
    Told,
    decode_orders,
    decode_told,
    frame,
)
from progressive.adapters.day_books import FileBookCache
from progressive.adapters.happenings import FileHappenings
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.finance.desk.asked import FAILED, TOO_LARGE, Answer, Asked
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.asking import Surroundings
from progressive.application.finance.reports.gl_accounts import GlAccounts
from progressive.common.steps import step
from progressive.entry.finance.answering import Answering
from progressive.entry.finance.printing import read_accounts, shipped_jurisdiction
from progressive.entry.verifier_file import verifier_file
from progressive.runtime import json_log
from progressive.runtime.idle_process import ENDED_WITH_THE_SERVICE, Resting

OUT_OF_MEMORY: Final = 4
"""Exit code: what a question took is given back by ending."""
_TOO_MUCH: Final = "this takes more memory than it may: ask for fewer days"
_DROPPED: Final = Answer(code=FAILED, message="nobody waits for it any more")


class BookkeeperLoop:
    """One question after the other."""

    def __init__(self, answering: Answering, resting: Resting) -> None:
        self._answering = answering
        self._resting = resting
        self._came: asyncio.Queue[Told] = asyncio.Queue()
        self._dropped = 0
        self._answered = 0
        self._task: asyncio.Task[Answer] | None = None

    async def run(self) -> None:
        """Until the process ends."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True, name="questions").start()
        while True:
            told = await self._came.get()
            answer = await self._answer(told)
            _say(told.id, answer)
            if answer.message == _TOO_MUCH:
                sys.stdout.buffer.flush()
                os._exit(OUT_OF_MEMORY)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread. The end of standard input is the end of the service."""
        while (body := _frame_from(sys.stdin.buffer)) is not None:
            # Whatever comes, somebody waits: what is under way goes on without rests.
            self._resting.hurry()
            loop.call_soon_threadsafe(self._take, decode_told(body))
        os._exit(ENDED_WITH_THE_SERVICE)

    def _take(self, told: Told) -> None:
        if told.question is not None:
            self._came.put_nowait(told)
            return
        self._dropped = told.id
        if self._task is not None and self._answered == told.id:
            self._task.cancel()

    async def _answer(self, told: Told) -> Answer:
        if told.question is None or self._dropped == told.id:
            return _DROPPED
        self._answered = told.id
        self._task = asyncio.create_task(self._work(told.question))
        await asyncio.wait({self._task})
        task, self._task = self._task, None
        if task.cancelled():
            return _DROPPED
        if isinstance(task.exception(), MemoryError):
            return Answer(code=TOO_LARGE, message=_TOO_MUCH)
        return task.result()

    async def _work(self, question: Asked) -> Answer:
        step(f"answer {question.__struct_config__.tag}")
        return await self._answering.answer(question)


def _frame_from(pipe: BinaryIO) -> bytes | None:
    length = pipe.read(LENGTH_BYTES)
    return pipe.read(int.from_bytes(length)) if len(length) == LENGTH_BYTES else None


def _say(number: int, answer: Answer) -> None:
    out = sys.stdout.buffer
    if sum(len(part) for part in answer.parts) > FILE_BYTES_MAX:
        message = f"the file has more than {FILE_BYTES_MAX // 2**20} MiB: ask for fewer days"
        answer = Answer(code=TOO_LARGE, message=message)
    for part in answer.parts:
        for begin in range(0, len(part), PART_BYTES):
            out.write(frame(Said("part", number, part[begin : begin + PART_BYTES])))
    out.write(
        frame(
            Said(
                "answer",
                number,
                code=answer.code,
                message=answer.message,
                media_type=answer.media_type,
                file_name=answer.file_name,
            )
        )
    )
    out.flush()


def _bound_memory(limit: int) -> None:
    if limit:
        # Where the system does not know the limit, there is none.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))


def _answering(orders: Orders, rests: Resting) -> Answering:
    data = Path(orders.data)
    reader = SqliteJournalReader(data, unchanged=True)
    books = WarmBooks(reader, FileBookCache(data))
    around = Surroundings(
        reader=reader,
        now="",
        program=__version__,
        cache=books,
        jurisdiction=shipped_jurisdiction,
        accounts=GlAccounts() if orders.accounts is None else read_accounts(Path(orders.accounts)),
        happenings=FileHappenings(data),
        sign_log=partial(open_sign_log, data),
    )
    return Answering(
        around,
        books,
        data=data,
        mappings=None if orders.mappings is None else Path(orders.mappings),
        verifier=verifier_file,
        close_within_hours=orders.close_within_hours,
        resting=rests.while_nobody_waits,
    )


def run() -> None:
    """Take the orders, and answer."""
    orders = decode_orders(_frame_from(sys.stdin.buffer) or b"")
    json_log.configure("warning")
    _bound_memory(orders.memory_bytes)
    rests = Resting(orders.rest)
    loop = BookkeeperLoop(_answering(orders, rests), rests)
    sys.stdout.buffer.write(frame(Said("hello")))
    sys.stdout.buffer.flush()
    asyncio.run(loop.run())


if __name__ == "__main__":
    run()
