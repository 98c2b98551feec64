"""Two people purge the oldest records, through the real service and the real commands."""

import asyncio
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from progressive.adapters.clock import SystemClock
from progressive.application.journal.segments import Segment
from progressive.domain.time_text import later
from tests.support.archived import archive
from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.people import PASSWORD, a_people_desk
from tests.support.purge_killed import STEPS
from tests.support.service import ANSWER_SECONDS, ROOT, ServiceProcess, run_command
from tests.support.staff import AMY, BOB, CLEO, EVE, PAT, SUE

pytestmark = pytest.mark.slow

UNTIL = datetime(2020, 1, 10, 11, 0, tzinfo=UTC)
"""When the journal was last written to: more than five years ago."""
PAT_OF_THE_CAGE = type(PAT)("Patrick", PAT.role, BOB.department)


class Old:
    """A journal of years ago, closed day by day, and the people of today."""

    def __init__(self, journal: LongJournal, segments: list[Segment]) -> None:
        self.journal = journal
        self.segments = segments

    def copied(self, to: Path) -> Path:
        shutil.copytree(self.journal.data, to / "data")
        return to / "data"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Old:
    journal = make_long_journal(
        tmp_path_factory.mktemp("old"),
        records=5_000,
        tables=5,
        days=6,
        until=UNTIL,
        terms_every=1_500,
        archived=False,
    )
    segments = archive(journal.data, journal.link, without_state=frozenset({3}))
    assert len(segments) >= 5
    asyncio.run(_hired(journal.data))
    return Old(journal, segments)


async def _hired(data: Path) -> None:
    async with a_people_desk(data, SystemClock()) as desk:
        await desk.add(BOB, PAT, AMY, CLEO, SUE, EVE, PAT_OF_THE_CAGE)


@pytest.fixture
def data(old: Old, tmp_path: Path) -> Path:
    return old.copied(tmp_path)


@pytest.fixture
def service(data: Path, old: Old) -> Iterator[ServiceProcess]:
    with ServiceProcess(data, floor=old.journal.floor) as running:
        yield running


def purge(
    url: str, who: str, until: str, *, reason: str = "five years are over"
) -> subprocess.CompletedProcess[str]:
    return run_command(
        *("purge", "main", "--server", url, "--user", who, "--until", until, "--reason", reason),
        input=PASSWORD,
    )


def get(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_SECONDS) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def records_files(data: Path) -> list[int]:
    files = (data / "segments" / "main").glob("*.jsonl.gz")
    return sorted(int(path.name[:6]) for path in files)


def rows(data: Path) -> list[Segment]:
    with closing(sqlite3.connect(f"file:{data / 'journal.sqlite3'}?mode=ro", uri=True)) as db:
        bodies = db.execute("SELECT body FROM segment ORDER BY number").fetchall()
    return [msgspec.json.decode(body, type=Segment) for (body,) in bodies]


def wait_until_removed(data: Path, numbers: range) -> None:
    deadline = time.monotonic() + ANSWER_SECONDS
    while set(records_files(data)) & set(numbers):
        assert time.monotonic() < deadline, "the purge was not finished"
        time.sleep(0.05)


