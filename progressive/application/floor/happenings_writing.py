"""COLD. Once a second: what was noted goes to the disk, and once a minute a sign of life.

Nobody waits for it. Where the disk takes nothing, lines are dropped and counted: a log of what
happened must never hold up what happens.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Final, Protocol

from progressive.application.clock import Clock
from progressive.application.floor.happenings import Happenings
from progressive.application.journal.ports import StoreError
from progressive.domain.happenings import HappeningLine, Noted
from progressive.domain.time_text import later

log = logging.getLogger(__name__)

WRITE_SECONDS: Final = 1.0
ALIVE_SECONDS: Final = 60.0
"""So exact is the beginning of an outage of a service that was killed."""
DAY_SECONDS: Final = 86_400
_SAID_AGAIN: Final = frozenset((Noted.ALIVE, Noted.STANDS, Noted.LOST))
"""Nothing is missed where one of these is not written: the next one says as much."""
_DAY_CHARACTERS: Final = len("2026-01-02")


class HappeningStore(Protocol):
    """Where the lines lie, a day at a time. Blocks: never called in the loop."""

    def last(self) -> HappeningLine | None:
        """The latest line that there is; None where there is none. Raises StoreError."""
        ...

    def append(self, lines: Sequence[HappeningLine]) -> int:
        """Durable when it returns; how many were left out because a day's room is used up.

        Raises StoreError; none of a day's lines are then there, or all of them.
        """
        ...

    def drop_before(self, day: str) -> None:
        """Remove the days before this one (UTC). Raises StoreError."""
        ...


class HappeningsWriting:
    """The log of one process, from its start to its stop."""

    def __init__(
        self, happenings: Happenings, store: HappeningStore, *, clock: Clock, days: int
    ) -> None:
        """`days`: how long lines are stored."""
        self._happenings = happenings
        self._store = store
        self._clock = clock
        self._days = days
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._day = ""
        self._alive_at = 0.0
        self._unsaid = 0
        self._failed = False
        self.lost = 0
        """Lines that were not written since the start."""

    async def start(self) -> None:
        """Begin the log, and write from now on."""
        await self.begin()
        self._task = asyncio.create_task(self._run(), name="happenings")

    async def begin(self) -> None:
        """Say when the service was last alive before, and that it is alive now."""
        at = self._clock.now()
        before: HappeningLine | None = None
        try:
            before = await asyncio.to_thread(self._store.last)
        except StoreError as error:
            log.error("the log of happenings cannot be read", extra={"why": str(error)})
        since = "" if before is None else before.at
        if since:
            self._happenings.known_until(since)
        self._day, self._alive_at = at[:_DAY_CHARACTERS], self._clock.monotonic()
        stopped = before is not None and before.what == Noted.STOPPED
        await self._write([HappeningLine(at=at, what=Noted.STARTED, since=since, clean=stopped)])
        await self._drop_old(at)

    async def stop(self) -> None:
        """Write what is left, and that the service was stopped."""
        if not self._day:
            return
        self._stopping.set()
        if self._task is not None:
            await self._task
        lines = self._happenings.take(minute_over=True)
        await self._write([*lines, HappeningLine(at=self._clock.now(), what=Noted.STOPPED)])

    async def _run(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WRITE_SECONDS):
                    await self._stopping.wait()
            try:
                await self.write()
            except Exception:
                # A bug in what only takes notes must not end the taking of notes.
                log.exception("writing the log of happenings failed")

    async def write(self) -> None:
        """What came since the last time."""
        at, now = self._clock.now(), self._clock.monotonic()
        minute_over = now - self._alive_at >= ALIVE_SECONDS
        lines = self._happenings.take(minute_over=minute_over)
        new_day = at[:_DAY_CHARACTERS] != self._day
        if new_day or (minute_over and self._unsaid):
            # A file is read without the one before it; lost lines may have been about what lasts.
            lines += self._happenings.standing(at)
        if minute_over or new_day:
            self._alive_at = now
            lines.append(HappeningLine(at=at, what=Noted.ALIVE))
            if self._unsaid:
                lines.append(HappeningLine(at=at, what=Noted.LOST, times=self._unsaid))
        if lines:
            await self._write(lines)
        if new_day:
            self._day = at[:_DAY_CHARACTERS]
            await self._drop_old(at)

    async def _write(self, lines: Sequence[HappeningLine]) -> None:
        self._count_lost(self._happenings.pushed_out)
        self._happenings.pushed_out = 0
        try:
            left_out = await asyncio.to_thread(self._store.append, lines)
        except StoreError as error:
            self._count_lost(sum(line.what not in _SAID_AGAIN for line in lines))
            if not self._failed:
                log.error("the log of happenings cannot be written", extra={"why": str(error)})
            self._failed = True
        else:
            self._failed = False
            self._unsaid -= sum(line.times for line in lines if line.what == Noted.LOST)
            self._count_lost(left_out)

    def _count_lost(self, lines: int) -> None:
        self.lost += lines
        self._unsaid += lines

    async def _drop_old(self, at: str) -> None:
        oldest = later(at, seconds=-self._days * DAY_SECONDS)[:_DAY_CHARACTERS]
        try:
            await asyncio.to_thread(self._store.drop_before, oldest)
        except StoreError as error:
            log.error("old happenings cannot be removed", extra={"why": str(error)})
