"""The pit socket of the real service: who may look, what they see, what is kept."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.domain.people.roles import Person
from tests.support.evening import MEGA, Pit
from tests.support.people import PASSWORD
from tests.support.screens import ANN, BOB, DAN, EVE, JOE, SUE, hire
from tests.support.service import ANSWER_SECONDS, Message, ServiceProcess, run_command

pytestmark = pytest.mark.slow


class Console:
    """A console as a stranger would write one from the protocol."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.board: dict[str, dict[str, Message]] = {}
        self.acts: list[Message] = []

    async def receive(self) -> Message:
        frame = await self.ws.receive(timeout=ANSWER_SECONDS)
        assert frame.type is aiohttp.WSMsgType.TEXT, (frame.type, self.ws.close_code)
        message: Message = json.loads(frame.data)
        self._take(message)
        return message

    def _take(self, message: Message) -> None:
        names = {"awards": "award", "alarms": "alarm"}
        for section in ("links", "tables", "signs", "awards", "alarms"):
            rows = {row[names.get(section, "id")]: row for row in message.get(section, [])}
            if message["type"] == "snapshot":
                self.board[section] = rows
            else:
                self.board[section] |= rows
        for section, gone in message.get("gone", {}).items():
            for name in gone:
                del self.board[section][name]
        self.acts += message.get("acts", [])

    async def until(self, seen: Callable[["Console"], object]) -> None:
        """Read on until it is so."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while not seen(self):
                await self.receive()


class Desk:
    """A person with a token."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self._session = session
        self.headers = {"Authorization": f"Bearer {token}"}

    async def post(self, path: str, body: Message | None = None) -> tuple[int, Message]:
        async with self._session.post(path, headers=self.headers, json=body or {}) as response:
            return response.status, await response.json()

    @contextlib.asynccontextmanager
    async def console(self) -> AsyncIterator[Console]:
        async with self._session.ws_connect("/v1/pit/socket", headers=self.headers) as ws:
            console = Console(ws)
            assert (await console.receive())["type"] == "snapshot"
            yield console

    async def refused(self) -> int | None:
        """The code that the socket is closed with at once."""
        async with self._session.ws_connect("/v1/pit/socket", headers=self.headers) as ws:
            message = await ws.receive(timeout=ANSWER_SECONDS)
            assert message.type is aiohttp.WSMsgType.CLOSE
            return ws.close_code


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[ServiceProcess]:
    data = tmp_path / "data"
    await hire(data)
    with ServiceProcess(data) as running:
        yield running


