"""Looking after the people: what is refused changes nothing, what is done is recorded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.application.people.accounts import BadPersonError
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
    acts = await desk.acts()
    assert [act["details"]["what"] for act in acts] == ["add", "disable", "enable", "password"]
    assert {(act["act"], act["from"], act["outcome"]) for act in acts} == {
        ("manage_users", CLI, "done")
    }
    assert acts[0]["details"] == {
        "what": "add",
        "name": "Ann",
        "role": "supervisor",
        "department": "Table games",
    }
    assert [act["seq"] for act in acts] == [1, 2, 3, 4]


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
    ):
        with pytest.raises(BadPersonError, match="no user"):
            await change
    assert await desk.acts() == []
