"""What every store of people promises: accounts, sessions, the act log, answers by idempotency key.

An engine passes all of it or is not one. To add an engine: a branch in `Backend.open` and its name
in the fixture's params. What sessions and changes make of it is tested beside those use cases.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from progressive.adapters.sqlite.people import SqlitePeople
from progressive.application.journal.record import ChainCheck
from progressive.application.people.act_log import Deed, Outcome
from progressive.application.people.ports import (
    KeptAnswer,
    NotChanged,
    Origin,
    PeopleStore,
    StoredSession,
    Unconfirmed,
)
from progressive.application.people.tries import Lane
from progressive.domain.people.roles import Person, Role
from tests.support.redis_server import own_place
from tests.support.shared_people import a_shared_people

ANN = Person("Ann", Role.SUPERVISOR, "Table games")
BOB = Person("Bob", Role.FINANCE, "Finance")
TEN, ELEVEN, NOON = (f"2026-01-02T{hour}:00:00.000000Z" for hour in (10, 11, 12))
LANE = Lane("address 10.0.0.7", tries=3, try_seconds=1200)
SHARED = Lane("strangers", tries=5, try_seconds=1200, shared=True)
AN_ANSWER = KeptAnswer("request", 200, b'{"ok":true}')


class Backend:
    """A place where people are stored, and stores that are opened on it."""

    def __init__(self, engine: str, directory: Path) -> None:
        self._directory = directory
        self._place = own_place() if engine == "shared" else None
        self._openings = itertools.count(1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[PeopleStore]:
        """A store on what is there already; a shared one each time from another node."""
        store: PeopleStore = SqlitePeople(self._directory)
        if self._place is not None:
            store = a_shared_people(self._place, self._directory / str(next(self._openings)))
        try:
            yield store
        finally:
            await store.close()


@pytest.fixture(params=["sqlite", pytest.param("shared", marks=pytest.mark.redis)])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return Backend(request.param, tmp_path)


@pytest.fixture
async def store(backend: Backend) -> AsyncIterator[PeopleStore]:
    async with backend.open() as opened:
        yield opened


def a_deed(act: str = "request", *, at: str = TEN, who: str | None = None) -> Deed:
    return Deed(at, who, "10.0.0.7", act, Outcome.DONE)


async def add(store: PeopleStore, *people: Person) -> None:
    for person in people:
        assert await store.add_person(person, f"hash of {person.name}", a_deed("add"))


async def begin_try(store: PeopleStore, key: str = "ann", *, at: str = TEN) -> bool | None:
    """Whether the person was locked already; None where there is no such person."""
    begun = await store.begin_try(key, at=at, lanes=[LANE])
    return None if begun is None else begun.locked


async def log_in(
    store: PeopleStore, token: str, *, at: str = TEN, password: str = "hash of Ann", purge: str = ""
) -> bool:
    return await store.open_session(
        *("ann", token),
        password_hash=password,
        purge_before=purge,
        deed=a_deed("log_in", at=at),
        lanes=[LANE],
    )


async def ended(store: PeopleStore, token: str) -> str | None:
    session = await store.session(token)
    assert session is not None
    return session.ended


async def acts(store: PeopleStore) -> list[dict[str, Any]]:
    """The whole act log; fails where its records do not follow each other."""
    check, found = ChainCheck(), []
    for record in await store.acts(after_seq=0, limit=10_000):
        check.feed(record)
        found.append(json.loads(record))
    return found


async def act_names(store: PeopleStore) -> list[str]:
    return [record["act"] for record in await acts(store)]


# --- accounts -----------------------------------------------------------------------------------


async def test_new_store_is_empty(store: PeopleStore) -> None:
    assert await store.people() == []
    assert await store.session("token") is None
    assert await store.acts(after_seq=0, limit=10) == []
    assert await store.newest_acts(limit=10) == []
    assert await store.answer("Ann", "key", since="") is None


async def test_people_are_listed_by_name_as_they_were_added(store: PeopleStore) -> None:
    await add(store, BOB, ANN)
    known = await store.people()
    assert [(each.person, each.lanes, each.locked_until) for each in known] == [
        (ANN, {}, None),
        (BOB, {}, None),
    ]


@pytest.mark.parametrize("name", ["Ann", " ANN ", "Ａｎｎ"])
async def test_name_that_is_taken_in_any_spelling_changes_nothing(
    store: PeopleStore, name: str
) -> None:
    await add(store, ANN)
    other = Person(name, Role.ADMIN, "Other")
    assert not await store.add_person(other, "another hash", a_deed("again"))
    assert [each.person for each in await store.people()] == [ANN]
    assert await act_names(store) == ["add"]
    assert await log_in(store, "token")


async def test_change_to_somebody_unknown_is_no_change_and_no_act(store: PeopleStore) -> None:
    await add(store, ANN)
    assert not await store.set_disabled("bob", True, a_deed("disable"))
    assert not await store.set_password("bob", "new", a_deed("password"))
    assert await begin_try(store, "bob") is None
    assert await begin_try(store, "") is None
    assert await act_names(store) == ["add"]


async def test_disabling_ends_the_persons_sessions_and_nobody_elses(store: PeopleStore) -> None:
    await add(store, ANN, BOB)
    await log_in(store, "ann's")
    await store.open_session(
        "bob", "bob's", password_hash="hash of Bob", purge_before="", deed=a_deed()
    )
    assert await store.set_disabled("ann", True, a_deed("disable"))
    assert await ended(store, "ann's") is not None
    assert await ended(store, "bob's") is None
    assert [each.person.disabled for each in await store.people()] == [True, False]
    assert await store.set_disabled("ann", False, a_deed("enable"))
    assert [each.person for each in await store.people()] == [ANN, BOB]
    # What has ended stays so.
    assert await ended(store, "ann's") is not None


async def test_new_password_unlocks_and_ends_the_sessions(store: PeopleStore) -> None:
    await add(store, ANN)
    await log_in(store, "token")
    for _ in range(3):
        await begin_try(store)
    assert await begin_try(store) is True
    assert await store.set_password("ann", "new hash", a_deed("password"))
    assert await ended(store, "token") is not None
    begun = await store.begin_try("ann", at=TEN, lanes=[LANE])
    assert begun is not None
    assert (begun.person, begun.password_hash, begun.locked) == (ANN, "new hash", False)


# --- tries and sessions -------------------------------------------------------------------------


async def test_last_of_so_many_tries_locks_until_the_time_given(store: PeopleStore) -> None:
    await add(store, ANN)
    assert [await begin_try(store) for _ in range(4)] == [False, False, False, True]
    (known,) = await store.people()
    assert known.lanes == {LANE.name: ELEVEN}
    assert await begin_try(store, at="2026-01-02T10:19:59.999999Z") is True
    # One more at that very moment, and as many as before once all of them are forgotten.
    assert await begin_try(store, at="2026-01-02T10:20:00.000000Z") is False
    again = [await begin_try(store, at=NOON) for _ in range(4)]
    assert again == [False, False, False, True]


async def test_a_try_is_counted_in_all_of_its_lanes_or_in_none(store: PeopleStore) -> None:
    await add(store, ANN)
    for _ in range(4):
        await store.begin_try("ann", at=TEN, lanes=[LANE, SHARED])
    (known,) = await store.people()
    assert known.lanes == {LANE.name: ELEVEN, SHARED.name: ELEVEN}


async def test_good_try_takes_only_itself_out_of_a_shared_lane(store: PeopleStore) -> None:
    await add(store, ANN)
    for _ in range(3):
        await store.begin_try("ann", at=TEN, lanes=[LANE, SHARED])
    assert await store.open_session(
        *("ann", "token"),
        password_hash="hash of Ann",
        purge_before="",
        deed=a_deed("log_in"),
        lanes=[LANE, SHARED],
        marks=["device 1"],
    )
    (known,) = await store.people()
    assert known.lanes == {SHARED.name: "2026-01-02T10:40:00.000000Z"}
    assert await store.familiar("ann", ["device 1", "device 2"], since=TEN) == {"device 1"}
    assert await store.familiar("ann", ["device 1"], since=ELEVEN) == frozenset()
    assert await store.familiar("bob", ["device 1"], since="") == frozenset()


# --- accounts made at the machine -----------------------------------------------------------------


EVE = Person("Eve", Role.ADMIN, "Systems")
AT_THE_MACHINE = Unconfirmed("add", NOON, "command line, root")


async def set_up(store: PeopleStore) -> None:
    """Everybody of the first hour, and the administrator's first sign-in."""
    await add(store, ANN, EVE)
    assert await store.open_session(
        "eve", "eve's", password_hash="hash of Eve", purge_before="", deed=a_deed("log_in")
    )


