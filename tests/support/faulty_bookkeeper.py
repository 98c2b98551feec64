"""The bookkeeper with a fault at one question: `tests.support.faulty_bookkeeper`.

Arguments: what it does (`kill` itself, `hang`, `hungry`: takes all the memory it may, or `list`),
at which question, and a file that says that the fault has been: the process after it has none.
Every question that it begins is a line in the file beside that.
"""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Final

from progressive.common.steps import watch_steps
from progressive.entry import bookkeeper

MODULE: Final = "tests.support.faulty_bookkeeper"
MOUTHFUL_BYTES: Final = 64 * 2**20


def command(what: str, question: str, been: Path) -> tuple[str, ...]:
    """What an interpreter is to be given to run it."""
    return ("-m", MODULE, what, question, str(been))


def begun(been: Path) -> list[str]:
    """The questions that were begun, by all processes."""
    path = been.with_suffix(".begun")
    return path.read_text().splitlines() if path.exists() else []


class Fault:
    """Stands at one question."""

    def __init__(self, what: str, question: str, been: Path) -> None:
        self._what = what
        self._at = f"answer {question}"
        self._been = been
        self._active = not been.exists()

    def __call__(self, step: str) -> None:
        with self._been.with_suffix(".begun").open("a") as file:
            file.write(f"{step.removeprefix('answer ')}\n")
        if step != self._at or not self._active:
            return
        self._active = False
        self._been.touch()
        if self._what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self._what == "hang":
            threading.Event().wait()
        elif self._what == "hungry":
            eaten = []
            while True:
                eaten.append(bytearray(os.urandom(1)) * MOUTHFUL_BYTES)


if __name__ == "__main__":
    what, question, been = sys.argv[1:]
    watch_steps(Fault(what, question, Path(been)))
    bookkeeper.run()
