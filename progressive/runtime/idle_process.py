"""What a process does that works beside the service: take no turn from it, and end with it.

`python -m progressive.runtime.idle_process REST MODULE [ARGUMENT ...]` runs a module in this way,
from its first import on. `FIRST/REST` rests less at first, so that short work is over soon. With
`nice` for REST it works without rests, for somebody who waits, and still gives way to everybody
else.

The service holds the process's standard input open and never closes it before the process has
ended. Where the service is killed, the system closes it.
"""

import atexit
import os
import runpy
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

ENDED_WITH_THE_SERVICE: Final = 3
"""Exit code; nobody is left to see it."""
STDIN: Final = 0
NICE: Final = 19
NICELY: Final = "nice"
SLEEP_SECONDS: Final = 0.02
"""At a time: how soon a rest ends that is cut short."""
FIRST_SECONDS: Final = 2.0
"""Of work, in which a process may be told to rest less than later."""
PIECE_SECONDS: Final = 0.000_5
"""The longest work without a rest: what an answer may have to wait, about what it takes anyway.

Shorter ones cost: after each rest the caches are cold. An audit of 30,000 records, 0.53 s of
processor without rests, took 2.2, 1.3, 0.9 and 0.65 s in pieces of 0.25, 0.5, 1 and 2 ms with
19-fold rests, and 3.2, 1.5, 1.0 and 0.8 s with 99-fold ones (two cores that others used too).
"""
LONG_REST: Final = 99
"""From here on a process works for so long, weeks where a journal is old, that its pieces are
longer: what they cost a p99 could not be told from that of shorter ones."""
PIECE_OF_LONG_RESTS_SECONDS: Final = 0.001
LONGEST_REST: Final = 199
"""From here on the work is small, a gaming day, and answers must not wait for it: p99 ratios beside
archiving were 0.96 and 1.02 with pieces of 0.25 ms, 1.00 and 1.20 with 0.5, 1.27 with 1 ms."""
PIECE_OF_LONGEST_RESTS_SECONDS: Final = 0.000_25


def piece_seconds(rest: int) -> float:
    """How long to work between rests of so many times that."""
    if rest >= LONGEST_REST:
        return PIECE_OF_LONGEST_RESTS_SECONDS
    return PIECE_OF_LONG_RESTS_SECONDS if rest >= LONG_REST else PIECE_SECONDS


class _Rests:
    """Work in short pieces, with rests many times as long between them.

    The lowest priority is not enough. A process that has the processor may keep it for some
    milliseconds, whoever wakes up meanwhile: until the system's next tick, where the kernel was
    built for throughput. One that sleeps gives it up at once. So a timer interrupts the work after
    each short piece, and its handler sleeps.

    A call into C (a block compressed, a file synced) is a piece of its own, however long it takes;
    the rest after it is the longer.
    """

    def __init__(
        self,
        rest: int,
        *,
        first: int | None = None,
        hurried: Callable[[], bool] | None = None,
    ) -> None:
        """`first`: the rest in the first seconds of work, where it is another one.
        `hurried`: whether it was said meanwhile, in another thread, that somebody waits; None:
        nobody ever says so."""
        self._rest = rest
        self._first = rest if first is None else first
        self._hurried = hurried
        self._rested = time.process_time()
        self._ended = False

    def begin(self) -> None:
        """In the main thread: signals are handled there."""
        signal.signal(signal.SIGALRM, self._take_one)
        signal.setitimer(signal.ITIMER_REAL, piece_seconds(self._first))

    def end(self) -> None:
        """No further one. A timer that went on would kill an interpreter that ends."""
        self._ended = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _take_one(self, *_: object) -> None:
        # What was spent, not what passed: the processor may have been somebody else's.
        worked = time.process_time()
        rest = self._first if worked < FIRST_SECONDS else self._rest
        self._sleep((worked - self._rested) * rest)
        self._rested = time.process_time()
        # One shot each: a timer that ran on would interrupt the rest.
        if not self._ended:
            signal.setitimer(signal.ITIMER_REAL, piece_seconds(rest))

    def _sleep(self, seconds: float) -> None:
        if self._hurried is None:
            # In one go: every waking up takes the processor, and finds its caches cold.
            time.sleep(seconds)
            return
        until = time.monotonic() + seconds
        while not self._hurried() and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, SLEEP_SECONDS))


def be_idle(rest: int = 0, *, first: int | None = None) -> None:
    """Take only what nobody else wants of the processor, in short pieces.

    `rest`: after each, so many times as long as it took; 0: none. `first`: in its first seconds.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        os.nice(19)
    if rest:
        rests = _Rests(rest, first=first)
        rests.begin()
        atexit.register(rests.end)


def be_nice() -> None:
    """Give way to whoever wants the processor, and take all of it where nobody does."""
    os.nice(NICE)


class Resting:
    """Work in short pieces with rests, until somebody waits for it. The priority stays as it is."""

    def __init__(self, rest: int) -> None:
        self._rest = rest
        self._hurried = False

    @contextmanager
    def while_nobody_waits(self) -> Iterator[None]:
        """A block with rests. Main thread only."""
        if not self._rest:
            yield
            return
        self._hurried = False
        rests = _Rests(self._rest, hurried=lambda: self._hurried)
        rests.begin()
        try:
            yield
        finally:
            rests.end()

    def hurry(self) -> None:
        """No further rest in the block that is under way. From any thread."""
        self._hurried = True


@contextmanager
def idle(rest: int = 0) -> Iterator[None]:
    """The same for a while, of a command that somebody may run beside the service."""
    before = None
    with suppress(AttributeError, OSError):
        before = os.sched_getscheduler(0)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    rests = _Rests(rest) if rest else None
    if rests is not None:
        rests.begin()
    try:
        yield
    finally:
        if rests is not None:
            rests.end()
        # Without the right to it the process stays as it is until it ends.
        with suppress(OSError):
            if before is not None:
                os.sched_setscheduler(0, before, os.sched_param(0))


def end_with_the_service() -> None:
    """Watch standard input for its end, in a thread."""
    threading.Thread(target=_wait_for_the_end, daemon=True, name="end with the service").start()


def end_when_hung_up() -> None:
    """The same for a process that reads its questions itself, from its first import on.

    Nothing is read here: the system says that the other end is gone. A process that has not come to
    its first question yet would otherwise go on starting, which lasts on a busy machine.
    """
    threading.Thread(target=_wait_for_the_hang_up, daemon=True, name="hung up").start()


def _wait_for_the_hang_up() -> None:
    ends = select.poll()
    ends.register(STDIN, 0)
    for _, happened in ends.poll():
        if happened & select.POLLHUP:
            os._exit(ENDED_WITH_THE_SERVICE)


def _wait_for_the_end() -> None:
    # The descriptor itself: a buffered reader's lock would keep the interpreter from ending.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(ENDED_WITH_THE_SERVICE)


if __name__ == "__main__":
    # Ctrl-C in the service's terminal is for the service: this ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.argv[1] == NICELY:
        be_nice()
        end_when_hung_up()
    else:
        first, _, rest = sys.argv[1].rpartition("/")
        be_idle(int(rest), first=int(first or rest))
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