def proved(data: Path) -> None:
    done = run_command("verify", "--data", data)
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_people_purge_and_the_rest_goes_on(
    service: ServiceProcess, data: Path, old: Old
) -> None:
    url, second, after = service.url, old.segments[1], old.segments[3]
    asked_at = after.last_at.replace("Z", "%2B00:00")
    before = get(f"{url}/v1/links/main/meters?at={asked_at}")
    assert before[0] == 200
    kept_before = run_command("export", "--data", data, "--link", "main").stdout.splitlines()

    first = purge(url, "Bob", second.day)
    assert first.returncode == 0, first.stderr
    what = f"records 1 to {second.last_seq}, {old.segments[0].day} to {second.day}"
    assert first.stderr == f"main: this proposes to remove {what}: 2 closed segments, for ever\n"
    assert f"proposed to purge {what}" in first.stdout
    # Nothing is done yet, and neither Bob nor his department can do it.
    assert records_files(data)[0] == 1
    for who, words in (
        ("Bob", "it takes a second person"),
        ("Patrick", "are of one department"),
        ("Sue", "your role does not allow this"),
        ("Eve", "your role does not allow this"),
    ):
        refused = purge(url, who, second.day)
        assert refused.returncode == 2, who
        assert words in refused.stderr, refused.stderr
    assert "Bob proposed to purge up to" in purge(url, "Cleo", old.segments[0].day).stderr

    done = purge(url, "Cleo", second.day, reason="seen and agreed")
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        f"main: Bob proposed it; this removes {what}: 2 closed segments, for ever\n"
    )
    assert f"purged {what}" in done.stdout
    assert records_files(data)[0] == 3
    assert [row.purged is not None for row in rows(data)][:4] == [True, True, False, False]

    # What is left is as it was; what is gone is said to be gone.
    assert get(f"{url}/v1/links/main/meters?at={asked_at}") == before
    gone = get(f"{url}/v1/links/main/meters?at={second.first_at.replace('Z', '%2B00:00')}")
    assert gone[0] == 410, gone
    # One answer to every question, whichever of the two segments it met.
    said = f"main: the records up to {second.last_seq:,} ({second.last_at}) were purged at "
    assert gone[1]["error"]["message"].startswith(said)
    first_at = old.segments[0].last_at
    assert get(f"{url}/v1/links/main/meters?at={first_at}")[1] == gone[1]
    assert get(f"{url}/v1/links/main/meters?seq=10")[1] == gone[1]
    for options in (
        ("--from", "1"),
        ("--to", "10"),
        ("--day", old.segments[0].day),
        ("--until", first_at),
    ):
        refused = run_command("export", "--data", data, "--link", "main", *options)
        assert (refused.returncode, refused.stdout) == (1, ""), options
        assert refused.stderr.startswith(f"Error: {said}"), (options, refused.stderr)
    exported = run_command("export", "--data", data, "--link", "main")
    lines = exported.stdout.splitlines()
    assert lines[: len(kept_before) - second.last_seq] == kept_before[second.last_seq :]
    event = next(json.loads(line)["event"] for line in lines if '"segments_purged"' in line)
    assert (event["first_seq"], event["last_seq"]) == (1, second.last_seq)
    assert [each["name"] for each in event["by"]] == ["Bob", "Cleo"]
    assert (event["reason"], event["second_reason"]) == ("five years are over", "seen and agreed")
    assert event["retention_days"] == 1827
    assert event["kept"][0] == kept_before[0]
    proved(data)

    # A start finds all in order, and a later purge goes on where this one ended.
    assert service.terminate() == 0
    with ServiceProcess(data, floor=old.journal.floor) as again:
        assert get(f"{again.url}/v1/links")[1]["links"][0]["state"] == "live"
        status, then = get(f"{again.url}/v1/links/main/meters?at={asked_at}")
        assert (status, then["seq"], then["meters"]) == (200, before[1]["seq"], before[1]["meters"])
        # Segment 3 has left no state: the rest could not begin behind it.
        third = purge(again.url, "Amy", old.segments[2].day)
        assert third.returncode == 2
        assert "no closed segment up to" in third.stderr
        assert purge(again.url, "Amy", after.day).returncode == 0
        done = purge(again.url, "Cleo", after.day)
        assert f"purged records {second.last_seq + 1} to {after.last_seq}" in done.stdout
        assert records_files(data)[0] == 5
        newer_at = old.segments[4].last_at.replace("Z", "%2B00:00")
        assert get(f"{again.url}/v1/links/main/meters?at={newer_at}")[0] == 200
        proved(data)
        again.kill()
    with ServiceProcess(data, floor=old.journal.floor) as last:
        assert get(f"{last.url}/v1/links")[1]["links"][0]["state"] == "live"
        proved(data)


def test_too_early_is_refused_with_the_day_from_which_it_may(
    data: Path, old: Old, tmp_path: Path
) -> None:
    floor = tmp_path / "floor.toml"
    text = old.journal.floor.read_text("utf-8")
    # At the end of the first section, before any other begins.
    floor.write_text(text.replace("\n[[", "\n[retention]\njournal_days = 7300\n\n[[", 1))
    with ServiceProcess(data, floor=floor) as running:
        refused = purge(running.url, "Bob", old.segments[1].day)
    assert refused.returncode == 2
    assert "are kept for 7300 days" in refused.stderr
    allowed_at = later(old.segments[1].last_at, seconds=7300 * 86_400)
    assert f"they may be purged from {allowed_at} on" in refused.stderr
    assert records_files(data)[0] == 1


