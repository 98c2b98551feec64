"""Looking after the people: what is refused changes nothing, what is done is recorded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.application.people.accounts import BadPersonError, LastAdminError
from progressive.application.people.ports import KeptAnswer
from progressive.application.people.sessions import NoSession, Stranger
from progressive.domain.people.roles import Person, Role
from tests.support.people import ANN, BOB, PASSWORD, PeopleDesk, a_people_desk

CLI = "command line"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[PeopleDesk]:
    async with a_people_desk(tmp_path) as opened:
        yield opened


async def test_people_are_listed_by_name_with_role_and_department(desk: PeopleDesk) -> None:
    await desk.add(BOB, ANN)
    assert [known.person for known in await desk.people.everybody()] == [ANN, BOB]


async def test_every_change_is_recorded(desk: PeopleDesk) -> None:
    await desk.people.add(ANN, PASSWORD, where=CLI)
    await desk.people.disable("Ann", where=CLI)
    await desk.people.enable("Ann", where=CLI)
    await desk.people.set_password("Ann", PASSWORD, where=CLI)
    await desk.people.change_role(
        "Ann", Role.AUDITOR, "Surveillance", even_the_last_admin=False, where=CLI
    )
    await desk.people.remove("Ann", even_the_last_admin=False, where=CLI)
    acts = await desk.acts()
    whats = ["add", "disable", "enable", "password", "role", "remove"]
    assert [act["details"]["what"] for act in acts] == whats
    assert {(act["act"], act["from"], act["outcome"]) for act in acts} == {
        ("manage_users", CLI, "done")
    }
    assert acts[0]["details"] == {
        "what": "add",
        "name": "Ann",
        "role": "supervisor",
        "department": "Table games",
    }
    assert acts[4]["details"] == {
        "what": "role",
        "name": "Ann",
        "role": "auditor",
        "department": "Surveillance",
    }
    assert acts[5]["details"] == {"what": "remove", "name": "Ann"}
    assert [act["seq"] for act in acts] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("name", "department", "other"),
    [
        ("\u0410nn", "Cage", "the name 'Ann'"),
        ("\u0410NN", "Cage", "the name 'Ann'"),
        ("Max", "T\u0430ble games", "the department 'Table games'"),
    ],
)
async def test_look_alike_beside_an_existing_one_is_refused(
    desk: PeopleDesk, name: str, department: str, other: str
) -> None:
    await desk.add(ANN)
    with pytest.raises(BadPersonError, match=f"looks like .*{other}"):
        await desk.people.add(Person(name, Role.FINANCE, department), PASSWORD, where=CLI)
    with pytest.raises(BadPersonError, match="looks like the department"):
        await desk.people.change_role(
            "Ann", None, "T\u0430ble games", even_the_last_admin=False, where=CLI
        )
    assert len(await desk.people.everybody()) == 1


@pytest.mark.parametrize("name", ["Ann", "ANN", " ann"])
async def test_one_name_is_one_person(desk: PeopleDesk, name: str) -> None:
    await desk.add(ANN)
    with pytest.raises(BadPersonError, match="already"):
        await desk.people.add(Person(name, Role.ADMIN, "IT"), PASSWORD, where=CLI)
    assert [known.person for known in await desk.people.everybody()] == [ANN]
    assert len(await desk.acts()) == 1


@pytest.mark.parametrize(
    ("person", "password", "why"),
    [
        (Person("", Role.DEALER, "Pit"), PASSWORD, "name"),
        (Person("a\nb", Role.DEALER, "Pit"), PASSWORD, "name"),
        (Person("Carol", Role.DEALER, " "), PASSWORD, "department"),
        (Person("Carol", Role.DEALER, "Pit"), "short", "password"),
    ],
)
async def test_what_will_not_do_is_refused(
    desk: PeopleDesk, person: Person, password: str, why: str
) -> None:
    with pytest.raises(BadPersonError, match=why):
        await desk.people.add(person, password, where=CLI)
    assert await desk.people.everybody() == []


@pytest.mark.parametrize("name", ["Carol", "", "\ud800"])
async def test_nobody_can_be_changed(desk: PeopleDesk, name: str) -> None:
    for change in (
        desk.people.disable(name, where=CLI),
        desk.people.enable(name, where=CLI),
        desk.people.set_password(name, PASSWORD, where=CLI),
        desk.people.change_role(name, Role.ADMIN, None, even_the_last_admin=True, where=CLI),
        desk.people.remove(name, even_the_last_admin=True, where=CLI),
    ):
        with pytest.raises(BadPersonError, match="no user"):
            await change
    assert await desk.acts() == []


# --- another role, and no account any more ------------------------------------------------------

EVE = Person("Eve", Role.ADMIN, "IT")
MAX = Person("Max", Role.ADMIN, "Security")


@pytest.mark.parametrize(
    ("role", "department", "now"),
    [
        (Role.FINANCE, None, Person("Ann", Role.FINANCE, "Table games")),
        (None, "Cage", Person("Ann", Role.SUPERVISOR, "Cage")),
        (Role.FINANCE, "Cage", Person("Ann", Role.FINANCE, "Cage")),
    ],
)
async def test_role_and_department_change_alone_or_together(
    desk: PeopleDesk, role: Role | None, department: str | None, now: Person
) -> None:
    await desk.add(ANN, BOB)
    changed = await desk.people.change_role(
        "ann", role, department, even_the_last_admin=False, where=CLI
    )
    assert changed == now
    assert [known.person for known in await desk.people.everybody()] == [now, BOB]


async def test_a_department_that_cannot_be_changes_nothing(desk: PeopleDesk) -> None:
    await desk.add(ANN)
    with pytest.raises(BadPersonError, match="department"):
        await desk.people.change_role("Ann", None, " ", even_the_last_admin=False, where=CLI)
    assert [known.person for known in await desk.people.everybody()] == [ANN]
    assert len(await desk.acts()) == 1


async def test_a_new_role_ends_the_sessions_of_that_person_alone(desk: PeopleDesk) -> None:
    await desk.add(ANN, BOB)
    ann, bob = await desk.log_in(ANN), await desk.log_in(BOB)
    await desk.people.change_role("Ann", Role.DEALER, None, even_the_last_admin=False, where=CLI)
    ended = await desk.sessions.find(ann.token)
    assert isinstance(ended, Stranger)
    assert ended.reason is NoSession.SESSION_ENDED
    assert not isinstance(await desk.sessions.find(bob.token), Stranger)
    assert (await desk.log_in(ANN)).person.role is Role.DEALER


async def test_a_removed_person_is_out_at_once_and_the_act_log_keeps_the_name(
    desk: PeopleDesk,
) -> None:
    await desk.add(ANN, BOB)
    opened = await desk.log_in(ANN)
    await desk.people.remove("ANN", even_the_last_admin=False, where=CLI)
    assert [known.person for known in await desk.people.everybody()] == [BOB]
    ended = await desk.sessions.find(opened.token)
    assert isinstance(ended, Stranger)
    assert ended.reason is NoSession.NO_SESSION
    assert [act["who"] for act in await desk.acts()] == [None, None, "Ann", None]


async def test_a_removed_name_may_be_added_again_and_inherits_nothing(desk: PeopleDesk) -> None:
    await desk.add(ANN)
    opened = await desk.log_in(ANN)
    deed = desk.people._deed("add", "x", CLI, None)  # type: ignore[arg-type]  # any deed
    kept = KeptAnswer("sha", 200, b"{}")
    await desk.store.keep_answer("Ann", "k1", kept, purge_before="", deed=deed)
    await desk.people.remove("Ann", even_the_last_admin=False, where=CLI)
    await desk.add(Person("Ann", Role.DEALER, "Pit"))
    assert isinstance(await desk.sessions.find(opened.token), Stranger)
    assert await desk.store.answer("Ann", "k1", since="") is None


async def test_the_last_admin_who_may_log_in_stays_unless_forced(desk: PeopleDesk) -> None:
    await desk.add(EVE, MAX, ANN)
    await desk.people.disable("Max", where=CLI)
    acts = len(await desk.acts())
    with pytest.raises(LastAdminError):
        await desk.people.remove("Eve", even_the_last_admin=False, where=CLI)
    with pytest.raises(LastAdminError):
        await desk.people.change_role(
            "Eve", Role.AUDITOR, None, even_the_last_admin=False, where=CLI
        )
    assert len(await desk.acts()) == acts
    # Whoever stays an admin may change departments.
    await desk.people.change_role("Eve", None, "Cage", even_the_last_admin=False, where=CLI)
    await desk.people.change_role("Eve", Role.ADMIN, None, even_the_last_admin=False, where=CLI)
    # A disabled admin is not needed, and with another active one Eve is not either.
    await desk.people.enable("Max", where=CLI)
    await desk.people.remove("Eve", even_the_last_admin=False, where=CLI)
    await desk.people.remove("Max", even_the_last_admin=True, where=CLI)
    assert [known.person for known in await desk.people.everybody()] == [ANN]