@pytest.fixture
async def http(service: ServiceProcess) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(service.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield session


async def log_in(http: aiohttp.ClientSession, person: Person) -> Desk:
    credentials = {"user": person.name, "password": PASSWORD}
    async with http.post("/v1/sessions", json=credentials) as response:
        return Desk(http, (await response.json())["token"])


async def test_a_console_sees_the_whole_floor_at_once(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann = await log_in(http, ANN)
    async with ann.console() as console:
        board = console.board
        assert board["links"]["main"]["state"] == "live"
        assert [meter["id"] for meter in board["links"]["main"]["meters"]] == [
            *("mega", "major", "minor")
        ]
        assert len(board["tables"]) == 12
        assert board["tables"]["BJ-01"] == {
            "id": "BJ-01",
            "link": "main",
            "state": "idle",
            "round": None,
            "dealer": None,
            "connected": False,
            "last_at": None,
            "void_needs_supervisor": False,
        }
        assert board["signs"]["entrance"]["state"] == "unseen"
        assert board["awards"] == board["alarms"] == {}


async def test_a_console_follows_table_sign_dealer_and_award(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann, dan = await log_in(http, ANN), await log_in(http, DAN)
    async with ann.console() as console, Pit.open(service) as pit:
        table = lambda seen: seen.board["tables"]["BJ-01"]  # noqa: E731
        await console.until(lambda seen: table(seen)["connected"])
        await dan.post("/v1/tables/BJ-01/dealer")
        name = await pit.lock((5, 3))
        await console.until(lambda seen: table(seen)["round"] == name)
        assert (table(console)["state"], table(console)["dealer"]) == ("locked", "Dan")
        await console.until(lambda seen: table(seen)["last_at"])

        made = await pit.settle(name, {5: MEGA, 3: MEGA})

        await console.until(lambda seen: len(seen.board["awards"]) == 2)
        shown = console.board["awards"][made[0]["award"]]
        assert (shown["status"], shown["seat"], shown["dealt_by"]["name"]) == ("pending", 5, "Dan")
        assert shown["amount_cents"] == made[0]["amount_cents"]
        async with http.ws_connect("/v1/links/main/feed?sign=entrance"):
            await console.until(lambda seen: seen.board["signs"]["entrance"]["connected"])


async def test_an_act_of_one_person_is_on_the_console_of_another(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann, sue, joe = [await log_in(http, person) for person in (ANN, SUE, JOE)]
    async with Pit.open(service) as pit:
        (made,) = await pit.play({5: MEGA})
    award = made["award"]
    async with ann.console() as console, joe.console() as watcher:
        await sue.post(f"/v1/awards/{award}/validate")

        await console.until(lambda seen: seen.board["awards"][award]["status"] == "validated")
        await console.until(lambda seen: seen.acts)
        assert [act["act"] for act in console.acts] == ["validate_award"]
        assert "where" not in console.acts[0]
        await watcher.until(lambda seen: seen.acts[-1]["act"] == "validate_award")
        assert watcher.acts[-1]["where"] == "127.0.0.1"
        assert "log_in" in {act["act"] for act in watcher.acts}


@pytest.mark.parametrize(("person", "code"), [(DAN, 4403), (None, 4401)])
async def test_who_may_not_look_is_sent_away(
    http: aiohttp.ClientSession, person: Person | None, code: int
) -> None:
    desk = Desk(http, "nothing") if person is None else await log_in(http, person)
    assert await desk.refused() == code


@pytest.mark.parametrize("person", [ANN, BOB, EVE, JOE])
async def test_who_may_see_awards_may_look(http: aiohttp.ClientSession, person: Person) -> None:
    async with (await log_in(http, person)).console() as console:
        assert console.board["links"]


async def test_a_page_of_another_site_gets_no_socket(http: aiohttp.ClientSession) -> None:
    ann = await log_in(http, ANN)
    ann.headers["Origin"] = "https://evil.example"
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await ann.refused()
    assert refused.value.status == 403


@pytest.mark.parametrize("said", ['{"type":"showing"}', "{", '{"type":"here","more":1}', "[]"])
async def test_a_console_says_here_and_nothing_else(http: aiohttp.ClientSession, said: str) -> None:
    async with (await log_in(http, ANN)).console() as console:
        await console.ws.send_str('{"type":"here"}')
        await console.ws.send_str(said)
        async with asyncio.timeout(ANSWER_SECONDS):
            async for _ in console.ws:
                pass
        assert console.ws.close_code == 4400


async def test_being_there_keeps_the_session_in_use_and_its_end_ends_the_socket(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann = await log_in(http, ANN)
    async with ann.console() as console:
        run_command("user", "disable", "Ann", "--data", service.data)
        await console.ws.send_str('{"type":"here"}')
        async with asyncio.timeout(ANSWER_SECONDS):
            async for _ in console.ws:
                pass
        assert console.ws.close_code == 4401


async def test_an_open_console_alone_lets_the_session_fall_idle(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann = await log_in(http, ANN)
    async with ann.console() as console:
        with contextlib.closing(sqlite3.connect(service.data / FILE_NAME)) as db, db:
            db.execute("UPDATE session SET used_at = '2020-01-01T00:00:00.000000Z'")
        async with asyncio.timeout(2 * ANSWER_SECONDS):
            async for _ in console.ws:
                pass
        assert console.ws.close_code == 4401


# --- alarms -------------------------------------------------------------------------------------


def alarms_of(console: Console, kind: str) -> list[Message]:
    return [alarm for alarm in console.board["alarms"].values() if alarm["kind"] == kind]


async def test_a_table_that_vanishes_in_a_round_is_an_alarm_until_seen_to(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann = await log_in(http, ANN)
    async with ann.console() as console:
        async with Pit.open(service) as pit:
            await console.until(lambda seen: seen.board["tables"]["BJ-01"]["connected"])
            # Seen by the watch too, which looks once a second.
            await pit.lock()
            await console.until(lambda seen: seen.board["tables"]["BJ-01"]["last_at"])
        await console.until(lambda seen: alarms_of(seen, "table_lost"))
        (alarm,) = alarms_of(console, "table_lost")
        assert (alarm["subject"], alarm["link"], alarm["over"]) == ("BJ-01", "main", False)

        path = f"/v1/alarms/{alarm['alarm']}/acknowledge"
        assert (await ann.post(path, {"note": "cable"}))[0] == 200

        await console.until(lambda seen: alarms_of(seen, "table_lost")[0]["acknowledged_by"])
        async with Pit.open(service):
            await console.until(lambda seen: not alarms_of(seen, "table_lost"))
    service.terminate()
    told = run_command("verify", "--data", service.data)
    assert told.returncode == 0, told.stdout
    assert b"alarm_acknowledged" in journal(service.data)


def journal(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data.glob("*.sqlite3*"))


async def test_a_bad_claim_is_an_alarm_that_outlives_the_service(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    ann = await log_in(http, ANN)
    async with ann.console() as console, Pit.open(service) as pit:
        answer = await pit.claim({"type": "void", "round": "none", "reason": "misdeal"})
        assert answer["code"] == "NO_ROUND"
        await console.until(lambda seen: alarms_of(seen, "implausible_input"))
    service.kill()
    with ServiceProcess(service.data, port=service.port):
        async with ann.console() as console:
            await console.until(lambda seen: alarms_of(seen, "implausible_input"))
            (alarm,) = alarms_of(console, "implausible_input")
            path = f"/v1/alarms/{alarm['alarm']}/acknowledge"
            assert (await ann.post(path))[0] == 200
            await console.until(lambda seen: not alarms_of(seen, "implausible_input"))
            assert (await ann.post(path))[0] == 404


async def test_a_locked_account_is_an_alarm_for_the_act_log(
    service: ServiceProcess, http: aiohttp.ClientSession
) -> None:
    eve = await log_in(http, EVE)
    for _ in range(5):
        wrong = {"user": "Dan", "password": "not the password"}
        async with http.post("/v1/sessions", json=wrong) as response:
            assert response.status == 401
    async with eve.console() as console:
        await console.until(lambda seen: alarms_of(seen, "log_in_locked"))
        (alarm,) = alarms_of(console, "log_in_locked")
        assert (alarm["subject"], alarm["link"]) == ("Dan", None)
        assert (await eve.post("/v1/users/Dan/unlock"))[0] == 200
        path = f"/v1/alarms/{alarm['alarm']}/acknowledge"
        assert (await eve.post(path, {"note": "forgot it"}))[0] == 200
        await console.until(lambda seen: seen.acts and seen.acts[-1]["act"] == "acknowledge_alarm")
        assert console.acts[-1]["details"] == {"alarm": alarm["alarm"], "note": "forgot it"}


async def test_a_low_disk_is_an_alarm(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await hire(data)
    # More than any disk has.
    with ServiceProcess(data, "--disk-low", str(2**40)) as service:
        async with (
            aiohttp.ClientSession(service.url) as http,
            (await log_in(http, ANN)).console() as console,
        ):
            await console.until(lambda seen: alarms_of(seen, "disk_low"))


@pytest.mark.parametrize(("person", "status"), [(BOB, 403), (JOE, 403), (DAN, 403), (EVE, 404)])
async def test_who_may_acknowledge(
    http: aiohttp.ClientSession, person: Person, status: int
) -> None:
    desk = await log_in(http, person)
    assert (await desk.post("/v1/alarms/table_lost.BJ-01.1/acknowledge"))[0] == status


async def test_standing_alarms_are_listed(http: aiohttp.ClientSession) -> None:
    joe = await log_in(http, JOE)
    async with http.get("/v1/alarms", headers=joe.headers) as response:
        body: Any = await response.json()
    assert (response.status, body) == (200, {"alarms": []})
