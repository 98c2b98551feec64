"""A supervisor who was signed in on the node that died goes on working on the other one."""

import asyncio
import contextlib
import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from click.testing import CliRunner, Result

from progressive.entry.cli import main
from tests.support.redis_server import RedisProcess, own_place
from tests.support.service import ServiceProcess, TableClient, lock, run_command, settle

pytestmark = [pytest.mark.redis, pytest.mark.slow]

TABLE = "BJ-01"
PASSWORD = "a password for tests"
DIAMONDS = ["7d", "7d", "7d"]
WAIT_SECONDS = 60

Answer = tuple[int, Any]


class House:
    """Two nodes that share everything but their disks."""

    def __init__(self, folder: Path) -> None:
        place = own_place()
        self.store = f"{place.url}?prefix={place.prefix}"
        self.data = [folder / "one", folder / "two"]

    def start(self, number: int) -> ServiceProcess:
        return ServiceProcess(self.data[number], "--store", self.store)

    def run(self, number: int, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401
        """A command on a node that exits well."""
        done = run_command(*words, "--data", self.data[number], "--store", self.store, **options)
        assert done.returncode == 0, done.stderr
        return done

    def hire(self, number: int, name: str, role: str) -> None:
        words = ("user", "add", name, "--role", role, "--department", "Table games")
        self.run(number, *words, input=f"{PASSWORD}\n")

    def alone(self, number: int, *words: str) -> Result:
        """A command that does not name the log."""
        return CliRunner().invoke(main, [*words, "--data", str(self.data[number])])


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def asked(method: str, url: str, body: Any = None, **headers: str) -> Answer:  # noqa: ANN401
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, url, json=body, headers=sent) as answer,
    ):
        if answer.content_type == "application/json":
            return answer.status, await answer.json()
        return answer.status, await answer.text()


async def log_in(url: str, name: str) -> str:
    status, answer = await asked("POST", f"{url}/v1/sessions", {"user": name, "password": PASSWORD})
    assert status == 200, answer
    token: str = answer["token"]
    return token


