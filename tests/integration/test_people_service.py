"""People and the running service: the same file from two processes, restarts, kills, faults."""

import asyncio
import contextlib
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.entry.http.security_headers import CONTENT_SECURITY_POLICY
from tests.support.people import PASSWORD
from tests.support.service import (
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    run_command,
)

Answer = tuple[int, dict[str, Any]]


def add(data: Path, name: str, role: str, department: str = "Table games") -> str:
    """What it said on standard error."""
    added = run_command(
        *("user", "add", name, "--role", role, "--department", department, "--data", data),
        input=f"{PASSWORD}\n",
    )
    assert added.returncode == 0, added.stderr
    return added.stderr


@contextlib.asynccontextmanager
async def a_client(service: ServiceProcess) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(service.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield session


async def log_in(session: aiohttp.ClientSession, name: str, password: str = PASSWORD) -> Answer:
    credentials = {"user": name, "password": password}
    async with session.post("/v1/sessions", json=credentials) as response:
        return response.status, await response.json()


async def ask(session: aiohttp.ClientSession, path: str, token: str) -> Answer:
    headers = {"Authorization": f"Bearer {token}"}
    async with session.get(path, headers=headers) as response:
        return response.status, await response.json()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.mark.slow
async def test_a_running_service_sees_what_the_command_line_does(data: Path) -> None:
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            assert (await log_in(session, "Ann"))[0] == 401
            await asyncio.to_thread(add, data, "Ann", "auditor")
            status, opened = await log_in(session, "Ann")
            assert status == 200
            status, told = await ask(session, "/v1/acts", opened["token"])
            assert status == 200
            assert [(act["act"], act["outcome"]) for act in told["acts"]] == [
                ("log_in", "refused"),
                ("manage_users", "done"),
                ("log_in", "done"),
            ]
            await asyncio.to_thread(run_command, "user", "disable", "Ann", "--data", data)
            assert (await ask(session, "/v1/acts", opened["token"]))[0] == 401
            assert (await log_in(session, "Ann"))[0] == 401
    assert run_command("verify", "--data", data).returncode == 0


@pytest.mark.slow
async def test_a_new_role_and_a_removal_count_with_the_next_request(data: Path) -> None:
    add(data, "Eve", "admin", "IT")
    add(data, "Ann", "auditor")
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            before = (await log_in(session, "Ann"))[1]["token"]
            assert (await ask(session, "/v1/acts", before))[0] == 200
            change = ("user", "role", "Ann", "--role", "dealer", "--data", data)
            assert (await asyncio.to_thread(run_command, *change)).returncode == 0
            assert (await ask(session, "/v1/acts", before))[0] == 401
            after = (await log_in(session, "Ann"))[1]["token"]
            assert (await ask(session, "/v1/acts", after))[0] == 403
            remove = ("user", "remove", "Ann", "--data", data)
            assert (await asyncio.to_thread(run_command, *remove)).returncode == 0
            assert (await ask(session, "/v1/acts", after))[0] == 401
            assert (await log_in(session, "Ann"))[0] == 401
            eve = (await log_in(session, "Eve"))[1]["token"]
            acts = (await ask(session, "/v1/acts", eve))[1]["acts"]
            managed = [act["details"] for act in acts if act["act"] == "manage_users"]
            assert managed[-2:] == [
                {"what": "role", "name": "Ann", "role": "dealer"},
                {"what": "remove", "name": "Ann"},
            ]
    assert run_command("verify", "--data", data).returncode == 0


@pytest.mark.slow
async def test_the_command_line_and_the_service_write_at_the_same_time(data: Path) -> None:
    add(data, "Eve", "admin")
    with ServiceProcess(data) as service:
        async with a_client(service) as session:

            async def log_in_often() -> list[int]:
                return [(await log_in(session, "Eve"))[0] for _ in range(10)]

            adding = [
                asyncio.to_thread(add, data, f"person {number}", "dealer") for number in range(6)
            ]
            statuses, *_ = await asyncio.gather(log_in_often(), *adding)
            assert statuses == [200] * 10
    listed = run_command("user", "list", "--json", "--data", data)
    assert len(json.loads(listed.stdout)) == 7
    told = run_command("verify", "--data", data)
    assert (told.returncode, told.stdout.splitlines()[-1]) == (0, "act log: 17 records, chain ok")


@pytest.mark.slow
async def test_a_lock_and_a_session_outlive_the_service(data: Path) -> None:
    add(data, "Ann", "supervisor")
    add(data, "Bob", "finance")
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            token = (await log_in(session, "Bob"))[1]["token"]
            for _ in range(5):
                assert (await log_in(session, "Ann", "not the password"))[0] == 401
        service.kill()
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            assert (await log_in(session, "Ann"))[0] == 401
            assert (await ask(session, "/v1/sessions/me", token))[0] == 200
            unlocked = run_command("user", "password", "Ann", "--data", data, input=PASSWORD)
            assert unlocked.returncode == 0
            assert (await log_in(session, "Ann"))[0] == 200


def tries_begun(data: Path) -> int:
    """Of the one person there is: how many log-ins have been begun and not finished."""
    with contextlib.closing(sqlite3.connect(data / FILE_NAME)) as db:
        begun: int = db.execute("SELECT count(*) FROM log_in_lane").fetchone()[0]
    return begun


@pytest.mark.slow
@pytest.mark.parametrize("answered", [0, 1, 3])
async def test_a_kill_in_the_middle_of_a_log_in_breaks_nothing(data: Path, answered: int) -> None:
    """Whatever was answered still opens the door; whatever was not leaves no half."""
    add(data, "Ann", "supervisor")
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            tokens = [(await log_in(session, "Ann"))[1]["token"] for _ in range(answered)]
            last = asyncio.create_task(log_in(session, "Ann"))
            while not await asyncio.to_thread(tries_begun, data):
                await asyncio.sleep(0)
            service.kill()
            await asyncio.gather(last, return_exceptions=True)
    told = run_command("verify", "--data", data)
    assert told.returncode == 0
    assert "chain ok" in told.stdout.splitlines()[-1]
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            for token in tokens:
                assert (await ask(session, "/v1/sessions/me", token))[0] == 200
            assert (await log_in(session, "Ann"))[0] == 200


@pytest.mark.slow
async def test_tables_play_on_while_the_people_file_is_broken(tmp_path: Path) -> None:
    data = tmp_path
    (data / FILE_NAME).write_bytes(os.urandom(4096))
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            status, body = await log_in(session, "Ann")
            assert (status, body["error"]["code"]) == (503, "UNAVAILABLE")
        key = issue_key(data, "BJ-01")
        async with TableClient.connect(service.url, "BJ-01", key) as table:
            assert (await table.ask(lock(1, "r1")))["type"] == "locked"


@pytest.mark.parametrize(
    "path",
    ["/healthz", "/v1/links", "/v1/acts", "/metrics", "/sign/pit", "/assets/sign.js", "/nothing"],
)
async def test_every_answer_carries_the_security_headers(
    service: ServiceProcess, path: str
) -> None:
    async with a_client(service) as session, session.get(path) as response:
        headers = response.headers
    policy = headers["Content-Security-Policy"]
    assert policy == CONTENT_SECURITY_POLICY or "form-action 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Strict-Transport-Security" not in headers
    if path.startswith("/v1/"):
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/v1/tables/BJ-01/socket", "/v1/links/main/feed"])
@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("null", 403), ("{own}", 101), (None, 101)],
)
async def test_a_socket_is_not_opened_for_another_sites_page(
    service: ServiceProcess, path: str, origin: str | None, status: int
) -> None:
    key = issue_key(service.data, "BJ-01")
    headers = {"Authorization": f"Bearer {key}"}
    if origin is not None:
        headers["Origin"] = origin.format(own=service.url)
    async with a_client(service) as session:
        if status == 101:
            async with session.ws_connect(path, headers=headers) as ws:
                assert (await ws.receive_json(timeout=30))["type"] in ("welcome", "snapshot")
            return
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(path, headers=headers)
        assert refused.value.status == 403