def at_the_machine(what: str, *, who: str | None = None) -> Deed:
    details: dict[str, str | int | bool] = {"what": what}
    return Deed(NOON, who, "command line, root", "manage_users", Outcome.DONE, details)


async def test_first_accounts_and_those_of_an_administrator_need_no_word(
    store: PeopleStore,
) -> None:
    await set_up(store)
    assert await store.add_person(BOB, "hash", at_the_machine("add", who="Eve"))
    assert [(each.person.name, each.origin) for each in await store.people()] == [
        ("Ann", Origin.FIRST),
        ("Bob", Origin.ADMINISTRATOR),
        ("Eve", Origin.FIRST),
    ]
    assert await store.unconfirmed_people() == []


async def test_later_account_made_at_the_machine_waits_for_a_word(store: PeopleStore) -> None:
    await set_up(store)
    assert await store.add_person(BOB, "hash of Bob", at_the_machine("add"))
    (waiting,) = await store.unconfirmed_people()
    assert (waiting.person.name, waiting.person.unconfirmed) == ("Bob", True)
    assert (waiting.origin, waiting.unconfirmed) == (Origin.MACHINE, AT_THE_MACHINE)
    assert (await acts(store))[-1]["details"] == {"what": "add", "unconfirmed": True}
    # Whoever is signed in is what the account is.
    await store.open_session(
        "bob", "bob's", password_hash="hash of Bob", purge_before="", deed=a_deed("log_in")
    )
    session = await store.session("bob's")
    assert session is not None
    assert session.person.unconfirmed
    confirmed = await store.confirm("bob", Role.ADMIN, at_the_machine("confirm", who="Eve"))
    assert isinstance(confirmed, Person)
    assert await store.unconfirmed_people() == []
    again = await store.confirm("bob", Role.ADMIN, at_the_machine("confirm", who="Eve"))
    assert again is NotChanged.NOTHING_TO_CONFIRM


