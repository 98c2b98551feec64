"""What leaves no record: in the log of a real service, and from there in the report."""

import asyncio
import json
import resource
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.config.floor import load_floor
from progressive.adapters.happenings import FileHappenings
from progressive.application.journal.gaming_day import GamingDays
from progressive.domain.happenings import HappeningLine
from tests.support.happened import lines_of
from tests.support.people import PASSWORD
from tests.support.screens import SUE, hire
from tests.support.service import (
    ANSWER_SECONDS,
    FLOOR,
    Message,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
    settle,
)

pytestmark = pytest.mark.slow
PRINTED = "2026-11-18T09:00:00Z"
SIGN = "entrance"


async def until_logged(data: Path, *words: str) -> str:
    """The first line with all of these words, once it is on the disk."""
    async with asyncio.timeout(60):
        while True:
            for line in lines_of(data):
                if all(f'"{word}"' in line for word in words):
                    return line
            await asyncio.sleep(0.02)


def reported(data: Path, *options: str, form: str = "json") -> str:
    """Over the gaming days from the first record until now."""
    first = run_command("export", "--data", data, "--link", "main", "--to", "1").stdout
    house = load_floor(FLOOR).rules.links[0].terms.house
    assert house is not None
    days = GamingDays.of(house.time_zone, house.gaming_day_starts)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    found = run_command(
        *("report", "exceptions", "--data", data, "--link", "main", "--format", form),
        *("--from", days.day_of(json.loads(first)["at"]), "--to", days.day_of(now)),
        *("--printed-at", PRINTED, *options),
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def exceptions(data: Path, **cells: Any) -> list[Message]:  # noqa: ANN401 (any cell)
    rows: list[Message] = json.loads(reported(data))["rows"]
    return [each for each in rows if all(each[name] == cell for name, cell in cells.items())]


async def refuse(service: ServiceProcess, table: str, times: int) -> None:
    """Lock-outs with fewer lights than chips."""
    key = issue_key(service.data, table)
    async with TableClient.connect(service.url, table, key) as client:
        for _ in range(times):
            answer = await client.ask(lock(1, "r1", (1, 2, 3), chips_counted=2))
            assert answer["code"] == "CHIP_COUNT_MISMATCH"


async def test_refusals_of_a_killed_service_and_how_long_it_was_down(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        await refuse(service, "BJ-01", 3)
        await until_logged(data, "CHIP_COUNT_MISMATCH")
        service.kill()
    killed = json.loads(lines_of(data)[-1])["at"]
    # What a kill in the middle of a write would leave.
    (file,) = (data / "happenings").iterdir()
    with file.open("a") as torn:
        torn.write('{"at":"2026-11-18T09:')
    with ServiceProcess(data) as service:
        await refuse(service, "BJ-02", 1)
        assert service.terminate() == 0
    with ServiceProcess(data) as service:
        rows = exceptions(data)
        assert service.terminate() == 0

    refused = {each["object"]: each for each in rows if each["kind"] == "refused"}
    assert set(refused) == {"BJ-01", "BJ-02"}
    assert refused["BJ-01"]["code"] == "CHIP_COUNT_MISMATCH"
    assert 1 <= refused["BJ-01"]["times"] <= 3
    assert (refused["BJ-01"]["first_seq"], refused["BJ-01"]["severity"]) == (None, "notable")
    crash, stop = (each for each in rows if each["kind"] == "outage")
    assert (crash["at"], crash["severity"]) == (killed, "severe")
    assert crash["until"] > crash["at"]
    assert isinstance(crash["seconds"], int)
    assert (stop["severity"], stop["detail"]) == ("notable", "stopped")
    assert stop["at"] > crash["until"]
    problem = f"happenings/{file.name}: 1 line cannot be read."
    assert problem in json.loads(reported(data))["notes"]
    assert reported(data, form="csv") == reported(data, form="csv")


async def test_a_stale_sign_from_and_to(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{service.url}/v1/links/main/feed?sign={SIGN}") as feed,
        ):
            told = await feed.receive_json(timeout=ANSWER_SECONDS)
            # Pings are answered only by who reads.
            reading = asyncio.create_task(read_on(feed))
            for state, wanted in (("stale", "raised"), ("live", "ended")):
                waiting = asyncio.create_task(until_logged(data, "sign_stale", SIGN, wanted))
                while not waiting.done():
                    # As often as a sign does: one that floods is sent away.
                    await say(feed, told, state)
                    await asyncio.wait([waiting], timeout=1.0)
                await waiting
        await reading
        assert service.terminate() == 0
    (stale,) = exceptions(data, kind="sign stale", object=SIGN)
    assert stale["until"] > stale["at"]
    assert stale["seconds"] >= 0
    assert stale["detail"] == "says itself that it is stale"
    assert (stale["first_seq"], stale["last_seq"]) == (None, None)


async def read_on(feed: aiohttp.ClientWebSocketResponse) -> None:
    async for _ in feed:
        pass


async def say(feed: aiohttp.ClientWebSocketResponse, told: Message, state: str) -> None:
    meters = [{"id": meter["id"], "cents": meter["cents"]} for meter in told["meters"]]
    await feed.send_json(
        {
            "type": "showing",
            "seq": told["seq"],
            "epoch": told["epoch"],
            "state": state,
            "meters": meters,
        }
    )


async def test_what_people_were_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await hire(data)
    with ServiceProcess(data) as service:
        async with aiohttp.ClientSession(service.url) as session:
            credentials = {"user": SUE.name, "password": PASSWORD}
            async with session.post("/v1/sessions", json=credentials) as response:
                token = (await response.json())["token"]
            headers = {"Authorization": f"Bearer {token}"}
            for _ in range(2):
                async with session.get("/v1/users", headers=headers) as response:
                    assert response.status == 403
        await until_logged(data, "act_refused", "WRONG_ROLE")
        assert service.terminate() == 0
        again = exceptions(data, kind="act refused")
    (row,) = again
    assert (row["who"], row["code"], row["times"]) == (SUE.name, "WRONG_ROLE", 2)
    # A start reads the act log again, and notes nothing twice.
    with ServiceProcess(data) as service:
        assert service.terminate() == 0
    assert exceptions(data, kind="act refused") == again


async def test_a_full_disk_holds_no_table_up_and_the_link_is_out_from_and_to(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert (await table.ask(lock(1, "r1")))["type"] == "locked"
            resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
            await table.ws.send_json(settle(2, "r1"))
            await until_state(service.url, "inoperable")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            for seq in range(1, 100):
                # No line can be written; every message has its answer.
                answer = await table.ask(lock(seq + 100, "r9"))
                while answer["type"] == "state":
                    # The reason has changed meanwhile: tables are told.
                    answer = await table.receive()
                assert answer["code"] == "LINK_INOPERABLE"
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(service.pid, resource.RLIMIT_FSIZE, unlimited)
        await until_state(service.url, "live")
        await until_logged(data, "link_inoperable", "ended")
        assert service.terminate() == 0
    rows = exceptions(data, kind="link inoperable")
    assert {(each["object"], each["severity"]) for each in rows} == {("main", "severe")}
    # One after another, where the reason changed meanwhile.
    assert all(each["until"] >= each["at"] and "journal" in each["detail"] for each in rows)
    assert rows[-1]["until"] > rows[0]["at"]


async def until_state(url: str, state: str) -> None:
    async with asyncio.timeout(60), aiohttp.ClientSession() as session:
        while True:
            async with session.get(f"{url}/v1/links") as response:
                (link,) = (await response.json())["links"]
            if link["state"] == state:
                return
            await asyncio.sleep(0.02)


async def test_a_backup_holds_it_and_a_restore_brings_it_back(tmp_path: Path) -> None:
    data, place, restored = (tmp_path / name for name in ("data", "backups", "restored"))
    with ServiceProcess(data) as service:
        await refuse(service, "BJ-01", 1)
        await until_logged(data, "CHIP_COUNT_MISMATCH")
        # Beside the running service.
        done = run_command("backup", "--data", data, "--to", place)
        assert (done.returncode, done.stderr.count("happenings")) == (0, 0), done.stderr
        assert service.terminate() == 0
    done = run_command("restore", "--from", place, "--data", restored)
    assert done.returncode == 0, done.stderr
    assert lines_of(restored) == lines_of(data)[: len(lines_of(restored))]
    assert exceptions(restored, kind="refused")
    # Put back over what is there: that is moved aside whole.
    assert run_command("backup", "--data", data, "--to", place).returncode == 0
    before = lines_of(data)
    FileHappenings(data).append([HappeningLine(at=json.loads(before[-1])["at"], what="alive")])
    done = run_command("restore", "--from", place, "--data", data)
    assert done.returncode == 0, done.stderr
    assert lines_of(data) == before
    (aside,) = data.glob("before-restore-*")
    assert lines_of(aside)[:-1] == before
    assert run_command("verify", "--data", data).returncode == 0
