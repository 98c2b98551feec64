"""What a process does that works beside the service: take no turn from it, and end with it.

The service holds the process's standard input open and never closes it before the process has
ended. Where the service is killed, the system closes it.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

ENDED_WITH_THE_SERVICE: Final = 3
"""Exit code; nobody is left to see it."""
_AUTOGROUP: Final = Path("/proc/self/autogroup")


def be_idle() -> None:
    """Take only what nobody else wants of the processor.

    Linux shares the processor between sessions before it looks at priorities (autogroup). In the
    service's session even an idle process uses up the turns that the service has among others, so
    it takes a session of its own, of the least weight.
    """
    with suppress(OSError):
        os.setsid()
    _weigh_own_session(19)
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        os.nice(19)


class Pace:
    """Work in short pieces, with rests many times as long between them.

    An idle process that has the processor keeps it for a slice of some milliseconds, whoever wakes
    up meanwhile. So few pieces at a time, and far fewer than one answer in a hundred waits for one.
    """

    def __init__(self, rest: int) -> None:
        """`rest`: so many times as long as the work before it; 0: none."""
        self._rest = rest
        self._worked = time.process_time()

    def __call__(self) -> None:
        """A piece of work is done."""
        if self._rest:
            time.sleep((time.process_time() - self._worked) * self._rest)
            self._worked = time.process_time()


@contextmanager
def idle() -> Iterator[None]:
    """The same for a while, of a command that somebody may run beside the service.

    It stays in the session it was called in, so that a person can interrupt it.
    """
    try:
        before = os.sched_getscheduler(0)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        yield
        return
    _weigh_own_session(19)
    try:
        yield
    finally:
        # Without the right to it the process stays as it is until it ends.
        _weigh_own_session(0)
        with suppress(OSError):
            os.sched_setscheduler(0, before, os.sched_param(0))


def _weigh_own_session(nice: int) -> None:
    """Only one that this process began: a terminal's is not ours to change."""
    with suppress(OSError):
        if os.getsid(0) == os.getpid():
            _AUTOGROUP.write_text(str(nice))


def end_with_the_service() -> None:
    """Watch standard input for its end, in a thread."""
    threading.Thread(target=_wait_for_the_end, daemon=True, name="end with the service").start()


def _wait_for_the_end() -> None:
    # The descriptor itself: a buffered reader's lock would keep the interpreter from ending.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(ENDED_WITH_THE_SERVICE)
