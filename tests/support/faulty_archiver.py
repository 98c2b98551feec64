"""The process that archives, with a fault at one step: `tests.support.faulty_archiver`.

Arguments: how it ends (`kill`, `full`, `hang` or `none`), at which step, the how manieth of that
name. `full` is the kernel's own refusal, in the middle of a write.
"""

import os
import resource
import signal
import sys
import threading
from collections import Counter
from typing import Final

from progressive.adapters.segments import synced_file
from progressive.common.idle_command import idle_command
from progressive.common.steps import watch_steps
from progressive.entry import archiver

MODULE: Final = "tests.support.faulty_archiver"
SYNC_BYTES: Final = 1_024
"""Small pieces, so that a short journal has many steps."""
ROOM_LEFT: Final = 10
"""Bytes of a write that still fit."""


def command(how: str = "none", step: str = "", nth: int = 1) -> tuple[str, ...]:
    """What an interpreter is to be given to run it."""
    return idle_command(MODULE, how, step, str(nth))


class Fault:
    """Stands at one step."""

    def __init__(self, how: str, step: str, nth: int) -> None:
        self._how = how
        self._at = (step, nth)
        self._seen: Counter[str] = Counter()
        self._written = 0

    def __call__(self, step: str) -> None:
        self._seen[step] += 1
        if (step, self._seen[step]) != self._at:
            return
        if self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self._how == "full":
            pieces = self._seen[step] - 1
            size = pieces * SYNC_BYTES + ROOM_LEFT
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        elif self._how == "hang":
            threading.Event().wait()


if __name__ == "__main__":
    synced_file.SYNC_BYTES = SYNC_BYTES  # type: ignore[misc]
    watch_steps(Fault(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    archiver.run()
