"""The door, cell by cell: whoever may is let in, whoever may not is refused and recorded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from progressive.application.people.sessions import IDLE_SECONDS
from progressive.domain.people.roles import Act, Person, Role, may
from progressive.domain.signatures import Signature
from progressive.entry.people.door import REFUSALS_A_MINUTE
from tests.support.doors import BY_ROLE, STAFF, DoorDesk, a_door

DAN, ANN, SUE, BOB, EVE, JOE, CLEO = STAFF


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[DoorDesk]:
    async with a_door(tmp_path) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def standing_door(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[DoorDesk]:
    """One door for all cells of the role matrix."""
    async with a_door(tmp_path_factory.mktemp("door")) as opened:
        yield opened


async def refusals(door: DoorDesk) -> list[tuple[str | None, str, str]]:
    """Who was refused what, and why."""
    return [
        (act["who"], act["act"], act["details"]["code"])
        for act in await door.people.acts()
        if act["outcome"] == "refused"
    ]


# --- the role matrix --------------------------------------------------------------------------


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("role", Role)
@pytest.mark.asyncio(loop_scope="module")
async def test_each_cell_of_the_role_matrix_holds_over_http(
    standing_door: DoorDesk, role: Role, act: Act
) -> None:
    door, person = standing_door, BY_ROLE[role]
    # A refusal by the cell before is neither in this one's minute nor among its acts.
    door.clock.advance(60)
    door.done.clear()
    before = len(await refusals(door))
    token = await door.token(person)
    status, body = await door.ask("GET", f"/view/{act}", token=token)
    if may(role, act):
        assert status == 200
        assert door.done == [(person.name, act)]
        assert (await refusals(door))[before:] == []
    else:
        assert (status, body["error"]["code"]) == (403, "WRONG_ROLE")
        assert door.done == []
        assert (await refusals(door))[before:] == [(person.name, act, "WRONG_ROLE")]


@pytest.mark.parametrize(
    ("person", "act", "first", "code"),
    [
        (ANN, Act.APPROVE_VOID, ANN.signature, "SAME_PERSON"),
        (ANN, Act.APPROVE_VOID, SUE.signature, None),
        (BOB, Act.APPROVE_PAYMENT, BOB.signature, "SAME_PERSON"),
        (BOB, Act.APPROVE_PAYMENT, Signature("Rob", "FINANCE "), "SAME_DEPARTMENT"),
        (BOB, Act.APPROVE_PAYMENT, ANN.signature, None),
        (BOB, Act.APPROVE_CORRECTION, Signature("bob", "Cage"), "SAME_PERSON"),
        (BOB, Act.APPROVE_CORRECTION, Signature("Pat", "Accounts"), None),
        (CLEO, Act.APPROVE_TERMS, Signature("Liz", "compliance"), "SAME_DEPARTMENT"),
        (CLEO, Act.APPROVE_TERMS, ANN.signature, None),
        (EVE, Act.APPROVE_PAYMENT, ANN.signature, "WRONG_ROLE"),
        (EVE, Act.APPROVE_CORRECTION, BOB.signature, "WRONG_ROLE"),
        (EVE, Act.APPROVE_TERMS, ANN.signature, "WRONG_ROLE"),
    ],
)
async def test_the_second_person_is_another(
    door: DoorDesk, person: Person, act: Act, first: Signature, code: str | None
) -> None:
    door.first = first
    status, body = await door.ask("POST", f"/change/{act}", token=await door.token(person))
    if code is None:
        assert (status, len(door.done)) == (200, 1)
    else:
        assert (status, body["error"]["code"]) == (403, code)
        assert door.done == []
        assert await refusals(door) == [(person.name, act, code)]


# --- without a session ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", [None, "Bearer nonsense", "Bearer ", "Bearer", "Basic QW5uOng=", "Bearer a b c"]
)
async def test_without_a_session_there_is_nothing(door: DoorDesk, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    status, body, response = await door.ask_fully("GET", "/view/list_awards", headers=headers)
    assert (status, body["error"]["code"]) == (401, "NO_SESSION")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    (act,) = [act for act in await door.people.acts() if act["outcome"] == "refused"]
    assert act["from"] == "127.0.0.1"
    assert act["details"] == {"code": "NO_SESSION", "request": "GET /view/list_awards"}


async def test_an_expired_session_is_refused_and_recorded_by_name(door: DoorDesk) -> None:
    token = await door.token(ANN)
    door.clock.advance(IDLE_SECONDS)
    status, body = await door.ask("POST", "/change/validate_award", token=token)
    assert (status, body["error"]["code"]) == (401, "SESSION_EXPIRED")
    assert door.done == []
    assert await refusals(door) == [("Ann", "validate_award", "SESSION_EXPIRED")]


async def test_a_disabled_persons_session_is_refused_at_once(door: DoorDesk) -> None:
    token = await door.token(ANN)
    await door.people.people.disable("Ann", where="command line")
    status, body = await door.ask("POST", "/change/validate_award", token=token)
    assert (status, body["error"]["code"]) == (401, "SESSION_ENDED")
    assert door.done == []


async def test_a_flood_of_refusals_is_answered_but_not_recorded_for_ever(door: DoorDesk) -> None:
    for _ in range(REFUSALS_A_MINUTE - 2):
        door.door._refusals.take("127.0.0.1")
    answers = [await door.ask("GET", "/view/list_awards") for _ in range(4)]
    assert [status for status, _ in answers] == [401, 401, 429, 429]
    assert len(await refusals(door)) == 2
    assert door.door.refused["NO_SESSION"] == 4
    # Whoever is let in is let in all the same.
    assert (await door.ask("GET", "/view/list_awards", token=await door.token(ANN)))[0] == 200
    door.clock.advance(60)
    assert (await door.ask("GET", "/view/list_awards"))[0] == 401


# --- other sites ------------------------------------------------------------------------------

EVIL = "https://evil.example"


@pytest.mark.parametrize("origin", [EVIL, "null", "", "http://127.0.0.1", "https://{host}"])
@pytest.mark.parametrize("by_cookie", [False, True])
async def test_another_sites_page_changes_nothing(
    door: DoorDesk, origin: str, by_cookie: bool
) -> None:
    token = await door.token(ANN)
    headers = {"Origin": origin.format(host=door.url.removeprefix("http://"))}
    if by_cookie:
        headers["Cookie"] = f"progressive={token}"
    status, body = await door.ask(
        "POST", "/change/validate_award", token=None if by_cookie else token, headers=headers
    )
    assert (status, body["error"]["code"]) == (403, "CROSS_SITE")
    assert door.done == []
    assert await refusals(door) == [(None, "request", "CROSS_SITE")]


async def test_a_cookie_without_an_origin_changes_nothing(door: DoorDesk) -> None:
    cookie = {"Cookie": f"progressive={await door.token(ANN)}"}
    status, body = await door.ask("POST", "/change/validate_award", headers=cookie)
    assert (status, body["error"]["code"]) == (403, "CROSS_SITE")
    assert door.done == []
    assert await refusals(door) == [(None, "validate_award", "CROSS_SITE")]
    # It may look, though: no page of another site sees the answer.
    assert (await door.ask("GET", "/view/list_awards", headers=cookie))[0] == 200


async def test_ones_own_page_changes_things_by_cookie(door: DoorDesk) -> None:
    cookie = {"Cookie": f"progressive={await door.token(ANN)}", "Origin": door.url}
    assert (await door.ask("POST", "/change/validate_award", headers=cookie))[0] == 200
    assert len(door.done) == 1


async def test_a_script_needs_no_origin(door: DoorDesk) -> None:
    token = await door.token(ANN)
    assert (await door.ask("POST", "/change/validate_award", token=token))[0] == 200


async def test_a_header_counts_before_a_cookie(door: DoorDesk) -> None:
    headers = {"Cookie": f"progressive={await door.token(ANN)}", "Origin": door.url}
    token = await door.token(JOE)
    status, body = await door.ask("POST", "/change/validate_award", token=token, headers=headers)
    assert (status, body["error"]["code"]) == (403, "WRONG_ROLE")


async def test_a_listed_origin_is_as_good_as_ones_own(tmp_path: Path) -> None:
    async with a_door(tmp_path, origins=["https://Meters.Example"]) as door:
        token = await door.token(ANN)
        for origin, expected in [("https://meters.example", 200), ("http://meters.example", 403)]:
            # People come by TLS in front of the service: the cookie is the secure one.
            headers = {"Origin": origin, "Cookie": f"__Host-progressive={token}"}
            status, _ = await door.ask("POST", "/change/validate_award", headers=headers)
            assert status == expected
