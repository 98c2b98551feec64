"""Keeps one LED sign telling what the feed says: opens its line, writes, opens it again.

The sign cannot be asked what it shows. It is told what is new at the pace of its line, everything
again every minute, and everything from its memory up whenever its line was lost.
"""

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable
from typing import Final

from display.led import alpha
from display.led.composer import Glass, Look, compose, farewell
from display.led.line import Line, OpenLine, Pace
from display.led.planner import Planner, Step
from display.led.reading import Reading
from display.led.wins import WinQueue
from progressive.common.backoff import Backoff
from progressive.wire.feed_messages import Showing, ShownMeter

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.5
"""Amounts age and wins end without anybody saying so: the sign is looked after this often."""


class LedDriver:
    """One sign."""

    def __init__(
        self,
        look: Look,
        to: alpha.Address,
        reading: Reading,
        *,
        pace: Pace,
        planner: Planner,
        wins: WinQueue,
        clock: Callable[[], float],
    ) -> None:
        self._look = look
        self._to = to
        self._reading = reading
        reading.on_news = self.wake
        self._pace = pace
        self._planner = planner
        self._wins = wins
        self._clock = clock
        self._news = asyncio.Event()
        self._stop = asyncio.Event()
        self._why: str | None = None

    def wake(self) -> None:
        """The feed has said something."""
        self._news.set()

    def rewrite(self) -> None:
        """Everything anew, the sign's memory too: somebody has exchanged it."""
        self._planner.forget()
        self.wake()

    def stop(self) -> None:
        """Tell the sign that its amounts are no longer looked after, and end `run`."""
        self._stop.set()
        self.wake()

    async def run(self, open_line: OpenLine) -> None:
        """Until stopped, whatever happens to the line."""
        backoff = Backoff(random.SystemRandom().random)
        while not self._stop.is_set():
            try:
                async with open_line() as line:
                    await self._serve(line, backoff)
            except OSError as error:
                self._note(str(error) or type(error).__name__)
            self._planner.forget()
            await _within(backoff.next_seconds(), self._stop)

    def showing(self) -> Showing | None:
        """What can be read on the glass; None while that is not certain."""
        shown = self._planner.shown()
        if shown is None:
            return None
        glass = self._glass()
        epoch, seq = self._planner.place(glass)
        meters = tuple(ShownMeter(meter, cents) for meter, cents in shown.items())
        return Showing("showing", seq, epoch, glass.state, meters)

    def _glass(self) -> Glass:
        now = self._clock()
        win = self._wins.current(now)
        return compose(self._look, self._reading.view, self._reading.age_seconds, win)

    async def _serve(self, line: Line, backoff: Backoff) -> None:
        self._planner.forget()
        while not self._stop.is_set():
            self._news.clear()
            self._wins.announce(self._reading.wins)
            glass = self._glass()
            if self._planner.holds_takeover(glass):
                self._wins.on_glass(self._clock())
            step = self._planner.next_step(glass, self._clock())
            if step is None:
                line.check()
                await _within(LOOK_SECONDS, self._news)
                continue
            await self._send(line, step)
            backoff.reset()
            self._note("")
        goodbye = alpha.write_priority(farewell(self._look), "rotate")
        await line.send(alpha.packet(self._to, goodbye))

    def _note(self, why: str) -> None:
        """Once for every change: a sign that is unplugged for a week is one line."""
        if why == self._why:
            return
        self._why = why
        if why:
            log.warning("line to the sign lost", extra={"why": why})
        else:
            log.info("line to the sign open")

    async def _send(self, line: Line, step: Step) -> None:
        packet = alpha.packet(self._to, step.command)
        loop = asyncio.get_running_loop()
        due = loop.time() + self._pace.seconds_for(len(packet))
        await line.send(packet)
        self._planner.written(step, self._clock())
        if self._pace.settles:
            due += step.settle_seconds
        await asyncio.sleep(max(0.0, due - loop.time()))


async def _within(seconds: float, event: asyncio.Event) -> None:
    """Until it happens, or so long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
