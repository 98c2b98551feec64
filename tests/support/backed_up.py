"""Data directories to back up, and commands that are ended or run out of disk at a step."""

import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.common.steps import watch_steps
from progressive.domain.ids import LinkId, TableId
from progressive.entry.cli import main
from tests.support.archived import close_at
from tests.support.journals import LINK, write_journal

CUTS = (5, 10)
"""The second is where the small pit's snapshot is."""


async def write_directory(data: Path, *, segments: bool = True) -> None:
    """A small pit of fifteen records, ten of them in two closed segments; a table's key."""
    data.mkdir(parents=True, exist_ok=True, mode=0o700)  # noqa: ASYNC240 - nothing else runs
    await write_journal(data)
    TableKeys(data).issue(TableId("BJ-01"))
    if segments:
        await close_segments(data)


async def close_segments(data: Path, cuts: Sequence[int] = CUTS) -> None:
    store = SqliteStore(data)
    link = LinkId(LINK)
    opened = await store.open_link(link)
    await close_at(
        store, SegmentFiles(data), link, cuts, epoch=opened.epoch, day_of=lambda _: "2026-01-01"
    )
    await store.close()


class Ended(Struct):
    """How a command ended."""

    code: int
    """Below 0: the signal."""
    said: str
    steps: int


def run_watched(folder: Path, watcher: Callable[[int, str], None], *arguments: object) -> Ended:
    """The real command in a process of its own, which calls `watcher` at each of its steps."""
    counted = folder / "steps"
    # A pipe and not a file: a full disk must not swallow what is said.
    reading, said = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 70
        try:
            code = _as_child(said, counted, watcher, [str(each) for each in arguments])
        except BaseException:  # noqa: BLE001 - it is shown, and the code is no command's
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(said)
    with open(reading, "rb") as told:
        words = told.read().decode()
    _, status = os.waitpid(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), words, len(counted.read_bytes().splitlines()))


def _as_child(
    output: int, counted: Path, watcher: Callable[[int, str], None], arguments: list[str]
) -> int:
    steps = os.open(counted, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    number = 0

    def at_step(name: str) -> None:
        nonlocal number
        number += 1
        if resource.getrlimit(resource.RLIMIT_FSIZE)[0]:
            os.write(steps, f"{name}\n".encode())
        watcher(number, name)

    watch_steps(at_step)
    try:
        main(arguments, standalone_mode=True)
    except SystemExit as ended:
        sys.stdout.flush()
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def laid_by(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lay(folder: Path, files: dict[str, bytes]) -> None:
    """The same files, and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(body)


def no_watcher(number: int, name: str) -> None:
    """Only count."""


def kill_at(target: int) -> Callable[[int, str], None]:
    def watch(number: int, name: str) -> None:
        if number == target:
            os.kill(os.getpid(), signal.SIGKILL)

    return watch


def fill_disk_at(target: int) -> Callable[[int, str], None]:
    """From that step on the kernel fails every write of the process."""

    def watch(number: int, name: str) -> None:
        if number == target:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    return watch
