"""The power goes while a floor plays and its journal is archived: service and archiving process are
killed at random moments. Nothing is lost, nothing counted twice, nothing half."""

import asyncio
import contextlib
import os
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.finding import finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import ChainCheck
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId
from tests.support.floor_load import LoadTable, check_books, until_answered
from tests.support.long_journal import make_long_journal
from tests.support.service import ServiceProcess, run_command
from tests.support.small_segments import MODULE

KILLED = ("archiving", "service that archives", "service") * 4
HUNG_SECONDS = 300
"""A safety net for a hung test, never a measure of speed."""
MAIN = LinkId("main")


def children_of(pid: int, doing: str) -> list[int]:
    """Those whose command line has this word: other processes work beside a service, too."""
    found = []
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                if doing.encode() in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return found


async def archiving_process(service: ServiceProcess, playing: list["asyncio.Task[None]"]) -> int:
    """The next one that is there, however long that takes."""
    async with asyncio.timeout(HUNG_SECONDS):
        while not (found := children_of(service.pid, "archiver")):
            assert not all(each.done() for each in playing), "nobody plays any more"
            await asyncio.sleep(0.01)
    return found[0]


async def kill_archiving(
    service: ServiceProcess, playing: list["asyncio.Task[None]"], moments: random.Random
) -> None:
    """At some moment of its life. One that was through by then is none: the next is killed
    sooner."""
    longest = 0.4
    while True:
        child = await archiving_process(service, playing)
        await asyncio.sleep(moments.uniform(0, longest))
        longest /= 2
        if child in children_of(service.pid, "archiver"):
            os.kill(child, signal.SIGKILL)
            return


async def read_across_the_seam(data: Path) -> list[Segment]:
    """Each record once, chained, to the very end; every segment file as it was written."""
    journal = SqliteJournalReader(data, unchanged=True)
    segments = list(await journal.segments(MAIN))
    end = await journal.journal_end(MAIN)
    chain = ChainCheck()
    async for chunk in journal.read(MAIN):
        for stored in chunk:
            chain.feed(stored)
    assert (chain.seq, chain.head) == (end.seq, end.head)
    files = SegmentFiles(data)
    for number, segment in enumerate(segments, 1):
        assert segment.number == number
        files.check_hash(segment)
    return segments


@pytest.mark.slow
async def test_killed_while_it_archives_nothing_is_lost_twice_or_half(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    data = tmp_path / "data"
    tables = [LoadTable(data, f"BJ-{number:02}", seed) for number in range(1, 13)]
    seen: Counter[str] = Counter()
    for what in moments.sample(KILLED, len(KILLED)):
        service = ServiceProcess(data, module=MODULE)
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        match what:
            case "archiving":
                await kill_archiving(service, playing, moments)
                await until_answered(tables, playing, more=moments.choice((0, 1, 60)))
            case "service that archives":
                await archiving_process(service, playing)
            case _:
                await until_answered(tables, playing, more=moments.choice((0, 1, 12, 60, 200)))
        # A moment in the life of the processes, not a time to wait for anything.
        await asyncio.sleep(moments.uniform(0, 0.3))
        service.kill()
        await asyncio.gather(*playing)
        seen["unfinished files"] += len(list((data / "segments").rglob(".*.new")))
        await read_across_the_seam(data)
    # What of it there was, is luck: the seed above brings nearly the same again.
    print(dict(seen))
    with ServiceProcess(data, module=MODULE) as service:
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        async with asyncio.timeout(HUNG_SECONDS):
            journal = SqliteJournalReader(data, unchanged=True)
            while len(await journal.segments(MAIN)) < 3:
                await asyncio.sleep(0.1)
        stop.set()
        await asyncio.gather(*playing)
        assert service.terminate() == 0
    assert not [error for table in tables for error in table.errors]
    segments = await read_across_the_seam(data)
    assert len(segments) >= 3
    check_books(tables, data)
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.slow
async def test_data_of_the_version_before_is_taken_over_while_the_service_runs(
    tmp_path: Path,
) -> None:
    """One file, one snapshot; killed on the way."""
    made = await asyncio.to_thread(
        make_long_journal, tmp_path, records=3_000, tables=12, days=3.0, schema=1
    )
    journal = SqliteJournalReader(made.data, unchanged=True)
    before = [stored for chunk in _stored(made.data) for stored in chunk]
    assert len(before) == made.records
    for segments in (1, 2, 5):
        service = ServiceProcess(made.data, floor=made.floor, module=MODULE)
        async with asyncio.timeout(HUNG_SECONDS):
            while len(await journal.segments(MAIN)) < segments:
                await asyncio.sleep(0.02)
        service.kill()
    with ServiceProcess(made.data, floor=made.floor, module=MODULE) as service:
        async with asyncio.timeout(HUNG_SECONDS):
            while not (found := await journal.segments(MAIN)) or found[-1].last_seq < len(before):
                await asyncio.sleep(0.05)
        assert service.terminate() == 0
    await read_across_the_seam(made.data)
    after = [stored async for chunk in journal.read(MAIN) for stored in chunk]
    assert after[: len(before)] == before
    # Three gaming days, none of them in one segment with another.
    days = GamingDays.of("America/New_York", "06:00")
    for segment in await journal.segments(MAIN):
        stored = after[segment.first_seq - 1 : segment.last_seq]
        assert {days.day_of(finding(line).at) for line in stored} == {segment.day}
    verified = run_command("verify", "--data", made.data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def _stored(data: Path) -> Iterator[list[bytes]]:
    """The batches, read without the program: opening the file would bring it to today's form."""
    with closing(sqlite3.connect(f"{(data / FILE_NAME).as_uri()}?mode=ro", uri=True)) as db:
        for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq"):
            yield body.splitlines()
