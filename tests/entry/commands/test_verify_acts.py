"""`progressive verify` walks the act log too: a changed, missing or cut-off record is found."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.audit.acts import audit_acts
from progressive.application.journal.record import GENESIS, hash_record
from progressive.application.people.act_log import Deed, Outcome, encode_act
from progressive.entry.commands.verify import VerifyResult, verify
from tests.support.builders import a_link
from tests.support.people import ANN, BOB, a_people_desk
from tests.support.service import ROOT, run_command


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


def test_a_finding_is_told_and_exits_with_1(data: Path) -> None:
    forge(data, "DELETE FROM act WHERE seq = 3")
    told = run_command("verify", "--data", data)
    assert told.returncode == 1
    assert "act log: record 3 is missing" in told.stdout
    as_json = json.loads(run_command("verify", "--data", data, "--json").stdout)
    assert (as_json["ok"], as_json["acts"]["records"]) == (False, 2)


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


KILLED_WHILE_WRITING = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = TRUNCATE")
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
for number in range(100):
    db.execute("INSERT INTO act VALUES (?, ?)", (6 + number, os.urandom(9000)))
os._exit(9)
"""


def test_a_write_that_a_kill_cut_off_is_taken_back(data: Path) -> None:
    path = data / FILE_NAME
    subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, str(path)], cwd=ROOT, check=False)
    assert path.with_name(f"{FILE_NAME}-journal").stat().st_size > 0
    result = verify(data)
    assert result.ok
    assert result.acts is not None
    assert result.acts.records == 5


def test_a_log_that_grows_while_it_is_read_is_good() -> None:
    records, prev = [], GENESIS
    for seq in range(1, 4):
        deed = Deed("2026", None, "here", "request", Outcome.DONE)
        records.append(encode_act(seq, prev, deed))
        prev = hash_record(records[-1])
    report = audit_acts(records, last_seq=2, head=hash_record(records[1]))
    assert (report.records, report.problem) == (3, None)
