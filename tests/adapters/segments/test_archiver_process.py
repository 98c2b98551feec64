"""The real process that archives, killed at every step and out of room at every write.

Afterwards it is started again, as after a crash, and the whole journal is read across the seam:
nothing is lost, nothing is there twice, nothing half.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.segments import synced_file
from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.job import Job, encode
from progressive.adapters.segments.process import MODULE, ProcessArchiver
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.application.journal.cut import Cut
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoreUnavailableError,
)
from progressive.application.journal.record import ChainCheck
from progressive.common.idle_command import idle_command
from progressive.common.steps import steps_watched
from progressive.entry import archiver
from progressive.runtime.idle_process import ENDED_WITH_THE_SERVICE
from tests.support import faulty_archiver
from tests.support.builders import BJ1, BJ2, LINK, a_desk, a_lock, a_settle
from tests.support.faulty_archiver import command
from tests.support.service import ROOT

MESSAGES = 60
"""Of each of two tables, and as many after a second start."""
HUNG_SECONDS = 300
"""A safety net for a hung test, never a measure of speed."""


class Shelf:
    """A journal of two epochs, with two snapshots; each test gets a copy."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        asyncio.run(self._write())

    async def _write(self) -> None:
        store = SqliteStore(self.directory)
        self.directory.mkdir()
        for first in (1, MESSAGES + 1):
            async with a_desk(store) as desk:
                for seq in range(first, first + MESSAGES):
                    for table in (BJ1, BJ2):
                        await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq), table=table)
        self.snapshots = list(await store.snapshots(LINK))
        self.lines = await lines_of(store)
        await store.close()


async def lines_of(store: SqliteStore) -> list[bytes]:
    return [stored async for chunk in store.read(LINK) for stored in chunk]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("shelf") / "data")


@pytest.fixture
def data(shelf: Shelf, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shelf.directory, tmp_path / "data"))


def healthy(data: Path) -> ProcessArchiver:
    return ProcessArchiver(data, command=idle_command(MODULE))


def first_cut(shelf: Shelf) -> Cut:
    return Cut(link=LINK, day="2026-01-02", last_seq=shelf.snapshots[0])


def all_steps(directory: Path, cut: Cut) -> list[tuple[str, int]]:
    """Every step of this cut, with its number among those of the same name."""
    seen: Counter[str] = Counter()
    steps: list[tuple[str, int]] = []

    def note(step: str) -> None:
        seen[step] += 1
        steps.append((step, seen[step]))

    pieces = synced_file.SYNC_BYTES
    synced_file.SYNC_BYTES = faulty_archiver.SYNC_BYTES  # type: ignore[misc]
    try:
        with steps_watched(note):
            archiver.archive(Job(str(directory), cut, cut.last_seq))
    finally:
        synced_file.SYNC_BYTES = pieces  # type: ignore[misc]
    return steps


async def is_whole(data: Path, shelf: Shelf) -> None:
    """Archive again as the next start would, adopt, trim; then read all of it."""
    segment = archiver.archive(Job(str(data), first_cut(shelf), shelf.snapshots[-1]))
    store = SqliteStore(data)
    opened = await store.open_link(LINK)
    await store.adopt_segment(segment, epoch=opened.epoch)
    while await store.trim(LINK, batches_max=3):
        pass
    files = SegmentFiles(data)
    files.check_hash(segment)
    assert files.state(segment) is not None
    lines = await lines_of(store)
    assert lines == shelf.lines
    chain = ChainCheck()
    for line in lines:
        chain.feed(line)
    assert (chain.seq, chain.head) == (opened.seq, opened.head)
    names = sorted(path.name for path in files.of_link(LINK).iterdir())
    assert names == [
        f"000001-2026-01-02{ending}" for ending in (".index.json", ".jsonl.gz", ".state.json.gz")
    ]
    async with a_desk(store) as desk:
        assert desk.worker.view.state == "live", desk.worker.view.reason
    await store.close()