async def test_refusals_and_log_ins_are_counted(service: ServiceProcess) -> None:
    async with a_client(service) as session:
        async with session.get("/v1/acts"):
            pass
        async with session.get("/metrics") as response:
            text = await response.text()
    assert "progressive_log_ins_total 0.0" in text
    assert 'progressive_door_refusals_total{code="NO_SESSION"}' in text
    assert "progressive_table_pauses_total 0.0" in text


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 (a generator)
    with ServiceProcess(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running


@pytest.mark.slow
async def test_one_person_at_the_machine_is_not_two_departments_unnoticed(data: Path) -> None:
    """What was possible: two accounts made at the shell, and one person signs for both."""
    add(data, "Eve", "admin", "IT")
    with ServiceProcess(data) as service:
        async with a_client(service) as session:
            eve = (await log_in(session, "Eve"))[1]["token"]
            made = add(data, "Mal", "finance", "Cage")
            assert "signs for nothing until an administrator confirms" in made
            token = (await log_in(session, "Mal"))[1]["token"]
            headers = {"Authorization": f"Bearer {token}"}
            path = "/v1/links/main/corrections"
            body = {"reason": "mine", "legs": [{"meter": "mega", "amount_cents": 1}]}
            async with session.post(path, json=body, headers=headers) as response:
                assert (await response.json())["error"]["code"] == "UNCONFIRMED"
            alarms: list[Any] = []
            while not alarms:
                alarms = (await ask(session, "/v1/alarms", eve))[1]["alarms"]
            (alarm,) = alarms
            assert (alarm["kind"], alarm["subject"]) == ("account_unconfirmed", "Mal")
            assert "finance, Cage: added at the machine (command line, " in alarm["message"]
            # A colleague's word, given at the machine with a password of their own.
            confirm = ("user", "confirm", "Mal", "--data", data, "--as", "Eve")
            wrong = run_command(*confirm, input="not the password")
            assert (wrong.returncode, "Eve cannot log in" in wrong.stderr) == (2, True)
            told = run_command(*confirm, input=PASSWORD)
            assert told.stdout == "Mal: confirmed by Eve\n"
            async with session.post(path, json=body, headers=headers) as response:
                assert response.status == 202
            while (await ask(session, "/v1/alarms", eve))[1]["alarms"]:
                pass
            # In an administrator's name no confirmation is needed.
            named = ("--role", "dealer", "--department", "Pit", "--data", data, "--as", "Eve")
            both = f"{PASSWORD}\nanother good password"
            told = run_command("user", "add", "Dan", *named, input=both)
            assert (told.stdout, told.stderr) == ("Dan: added as dealer, Pit\n", "")
            assert (await log_in(session, "Dan", "another good password"))[0] == 200
            # Nobody but an administrator lends a name.
            named = ("--role", "dealer", "--department", "Pit", "--data", data, "--as", "Mal")
            told = run_command("user", "add", "Dora", *named, input=both)
            assert (told.returncode, "Mal may not do this: WRONG_ROLE" in told.stderr) == (2, True)
    listed = json.loads(run_command("user", "list", "--json", "--data", data).stdout)
    assert {each["name"]: each["origin"] for each in listed} == {
        "Dan": "administrator",
        "Eve": "first",
        "Mal": "machine",
    }
