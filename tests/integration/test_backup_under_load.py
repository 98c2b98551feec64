"""A backup beside a service that tables play on: every answer from before it is in the copy."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.journal.finding import finding
from progressive.domain.ids import LinkId
from tests.support.floor_load import LoadTable, until_answered
from tests.support.service import ROOT, ServiceProcess, run_command


async def back_up(data: Path, place: Path) -> dict[str, object]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "progressive", "backup", "--data", str(data), "--to", str(place)),
        "--json",
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said, words = await process.communicate()
    assert process.returncode == 0, words.decode()
    answer: dict[str, object] = json.loads(said)
    return answer


def answers(tables: list[LoadTable]) -> set[tuple[str, int, int]]:
    """Every answer that a table has: its message, and the record it led to."""
    return {
        (table.table, seq, answer["journal_seq"])
        for table in tables
        for seq, answer in table.answered.items()
    }


async def recorded(data: Path) -> set[tuple[str, int, int]]:
    found = set()
    async for records in SqliteJournalReader(data, unchanged=True).read(LinkId("main")):
        for stored in records:
            what = finding(stored)
            found.add((what.event.table, what.event.table_seq, what.seq))
    return found


def restored(place: Path, backup: object, data: Path) -> Path:
    done = run_command("restore", "--from", place / str(backup), "--data", data)
    assert done.returncode == 0, done.stderr
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout
    return data


@pytest.mark.slow
async def test_answers_from_before_a_backup_are_in_it(tmp_path: Path) -> None:
    data, place = tmp_path / "data", tmp_path / "place"
    tables = [LoadTable(data, f"BJ-{number:02}", 7) for number in range(1, 5)]
    with ServiceProcess(data) as service:
        stop = asyncio.Event()
        playing = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        for turn in range(2):
            await until_answered(tables, playing)
            before = answers(tables)
            # The backup is under way while they play on, however slow the machine is.
            backing_up = asyncio.create_task(back_up(data, place))
            await until_answered(tables, playing)
            made = await backing_up
            then = restored(place, made["backup"], tmp_path / f"elsewhere-{turn}")
            assert before <= await recorded(then)
        stop.set()
        await asyncio.gather(*playing)
        # And of one that was killed: what its -wal holds is in the backup too.
        service.kill()
    assert (data / "journal.sqlite3-wal").stat().st_size > 0
    made = await back_up(data, place)
    new = restored(place, made["backup"], tmp_path / "new")
    assert answers(tables) <= await recorded(new)
    known = len(answers(tables))
    # The restored floor opens, and goes on from there.
    with ServiceProcess(new) as service:
        stop = asyncio.Event()
        again = [asyncio.create_task(table.play(service.url, stop)) for table in tables]
        await until_answered(tables, again)
        stop.set()
        await asyncio.gather(*again)
        assert service.terminate() == 0
    assert len(answers(tables)) > known
    # Now it holds newer money than any backup.
    refused = run_command("restore", "--from", place, "--data", new)
    assert refused.returncode == 1, refused.stdout
    # And the one that was left behind is not backed up over it.
    await back_up(new, place)
    behind = run_command("backup", "--data", data, "--to", place)
    assert behind.returncode == 1, behind.stdout
