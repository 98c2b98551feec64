"""The power goes: kill -9 at random moments under load; nothing is lost, nothing counted twice."""

import asyncio
import random
from pathlib import Path

import pytest

from progressive.adapters.committed import read_mark
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.link.guard import holds
from progressive.domain.ids import LinkId
from tests.support.floor_load import LoadTable, check_books, until_answered
from tests.support.service import ServiceProcess, run_command

KILLED_AFTER = (0, 0, 1, 1, 5, 12, 12, 30, 60, 60, 120, 200)
"""Answers. What the service is at then, nobody knows."""
MAIN = LinkId("main")


async def check_remembered(data: Path) -> None:
    """What is remembered outside may be behind the journal, and never ahead of it."""
    mark, journal = read_mark(data, MAIN), SqliteJournalReader(data, unchanged=True)
    if mark is not None:
        assert await holds(journal, MAIN, mark.place, await journal.journal_end(MAIN))


@pytest.mark.slow
async def test_killed_at_any_moment_nothing_is_lost_and_nothing_counted_twice(
    tmp_path: Path,
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    moments = random.Random(seed)
    data = tmp_path / "data"
    tables = [LoadTable(data, f"BJ-{number:02}", seed) for number in range(1, 13)]
    for more in moments.sample(KILLED_AFTER, len(KILLED_AFTER)):
        service = ServiceProcess(data)
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        await until_answered(tables, playing, more=more)
        # A moment in the life of the process, not a time to wait for anything.
        await asyncio.sleep(moments.uniform(0, 0.02))
        service.kill()
        await asyncio.gather(*playing)
        await check_remembered(data)
    with ServiceProcess(data) as service:
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        await until_answered(tables, playing, more=12)
        stop.set()
        await asyncio.gather(*playing)
        assert service.terminate() == 0
    assert not [error for table in tables for error in table.errors]
    assert sum(len(table.answered) for table in tables) >= sum(KILLED_AFTER)
    check_books(tables, data)
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.slow
async def test_told_to_stop_under_load_it_answers_what_it_kept_and_loses_nothing(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    tables = [LoadTable(data, f"BJ-{number:02}", 7) for number in range(1, 13)]
    for _ in range(4):
        service = ServiceProcess(data)
        playing = [
            asyncio.create_task(table.play(service.url, asyncio.Event())) for table in tables
        ]
        await until_answered(tables, playing, more=12)
        assert await asyncio.to_thread(service.terminate) == 0
        await asyncio.gather(*playing)
    # The only refusals are those of a service that is about to stop, and they changed nothing.
    assert {error["code"] for table in tables for error in table.errors} <= {"TRY_AGAIN"}
    check_books(tables, data)
    assert run_command("verify", "--data", data).returncode == 0
