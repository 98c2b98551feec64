"""The people file: shared by processes, whole after a kill, honest about damage."""

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_file import FILE_NAME, open_people_file
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.journal.record import ChainCheck
from progressive.application.people.act_log import Deed, Outcome
from tests.support.people import ANN, BOB, a_people_desk
from tests.support.service import ROOT

WRITER = """
import asyncio, sys
from pathlib import Path
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.application.people.act_log import Deed
from progressive.application.people.act_log import Outcome

async def write(directory, number):
    store = SqlitePeople(directory)
    print("ready", flush=True)
    for _ in range(number):
        await store.record(Deed("2026", None, "writer", "request", Outcome.REFUSED))
        print("kept", flush=True)
    await store.close()

asyncio.run(write(Path(sys.argv[1]), int(sys.argv[2])))
"""


def a_deed() -> Deed:
    return Deed("2026-01-02T03:04:05.000000Z", None, "10.0.0.7", "request", Outcome.REFUSED)


def a_writer(directory: Path, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory), str(number)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


async def chained(store: SqlitePeople) -> int:
    """How many acts there are; raises where they do not follow upon each other."""
    check = ChainCheck()
    for record in await store.acts(after_seq=0, limit=100_000):
        check.feed(record)
    return check.seq


async def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    async with a_people_desk(tmp_path / "new") as desk:
        await desk.add(ANN)
    mode = stat.S_IMODE((tmp_path / "new" / FILE_NAME).stat().st_mode)
    assert mode == stat.S_IRUSR | stat.S_IWUSR


async def test_several_processes_write_one_chain(tmp_path: Path) -> None:
    writers = [a_writer(tmp_path, 25) for _ in range(3)]
    store = SqlitePeople(tmp_path)
    for _ in range(25):
        await store.record(a_deed())
    for writer in writers:
        await asyncio.to_thread(writer.communicate)
        assert writer.returncode == 0
    assert await chained(store) == 100
    await store.close()


async def test_what_was_kept_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    writer = a_writer(tmp_path, 100_000)
    assert writer.stdout is not None
    for _ in range(6):
        await asyncio.to_thread(writer.stdout.readline)
    writer.kill()
    rest = await asyncio.to_thread(writer.stdout.read)
    writer.stdout.close()
    writer.wait()
    told = 5 + rest.count("kept\n")

    store = SqlitePeople(tmp_path)
    # One more may have been kept and not told.
    assert await chained(store) in (told, told + 1)
    await store.record(a_deed())
    await store.close()


async def test_a_write_that_fails_leaves_no_half(tmp_path: Path) -> None:
    async with a_people_desk(tmp_path) as desk:
        await desk.add(ANN)
        with sqlite3.connect(tmp_path / FILE_NAME) as db:
            db.execute(
                "CREATE TRIGGER broken BEFORE INSERT ON act WHEN new.seq = 2 "
                "BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        db.close()
        with pytest.raises(StoreUnavailableError):
            await desk.add(BOB)
        assert [known.person for known in await desk.people.everybody()] == [ANN]


@pytest.mark.parametrize("change", ["UPDATE act SET body = x'00'", "DELETE FROM act"])
async def test_the_act_log_cannot_be_changed_through_sql(tmp_path: Path, change: str) -> None:
    async with a_people_desk(tmp_path) as desk:
        await desk.add(ANN)
    db = sqlite3.connect(tmp_path / FILE_NAME)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(change)
    db.close()


async def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    db = open_people_file(tmp_path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    store = SqlitePeople(tmp_path)
    with pytest.raises(StoreUnavailableError, match="newer version"):
        await store.people()
    await store.close()


async def test_damage_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(os.urandom(4096))
    store = SqlitePeople(tmp_path)
    with pytest.raises(StoreCorruptError, match="damaged"):
        await store.people()
    await store.close()


async def test_a_role_that_is_none_is_damage(tmp_path: Path) -> None:
    async with a_people_desk(tmp_path) as desk:
        await desk.add(ANN)
        with sqlite3.connect(tmp_path / FILE_NAME) as db:
            db.execute("UPDATE person SET role = 'king'")
        db.close()
        with pytest.raises(StoreCorruptError, match="king"):
            await desk.people.everybody()


async def test_a_store_that_failed_works_again_when_the_cause_is_gone(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.write_text("a file where a folder should be")
    store = SqlitePeople(directory)
    with pytest.raises(StoreUnavailableError):
        await store.people()
    directory.unlink()
    assert await store.people() == []
    await store.close()


async def test_a_record_reads_as_documented(tmp_path: Path) -> None:
    async with a_people_desk(tmp_path) as desk:
        await desk.add(ANN)
        (record,) = await desk.store.acts(after_seq=0, limit=10)
    names = ["seq", "at", "prev", "who", "from", "act", "outcome", "details"]
    assert sorted(json.loads(record)) == sorted(names)