async def until_it_leads(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while (await asked("GET", f"{url}/readyz"))[0] != 200:
            await asyncio.sleep(0.02)


async def two_awards(url: str, key: str) -> list[str]:
    """Seats 2 and 5 hold three sevens of diamonds."""
    seats = [{"seat": seat, "cards": DIAMONDS} for seat in (2, 5)]
    async with TableClient.connect(url, TABLE, key) as client:
        await client.ask(lock(1, "r1", seats=(2, 5)))
        settled = await client.ask(
            settle(2, "r1", dealer={"cards": ["9c"]}, seats=seats, complete=True)
        )
    return [award["award"] for award in settled["awards"]]


async def test_session_key_and_answers_of_the_dead_leader_hold_on_the_standby(
    house: House,
) -> None:
    key = house.run(0, "key", TABLE).stdout.strip()
    house.hire(0, "Ann", "supervisor")
    with house.start(0) as leader, house.start(1) as standby:
        # Hired at the other node, while both run.
        house.hire(1, "Eve", "admin")
        token = await log_in(leader.url, "Ann")
        bearer = {"Authorization": f"Bearer {token}"}
        first, second = await two_awards(leader.url, key)
        path = f"/v1/awards/{first}/validate"
        validated = await asked(
            "POST", leader.url + path, {}, **bearer, Idempotency_Key="first-of-Ann"
        )
        assert validated[0] == 200, validated
        leader.kill()
        await until_it_leads(standby.url)
        # The key was issued on the other node, and the table comes here.
        async with TableClient.connect(standby.url, TABLE, key) as client:
            assert client.welcome["next_seq"] == 3
        # Asked again, it is answered as it was; another request under its key is refused.
        again = await asked(
            "POST", standby.url + path, {}, **bearer, Idempotency_Key="first-of-Ann"
        )
        assert again == validated
        path = f"/v1/awards/{second}/validate"
        status, answer = await asked(
            "POST", standby.url + path, {}, **bearer, Idempotency_Key="first-of-Ann"
        )
        assert (status, answer["error"]["code"]) == (409, "KEY_REUSED")
        status, answer = await asked("POST", standby.url + path, {}, **bearer)
        assert (status, answer["award"]["status"]) == (200, "validated")
        with house.start(0) as returned:
            assert (await asked("GET", f"{returned.url}/v1/sessions/me", **bearer))[0] == 200
            assert (await asked("DELETE", f"{standby.url}/v1/sessions", **bearer))[0] == 204
            async with asyncio.timeout(WAIT_SECONDS):
                while (await asked("GET", f"{returned.url}/v1/sessions/me", **bearer))[0] != 401:
                    await asyncio.sleep(0.02)
            assert (await log_in(returned.url, "Eve")).startswith("pss_")
            assert returned.terminate() == standby.terminate() == 0
    for data in house.data:
        verified = await asyncio.to_thread(run_command, "verify", "--data", data)
        assert verified.returncode == 0, verified.stdout + verified.stderr


def test_commands_that_do_not_name_the_log_are_refused_with_one_line(house: House) -> None:
    house.hire(0, "Ann", "supervisor")
    for words in (["user", "disable", "Ann"], ["user", "list"], ["key", TABLE]):
        refused = house.alone(0, *words)
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1
        assert "--store redis://" in refused.stderr
    listed = house.run(1, "user", "list", "--json")
    assert '"Ann"' in listed.stdout
    wrong = CliRunner().invoke(
        main, ["user", "list", "--data", str(house.data[0]), "--store", "sqlite"]
    )
    assert (wrong.exit_code, "not a Redis URL" in wrong.stderr) == (2, True)


def test_people_of_a_log_that_is_lost_become_one_node_s_and_are_shared_anew(
    house: House, tmp_path: Path
) -> None:
    house.hire(0, "Ann", "supervisor")
    assert house.alone(0, "user", "unshare").exit_code == 0
    not_shared = house.alone(0, "user", "unshare")
    assert (not_shared.exit_code, "not shared" in not_shared.stderr) == (2, True)
    assert '"Ann"' in house.alone(0, "user", "list", "--json").stdout
    # The log that is still there holds others; a new one begins with these.
    old = CliRunner().invoke(
        main, ["user", "list", "--data", str(house.data[0]), "--store", house.store]
    )
    assert (old.exit_code, "of its own" in old.stderr) == (1, True)
    new = House(tmp_path)
    assert '"Ann"' in new.run(0, "user", "list", "--json").stdout
    assert '"Ann"' in new.run(1, "user", "list", "--json").stdout


def test_restore_says_where_it_stands_and_enters_it_in_the_shared_act_log(
    house: House, tmp_path: Path
) -> None:
    house.run(0, "key", TABLE)
    house.hire(0, "Ann", "supervisor")
    with house.start(0) as service:
        assert service.terminate() == 0
    backups = tmp_path / "backups"
    made = house.alone(0, "backup", "--to", str(backups))
    assert made.exit_code == 0, made.stderr
    house.hire(0, "Bob", "finance")
    beside = house.alone(0, "restore", "--from", str(backups))
    assert (beside.exit_code, "restores.jsonl only" in beside.stderr) == (0, True), beside.stderr
    # The copy was older, and catches up.
    assert '"Bob"' in house.run(0, "user", "list", "--json").stdout
    house.run(1, "restore", "--from", str(backups))
    assert '"Bob"' in house.run(1, "user", "list", "--json").stdout
    with contextlib.closing(sqlite3.connect(house.data[1] / "people.sqlite3")) as db:
        (body,) = db.execute("SELECT body FROM act ORDER BY seq DESC LIMIT 1").fetchone()
    assert json.loads(body)["act"] == "restore"


async def test_while_the_server_hangs_no_session_is_taken_and_later_it_is(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    with RedisProcess(tmp_path / "redis") as server:
        house = House(tmp_path)
        house.store = server.url()
        house.hire(0, "Ann", "supervisor")
        with house.start(0) as node:
            bearer = {"Authorization": f"Bearer {await log_in(node.url, 'Ann')}"}
            me = f"{node.url}/v1/sessions/me"
            server.stop()
            # What was read just now counts for a moment.
            async with asyncio.timeout(WAIT_SECONDS):
                while (await asked("GET", me, **bearer))[0] == 200:
                    pass
            answers = await asyncio.gather(*[asked("GET", me, **bearer) for _ in range(20)])
            assert {(status, said["error"]["code"]) for status, said in answers} == {
                (503, "UNAVAILABLE")
            }
            assert (await asked("GET", f"{node.url}/v1/links"))[0] == 200
            server.go_on()
            async with asyncio.timeout(WAIT_SECONDS):
                while (await asked("GET", me, **bearer))[0] != 200:
                    await asyncio.sleep(0.02)
