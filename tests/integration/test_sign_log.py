"""What the signs read, kept by the real service, over real sockets, through a kill."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.sqlite.sign_log_file import FILE_NAME
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.journal.ports import StoreError
from progressive.application.signs.reports import SignEntry, time_text
from tests.support.people import PASSWORD
from tests.support.screens import ANN, EVE, JOE, hire
from tests.support.service import (
    FLOOR,
    Message,
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
)

pytestmark = pytest.mark.slow
SIGN = "entrance"


def now() -> str:
    return datetime.now(UTC).isoformat()


@asynccontextmanager
async def a_sign(url: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/v1/links/main/feed?sign={SIGN}") as feed,
    ):
        yield feed


async def snapshot(feed: aiohttp.ClientWebSocketResponse) -> Message:
    message: Message = await feed.receive_json(timeout=30)
    assert message["type"] == "snapshot"
    return message


async def say(feed: aiohttp.ClientWebSocketResponse, told: Message, *, state: str = "live") -> None:
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


async def kept(data: Path, *, reports: int) -> list[SignEntry]:
    """The log, once so many reports of the sign are on the disk."""
    async with asyncio.timeout(30):
        while True:
            try:
                with open_sign_log(data) as log:
                    found = list(log.between(SIGN, from_ms=0, to_ms=2**60))
            except StoreError:
                found = []
            if sum(entry.kind == "showing" for entry in found) >= reports:
                return found
            await asyncio.sleep(0.05)


def told(data: Path, at: str, *options: str) -> tuple[int, Any]:
    done = run_command("sign-log", SIGN, "--at", at, "--data", data, "--json", *options)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


async def test_the_log_answers_what_was_read_after_a_kill_and_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with (
            a_sign(service.url) as feed,
            TableClient.connect(service.url, "BJ-01", key) as table,
        ):
            first = await snapshot(feed)
            await say(feed, first)
            (_, showing) = await kept(data, reports=1)
            read_first = time_text(showing.at_ms)
            await table.ask(lock(1, "r1", (1, 2)))
            ahead = now()
            await say(feed, first, state="ageing")
            # On the disk while the service runs, without any word to it.
            (connected, showing, _) = await kept(data, reports=2)
            assert (connected.kind, showing.kind) == ("connected", "showing")
            service.kill()

    code, glass = told(data, read_first)
    assert code == 0
    assert (glass["state"], glass["epoch"], glass["seq"]) == ("live", 1, first["seq"])
    assert [(m["id"], m["cents"], m["journal_cents"]) for m in glass["meters"]] == [
        ("mega", 10_000_000, 10_000_000),
        ("major", 1_500_000, 1_500_000),
        ("minor", 300_000, 300_000),
    ]
    assert (glass["journal"]["seq"], glass["ahead"]) == (1, None)

    code, glass = told(data, ahead)
    assert code == 0
    assert glass["meters"][0]["cents"] == 10_000_000
    assert glass["meters"][0]["journal_cents"] == 10_000_120
    assert (glass["journal"]["seq"], glass["ahead"]["seq"]) == (2, 2)

    with ServiceProcess(data) as service:
        async with a_sign(service.url) as feed:
            again = await snapshot(feed)
            assert again["epoch"] == 2
            await say(feed, again)
            found = await kept(data, reports=3)
            assert [entry.kind for entry in found] == [
                "connected",
                "showing",
                "showing",
                "cut",
                "connected",
                "showing",
            ]
        assert service.terminate() == 0

    # It was not there while the service was away, whatever came before and after.
    code, why = told(data, time_text(found[3].at_ms))
    assert code == 1
    assert "no report between" in why
    assert "it was not connected" in why
    with open_sign_log(data) as log:
        last = list(log.between(SIGN, from_ms=0, to_ms=2**60))[-1]
    assert last.kind == "gone"


async def test_the_log_for_people(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServiceProcess(data) as service:
        began = now()
        async with a_sign(service.url) as feed:
            first = await snapshot(feed)
            await say(feed, first)
            (_, showing) = await kept(data, reports=1)
            read = time_text(showing.at_ms)
        assert service.terminate() == 0
    local = datetime.fromisoformat(read).astimezone(datetime.now().astimezone().tzinfo)
    one = run_command("sign-log", SIGN, "--at", local.isoformat(), "--data", data)
    assert one.returncode == 0
    assert "Mega" in one.stdout
    assert " 100,000.00" in one.stdout
    assert "$" not in one.stdout, "neither journal nor sign log has a currency"
    in_dollars = run_command(
        *("sign-log", SIGN, "--at", local.isoformat(), "--data", data, "--floor", FLOOR)
    )
    assert "$100,000.00" in in_dollars.stdout
    assert "all that was durable: record 1" in one.stdout
    more = run_command("sign-log", SIGN, "--from", began, "--to", now(), "--data", data)
    assert more.returncode == 0
    assert [line.split()[3] for line in more.stdout.splitlines()] == ["connected", "live", "gone"]

    floors_own = ("--data", data, "--floor", FLOOR)
    bad = run_command("sign-log", SIGN, "--at", "2026-01-02T03:04:05", "--data", data)
    silent = run_command("sign-log", SIGN, "--at", "2026-01-02T03:04:05", *floors_own)
    unknown = run_command("sign-log", "nobody", "--at", read, *floors_own)
    missing = run_command("sign-log", SIGN, "--at", read, "--data", tmp_path)
    assert [each.returncode for each in (bad, silent, unknown, missing)] == [2, 1, 1, 2]
    assert "2026-01-02T08:04:05" not in silent.stderr
    assert "signs in the log: entrance" in unknown.stderr
    assert "there is no sign log" in missing.stderr


async def a_session(session: aiohttp.ClientSession, url: str, name: str) -> dict[str, str]:
    async with session.post(
        f"{url}/v1/sessions", json={"user": name, "password": PASSWORD}
    ) as answer:
        return {"Authorization": f"Bearer {(await answer.json())['token']}"}


async def test_the_log_over_http_is_for_those_who_look_into_disputes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await hire(data)
    with ServiceProcess(data) as service:
        log = f"{service.url}/v1/signs/{SIGN}/log"
        async with a_sign(service.url) as feed, aiohttp.ClientSession() as session:
            await say(feed, await snapshot(feed))
            await kept(data, reports=1)
            at = {"at": now()}
            joe = await a_session(session, service.url, JOE.name)
            async with session.get(log, params=at, headers=joe) as answer:
                assert answer.status == 200
                glass = await answer.json()
            assert glass["meters"][0]["cents"] == 10_000_000
            assert glass["ahead"] is None
            ann = await a_session(session, service.url, ANN.name)
            refusals = [
                (ann, at, 403, "WRONG_ROLE"),
                ({}, at, 401, "NO_SESSION"),
                (joe, {"at": "yesterday"}, 400, "BAD_TIME"),
                (joe, {"at": "2020-01-01T00:00:00Z"}, 404, "NO_REPORT"),
            ]
            for headers, query, status, code in refusals:
                async with session.get(log, params=query, headers=headers) as answer:
                    assert (answer.status, (await answer.json())["error"]["code"]) == (status, code)
            nobody = log.replace(SIGN, "nobody")
            async with session.get(nobody, params=at, headers=joe) as answer:
                assert (answer.status, (await answer.json())["error"]["code"]) == (
                    404,
                    "UNKNOWN_SIGN",
                )


async def test_a_log_that_cannot_be_written_is_an_alarm_and_nothing_else(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await hire(data)
    (data / FILE_NAME).mkdir()
    with ServiceProcess(data) as service:
        key = issue_key(data, "BJ-01")
        async with (
            a_sign(service.url) as feed,
            TableClient.connect(service.url, "BJ-01", key) as table,
            aiohttp.ClientSession() as session,
        ):
            await say(feed, await snapshot(feed))
            assert (await table.ask(lock(1, "r1")))["type"] == "locked"
            headers = await a_session(session, service.url, EVE.name)
            async with asyncio.timeout(30):
                while True:
                    async with session.get(f"{service.url}/v1/alarms", headers=headers) as answer:
                        alarms = (await answer.json())["alarms"]
                    if alarms:
                        break
                    await asyncio.sleep(0.05)
            assert [alarm["kind"] for alarm in alarms] == ["sign_log"]
            async with session.get(f"{service.url}/metrics") as answer:
                assert "progressive_sign_log_up 0.0" in await answer.text()
            async with session.get(f"{service.url}/readyz") as answer:
                assert answer.status == 200
        assert service.terminate() == 0
