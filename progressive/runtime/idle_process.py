"""What a process does that works beside the service: take no turn from it, and end with it.

`python -m progressive.runtime.idle_process REST MODULE [ARGUMENT ...]` runs a module in this way,
from its first import on.

The service holds the process's standard input open and never closes it before the process has
ended. Where the service is killed, the system closes it.
"""

import atexit
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

ENDED_WITH_THE_SERVICE: Final = 3
"""Exit code; nobody is left to see it."""
PIECE_SECONDS: Final = 0.000_25
"""The longest work without a rest: what an answer may have to wait, half of what it takes
anyway."""


class _Rests:
    """Work in short pieces, with rests many times as long between them.

    The lowest priority is not enough. A process that has the processor may keep it for some
    milliseconds, whoever wakes up meanwhile: until the system's next tick, where the kernel was
    built for throughput. One that sleeps gives it up at once. So a timer interrupts the work after
    each short piece, and its handler sleeps.

    A call into C (a block compressed, a file synced) is a piece of its own, however long it takes;
    the rest after it is the longer.
    """

    def __init__(self, rest: int) -> None:
        self._rest = rest
        self._rested = time.process_time()
        self._ended = False

    def begin(self) -> None:
        """In the main thread: signals are handled there."""
        signal.signal(signal.SIGALRM, self._take_one)
        signal.setitimer(signal.ITIMER_REAL, PIECE_SECONDS)

    def end(self) -> None:
        """No further one. A timer that went on would kill an interpreter that ends."""
        self._ended = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _take_one(self, *_: object) -> None:
        # What was spent, not what passed: the processor may have been somebody else's.
        time.sleep((time.process_time() - self._rested) * self._rest)
        self._rested = time.process_time()
        # One shot each: a timer that ran on would interrupt the rest.
        if not self._ended:
            signal.setitimer(signal.ITIMER_REAL, PIECE_SECONDS)


def be_idle(rest: int = 0) -> None:
    """Take only what nobody else wants of the processor, in short pieces.

    `rest`: after each, so many times as long as it took; 0: none.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        os.nice(19)
    if rest:
        rests = _Rests(rest)
        rests.begin()
        atexit.register(rests.end)


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


def _wait_for_the_end() -> None:
    # The descriptor itself: a buffered reader's lock would keep the interpreter from ending.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(ENDED_WITH_THE_SERVICE)


if __name__ == "__main__":
    # Ctrl-C in the service's terminal is for the service: this ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    be_idle(int(sys.argv[1]))
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
