"""Accounts over HTTP: made by an administrator, confirmed and unlocked by a colleague."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.application.people.tries import PLACE_TRIES
from progressive.domain.people.roles import Person, Role
from tests.support.doors import BY_ROLE, STAFF, DoorDesk, Json, a_door, credentials
from tests.support.people import PASSWORD

DAN, ANN, SUE, BOB, EVE, JOE, CLEO = STAFF
AMY = Person("Amy", Role.FINANCE, "Treasury")
CLI = "command line, root"


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[DoorDesk]:
    """The house is set up: its administrator has signed in."""
    async with a_door(tmp_path) as opened:
        await opened.people.log_in(EVE)
        yield opened


async def as_(door: DoorDesk, person: Person, path: str, body: Json | None = None) -> Json:
    status, answer = await door.ask("POST", path, token=await door.token(person), json=body or {})
    return {"status": status, "code": answer.get("error", {}).get("code")}


async def users(door: DoorDesk) -> dict[str, Json]:
    _, body = await door.ask("GET", "/v1/users", token=await door.token(JOE))
    return {each["name"]: each for each in body["users"]}


async def test_administrators_account_counts_at_once_and_the_machines_does_not(
    door: DoorDesk,
) -> None:
    max_ = {"name": "Max", "role": "finance", "department": "Cage", "password": PASSWORD}
    assert (await as_(door, EVE, "/v1/users", max_))["status"] == 201
    await door.people.add(AMY)
    assert (await as_(door, AMY, "/change/propose_correction"))["code"] == "UNCONFIRMED"
    maxs = Person("Max", Role.FINANCE, "Cage")
    assert (await as_(door, maxs, "/change/propose_correction"))["status"] == 200
    found = await users(door)
    assert [found[name]["origin"] for name in ("Ann", "Max", "Amy")] == [
        *("first", "administrator", "machine")
    ]
    assert found["Max"]["unconfirmed"] is None
    assert (found["Amy"]["unconfirmed"]["what"], found["Amy"]["unconfirmed"]["by"]) == (
        *("add", "10.0.0.7"),
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "ann"}, "BAD_USER"),
        ({"name": ""}, "BAD_USER"),
        ({"password": "short"}, "BAD_USER"),
        ({"role": "king"}, "BAD_MESSAGE"),
        ({"more": 1}, "BAD_MESSAGE"),
    ],
)
async def test_bad_account_is_refused(door: DoorDesk, change: Json, code: str) -> None:
    body = {"name": "Max", "role": "dealer", "department": "Pit", "password": PASSWORD}
    answer = await as_(door, EVE, "/v1/users", {**body, **change})
    assert answer == {"status": 400, "code": code}
    assert len(await users(door)) == len(STAFF)


async def test_new_account_leaves_no_password_behind(door: DoorDesk) -> None:
    secret = "a password that stays unknown"
    max_ = {"name": "Max", "role": "finance", "department": "Cage", "password": secret}
    token = await door.token(EVE)
    headers = {"Idempotency-Key": "one"}
    await door.ask("POST", "/v1/users", token=token, json=max_, headers=headers)
    assert secret not in str(await door.people.acts())
    assert await door.people.store.answer("Eve", "one", since="") is None


@pytest.mark.parametrize("role", Role)
async def test_who_confirms(door: DoorDesk, role: Role) -> None:
    await door.people.add(AMY)
    answer = await as_(door, BY_ROLE[role], "/v1/users/Amy/confirm")
    if role in (Role.ADMIN, Role.COMPLIANCE):
        assert answer["status"] == 200
        assert (await as_(door, AMY, "/change/propose_correction"))["status"] == 200
        last = [act for act in await door.people.acts() if act["act"] == "confirm_user"][-1]
        assert (last["who"], last["details"]) == (
            BY_ROLE[role].name,
            {"what": "confirm", "name": "Amy"},
        )
    else:
        assert answer == {"status": 403, "code": "WRONG_ROLE"}
        assert (await as_(door, AMY, "/change/propose_correction"))["code"] == "UNCONFIRMED"


async def test_nobody_confirms_herself(door: DoorDesk) -> None:
    await door.people.people.set_password("Eve", PASSWORD, where=CLI)
    assert (await as_(door, EVE, "/v1/users/EVE/confirm"))["code"] == "UNCONFIRMED"
    assert (await as_(door, EVE, "/v1/users", {}))["code"] == "UNCONFIRMED"
    # One made at the machine does not confirm another.
    await door.people.add(Person("Max", Role.ADMIN, "Systems"))
    max_ = Person("Max", Role.ADMIN, "Systems")
    assert (await as_(door, max_, "/v1/users/Eve/confirm"))["code"] == "UNCONFIRMED"
    assert (await as_(door, CLEO, "/v1/users/Eve/confirm"))["status"] == 200
    assert (await as_(door, EVE, "/v1/users/eve/confirm"))["code"] == "SAME_PERSON"
    assert (await as_(door, EVE, "/v1/users/Max/confirm"))["status"] == 200


async def test_nothing_to_confirm_is_said(door: DoorDesk) -> None:
    for name in ("Ann", "Nobody"):
        answer = await as_(door, EVE, f"/v1/users/{name}/confirm")
        assert answer == {"status": 404, "code": "UNKNOWN_USER"}


@pytest.mark.parametrize("role", Role)
async def test_who_unlocks(door: DoorDesk, role: Role) -> None:
    token = await door.token(BY_ROLE[role])
    for _ in range(PLACE_TRIES):
        await door.ask("POST", "/v1/sessions", json=credentials("Bob", "guess"))
    assert (await users(door))["Bob"]["slowed_until"] is not None
    assert (await door.ask("POST", "/v1/sessions", json=credentials("Bob")))[0] == 401
    status, _ = await door.ask("POST", "/v1/users/bob/unlock", token=token)
    unlocks = role in (Role.SUPERVISOR, Role.ADMIN)
    assert status == (200 if unlocks else 403)
    expected = 200 if unlocks else 401
    assert (await door.ask("POST", "/v1/sessions", json=credentials("Bob")))[0] == expected
