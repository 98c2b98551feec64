"""Data directories of different ages for the benchmark, and the real service on them."""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from progressive.adapters.clock import SystemClock
from progressive.adapters.keys.tables import TableKeys
from progressive.domain.ids import TableId
from progressive.domain.people.roles import Person, Role
from tests.bench.processes import SERVER_CORE
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.people import a_people_desk

RECORDS_A_DAY = 200_000
AUDITOR = Person("Joe", Role.AUDITOR, "Audit")


class Aged(Struct, frozen=True):
    """A data directory, the keys of its tables, and somebody's session."""

    made: LongJournal
    keys: dict[str, str]
    token: str


async def make_aged(
    out: Path, records: int, *, archived: bool = True, until: datetime | None = None
) -> Aged:
    """Of so many records, whole gaming days before now: the end looks the same at every age."""
    made = await asyncio.to_thread(
        make_long_journal,
        out,
        records=records,
        days=records / RECORDS_A_DAY,
        # A minute ago: the clock must not seem to be behind the journal.
        until=until or datetime.now(UTC) - timedelta(minutes=1),
        archived=archived,
    )
    keys = TableKeys(made.data)
    tables = sorted(table for table, _ in made.first_messages)
    async with a_people_desk(made.data, SystemClock()) as desk:
        await desk.add(AUDITOR)
        token = (await desk.log_in(AUDITOR)).token
    return Aged(made, {table: keys.issue(TableId(table)) for table in tables}, token)


class Started(Struct, frozen=True):
    """A running service, and how long it took from its spawning to its ready line."""

    port: int
    pid: int
    seconds: float


@contextlib.contextmanager
def serving(made: LongJournal, *options: str, kill: bool = False) -> Iterator[Started]:
    """`progressive serve` on a directory; at the end it is stopped, or killed."""
    with open(made.data.parent / "service.log", "ab") as log:
        began = time.perf_counter()
        running = subprocess.Popen(
            [
                *(sys.executable, "-m", "progressive", "serve", "--listen", "127.0.0.1:0"),
                *("--floor", str(made.floor), "--data", str(made.data), *options),
            ],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # As systemd would start it: it shares the processor with other sessions.
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, {SERVER_CORE}),
        )
        assert running.stdout is not None
        try:
            line = running.stdout.readline()
            seconds = time.perf_counter() - began
            assert line.startswith("ready "), f"not ready: see {log.name}"
            yield Started(int(line.rpartition(":")[2]), running.pid, seconds)
        finally:
            if kill:
                running.kill()
            else:
                running.terminate()
            running.communicate()


def chill(folder: Path) -> None:
    """Put the files of a directory out of the page cache, as after the machine was started."""
    for path in folder.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            try:
                os.fsync(file)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(file)


def bytes_in(folder: Path) -> int:
    """Of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
