"""A journal that is gone, cut short or another one is never taken for a new one."""

import asyncio
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.committed import read_mark
from progressive.domain.ids import LinkId
from tests.support.cage import CARA, FRED, GWEN, Cage, staffed
from tests.support.people import PASSWORD
from tests.support.service import (
    FLOOR,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
)

pytestmark = pytest.mark.slow

MAIN = LinkId("main")


async def play(service: ServiceProcess, rounds: int = 1, table: str = "BJ-01") -> None:
    key = issue_key(service.data, table)
    async with TableClient.connect(service.url, table, key) as client:
        seq = client.welcome["next_seq"]
        for _ in range(rounds):
            assert (await client.ask(lock(seq, f"r{seq}", (1, 2))))["type"] == "locked"
            assert (await client.ask(settle(seq + 1, f"r{seq}")))["type"] == "settled"
            seq += 2


async def link(url: str, name: str = "main") -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/v1/links") as response:
        body = await response.json()
    found: dict[str, Any] = next(each for each in body["links"] if each["id"] == name)
    return found


async def wait_inoperable(url: str, name: str = "main") -> str:
    """Until the link is out of service; the reason."""
    async with asyncio.timeout(300):
        while (seen := await link(url, name))["state"] == "live":
            await asyncio.sleep(0.05)
    return str(seen["reason"])


async def played(data: Path, rounds: int = 3) -> None:
    """A data directory that was played in, and stopped."""
    with ServiceProcess(data) as service:
        await play(service, rounds)
        assert service.terminate() == 0


def journal_files(data: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(data.glob("journal.sqlite3*"))}


# --- at the start -------------------------------------------------------------------------------


def delete(data: Path) -> None:
    for path in data.glob("journal.sqlite3*"):
        path.unlink()


def empty(data: Path) -> None:
    delete(data)
    (data / "journal.sqlite3").touch()


@pytest.mark.parametrize("fault", [delete, empty])
async def test_journal_that_is_gone_is_not_begun_again_at_its_initial_amounts(
    tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    data = tmp_path / "data"
    await played(data)
    fault(data)
    for _ in range(2):
        # The second start too: the first one left nothing that would pass for a journal.
        with ServiceProcess(data) as service:
            seen = await link(service.url)
            assert seen["state"] == "inoperable"
            assert "the journal of main is gone" in seen["reason"]
            assert "has committed 8 (the last at 20" in seen["reason"]
            assert "accept-loss main" in seen["reason"]
            assert seen["meters"] == []
            service.kill()
    mark = read_mark(data, MAIN)
    assert mark is not None
    assert mark.place.seq == 8


async def test_older_copy_of_the_journal_is_refused_by_how_much_it_lacks(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data, 1)
    older = shutil.copy(data / "journal.sqlite3", tmp_path / "older.sqlite3")
    await played(data, 2)
    shutil.copy(older, data / "journal.sqlite3")
    with ServiceProcess(data) as service:
        reason = (await link(service.url))["reason"]
    assert "the journal ends at record 4; this data directory has committed 9" in reason
    assert "5 records are missing" in reason


async def test_wal_that_is_lost_after_a_kill_is_noticed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data, 1)
    with ServiceProcess(data) as service:
        await play(service, 3)
        async with asyncio.timeout(300):
            while (mark := read_mark(data, MAIN)) is None or mark.place.seq < 10:
                await asyncio.sleep(0.05)
        service.kill()
    (data / "journal.sqlite3-wal").unlink()
    with ServiceProcess(data) as service:
        reason = (await link(service.url))["reason"]
    assert "the journal ends at record 4; this data directory has committed 10" in reason


async def test_journal_of_another_directory_is_refused(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    await played(data, 2)
    await played(other, 4)
    shutil.copy(other / "journal.sqlite3", data / "journal.sqlite3")
    with ServiceProcess(data) as service:
        reason = (await link(service.url))["reason"]
    assert "record 6 of the journal is not the one that this data directory has committed" in reason


async def test_unreadable_memory_is_said_and_not_passed_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data)
    (data / "committed" / "main.json").write_text("{")
    with ServiceProcess(data) as service:
        reason = (await link(service.url))["reason"]
        assert service.terminate() == 0
    assert "committed/main.json" in reason
    assert "cannot be read" in reason
    assert (data / "committed" / "main.json").read_text() == "{"


