"""The clock is set: times, approvals and sessions do not go back with it."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from progressive.adapters.config.floor import load_floor
from progressive.entry.bootstrap import running
from tests.support.cage import ANN, CARA, FRED, Cage, staffed
from tests.support.service import FLOOR, TableClient, issue_key, lock, run_command, settle
from tests.support.set_clock import SetClock

pytestmark = pytest.mark.slow

DAY_SECONDS = 24 * 3600


@asynccontextmanager
async def served(data: Path, clock: SetClock, floor: Path = FLOOR) -> AsyncIterator[Any]:
    rules = load_floor(floor).rules
    async with running(rules, data=data, host="127.0.0.1", port=0, clock=clock) as service:
        yield service


def records(data: Path) -> list[dict[str, Any]]:
    with sqlite3.connect(data / "journal.sqlite3") as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq")]
    db.close()
    return [json.loads(line) for body in bodies for line in body.splitlines()]


async def play(url: str, data: Path) -> None:
    async with TableClient.connect(url, "BJ-01", issue_key(data, "BJ-01")) as client:
        seq = client.welcome["next_seq"]
        await client.ask(lock(seq, f"r{seq}"))
        await client.ask(settle(seq + 1, f"r{seq}"))


def never_back(stored: list[dict[str, Any]]) -> bool:
    times = [record["at"] for record in stored]
    return times == sorted(times)


async def test_clock_set_back_under_the_service_is_recorded_and_an_alarm(tmp_path: Path) -> None:
    data, clock = tmp_path / "data", SetClock()
    async with served(data, clock) as service:
        await play(service.url, data)
        clock.offset_seconds = -60 * 365 * DAY_SECONDS
        await service.floor.upkeep.clock_watch.look()
        await play(service.url, data)
        await service.floor._pit.floor.look()
        alarms = list(service.floor._pit.floor.book.alarms.values())
        assert [(each.kind, each.over) for each in alarms if each.kind == "clock"] == [
            ("clock", False)
        ]
        assert "set back" in next(each.message for each in alarms if each.kind == "clock")
        clock.offset_seconds = 0
        await service.floor._pit.floor.look()
        alarms = list(service.floor._pit.floor.book.alarms.values())
        assert [each.over for each in alarms if each.kind == "clock"] == [True]
    stored = records(data)
    assert never_back(stored)
    (step,) = [each["event"] for each in stored if each["event"]["type"] == "clock_stepped"]
    assert step["clock_at"].startswith("19")
    assert step["expected_at"].startswith("20")
    verified = run_command("verify", "--data", data)
    assert verified.returncode == 0, verified.stdout
    assert "went back" not in verified.stdout
    assert "warning: the clock was set 1 time; at the last it said 19" in verified.stdout


async def test_clock_set_forward_is_recorded_and_slewing_is_not(tmp_path: Path) -> None:
    data, clock = tmp_path / "data", SetClock()
    async with served(data, clock) as service:
        watch = service.floor.upkeep.clock_watch
        for _ in range(50):
            # A time server that pulls the clock by a second each look: far more than one may.
            clock.offset_seconds += 1
            await watch.look()
        assert watch.last_step is None
        clock.offset_seconds += 3600
        await watch.look()
        assert watch.last_step is not None
        await service.floor._pit.floor.look()
        kinds = {each.kind: each for each in service.floor._pit.floor.book.alarms.values()}
        assert "set forward" in kinds["clock"].message
    assert [each["event"]["type"] for each in records(data)].count("clock_stepped") == 1
    assert run_command("verify", "--data", data).returncode == 0


async def test_start_with_the_clock_set_back_goes_on_from_the_last_record(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with served(data, SetClock()) as service:
        await play(service.url, data)
    async with served(data, SetClock(offset_seconds=-400 * DAY_SECONDS)) as service:
        await play(service.url, data)
    stored = records(data)
    assert never_back(stored)
    assert [each["event"]["type"] for each in stored].count("clock_stepped") == 1
    assert run_command("verify", "--data", data).returncode == 0


async def test_approvals_by_date_stay_when_the_clock_is_set_before_their_day(
    tmp_path: Path,
) -> None:
    data, floor = tmp_path / "data", tmp_path / "floor.toml"
    text = FLOOR.read_text()
    start = text.index("[[payment_approval]]")
    begins = text.index("from = ", start)
    ends = text.index("\n", begins)
    floor.write_text(text[:begins] + 'from = "2026-06-01"' + text[ends:])
    tokens = await staffed(data)
    clock = SetClock()
    clock.set_to("2026-06-02T12:00:00.000000Z")
    async with served(data, clock, floor) as service:
        await play(service.url, data)
        clock.set_to("2026-05-01T12:00:00.000000Z")
        award = await win(service.url, data, "r9")
        assert award["approvers"] > 0
    clock = SetClock()
    clock.set_to("2026-05-01T12:00:00.000000Z")
    async with served(data, clock, floor) as service:
        award = await win(service.url, data, "r10")
        assert award["approvers"] > 0
        async with Cage.at(service.url, tokens) as cage:
            await cage.done(ANN, f"/v1/awards/{award['award']}/validate")
            status, answer = await cage.asks(CARA, "POST", f"/v1/awards/{award['award']}/pay", {})
            assert (status, answer["error"]["code"]) == (409, "NEEDS_APPROVAL")


async def win(url: str, data: Path, round_id: str) -> dict[str, Any]:
    """The Mega is won; the award as its journal holds it."""
    async with TableClient.connect(url, "BJ-01", issue_key(data, "BJ-01")) as client:
        seq = client.welcome["next_seq"]
        await client.ask(lock(seq, round_id))
        seats = [{"seat": 1, "cards": ["7d", "7d", "7d"]}]
        answer = await client.ask(settle(seq + 1, round_id, dealer={"cards": ["9s"]}, seats=seats))
        assert answer["type"] == "settled", answer
    found: dict[str, Any] = records(data)[-1]["event"]["awards"][0]
    return found


async def test_session_that_time_has_ended_stays_ended(tmp_path: Path) -> None:
    data, clock = tmp_path / "data", SetClock()
    tokens = await staffed(data)
    path = "/v1/awards"
    async with served(data, clock) as service, Cage.at(service.url, tokens) as cage:
        assert (await cage.asks(FRED, "GET", path))[0] == 200
        clock.offset_seconds = 3600
        status, answer = await cage.asks(FRED, "GET", path)
        assert (status, answer["error"]["code"]) == (401, "SESSION_EXPIRED")
        clock.offset_seconds = 0
        status, answer = await cage.asks(FRED, "GET", path)
        assert (status, answer["error"]["code"]) == (401, "SESSION_EXPIRED")
    async with (
        served(data, SetClock(offset_seconds=-600)) as service,
        Cage.at(service.url, tokens) as cage,
    ):
        for who in (FRED, ANN):
            status, answer = await cage.asks(who, "GET", path)
            assert (status, answer["error"]["code"]) == (401, "SESSION_EXPIRED")
