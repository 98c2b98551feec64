"""COLD. Once a second: what was committed is remembered, and the store is looked at.

Nobody waits for it. Marks are taken from states that are durable already, so what is remembered may
be behind the journal and is never ahead of it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Final

from progressive.application.journal.ports import StoreError, StoreLostError
from progressive.application.link.memory import CommittedMark, Memory
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId

log = logging.getLogger(__name__)

REMEMBER_SECONDS: Final = 1.0


class Remembering:
    """The links of one store."""

    def __init__(self, workers: Sequence[LinkWorker], *, store: Store, memory: Memory) -> None:
        self._workers = workers
        self._store = store
        self._memory = memory
        self._written: dict[LinkId, CommittedMark] = {}
        self._task: asyncio.Task[None] | None = None
        self.problem: str | None = None
        """Why what was committed is not remembered; None while it is."""

    def start(self) -> None:
        """Begin to look. A take over has remembered its own epoch by then."""
        self._task = asyncio.create_task(self._run(), name="remembering")

    async def stop(self) -> None:
        """Remember the last records; the links have stopped."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await self.look()

    async def look(self) -> None:
        """One look at the store and at every link."""
        try:
            await self._store.check()
        except StoreLostError as error:
            for worker in self._workers:
                worker.lose_soon(str(error))
        for worker in self._workers:
            if (mark := worker.mark) is not None:
                await self._remember(mark)

    async def _remember(self, mark: CommittedMark) -> None:
        if self._written.get(mark.link) == mark:
            return
        try:
            await self._memory.remember(mark)
        except StoreError as error:
            if self.problem is None:
                log.error("what was committed is not remembered", extra={"reason": str(error)})
            self.problem = str(error)
        else:
            self._written[mark.link] = mark
            self.problem = None

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(REMEMBER_SECONDS)
            try:
                await self.look()
            except Exception:
                # A bug in what only watches must not end the watching.
                log.exception("looking at the store failed")