async def test_renamed_link_does_not_begin_beside_the_money_of_the_old_one(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    await played(data)
    floor = tmp_path / "floor.toml"
    floor.write_text(FLOOR.read_text().replace('"main"', '"grand"'))
    before = journal_files(data)
    with ServiceProcess(data, floor=floor) as service:
        seen = await link(service.url, "grand")
        service.kill()
    assert seen["state"] == "inoperable"
    assert "holds that of main, which is not in the floor file" in seen["reason"]
    assert journal_files(data)["journal.sqlite3"] == before["journal.sqlite3"]


async def test_link_that_left_the_floor_file_with_its_journal_is_still_missed(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    await played(data)
    delete(data)
    floor = tmp_path / "floor.toml"
    floor.write_text(FLOOR.read_text().replace('"main"', '"grand"'))
    tokens = await staffed(data)
    with ServiceProcess(data, floor=floor) as service:
        seen = await link(service.url, "main")
        assert seen["state"] == "inoperable"
        assert "the journal of main is gone, and main is not in the floor file" in seen["reason"]
        async with Cage.at(service.url, tokens) as cage:
            # Its terms are gone too: there is nothing that it could begin with.
            path = "/v1/links/main/loss/accept"
            status, answer = await cage.asks(CARA, "POST", path, {"reason": "the disk burnt"})
        assert (status, answer["error"]["code"]) == (409, "WRONG_STATUS")


async def test_memory_that_cannot_be_listed_is_a_finding_of_verify(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data)
    shutil.rmtree(data / "committed")
    (data / "committed").touch()
    found = run_command("verify", "--data", data)
    assert found.returncode == 1
    assert "is remembered, and cannot be read: committed/: Not a directory" in found.stdout


async def test_data_directory_without_a_memory_opens_and_gets_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data)
    shutil.rmtree(data / "committed")
    with ServiceProcess(data) as service:
        assert (await link(service.url))["state"] == "live"
        mark = read_mark(data, MAIN)
        service.kill()
    assert mark is not None
    assert (mark.place.epoch, mark.place.seq) == (2, 8)


# --- under the running service ------------------------------------------------------------------


def replace(data: Path) -> None:
    copy = data / "copy"
    shutil.copy(data / "journal.sqlite3", copy)
    copy.replace(data / "journal.sqlite3")


def unlink(data: Path) -> None:
    (data / "journal.sqlite3").unlink()


def unlink_wal(data: Path) -> None:
    (data / "journal.sqlite3-wal").unlink()


def cut(data: Path) -> None:
    os.truncate(data / "journal.sqlite3", 0)


def cut_wal(data: Path) -> None:
    os.truncate(data / "journal.sqlite3-wal", 0)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (cut, r"journal\.sqlite3 was cut short"),
        (cut_wal, r"journal\.sqlite3-wal was cut short"),
        (unlink, r"journal\.sqlite3 was removed"),
        (replace, r"journal\.sqlite3 was replaced by another file"),
        # A process that reads beside the service makes a new one where there is none.
        (unlink_wal, r"journal\.sqlite3-wal was (removed|replaced by another file)"),
    ],
)
async def test_no_wager_is_answered_once_the_file_was_taken_away(
    tmp_path: Path, fault: Callable[[Path], None], says: str
) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as client:
            assert (await client.ask(lock(1, "r1")))["type"] == "locked"
            fault(data)
            # At once: not only when somebody looks next.
            answers = [await client.ask(settle(2, "r1"))]
            while answers[-1]["type"] == "state":
                answers.append(await client.receive())
            assert (answers[-1]["type"], answers[-1]["code"]) == ("error", "LINK_INOPERABLE")
            assert re.search(says, answers[-1]["message"])
        assert re.search(says, await wait_inoperable(service.url))
        assert service.terminate() == 0