@pytest.mark.parametrize("what", ["role", "password", "enable"])
async def test_change_at_the_machine_waits_for_a_word(store: PeopleStore, what: str) -> None:
    await set_up(store)
    deed = at_the_machine(what)
    if what == "role":
        await store.change_role("ann", None, "Cage", even_the_last_admin=False, deed=deed)
    elif what == "password":
        await store.set_password("ann", "another hash", deed)
    else:
        await store.set_disabled("ann", False, deed)
    (waiting,) = await store.unconfirmed_people()
    assert waiting.unconfirmed == Unconfirmed(what, NOON, "command line, root")
    assert waiting.origin is Origin.FIRST


def word_for(name: str, who: str) -> Deed:
    details: dict[str, str | int | bool] = {"what": "confirm", "name": name}
    return Deed(NOON, who, "10.0.0.7", "confirm_user", Outcome.DONE, details)


async def is_confirmed(store: PeopleStore, name: str, by: Role, who: str) -> bool:
    person = await store.confirm(name.lower(), by, word_for(name, who))
    assert isinstance(person, Person)
    assert person.unconfirmed == bool(await store.unconfirmed_people())
    return not person.unconfirmed


async def test_two_confirm_an_administrator_whom_nobody_else_could(store: PeopleStore) -> None:
    """One supervisor with the machine once made an administrator, and by it everybody else."""
    await set_up(store)
    await store.add_person(BOB, "hash", at_the_machine("add"))
    refused = NotChanged.NOT_THEIRS_TO_CONFIRM
    assert await store.confirm("bob", Role.SUPERVISOR, word_for("Bob", "Ann")) is refused
    await store.remove_person("bob", even_the_last_admin=False, deed=at_the_machine("remove"))
    # The only administrator forgot her password: nobody of her rank is left.
    forgot = structs.replace(
        at_the_machine("password"), details={"what": "password", "name": "Eve"}
    )
    await store.set_password("eve", "another hash", forgot)
    assert not await is_confirmed(store, "Eve", Role.SUPERVISOR, "Ann")
    assert not await is_confirmed(store, "Eve", Role.SUPERVISOR, " ANN ")
    # Changed once more: that word was about something else.
    await store.set_password("eve", "a third hash", forgot)
    assert not await is_confirmed(store, "EVE", Role.FINANCE, "Pat")
    assert await is_confirmed(store, "Eve", Role.SUPERVISOR, "Ann")


