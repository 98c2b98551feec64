"""COLD. Once a second: was the machine's clock set?

The wall clock is held against the steady one. A time server that slews the clock moves it by less
than a thousandth; whoever sets it is noticed, and every link's journal says so.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from progressive.application.link.replies import FateUnknownError
from progressive.application.link.worker import LinkWorker
from progressive.domain.acts import NoteClockStep
from progressive.domain.decide.clock import is_step
from progressive.domain.time_text import later

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0


class _Seen(Struct, frozen=True):
    wall: str
    monotonic: float


class ClockWatch:
    """Looks at one machine's clock for all links."""

    def __init__(
        self,
        workers: Sequence[LinkWorker],
        *,
        wall: Callable[[], str],
        now: Callable[[], str],
        monotonic: Callable[[], float],
    ) -> None:
        """`wall` may go back; `now` is the time that the links work with."""
        self._workers = workers
        self._wall = wall
        self._now = now
        self._monotonic = monotonic
        self._seen = _Seen(wall(), monotonic())
        self._task: asyncio.Task[None] | None = None
        self.last_step: NoteClockStep | None = None
        """The last time that somebody set the clock while the service ran."""

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run(), name="clock watch")

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @property
    def behind(self) -> str | None:
        """How far the clock is behind what the journals say; None while it is not."""
        latest = max([self._now(), *[each.view.at for each in self._workers if each.view.seq]])
        wall = self._wall()
        if wall >= latest or not is_step(latest, wall):
            return None
        return (
            f"the clock was set back: it says {wall}, and the journal is at {latest}. Records keep "
            "that time until the clock has caught up: set the clock right"
        )

    @property
    def set_forward(self) -> str | None:
        """How somebody set the clock forward last; None where nobody did."""
        step = self.last_step
        if step is None or step.clock_at < step.expected_at:
            return None
        return (
            f"the clock was set forward: it said {step.clock_at} where {step.expected_at} was due. "
            "Times of records never go back: set the clock right"
        )

    async def look(self) -> None:
        """One look: a step is recorded in every journal that can be written."""
        before, seen = self._seen, _Seen(self._wall(), self._monotonic())
        self._seen = seen
        # What the links work with must not fall behind what was seen here.
        self._now()
        passed = round((seen.monotonic - before.monotonic) * 1_000_000)
        expected_at = later(before.wall, seconds=0, microseconds=passed)
        if not is_step(expected_at, seen.wall):
            return
        log.error("the clock was set", extra={"clock_at": seen.wall, "expected_at": expected_at})
        self.last_step = step = NoteClockStep(clock_at=seen.wall, expected_at=expected_at)
        for worker in self._workers:
            with contextlib.suppress(FateUnknownError):
                await worker.perform(step)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Exception:
                # A bug in what only watches must not end the watching.
                log.exception("looking at the clock failed")