async def test_idle_link_notices_within_its_look_at_the_file(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        unlink(data)
        assert "journal.sqlite3 was removed" in await wait_inoperable(service.url)


async def test_stopping_leaves_the_files_of_somebody_else_alone(tmp_path: Path) -> None:
    """Closing the taken file would remove the `-wal` by its name: it may be another one's."""
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        await play(service)
        unlink(data)
        unlink_wal(data)
        (data / "journal.sqlite3").write_bytes(b"not ours")
        (data / "journal.sqlite3-wal").write_bytes(b"not ours either")
        await wait_inoperable(service.url)
        assert service.terminate() == 0
    assert (data / "journal.sqlite3-wal").read_bytes() == b"not ours either"
    assert (data / "journal.sqlite3").read_bytes() == b"not ours"


# --- the way out --------------------------------------------------------------------------------


def events(data: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(data / "journal.sqlite3") as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq")]
    db.close()
    return [json.loads(line)["event"] for body in bodies for line in body.splitlines()]


async def test_two_departments_accept_a_loss_across_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data)
    tokens = await staffed(data)
    delete(data)
    path, reason = "/v1/links/main/loss/accept", {"reason": "the disk burnt; see report 12"}
    with ServiceProcess(data) as service:
        async with Cage.at(service.url, tokens) as cage:
            status, answer = await cage.asks(GWEN, "POST", path, reason)
            assert (status, answer["error"]["code"]) == (403, "WRONG_ROLE")
            status, answer = await cage.asks(CARA, "POST", path, {})
            assert status == 400, answer
            status, answer = await cage.asks(CARA, "POST", path, reason)
            assert (status, answer["state"]) == (202, "inoperable")
            assert "accepted by Cara; it takes a second person" in answer["reason"]
            status, answer = await cage.asks(CARA, "POST", path, reason)
            assert (status, answer["error"]["code"]) == (403, "SAME_PERSON")
        service.kill()
    with ServiceProcess(data) as service:
        assert "accepted by Cara" in (await link(service.url))["reason"]
        # People take their time: the background has read the journal before the second one comes.
        async with asyncio.timeout(300):
            while '"past verified"' not in service.log().rpartition("accepted by Cara")[2]:
                await asyncio.sleep(0.05)
        accept = ("accept-loss", "main", "--server", service.url, "--reason", "agreed")
        done = await asyncio.to_thread(run_command, *accept, "--user", "Fred", input=PASSWORD)
        assert done.returncode == 0, done.stderr
        assert "8 (the last at" in done.stderr
        assert done.stdout == "main: accepted by two people: live\n"
        async with Cage.at(service.url, tokens) as cage:
            status, answer = await cage.asks(FRED, "POST", path, reason)
            assert (status, answer["error"]["code"]) == (409, "WRONG_STATUS")
        await play(service)
        assert service.terminate() == 0
    opened, accepted = events(data)[:2]
    assert (opened["type"], accepted["type"]) == ("link_opened", "loss_accepted")
    assert (accepted["remembered"]["seq"], accepted["found_seq"]) == (8, 0)
    assert [each["name"] for each in accepted["by"]] == ["Cara", "Fred"]
    assert accepted["reason"] == reason["reason"]
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "0 were found where 8 had been committed, as Cara and Fred accepted" in verified.stdout
    # Signs compare epochs: the new journal is newer than the lost one.
    mark = read_mark(data, MAIN)
    assert mark is not None
    assert mark.place.epoch > 1
    with ServiceProcess(data) as service:
        assert (await link(service.url))["state"] == "live"


async def test_loss_that_cannot_be_accepted_is_not_offered(tmp_path: Path) -> None:
    """Records were taken out of the file, which still says how many it had: none can follow."""
    data = tmp_path / "data"
    await played(data)
    tokens = await staffed(data)
    with sqlite3.connect(data / "journal.sqlite3") as db:
        db.execute("DELETE FROM batch WHERE last_seq = 8")
    db.close()
    with ServiceProcess(data) as service:
        reason = (await link(service.url))["reason"]
        assert "the journal ends at record 7, but 8 were written to this file" in reason
        async with Cage.at(service.url, tokens) as cage:
            path = "/v1/links/main/loss/accept"
            status, answer = await cage.asks(CARA, "POST", path, {"reason": "the disk burnt"})
        assert (status, answer["error"]["code"]) == (409, "WRONG_STATUS")
        assert "8 were written to this file" in answer["error"]["message"]


async def test_right_file_put_back_needs_nobody(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await played(data)
    away = data / "away"
    (data / "journal.sqlite3").rename(away)
    with ServiceProcess(data) as service:
        assert (await link(service.url))["state"] == "inoperable"
        service.terminate()
    delete(data)
    away.rename(data / "journal.sqlite3")
    with ServiceProcess(data) as service:
        assert (await link(service.url))["state"] == "live"


# --- a table that knows more than the journal ---------------------------------------------------


async def test_table_that_is_ahead_of_the_journal_is_an_alarm_and_stops_nothing(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    tokens = await staffed(data)
    with ServiceProcess(data) as service:
        for table, messages in (
            # Its own message before was refused: the gap is the table's, and no alarm.
            ("BJ-01", [lock(1, "r1", chips_counted=7), settle(2, "r1")]),
            ("BJ-02", [settle(4310, "r9"), settle(4311, "r9")]),
        ):
            key = issue_key(data, table)
            async with TableClient.connect(service.url, table, key) as client:
                codes = [(await client.ask(each))["code"] for each in messages]
            assert codes[-1] == "SEQ_GAP"
        async with Cage.at(service.url, tokens) as cage, asyncio.timeout(300):
            while not (alarms := await table_alarms(cage)):
                await asyncio.sleep(0.05)
        await play(service, table="BJ-03")
    assert [(each["subject"], each["count"]) for each in alarms] == [("BJ-02", 1)]
    assert "holds answers to messages which the journal does not have" in alarms[0]["message"]


async def table_alarms(cage: Cage) -> list[dict[str, Any]]:
    found = await cage.read("/v1/alarms")
    return [each for each in found["alarms"] if each["kind"] == "table_ahead"]