def test_whoever_is_asked_has_seen_what_really_goes(
    service: ServiceProcess, data: Path, old: Old
) -> None:
    """Segment 3 has left no state: up to its day, no more goes than the two before it."""
    url, second, third = service.url, old.segments[1], old.segments[2]
    ours, theirs = pty.openpty()
    command = ("purge", "main", "--server", url, "--user", "Bob", "--until", third.day)
    with subprocess.Popen(
        [sys.executable, "-m", "progressive", *command, "--reason", "five years are over"],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        said = read_until(ours, "Password: ")
        os.write(ours, f"{PASSWORD}\n".encode())
        said += read_until(ours, "Is this what was agreed?")
        os.write(ours, b"n\n")
        said += read_until(ours, "nothing done")
        assert process.wait(ANSWER_SECONDS) == 1
    os.close(ours)
    assert f"records 1 to {second.last_seq}, {old.segments[0].day} to {second.day}: 2 " in said
    # Nothing was proposed: Bob's colleague would propose, and not agree.
    assert "proposed to purge" in purge(url, "Cleo", second.day).stdout
    assert records_files(data)[0] == 1


def read_until(terminal: int, text: str) -> str:
    got = b""
    while text.encode() not in got:
        try:
            got += os.read(terminal, 4096)
        except OSError:
            # The program is gone.
            break
    assert text in got.decode(), got
    return got.decode()


@pytest.mark.parametrize("day", ["2020-02-30", "2020-13-01", "nix", "2020-1-3", "20200103"])
def test_a_day_that_there_is_not_is_refused_before_anything_is_said(
    service: ServiceProcess, data: Path, day: str
) -> None:
    refused = purge(service.url, "Bob", day)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert f"Invalid value for '--until': '{day}' is not a day like 2026-11-17" in refused.stderr
    assert "remove" not in refused.stderr
    # Nor does the service take it from whoever asks it otherwise.
    status, answer = asyncio.run(asked_in_person(service.url, day))
    assert (status, answer["error"]["code"]) == (400, "BAD_MESSAGE")
    assert f"{day!r} is not a day like 2026-11-17" in answer["error"]["message"]


async def asked_in_person(url: str, day: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session:
        login = {"user": "Bob", "password": PASSWORD}
        async with session.post(f"{url}/v1/sessions", json=login) as answer:
            session.headers["Authorization"] = f"Bearer {(await answer.json())['token']}"
        body = {"reason": "five years are over", "until_day": day}
        async with session.post(f"{url}/v1/links/main/purge", json=body) as answer:
            return answer.status, await answer.json()


def test_the_newest_segment_stays(service: ServiceProcess, data: Path, old: Old) -> None:
    assert purge(service.url, "Bob", "2020-12-31").returncode == 0
    assert purge(service.url, "Cleo", "2020-12-31").returncode == 0
    left = [row for row in rows(data) if row.purged is None]
    assert len(left) >= 1
    assert left[-1].number == len(rows(data))
    proved(data)


@pytest.mark.parametrize("step", STEPS)
def test_killed_between_the_steps(data: Path, old: Old, step: str) -> None:
    """Whatever was durable is finished by the next start; nothing is half."""
    second = old.segments[1]
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.support.purge_killed", step, "serve"),
            *("--floor", old.journal.floor, "--data", data, "--listen", "127.0.0.1:0"),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as killed:
        assert killed.stdout is not None
        url = killed.stdout.readline().split()[1]
        assert purge(url, "Bob", second.day).returncode == 0
        assert purge(url, "Cleo", second.day).returncode == 2
        assert killed.wait(ANSWER_SECONDS) == -9
    first_left = {"record": 1, "marks": 1, "removal": 1, "second file": 2}[step]
    assert records_files(data)[0] == first_left
    proved(data)
    with ServiceProcess(data, floor=old.journal.floor) as again:
        assert get(f"{again.url}/v1/links")[1]["links"][0]["state"] == "live"
        if step == "record":
            # The proposal was lost with the process, and nothing else.
            assert purge(again.url, "Bob", second.day).returncode == 0
            assert purge(again.url, "Cleo", second.day).returncode == 0
        wait_until_removed(data, range(1, 3))
        assert [row.purged is not None for row in rows(data)][:3] == [True, True, False]
        proved(data)


def test_a_segment_that_was_deleted_cannot_be_called_purged(data: Path, old: Old) -> None:
    """Its row is marked by hand, its records removed: no record of two people says so."""
    first = rows(data)[0]
    marked = msgspec.structs.replace(first, purged="2026-01-01T00:00:00.000000Z")
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        db.execute("UPDATE segment SET body = ? WHERE number = 1", (msgspec.json.encode(marked),))
        db.commit()
    (path,) = (data / "segments" / "main").glob("000001-*.jsonl.gz")
    path.unlink()
    found = run_command("verify", "--data", data)
    assert found.returncode == 1
    assert "segment 1 is marked as purged, and no record says so" in found.stdout
    with ServiceProcess(data, floor=old.journal.floor) as running:
        (link,) = get(f"{running.url}/v1/links")[1]["links"]
    assert link["state"] == "inoperable"
    assert link["reason"] == "segment 1 is marked as purged, and no record says so"
