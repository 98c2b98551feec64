"""The service, killed at one step of a purge: `python -m tests.support.purge_killed STEP …`."""

import os
import signal
import sys
from pathlib import Path
from typing import Final, NoReturn

from progressive.adapters.segments.files import RECORDS
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.link.worker import LinkWorker
from progressive.entry.cli import main

STEPS: Final = ("record", "marks", "removal", "second file")
"""It dies right before each."""


def die(*_: object, **__: object) -> NoReturn:
    """As by `kill -9`."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def _die_at_second_file() -> None:
    unlink = Path.unlink
    removed = 0

    def counted(path: Path, missing_ok: bool = False) -> None:
        nonlocal removed
        if path.name.endswith(RECORDS):
            if removed:
                die()
            removed += 1
        unlink(path, missing_ok)

    Path.unlink = counted  # type: ignore[method-assign]


def _arm(step: str) -> None:
    match step:
        case "record":
            LinkWorker.perform = die  # type: ignore[method-assign,assignment]
        case "marks":
            SqliteStore.mark_purged = die  # type: ignore[method-assign,assignment]
        case "removal":
            SqliteStore.remove_purged = die  # type: ignore[method-assign,assignment]
        case "second file":
            _die_at_second_file()
        case _:
            raise ValueError(step)


if __name__ == "__main__":
    _arm(sys.argv[1])
    main(sys.argv[2:])
