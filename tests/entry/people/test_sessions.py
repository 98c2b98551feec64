"""Log in, log out, who am I, and the act log: over real HTTP, with a clock that is turned."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from progressive.application.people.tries import PLACE_TRIES, PLACE_TRY_SECONDS
from progressive.entry.people.sessions import (
    BAD_LOG_INS_A_MINUTE,
    BAD_LOG_INS_A_MINUTE_FOR_A_NAME,
    UNLOCKED_TRIES,
)
from tests.support.doors import STAFF, DoorDesk, Json, a_door, credentials
from tests.support.people import PASSWORD

DAN, ANN, SUE, BOB, EVE, JOE, CLEO = STAFF


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[DoorDesk]:
    async with a_door(tmp_path) as opened:
        yield opened


async def log_in(door: DoorDesk, name: str, password: str = PASSWORD) -> tuple[int, Json]:
    return await door.ask("POST", "/v1/sessions", json=credentials(name, password))


# --- logging in -------------------------------------------------------------------------------


async def test_a_log_in_answers_a_token_that_opens_the_door(door: DoorDesk) -> None:
    status, body = await log_in(door, "Ann")
    assert status == 200
    assert body["token"].startswith("pss_")
    assert (body["user"], body["role"], body["department"]) == ("Ann", "supervisor", "Table games")
    assert (await door.ask("GET", "/view/list_awards", token=body["token"]))[0] == 200


async def test_the_cookie_is_kept_from_scripts_and_other_sites(door: DoorDesk) -> None:
    _, body, response = await door.ask_fully("POST", "/v1/sessions", json=credentials("Ann"))
    cookie = response.cookies["progressive"]
    assert cookie.value == body["token"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    assert (cookie["secure"], cookie["domain"]) == ("", "")


async def test_where_tls_is_in_front_the_cookie_is_secure(tmp_path: Path) -> None:
    async with a_door(tmp_path, origins=["https://meters.example"]) as door:
        _, _, response = await door.ask_fully("POST", "/v1/sessions", json=credentials("Ann"))
        assert response.cookies["__Host-progressive"]["secure"] is True


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b'{"user":"Ann"}',
        b'{"user":"Ann","password":7}',
        b'{"user":"Ann","password":"x","admin":true}',
        b'{"user":"\xff","password":"x"}',
        b"[" * 50_000,
    ],
)
async def test_what_is_no_log_in_is_bad_input(door: DoorDesk, content: bytes) -> None:
    status, body = await door.ask("POST", "/v1/sessions", data=content)
    assert (status, body["error"]["code"]) == (400, "BAD_MESSAGE")


async def test_nobody_learns_why_a_log_in_failed(door: DoorDesk) -> None:
    await door.people.people.disable("Bob", where="command line")
    for _ in range(PLACE_TRIES):
        await log_in(door, "Sue", "not the password")
    answers = [
        await log_in(door, "Nobody"),
        await log_in(door, "Ann", "not the password"),
        await log_in(door, "Bob"),
        await log_in(door, "Sue"),
    ]
    assert {status for status, _ in answers} == {401}
    assert len({str(body) for _, body in answers}) == 1
    codes = [act["details"].get("code") for act in (await door.people.acts())[-4:]]
    assert codes == ["UNKNOWN_NAME", "WRONG_PASSWORD", "DISABLED", "LOCKED"]


async def test_tries_are_slowed_and_go_on_by_time(door: DoorDesk) -> None:
    for _ in range(PLACE_TRIES):
        assert (await log_in(door, "Ann", "not the password"))[0] == 401
    assert (await log_in(door, "Ann"))[0] == 401
    door.clock.advance(PLACE_TRY_SECONDS)
    assert (await log_in(door, "Ann"))[0] == 200


async def test_another_sites_page_logs_nobody_in(door: DoorDesk) -> None:
    status, body = await door.ask(
        "POST",
        "/v1/sessions",
        json=credentials("Ann"),
        headers={"Origin": "https://evil.example"},
    )
    assert (status, body["error"]["code"]) == (403, "CROSS_SITE")


# --- how often --------------------------------------------------------------------------------


async def test_an_address_has_so_many_bad_tries_a_minute(door: DoorDesk) -> None:
    tries = [await log_in(door, f"nobody-{number}") for number in range(BAD_LOG_INS_A_MINUTE + 1)]
    assert [status for status, _ in tries] == [401] * BAD_LOG_INS_A_MINUTE + [429]
    status, body, response = await door.ask_fully("POST", "/v1/sessions", json=credentials("Ann"))
    assert (status, body["error"]["code"]) == (429, "TOO_MANY_TRIES")
    assert response.headers["Retry-After"] == "60"
    last = await door.people.last_act()
    assert (last["act"], last["details"]["code"]) == ("log_in", "TOO_MANY_TRIES")
    door.clock.advance(60)
    assert (await log_in(door, "Ann"))[0] == 200


async def test_many_bad_tries_behind_her_proxy_keep_nobody_out_of_her_own_browser(
    door: DoorDesk,
) -> None:
    _, _, response = await door.ask_fully("POST", "/v1/sessions", json=credentials("Ann"))
    cookie = response.cookies["progressive-browser"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    for number in range(2 * BAD_LOG_INS_A_MINUTE):
        await log_in(door, "Ann" if number % 2 else "Sue", "guess")
    assert (await log_in(door, "Ann"))[0] == 429
    headers = {"Cookie": f"progressive-browser={cookie.value}"}
    status, _ = await door.ask("POST", "/v1/sessions", json=credentials("Ann"), headers=headers)
    assert status == 200
    # The cookie is hers, and opens nothing by itself.
    status, _ = await door.ask("POST", "/v1/sessions", json=credentials("Sue"), headers=headers)
    assert status == 429
    assert (await door.ask("GET", "/v1/sessions/me", headers=headers))[0] == 401


async def test_whom_a_colleague_unlocks_is_let_in_whatever_others_behind_the_proxy_do(
    door: DoorDesk,
) -> None:
    token = await door.token(ANN)
    for number in range(BAD_LOG_INS_A_MINUTE + 1):
        await log_in(door, f"nobody-{number}")
    for _ in range(BAD_LOG_INS_A_MINUTE_FOR_A_NAME + 1):
        assert (await log_in(door, "Bob"))[0] == 429
    assert (await door.ask("POST", "/v1/users/bob/unlock", token=token))[0] == 200
    assert (await log_in(door, "Sue"))[0] == 429
    # A slip of her own, and who else tries her name, are forgiven so many times.
    tries = [await log_in(door, "BOB", "guess") for _ in range(UNLOCKED_TRIES - 1)]
    assert [status for status, _ in tries] == [401] * len(tries)
    assert (await log_in(door, "Bob"))[0] == 200
    assert (await log_in(door, "Bob"))[0] == 429


async def test_a_name_has_so_many_bad_tries_a_minute_from_an_address(door: DoorDesk) -> None:
    statuses = [
        (await log_in(door, spelling))[0]
        for spelling in ("nobody", "NOBODY") * (BAD_LOG_INS_A_MINUTE_FOR_A_NAME // 2 + 1)
    ]
    assert statuses == [401] * BAD_LOG_INS_A_MINUTE_FOR_A_NAME + [429] * 2


async def test_a_whole_shift_logs_in_through_one_address(door: DoorDesk) -> None:
    for _ in range(BAD_LOG_INS_A_MINUTE + 5):
        assert (await log_in(door, "Ann"))[0] == 200


# --- being logged in --------------------------------------------------------------------------


async def test_one_can_ask_who_one_is_and_what_one_may_do(door: DoorDesk) -> None:
    status, body = await door.ask("GET", "/v1/sessions/me", token=await door.token(DAN))
    assert status == 200
    assert body["expires_at"] > door.clock.now()
    del body["expires_at"]
    assert body == {
        "user": "Dan",
        "role": "dealer",
        "department": "Table games",
        "may": ["sign_on_table"],
    }
    assert (await door.ask("GET", "/v1/sessions/me"))[0] == 401


async def test_logging_out_ends_the_session_and_takes_the_cookie_back(door: DoorDesk) -> None:
    token = await door.token(ANN)
    headers = {"Cookie": f"progressive={token}", "Origin": door.url}
    status, _, response = await door.ask_fully("DELETE", "/v1/sessions", headers=headers)
    assert status == 204
    assert response.cookies["progressive"].value == ""
    assert (await door.ask("GET", "/v1/sessions/me", token=token))[0] == 401
    codes = [(act["act"], act["outcome"]) for act in (await door.people.acts())[-2:]]
    assert codes == [("log_out", "done"), ("view_session", "refused")]


async def test_log_ins_at_once_all_get_in(door: DoorDesk) -> None:
    answers = await asyncio.gather(*[log_in(door, person.name) for person in STAFF * 3])
    assert {status for status, _ in answers} == {200}
    assert len({body["token"] for _, body in answers}) == 3 * len(STAFF)


# --- the act log ------------------------------------------------------------------------------


async def acts(door: DoorDesk, query: str = "") -> list[dict[str, Any]]:
    status, body = await door.ask("GET", f"/v1/acts{query}", token=await door.token(JOE))
    assert status == 200, body
    found: list[dict[str, Any]] = body["acts"]
    return found


async def test_an_auditor_reads_the_act_log_page_by_page(door: DoorDesk) -> None:
    first = await acts(door, "?limit=4")
    assert [act["seq"] for act in first] == [1, 2, 3, 4]
    assert [act["seq"] for act in await acts(door, "?after=4&limit=2")] == [5, 6]
    assert (await acts(door))[-1]["act"] == "log_in"
    assert await acts(door, "?after=9223372036854775807") == []


@pytest.mark.parametrize(
    "query",
    ["after=x", "after=-1", "after=99999999999999999999", "limit=0", "limit=1001", "limit="],
)
async def test_a_page_that_is_none_is_bad_input(door: DoorDesk, query: str) -> None:
    status, body = await door.ask("GET", f"/v1/acts?{query}", token=await door.token(JOE))
    assert (status, body["error"]["code"]) == (400, "BAD_QUERY")