# --- a fault at every step ----------------------------------------------------------------------


@pytest.mark.slow
async def test_killed_at_every_step_nothing_is_lost_twice_or_half(
    shelf: Shelf, memory_path: Path
) -> None:
    steps = all_steps(Path(shutil.copytree(shelf.directory, memory_path / "dry")), first_cut(shelf))
    assert len(steps) >= 20, steps
    for number, (step, nth) in enumerate(steps):
        data = Path(shutil.copytree(shelf.directory, memory_path / f"{number}"))
        faulty = ProcessArchiver(data, command=command("kill", step, nth))
        with pytest.raises(StoreUnavailableError, match=f"exit code -{signal.SIGKILL.value}"):
            await faulty.archive(first_cut(shelf), last_seq_max=shelf.snapshots[-1])
        await is_whole(data, shelf)
        shutil.rmtree(data)


@pytest.mark.slow
async def test_out_of_room_at_every_write_nothing_changes(shelf: Shelf, memory_path: Path) -> None:
    steps = all_steps(Path(shutil.copytree(shelf.directory, memory_path / "dry")), first_cut(shelf))
    writes = [(step, nth) for step, nth in steps if step.startswith("write ")]
    assert {step for step, _ in writes} == {"write records", "write the index", "write the state"}
    for number, (step, nth) in enumerate(writes):
        data = Path(shutil.copytree(shelf.directory, memory_path / f"{number}"))
        faulty = ProcessArchiver(data, command=command("full", step, nth))
        with pytest.raises(StoreUnavailableError, match="cannot be written: File too large"):
            await faulty.archive(first_cut(shelf), last_seq_max=shelf.snapshots[-1])
        assert list(SegmentFiles(data).of_link(LINK).iterdir()) == []
        await is_whole(data, shelf)
        shutil.rmtree(data)


@pytest.mark.slow
async def test_killed_after_it_was_finished_the_next_cut_is_the_same(
    shelf: Shelf, data: Path
) -> None:
    """A later snapshot would be chosen now; the finished files say where it was cut."""
    done = await healthy(data).archive(first_cut(shelf), last_seq_max=shelf.snapshots[-1])
    later = Cut(link=LINK, day="2026-01-02", last_seq=shelf.snapshots[-1])
    again = await healthy(data).archive(later, last_seq_max=shelf.snapshots[-1])
    assert again == done
    with pytest.raises(StoreConflictError, match=r"segments/main/000001-… .* ends with record"):
        await healthy(data).archive(later, last_seq_max=shelf.snapshots[0] - 1)


# --- what it reads ------------------------------------------------------------------------------


def edit(data: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(data / FILE_NAME, isolation_level=None)) as db:
        db.execute(sql, values)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (
            "UPDATE snapshot SET body = CAST(CAST(body AS TEXT) || ' ' AS BLOB)",
            "is not the one that record",
        ),
        (
            "UPDATE batch SET body = CAST(replace(CAST(body AS TEXT), 'BJ-0', 'BJ-1') AS BLOB) "
            "WHERE first_seq = 9",
            "record 10 does not follow",
        ),
        ("DELETE FROM batch WHERE first_seq = 9", "record 9 is missing"),
        ("UPDATE batch SET body = 7 WHERE first_seq = 9", "is not bytes"),
    ],
)
async def test_a_changed_live_file_is_not_archived(
    shelf: Shelf, data: Path, sql: str, why: str
) -> None:
    edit(data, sql)
    cut = first_cut(shelf)
    with pytest.raises(StoreCorruptError, match=why):
        archiver.archive(Job(str(data), cut, cut.last_seq))
    folder = SegmentFiles(data).of_link(LINK)
    assert not folder.exists() or list(folder.iterdir()) == []


