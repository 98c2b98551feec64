"""`progressive verify` walks the act log too: a changed, missing or cut-off record is found."""

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.journal.record import GENESIS, hash_record
from progressive.application.people.act_log import Deed, Outcome, encode_act
from progressive.entry.commands.proving import verify
from progressive.verifier.reading.found import VerifyResult
from progressive.verifier.rules.act_log import audit_acts
from tests.support.builders import a_link
from tests.support.killed_writers import contents, kill_while_writing, without_rights
from tests.support.people import ANN, BOB, a_people_desk
from tests.support.service import run_command


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A data directory with an opened journal and five acts."""
    store = SqliteStore(tmp_path)
    await store.open_link(a_link().id)
    await store.close()
    async with a_people_desk(tmp_path) as desk:
        await desk.add(ANN, BOB)
        for person in (ANN, BOB, ANN):
            await desk.log_in(person)
    return tmp_path


def forge(data: Path, *changes: str) -> None:
    """As somebody with the file in their hands would, without the triggers in the way."""
    triggers = ("DROP TRIGGER act_is_never_changed", "DROP TRIGGER act_is_never_removed")
    execute(data / FILE_NAME, *triggers, *changes)


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def problem(result: VerifyResult) -> str | None:
    assert result.acts is not None
    return result.acts.problem


@pytest.mark.slow
def test_a_good_act_log_is_counted(data: Path) -> None:
    result = verify(data)
    assert result.ok
    assert result.acts is not None
    assert (result.acts.records, result.acts.problem) == (5, None)
    told = run_command("verify", "--data", data)
    assert told.returncode == 0
    assert told.stdout.endswith("act log: 5 records, chain ok\n")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            "UPDATE act SET body = CAST(replace(body, 'Bob', 'Rob') AS BLOB) WHERE seq = 2",
            "record 3 does not follow record 2: one of the two has been changed",
        ),
        ("DELETE FROM act WHERE seq = 3", "record 3 is missing: 4 stands there"),
        ("DELETE FROM act WHERE seq = 5", "record 4 is not the last that was kept"),
        ("DELETE FROM act", "record 0 is not the last that was kept"),
        ("UPDATE act SET body = x'00' WHERE seq = 5", "record 5 is unreadable"),
        ("UPDATE act SET body = 7 WHERE seq = 5", "record 5 is not bytes"),
        (
            "UPDATE act SET body = CAST(replace(body, 'done', 'gone') AS BLOB) WHERE seq = 5",
            "record 5 is not the last that was kept",
        ),
        ("INSERT INTO act VALUES (0, x'00')", "record 1 is unreadable"),
    ],
)
def test_a_forged_act_log_is_found_out(data: Path, change: str, expected: str) -> None:
    forge(data, change)
    result = verify(data)
    assert not result.ok
    assert (problem(result) or "").startswith(expected)


@pytest.mark.slow
def test_a_finding_is_told_and_exits_with_1(data: Path) -> None:
    forge(data, "DELETE FROM act WHERE seq = 3")
    told = run_command("verify", "--data", data)
    assert told.returncode == 1
    assert "act log: record 3 is missing" in told.stdout
    as_json = json.loads(run_command("verify", "--data", data, "--json").stdout)
    assert (as_json["ok"], as_json["acts"]["records"]) == (False, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(os.urandom(8192)),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: execute(path, "DROP TABLE act_head"),
        lambda path: execute(path, "DROP TABLE act"),
    ],
    ids=["noise", "cut", "no head", "no log"],
)
def test_damage_is_a_finding_not_a_crash(data: Path, damage: Callable[[Path], object]) -> None:
    damage(data / FILE_NAME)
    told = run_command("verify", "--data", data)
    assert told.returncode == 1, told
    assert f"the store: {FILE_NAME}" in told.stdout
    assert "link main" in told.stdout


@pytest.mark.parametrize("left", [None, b""], ids=["no file", "an empty file"])
def test_without_people_nothing_is_said(data: Path, left: bytes | None) -> None:
    (data / FILE_NAME).unlink()
    if left is not None:
        (data / FILE_NAME).write_bytes(left)
    result = verify(data)
    assert result.ok
    assert result.acts is None


# --- a data directory stays as it is ------------------------------------------------------------

ACT = "INSERT INTO act VALUES (?, ?)"


def test_a_write_that_a_kill_cut_off_is_taken_back(data: Path) -> None:
    kill_while_writing(data / FILE_NAME, mode="TRUNCATE", insert=ACT)
    assert (data / f"{FILE_NAME}-journal").stat().st_size > 0
    before = contents(data)
    for _ in range(2):
        result = verify(data)
        assert result.ok
        assert result.acts is not None
        assert result.acts.records == 5
        assert contents(data) == before


async def test_what_verify_read_after_a_kill_is_what_the_next_writer_finds(data: Path) -> None:
    kill_while_writing(data / FILE_NAME, mode="TRUNCATE", insert=ACT)
    assert verify(data).ok
    async with a_people_desk(data) as desk:
        assert [act["seq"] for act in await desk.acts()] == [1, 2, 3, 4, 5]
        await desk.log_in(ANN)
    result = verify(data)
    assert result.acts is not None
    assert (result.acts.records, result.acts.problem) == (6, None)


def test_forgery_under_a_cut_off_write_is_found_all_the_same(data: Path) -> None:
    forge(data, "DELETE FROM act WHERE seq = 3")
    kill_while_writing(data / FILE_NAME, mode="TRUNCATE", insert=ACT)
    before = contents(data)
    assert problem(verify(data)) == "record 3 is missing: 4 stands there"
    assert contents(data) == before


def test_a_first_write_of_all_that_a_kill_cut_off_left_nothing(data: Path) -> None:
    (data / FILE_NAME).unlink()
    made = ["CREATE TABLE act (seq, body)"]
    kill_while_writing(data / FILE_NAME, mode="TRUNCATE", insert=ACT, within=made)
    assert (data / FILE_NAME).stat().st_size > 0
    before = contents(data)
    result = verify(data)
    assert result.ok
    assert result.acts is None
    assert contents(data) == before


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_folder_that_takes_no_files_can_still_be_verified(data: Path, killed: bool) -> None:
    if killed:
        kill_while_writing(data / FILE_NAME, mode="TRUNCATE", insert=ACT)
    before = contents(data)
    for each in (data, *data.iterdir()):
        each.chmod(0o500 if each.is_dir() else 0o400)
    try:
        told = without_rights(sys.executable, "-m", "progressive", "verify", "--data", data)
    finally:
        data.chmod(0o700)
    assert told.returncode == 0, told.stderr
    assert told.stdout.endswith("act log: 5 records, chain ok\n")
    assert contents(data) == before


@pytest.mark.slow
async def test_beside_a_writer_nothing_is_changed_either(data: Path) -> None:
    async with a_people_desk(data) as desk:
        await desk.log_in(BOB)
        before = contents(data)
        told = await asyncio.to_thread(run_command, "verify", "--data", data)
        assert contents(data) == before
        await desk.log_in(BOB)
    assert told.stdout.endswith("act log: 6 records, chain ok\n")


def test_a_log_that_grows_while_it_is_read_is_good() -> None:
    records, prev = [], GENESIS
    for seq in range(1, 4):
        deed = Deed("2026", None, "here", "request", Outcome.DONE)
        records.append(encode_act(seq, prev, deed))
        prev = hash_record(records[-1])
    report = audit_acts(records, last_seq=2, head=hash_record(records[1]))
    assert (report.records, report.problem) == (3, None)
