"""The process that seals, with a fault at one step: `tests.support.faulty_sealer`.

Arguments: how it ends (`kill`, `full`, or `list` that only notes the steps), at which step, the how
manieth of that name, and a file that says that the fault has been: the process after it has none.
`full` is the kernel's own refusal of a write, for as long as the process lives.
"""

import os
import re
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from progressive.common.steps import watch_steps
from progressive.entry import sealer

MODULE: Final = "tests.support.faulty_sealer"
ROOM_LEFT: Final = 10
"""Bytes of a file that still fit."""


def command(how: str, step: str, nth: str, been: str) -> tuple[str, ...]:
    """What an interpreter is to be given to run it."""
    return ("-m", MODULE, how, step, nth, been)


class Fault:
    """Stands at one step."""

    def __init__(self, how: str, step: str, nth: int, been: Path) -> None:
        self._how = how
        self._at = (step, nth)
        self._been = been
        self._seen: Counter[str] = Counter()

    def __call__(self, step: str) -> None:
        # Where a segment may end depends on the pace of the test.
        step = re.sub("at-[0-9]+", "at-N", step)
        self._seen[step] += 1
        if self._how == "list":
            with self._been.with_suffix(".list").open("a") as file:
                file.write(f"{step}\n")
        if (step, self._seen[step]) != self._at:
            return
        self._been.touch()
        if self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self._how == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_LEFT, resource.RLIM_INFINITY))


if __name__ == "__main__":
    # A write beyond the limit fails, and does not end the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    how, step, nth, been = sys.argv[1:]
    if not Path(been).exists():
        watch_steps(Fault(how, step, int(nth), Path(been)))
    sealer.run()