def test_nothing_is_archived_where_the_last_room_would_go(
    shelf: Shelf, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = os.statvfs(data)
    monkeypatch.setattr(archiver, "ROOM_BYTES", free.f_bavail * free.f_frsize * 2)
    cut = first_cut(shelf)
    with pytest.raises(StoreUnavailableError, match="no room to archive"):
        archiver.archive(Job(str(data), cut, cut.last_seq))
    assert not SegmentFiles(data).folder.exists()


def test_a_service_may_write_while_it_reads(shelf: Shelf, data: Path) -> None:
    """No read transaction outlives a question: the WAL can be reset between any two."""
    cut = first_cut(shelf)
    busy: list[int] = []
    with closing(sqlite3.connect(data / FILE_NAME, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")

        def write_and_reset(_: str) -> None:
            db.execute("UPDATE link SET epoch = epoch + 1")
            busy.append(db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

        with steps_watched(write_and_reset):
            archiver.archive(Job(str(data), cut, cut.last_seq))
    assert len(busy) >= 17
    assert set(busy) == {0}


# --- how it lives -------------------------------------------------------------------------------


def start(data: Path, cut: Cut, *arguments: str) -> "subprocess.Popen[bytes]":
    child = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.write(encode(Job(str(data), cut, cut.last_seq)) + b"\n")
    child.stdin.flush()
    return child


def wait_for_file(data: Path, pattern: str) -> None:
    """The child has the lowest priority: whoever waits for it leaves it the processor."""
    folder = SegmentFiles(data).of_link(LINK)
    deadline = time.monotonic() + HUNG_SECONDS
    while not list(folder.glob(pattern)):
        assert time.monotonic() < deadline, f"{folder}: no {pattern}"
        time.sleep(0.02)


@pytest.mark.slow
def test_it_ends_when_the_service_does(shelf: Shelf, data: Path) -> None:
    child = start(data, first_cut(shelf), *command("hang", "sync the records"))
    wait_for_file(data, ".*")
    assert child.poll() is None
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(timeout=HUNG_SECONDS) == ENDED_WITH_THE_SERVICE
    assert child.stdout is not None
    child.stdout.close()


@pytest.mark.slow
def test_it_runs_at_the_lowest_priority(shelf: Shelf, data: Path) -> None:
    child = start(data, first_cut(shelf), *command("hang", "sync the records"))
    wait_for_file(data, ".*")
    idle = os.sched_getscheduler(child.pid) == os.SCHED_IDLE
    assert idle or os.getpriority(os.PRIO_PROCESS, child.pid) == 19
    child.kill()
    child.communicate()


@pytest.mark.slow
async def test_cancelled_it_is_ended(shelf: Shelf, data: Path) -> None:
    archiving = asyncio.create_task(
        ProcessArchiver(data, command=command("hang", "sync the records")).archive(
            first_cut(shelf), last_seq_max=shelf.snapshots[-1]
        )
    )
    await asyncio.to_thread(wait_for_file, data, ".*")
    archiving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await archiving
    # Nobody holds the folder any more.
    await is_whole(data, shelf)


@pytest.mark.slow
async def test_hanging_it_is_ended_and_reported(shelf: Shelf, data: Path) -> None:
    hanging = ProcessArchiver(data, command=command("hang", "sync the records"), seconds_max=3.0)
    with pytest.raises(StoreUnavailableError, match="gave no answer for 3 seconds"):
        await hanging.archive(first_cut(shelf), last_seq_max=shelf.snapshots[-1])
    # Nobody holds the folder any more.
    await is_whole(data, shelf)


def imported_by(module: str) -> Sequence[str]:
    code = f"import {module}, sys; print(*sys.modules)"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()


def test_it_imports_little() -> None:
    modules = imported_by("progressive.entry.archiver")
    assert not {"asyncio", "aiohttp", "prometheus_client", "argparse", "subprocess"} & set(modules)
    assert len([name for name in modules if name.startswith("progressive")]) < 70
