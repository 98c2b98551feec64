"""A change is done once however often it is sent, and recorded with who, when and from where."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from progressive.domain.people.roles import Person
from progressive.entry.http.errors import RefusedError
from progressive.entry.people.changes import KEPT_SECONDS
from tests.support.doors import STAFF, DoorDesk, Json, a_door

DAN, ANN, SUE, BOB, EVE, JOE, CLEO = STAFF
PAY = "/change/pay_award"


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[DoorDesk]:
    async with a_door(tmp_path) as opened:
        yield opened


async def pay(
    door: DoorDesk, token: str, *, key: str | None = "k1", path: str = PAY, data: bytes = b"{}"
) -> tuple[int, Json, str | None]:
    headers = {} if key is None else {"Idempotency-Key": key}
    status, body, response = await door.ask_fully(
        "POST", path, token=token, data=data, headers=headers
    )
    return status, body, response.headers.get("Idempotency-Replayed")


async def recorded(door: DoorDesk) -> list[dict[str, Any]]:
    return [act for act in await door.people.acts() if act["act"] == "pay_award"]


async def test_a_change_is_recorded_with_what_it_was_done_to(door: DoorDesk) -> None:
    await pay(door, await door.token(ANN), key=None)
    (act,) = await recorded(door)
    assert (act["who"], act["from"], act["outcome"]) == ("Ann", "127.0.0.1", "done")
    assert act["details"] == {"award": "A-1"}


async def test_a_change_that_was_refused_is_recorded_as_such(door: DoorDesk) -> None:
    door.status = 409
    await pay(door, await door.token(ANN), key=None)
    (act,) = await recorded(door)
    assert (act["outcome"], act["details"]) == ("refused", {"award": "A-1", "status": 409})


async def test_a_handlers_refusal_is_an_answer_like_any_other(door: DoorDesk) -> None:
    async def refuse(person: Person, body: bytes) -> web.Response:
        raise RefusedError(409, "NOT_VALIDATED", "validate it first")

    door.change = refuse  # type: ignore[method-assign]
    token = await door.token(ANN)
    first, second = await pay(door, token), await pay(door, token)
    assert (await recorded(door))[0]["details"]["code"] == "NOT_VALIDATED"
    assert first[:2] == second[:2]
    assert (first[0], first[1]["error"]["code"]) == (409, "NOT_VALIDATED")
    assert second[2] == "true"


async def test_the_same_request_again_gets_the_same_answer_and_is_done_once(door: DoorDesk) -> None:
    token = await door.token(ANN)
    first = await pay(door, token)
    door.answer = {"number": 2}
    assert await pay(door, token) == (200, {"number": 1}, "true")
    assert first == (200, {"number": 1}, None)
    assert len(door.done) == len(await recorded(door)) == 1


@pytest.mark.parametrize(
    "other",
    [{"data": b'{"document":"2"}'}, {"path": f"{PAY}?x=1"}, {"path": "/change/list_awards"}],
)
async def test_another_request_under_the_key_is_refused_and_recorded(
    door: DoorDesk, other: dict[str, Any]
) -> None:
    token = await door.token(ANN)
    await pay(door, token)
    status, body, _ = await pay(door, token, **other)
    assert (status, body["error"]["code"]) == (409, "KEY_REUSED")
    assert len(door.done) == 1
    last = await door.people.last_act()
    assert (last["who"], last["outcome"]) == ("Ann", "refused")
    assert last["details"]["code"] == "KEY_REUSED"


@pytest.mark.parametrize("key", ["two words", "", "k" * 129, "k\u00e9y", "tab\there"])
async def test_a_key_that_is_none_is_refused_in_words(door: DoorDesk, key: str) -> None:
    status, body, _ = await pay(door, await door.token(ANN), key=key)
    assert (status, body["error"]["code"]) == (400, "BAD_KEY")
    assert body["error"]["message"] == (
        "Idempotency-Key: 1 to 128 visible ASCII characters, no space among them"
    )
    assert door.done == []


async def test_a_key_is_its_senders_own(door: DoorDesk) -> None:
    await pay(door, await door.token(ANN))
    await pay(door, await door.token(BOB))
    assert [who for who, _ in door.done] == ["Ann", "Bob"]


async def test_without_a_key_every_request_is_a_new_one(door: DoorDesk) -> None:
    token = await door.token(ANN)
    await pay(door, token, key=None)
    await pay(door, token, key=None)
    assert len(door.done) == 2


async def test_a_key_is_remembered_for_a_day(door: DoorDesk) -> None:
    await pay(door, await door.token(ANN))
    door.clock.advance(KEPT_SECONDS - 1)
    assert (await pay(door, await door.token(ANN)))[2] == "true"
    door.clock.advance(2)
    assert (await pay(door, await door.token(ANN)))[2] is None
    assert len(door.done) == 2


async def test_an_answer_is_remembered_over_a_restart(tmp_path: Path) -> None:
    async with a_door(tmp_path) as before:
        await pay(before, await before.token(ANN))
    async with a_door(tmp_path, people=[]) as after:
        assert await pay(after, await after.token(ANN)) == (200, {"number": 1}, "true")
        assert after.done == []


async def test_a_fault_settles_nothing(door: DoorDesk) -> None:
    token = await door.token(ANN)
    door.status = 503
    assert (await pay(door, token))[0] == 503
    door.status = 200
    assert (await pay(door, token))[0] == 200
    assert len(door.done) == 2


async def test_a_replay_needs_the_right_role_still(door: DoorDesk) -> None:
    token = await door.token(ANN)
    await pay(door, token)
    await door.people.people.disable("Ann", where="command line")
    assert (await pay(door, token))[0] == 401


async def test_the_same_request_while_it_is_under_way_is_not_done_twice(door: DoorDesk) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(person: Person, body: bytes) -> web.Response:
        begun.set()
        await go_on.wait()
        return web.json_response({"number": 1})

    door.change = slow  # type: ignore[method-assign]
    token = await door.token(ANN)
    first = asyncio.create_task(pay(door, token))
    await begun.wait()
    status, body, _ = await pay(door, token)
    assert (status, body["error"]["code"]) == (409, "KEY_UNDER_WAY")
    go_on.set()
    assert (await first)[0] == 200
    assert (await pay(door, token))[2] == "true"


@pytest.mark.parametrize("key", ["", "x" * 129, "ä", "a\tb"])
async def test_a_key_that_is_none_is_bad_input(door: DoorDesk, key: str) -> None:
    status, body, _ = await pay(door, await door.token(ANN), key=key)
    assert (status, body["error"]["code"]) == (400, "BAD_KEY")
    assert door.done == []
