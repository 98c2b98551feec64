"""A file of a newer version is refused with one clear line, and not a byte of it changes.

Whoever goes back to an older program after an upgrade must find out at once, and lose nothing.
"""

import asyncio
import contextlib
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters.sqlite import journal_file, people_file, sign_log_file
from progressive.application.journal.ports import StoreUnavailableError
from tests.upgrades.clients import People
from tests.upgrades.program import ANSWER_SECONDS, Finished
from tests.upgrades.today import Upgraded

FORMS = {each.FILE.name: each.FILE for each in (journal_file, people_file, sign_log_file)}
FILES = ("journal.sqlite3", "people.sqlite3", "signs.sqlite3")
NEWER = 99
REFUSED = f"is of a newer version ({NEWER})"

COMMANDS = {
    "journal.sqlite3": ["verify"],
    "people.sqlite3": ["verify", "user list", "user disable Ann", "user enable Ann"],
    "signs.sqlite3": ["sign-log entrance --at 2026-01-02T03:04:05Z"],
}


@pytest.fixture
def upgraded(tmp_path: Path) -> Upgraded:
    return Upgraded("0.1.0/awards", tmp_path / "stored")


def renew(path: Path, journal_mode: str | None = None) -> bytes:
    """What a newer program might leave: rows that this one does not know. The file's bytes."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE of_tomorrow (id INTEGER PRIMARY KEY)")
        db.execute(f"PRAGMA user_version = {NEWER}")
        if journal_mode is not None:
            db.execute(f"PRAGMA journal_mode = {journal_mode}")
    return path.read_bytes()


def renew_in_wal(path: Path) -> dict[str, bytes]:
    """The same, left in a WAL by a program that was killed. Every file of it."""
    script = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode = WAL')\n"
        "db.execute('CREATE TABLE of_tomorrow (id INTEGER PRIMARY KEY)')\n"
        f"db.execute('PRAGMA user_version = {NEWER}')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    left = contents_of(path)
    assert left[f"{path.name}-wal"], "nothing was left in the WAL"
    return left


def contents_of(path: Path) -> dict[str, bytes]:
    """The file and its WAL. (The index beside them holds locks, and no content.)"""
    return {
        each.name: each.read_bytes()
        for each in (path, path.with_name(f"{path.name}-wal"))
        if each.exists()
    }


def refusal(done: Finished) -> list[str]:
    return [line for line in done.stderr.splitlines() if REFUSED in line]


@pytest.mark.parametrize(
    ("file", "command"), [(file, command) for file in FILES for command in COMMANDS[file]]
)
def test_command_refuses_a_file_of_a_newer_version(
    upgraded: Upgraded, file: str, command: str
) -> None:
    before = renew(upgraded.data / file)
    done = upgraded.program.run(*command.split(), "--data", upgraded.data)
    assert done.returncode in (1, 2), done
    assert len(refusal(done)) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert (upgraded.data / file).read_bytes() == before


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
@pytest.mark.parametrize("file", FILES)
def test_newer_file_in_another_journal_mode_is_left_as_it_is(
    tmp_path: Path, file: str, journal_mode: str
) -> None:
    path = tmp_path / file
    before = renew(path, journal_mode)
    with pytest.raises(StoreUnavailableError, match=re.escape(REFUSED)):
        FORMS[file].open_to_write(tmp_path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("file", FILES)
def test_newer_file_whose_wal_was_left_behind_is_left_as_it_is(tmp_path: Path, file: str) -> None:
    before = renew_in_wal(tmp_path / file)
    with pytest.raises(StoreUnavailableError, match=re.escape(REFUSED)):
        FORMS[file].open_to_write(tmp_path)
    assert contents_of(tmp_path / file) == before


async def sign_log_alarm(people: People) -> str | None:
    alarms = (await people.read("Joe", "/v1/alarms"))["alarms"]
    return next((each["message"] for each in alarms if each["kind"] == "sign_log"), None)


@pytest.mark.slow
async def test_service_takes_no_wager_on_a_journal_of_a_newer_version(upgraded: Upgraded) -> None:
    before = renew(upgraded.data / "journal.sqlite3")
    with upgraded.served() as service:
        async with People.at(upgraded.url) as people:
            links = (await people.read_public("/v1/links"))["links"]
        assert len(links) == 3
        for link in links:
            assert (link["state"], REFUSED in link["reason"]) == ("inoperable", True)
        assert service.stop() == 0
    assert (upgraded.data / "journal.sqlite3").read_bytes() == before


@pytest.mark.slow
async def test_service_lets_nobody_in_by_a_people_file_of_a_newer_version(
    upgraded: Upgraded,
) -> None:
    before = renew(upgraded.data / "people.sqlite3")
    with upgraded.served() as service:
        async with People.at(upgraded.url) as people:
            status, answer = await people.try_log_in("Ann", upgraded.stored["password"])
            assert (status, answer["error"]["code"]) == (503, "UNAVAILABLE")
            links = (await people.read_public("/v1/links"))["links"]
        # Tables and signs go on without people.
        assert {link["id"]: link["state"] for link in links}["main"] == "live"
        assert service.stop() == 0
    assert (upgraded.data / "people.sqlite3").read_bytes() == before
    assert REFUSED in upgraded.log()


@pytest.mark.slow
async def test_service_goes_on_without_a_sign_log_of_a_newer_version(upgraded: Upgraded) -> None:
    before = renew(upgraded.data / "signs.sqlite3")
    with upgraded.served() as service:
        async with People.at(upgraded.url, upgraded.stored["tokens"]) as people:
            async with asyncio.timeout(ANSWER_SECONDS):
                # Found out by the log's own thread, soon after the start.
                while (message := await sign_log_alarm(people)) is None:
                    await asyncio.sleep(0.05)
        assert REFUSED in message
        assert service.stop() == 0
    assert (upgraded.data / "signs.sqlite3").read_bytes() == before