async def test_demo_folder_is_never_set_up(store: PeopleStore) -> None:
    await store.begin_demo()
    await set_up(store)
    await store.add_person(BOB, "hash", at_the_machine("add"))
    assert await store.unconfirmed_people() == []


async def test_real_folder_does_not_become_a_demo(store: PeopleStore) -> None:
    await set_up(store)
    await store.begin_demo()
    await store.add_person(BOB, "hash", at_the_machine("add"))
    assert len(await store.unconfirmed_people()) == 1


# --- tries and sessions, again --------------------------------------------------------------------


async def test_tries_at_the_same_moment_are_all_counted(store: PeopleStore) -> None:
    await add(store, ANN)
    begun = await asyncio.gather(*[begin_try(store) for _ in range(10)])
    assert sorted(begun) == [False] * 3 + [True] * 7


async def test_good_try_opens_a_session_and_forgets_the_bad_ones(store: PeopleStore) -> None:
    await add(store, ANN)
    for _ in range(2):
        await begin_try(store)
    assert await log_in(store, "token")
    assert await store.session("token") == StoredSession(ANN, TEN, TEN, None)
    assert (await store.people())[0].lanes == {}
    assert await act_names(store) == ["add", "log_in"]


@pytest.mark.parametrize("change", ["disabled", "another password", "nobody"])
async def test_person_who_is_not_as_the_try_found_them_gets_no_session(
    store: PeopleStore, change: str
) -> None:
    if change != "nobody":
        await add(store, ANN)
    if change == "disabled":
        await store.set_disabled("ann", True, a_deed("disable"))
    if change == "another password":
        await store.set_password("ann", "new hash", a_deed("password"))
    before = await acts(store)
    await begin_try(store)
    assert not await log_in(store, "token")
    assert await store.session("token") is None
    assert await acts(store) == before
    known = await store.people()
    assert [list(each.lanes) for each in known] == ([] if change == "nobody" else [[LANE.name]])


async def test_session_notes_its_last_use_and_its_end(store: PeopleStore) -> None:
    await add(store, ANN)
    await log_in(store, "token")
    await store.touch_session("token", at=ELEVEN)
    await store.touch_session("nobody's", at=ELEVEN)
    assert await store.session("token") == StoredSession(ANN, TEN, ELEVEN, None)
    assert await store.session("nobody's") is None
    await store.end_session("token", a_deed("log_out"))
    assert await ended(store, "token") == "logged out"
    assert (await act_names(store))[-1] == "log_out"


async def test_sessions_from_long_ago_are_dropped_when_one_is_opened(store: PeopleStore) -> None:
    await add(store, ANN)
    await log_in(store, "ten", at=TEN)
    await log_in(store, "eleven", at=ELEVEN)
    await log_in(store, "noon", at=NOON, purge=ELEVEN)
    assert await store.session("ten") is None
    assert await ended(store, "eleven") is None
    assert await ended(store, "noon") is None


# --- the act log --------------------------------------------------------------------------------


async def test_records_are_numbered_chained_and_read_in_order(store: PeopleStore) -> None:
    for number in range(7):
        await store.record(a_deed(f"act {number}", who="Ann" if number % 2 else None))
    found = await acts(store)
    assert [record["seq"] for record in found] == list(range(1, 8))
    assert [record["act"] for record in found] == [f"act {number}" for number in range(7)]
    assert [record["who"] for record in found] == [None, "Ann"] * 3 + [None]


