"""The witness, with a fault at one step of a write: `tests.support.faulty_witness HOW NTH …`.

HOW is `kill`, as by `kill -9`, or `full`, a disk without room. NTH counts all steps of the process.
"""

import errno
import os
import signal
import sys

from progressive.common.steps import watch_steps
from progressive.entry.cli import main


class Fault:
    """Stands at one step."""

    def __init__(self, how: str, nth: int) -> None:
        self._how = how
        self._left = nth

    def __call__(self, step: str) -> None:
        self._left -= 1
        if self._left:
            return
        if self._how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {step}")


if __name__ == "__main__":
    watch_steps(Fault(sys.argv[1], int(sys.argv[2])))
    main(sys.argv[3:])