@pytest.mark.parametrize(
    ("after_seq", "limit", "expected"),
    [(0, 3, [1, 2, 3]), (3, 10, [4, 5]), (4, 1, [5]), (5, 10, []), (99, 10, [])],
)
async def test_part_of_the_log_is_read(
    store: PeopleStore, after_seq: int, limit: int, expected: list[int]
) -> None:
    for _ in range(5):
        await store.record(a_deed())
    found = await store.acts(after_seq=after_seq, limit=limit)
    assert [json.loads(record)["seq"] for record in found] == expected
    newest = await store.newest_acts(limit=limit)
    assert [json.loads(record)["seq"] for record in newest] == [1, 2, 3, 4, 5][-limit:]


async def test_acts_of_two_openings_at_the_same_moment_are_one_chain(backend: Backend) -> None:
    """The service and the command line."""
    async with backend.open() as one, backend.open() as other:
        await asyncio.gather(*[each.record(a_deed()) for each in (one, other) * 10])
        assert len(await acts(one)) == 20
        assert await one.acts(after_seq=0, limit=99) == await other.acts(after_seq=0, limit=99)


# --- answers by idempotency key -----------------------------------------------------------------


async def keep(
    store: PeopleStore, key: str, *, who: str = "Ann", at: str = TEN, purge: str = ""
) -> None:
    deed = a_deed("pay", at=at, who=who)
    await store.keep_answer(who, key, AN_ANSWER, purge_before=purge, deed=deed)


async def test_answer_is_found_by_its_person_and_key_and_its_deed_is_recorded(
    store: PeopleStore,
) -> None:
    await keep(store, "key")
    assert await store.answer("Ann", "key", since=TEN) == AN_ANSWER
    assert await store.answer("ann", "key", since=TEN) == AN_ANSWER
    assert await store.answer("Bob", "key", since=TEN) is None
    assert await store.answer("Ann", "KEY", since=TEN) is None
    assert await act_names(store) == ["pay"]


@pytest.mark.parametrize("body", [b"", b"\x00\xff\n", b"7" * 100_000])
async def test_answer_of_any_bytes_is_given_back_as_it_was(store: PeopleStore, body: bytes) -> None:
    answer = KeptAnswer("request", 409, body)
    await store.keep_answer("Ann", "key", answer, purge_before="", deed=a_deed())
    assert await store.answer("Ann", "key", since="") == answer


async def test_answer_from_before_the_time_asked_for_is_none(store: PeopleStore) -> None:
    await keep(store, "key", at=TEN)
    assert await store.answer("Ann", "key", since=TEN) == AN_ANSWER
    assert await store.answer("Ann", "key", since=ELEVEN) is None


async def test_old_answers_are_dropped_and_their_keys_are_free_again(store: PeopleStore) -> None:
    await keep(store, "old", at=TEN)
    await keep(store, "newer", at=ELEVEN, purge=ELEVEN)
    assert await store.answer("Ann", "old", since="") is None
    assert await store.answer("Ann", "newer", since="") == AN_ANSWER
    await keep(store, "old", at=NOON, purge=ELEVEN)
    assert await store.answer("Ann", "old", since="") == AN_ANSWER


# --- several openings, several lives ------------------------------------------------------------


async def test_another_opening_sees_every_change_at_once(backend: Backend) -> None:
    async with backend.open() as service, backend.open() as command:
        await add(command, ANN)
        assert await log_in(service, "token")
        await command.set_disabled("ann", True, a_deed("disable"))
        assert await ended(service, "token") is not None
        assert await act_names(service) == ["add", "log_in", "disable"]


async def test_everything_is_there_after_reopening(backend: Backend) -> None:
    async with backend.open() as store:
        await add(store, ANN)
        await begin_try(store)
        await log_in(store, "token")
        await begin_try(store)
        await keep(store, "key")
        before = await store.acts(after_seq=0, limit=10)
    async with backend.open() as store:
        assert await store.session("token") == StoredSession(ANN, TEN, TEN, None)
        assert [list(each.lanes) for each in await store.people()] == [[LANE.name]]
        assert await store.answer("Ann", "key", since=TEN) == AN_ANSWER
        assert await store.acts(after_seq=0, limit=10) == before
        await store.record(a_deed("later"))
        assert await act_names(store) == ["add", "log_in", "pay", "later"]
