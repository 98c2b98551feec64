"""People that nodes share: one history on all of them, whatever happens at the same moment."""

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from progressive.adapters.redis.place import RedisPlace, redis_place
from progressive.adapters.sqlite import people_state
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.adapters.sqlite.people_copy import SqlitePeopleCopy
from progressive.adapters.sqlite.people_file import FILE_NAME
from progressive.application.journal.ports import StoreUnavailableError
from progressive.application.journal.record import ChainCheck
from progressive.application.people.act_log import Deed, Outcome
from progressive.application.people.ports import PeopleStore
from progressive.application.people.shared import FRESH_SECONDS, SharedPeople
from progressive.application.people.shared_log import (
    LogEntry,
    PeopleDifferError,
    PeopleSharedError,
)
from progressive.domain.people.roles import Person, Role
from tests.support.fake_clock import FakeClock
from tests.support.redis_server import RedisProcess, own_place, shared_server
from tests.support.service import ROOT
from tests.support.shared_people import HurryingClock, a_people_log, a_shared_people

pytestmark = pytest.mark.redis

ANN = Person("Ann", Role.SUPERVISOR, "Table games")
TEN = "2026-01-02T10:00:00.000000Z"


class Nodes:
    """Data directories of nodes on one log, and what is opened on them."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder = folder
        self.place = own_place()
        self._stack = stack

    def open(self, name: str) -> SharedPeople:
        people = a_shared_people(self.place, self.folder / name)
        self._stack.push_async_callback(people.close)
        return people

    def open_alone(self, name: str) -> SqlitePeople:
        people = SqlitePeople(self.folder / name)
        self._stack.push_async_callback(people.close)
        return people

    def redis(self, *words: str) -> str:
        return shared_server().command(*words)

    @property
    def stream(self) -> str:
        return f"{self.place.prefix}:{{people}}:log"


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with AsyncExitStack() as stack:
        yield Nodes(tmp_path, stack)


class LosingLog:
    """A log that takes an entry and whose answer is lost; or counts looks at it."""

    def __init__(self, place: RedisPlace) -> None:
        self._log = a_people_log(place)
        self.loses = False
        self.reads = 0

    async def append(self, entry: LogEntry) -> None:
        await self._log.append(entry)
        if self.loses:
            raise StoreUnavailableError("the answer was lost")

    async def read(self, number: int, *, limit: int) -> Sequence[LogEntry]:
        self.reads += 1
        return await self._log.read(number, limit=limit)

    async def close(self) -> None:
        await self._log.close()


def a_deed(act: str = "request") -> Deed:
    return Deed(TEN, None, "10.0.0.7", act, Outcome.DONE)


async def add_ann(people: PeopleStore) -> None:
    assert await people.add_person(ANN, "hash", a_deed("add"))


async def log_in(people: PeopleStore, token: str) -> bool:
    return await people.open_session(
        "ann", token, password_hash="hash", purge_before="", deed=a_deed("log_in")
    )


async def acts(people: PeopleStore) -> list[str]:
    """Their names; fails where they do not follow each other."""
    check, found = ChainCheck(), []
    for record in await people.acts(after_seq=0, limit=10_000):
        check.feed(record)
        found.append(json.loads(record)["act"])
    return found


async def test_session_of_one_node_is_known_on_the_other_until_it_ends(nodes: Nodes) -> None:
    one, two = nodes.open("one"), nodes.open("two")
    await add_ann(one)
    assert await log_in(one, "token")
    found = await two.session("token")
    assert found is not None
    assert (found.person.name, found.ended) == ("Ann", None)
    assert await two.set_disabled("ann", True, a_deed("disable"))
    found = await one.session("token")
    assert found is not None
    assert found.ended == "disabled"
    assert await acts(one) == await acts(two) == ["add", "log_in", "disable"]


async def test_changes_at_the_same_moment_have_one_order_on_all_nodes(nodes: Nodes) -> None:
    people = [nodes.open("one"), nodes.open("two"), nodes.open("three")]
    await asyncio.gather(
        *[each.record(a_deed(f"act {number}")) for each in people for number in range(8)]
    )
    stored = [list(await each.acts(after_seq=0, limit=100)) for each in people]
    assert stored[0] == stored[1] == stored[2]
    assert sorted(await acts(people[0])) == sorted([f"act {n}" for n in range(8)] * 3)


async def test_of_one_name_added_on_two_nodes_at_once_one_is_refused(nodes: Nodes) -> None:
    one, two = nodes.open("one"), nodes.open("two")
    added = await asyncio.gather(
        *[each.add_person(ANN, "hash", a_deed("add")) for each in (one, two)]
    )
    assert sorted(added) == [False, True]
    assert await acts(one) == await acts(two) == ["add"]


async def test_two_processes_of_one_node_share_its_file(nodes: Nodes) -> None:
    service, command = nodes.open("one"), nodes.open("one")
    await asyncio.gather(*[each.record(a_deed()) for each in (service, command) for _ in range(8)])
    assert await acts(service) == await acts(command) == ["request"] * 16


async def test_change_whose_answer_was_lost_is_made_once_on_every_node(nodes: Nodes) -> None:
    log = LosingLog(nodes.place)
    one = SharedPeople(log, SqlitePeopleCopy(nodes.folder / "one"), HurryingClock())
    await add_ann(one)
    log.loses = True
    with pytest.raises(StoreUnavailableError, match="lost"):
        await log_in(one, "token")
    log.loses = False
    assert await one.session("token") is not None
    two = nodes.open("two")
    assert await acts(one) == await acts(two) == ["add", "log_in"]
    assert not await two.add_person(ANN, "hash", a_deed("add"))
    await one.close()


KILLED = """
import asyncio, os, sys
from pathlib import Path
from progressive.adapters.redis.place import redis_place
from progressive.adapters.redis.people_log import RedisPeopleLog
from progressive.application.people.act_log import Deed, Outcome
from tests.support.shared_people import a_shared_people

append = RedisPeopleLog.append

async def append_and_die(self, entry):
    await append(self, entry)
    if entry.number == 3:
        os.kill(os.getpid(), 9)

RedisPeopleLog.append = append_and_die

async def write():
    people = a_shared_people(redis_place(sys.argv[1]), Path(sys.argv[2]))
    for number in range(3):
        await people.record(Deed("2026", None, "here", f"act {number}", Outcome.DONE))

asyncio.run(write())
"""


async def test_kill_between_log_and_copy_is_healed_by_the_next_look(nodes: Nodes) -> None:
    url = f"{nodes.place.url}?prefix={nodes.place.prefix}"
    killed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", KILLED, url, str(nodes.folder / "one")],
        cwd=ROOT,
        check=False,
    )
    assert killed.returncode == -9
    # The beginning is entry 1: the log has both acts, and the copy lacks the second.
    assert nodes.redis("XLEN", nodes.stream) == "3"
    assert await acts(SqlitePeopleCopy(nodes.folder / "one")) == ["act 0"]
    assert await acts(nodes.open("one")) == await acts(nodes.open("two")) == ["act 0", "act 1"]


# --- how a log begins, and who joins it ---------------------------------------------------------


async def test_accounts_of_the_first_node_begin_the_log_and_reach_a_new_one(nodes: Nodes) -> None:
    alone = nodes.open_alone("one")
    await add_ann(alone)
    assert await log_in(alone, "token")
    one, two = nodes.open("one"), nodes.open("two")
    assert await one.session("token") is not None
    assert await two.session("token") is not None
    assert await acts(two) == ["add", "log_in"]
    assert await two.people() == await one.people()


async def test_node_with_the_same_file_joins(nodes: Nodes) -> None:
    alone = nodes.open_alone("one")
    await add_ann(alone)
    shutil.copytree(nodes.folder / "one", nodes.folder / "two")
    await nodes.open("one").record(a_deed("later"))
    assert await acts(nodes.open("two")) == ["add", "later"]


async def test_node_with_people_of_its_own_is_refused(nodes: Nodes) -> None:
    await add_ann(nodes.open_alone("two"))
    await nodes.open("one").record(a_deed())
    with pytest.raises(PeopleDifferError, match="of its own"):
        await nodes.open("two").people()
    assert [each.person.name for each in await nodes.open_alone("two").people()] == ["Ann"]


async def test_state_that_is_too_large_is_not_sent(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_state, "STATE_BYTES_MAX", 10)
    await add_ann(nodes.open_alone("one"))
    shutil.copytree(nodes.folder / "one", nodes.folder / "same")
    await nodes.open("one").record(a_deed())
    assert await acts(nodes.open("same")) == ["add", "request"]
    with pytest.raises(PeopleDifferError, match=r"copy people\.sqlite3 from another node"):
        await nodes.open("new").people()


async def test_nodes_that_only_look_begin_nothing(nodes: Nodes) -> None:
    assert await nodes.open("one").people() == []
    assert nodes.redis("EXISTS", nodes.stream) == "0"


# --- a copy and a log that do not fit -----------------------------------------------------------


async def test_older_copy_catches_up(nodes: Nodes) -> None:
    one = nodes.open("one")
    await add_ann(one)
    shutil.copytree(nodes.folder / "one", nodes.folder / "restored")
    for number in range(300):
        await one.record(a_deed(f"act {number}"))
    assert len(await acts(nodes.open("restored"))) == 301


async def test_log_that_lost_its_end_is_named(nodes: Nodes) -> None:
    one = nodes.open("one")
    await add_ann(one)
    await one.record(a_deed())
    nodes.redis("XTRIM", nodes.stream, "MAXLEN", "0")
    with pytest.raises(PeopleDifferError, match="lost its end"):
        await one.people()
    with pytest.raises(PeopleDifferError, match="lost its end"):
        await one.record(a_deed())


async def test_other_log_is_named(nodes: Nodes) -> None:
    await add_ann(nodes.open("one"))
    nodes.redis("DEL", nodes.stream)
    other = nodes.open("other")
    for _ in range(3):
        await other.record(a_deed())
    with pytest.raises(PeopleDifferError, match="another one"):
        await nodes.open("one").people()


async def test_copy_behind_what_the_log_still_has_is_named(nodes: Nodes) -> None:
    one = nodes.open("one")
    await add_ann(one)
    shutil.copytree(nodes.folder / "one", nodes.folder / "old")
    for _ in range(3):
        await one.record(a_deed())
    nodes.redis("XTRIM", nodes.stream, "MAXLEN", "1")
    with pytest.raises(PeopleDifferError, match="restore a newer one"):
        await nodes.open("old").people()
    with pytest.raises(PeopleDifferError, match="restore"):
        await nodes.open("new").people()
    assert len(await acts(one)) == 4


async def test_act_that_was_written_beside_the_log_is_named(nodes: Nodes) -> None:
    one, two = nodes.open("one"), nodes.open("two")
    await add_ann(one)
    await add_ann_unseen(nodes.folder / "one" / FILE_NAME)
    await two.record(a_deed())
    with pytest.raises(PeopleDifferError, match="act log"):
        await one.people()


async def add_ann_unseen(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE act_head SET head = 'another'")
    db.close()


async def test_damaged_entry_is_named(nodes: Nodes) -> None:
    one = nodes.open("one")
    await add_ann(one)
    nodes.redis(
        *("XADD", nodes.stream, "3-0"), *("prev", "x", "head", "y", "acts", "z", "body", "!")
    )
    with pytest.raises(PeopleDifferError, match="damaged"):
        await one.people()


async def test_shared_file_is_refused_as_a_node_s_own(nodes: Nodes) -> None:
    await add_ann(nodes.open("one"))
    with pytest.raises(PeopleSharedError, match="--store redis://"):
        await nodes.open_alone("one").people()


# --- how fresh, and without the server ----------------------------------------------------------


async def test_what_others_changed_is_seen_within_a_short_time(nodes: Nodes) -> None:
    clock, log = FakeClock(), LosingLog(nodes.place)
    one = SharedPeople(log, SqlitePeopleCopy(nodes.folder / "one"), clock)
    await add_ann(one)
    clock.advance(FRESH_SECONDS)
    await one.people()
    looked = log.reads
    two = nodes.open("two")
    await two.set_disabled("ann", True, a_deed("disable"))
    clock.advance(FRESH_SECONDS * 0.9)
    await one.people()
    assert log.reads == looked
    clock.advance(FRESH_SECONDS * 0.2)
    assert [each.person.disabled for each in await one.people()] == [True]
    assert log.reads == looked + 1
    await one.close()


async def test_without_the_server_nothing_is_answered_and_later_all_is(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    with RedisProcess(tmp_path / "redis") as server:
        one = a_shared_people(redis_place(server.url()), tmp_path / "one")
        await add_ann(one)
        assert await log_in(one, "token")
        server.kill()
        with pytest.raises(StoreUnavailableError):
            await one.session("token")
        with pytest.raises(StoreUnavailableError):
            await one.record(a_deed())
        server.start()
        assert await one.session("token") is not None
        assert await acts(one) == ["add", "log_in"]
        await one.close()


async def test_server_that_forgets_what_it_acknowledged_is_refused(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    with RedisProcess(tmp_path / "redis", appendfsync="everysec") as server:
        one = a_shared_people(redis_place(server.url()), tmp_path / "one")
        with pytest.raises(StoreUnavailableError, match="appendfsync"):
            await one.record(a_deed())
        await one.close()


class FailingLog(LosingLog):
    """It does not answer, and each look takes its time."""

    def __init__(self, place: RedisPlace, clock: FakeClock) -> None:
        super().__init__(place)
        self._clock = clock
        self.fails = False

    async def read(self, number: int, *, limit: int) -> Sequence[LogEntry]:
        if not self.fails:
            return await super().read(number, limit=limit)
        self.reads += 1
        await asyncio.sleep(0)
        self._clock.advance(2.0)
        raise StoreUnavailableError("no answer")


async def test_those_who_waited_behind_a_look_that_failed_do_not_wait_again(nodes: Nodes) -> None:
    clock = FakeClock()
    log = FailingLog(nodes.place, clock)
    one = SharedPeople(log, SqlitePeopleCopy(nodes.folder / "one"), clock)
    await add_ann(one)
    clock.advance(1.0)
    log.fails, log.reads = True, 0
    found = await asyncio.gather(*[one.session("t") for _ in range(9)], return_exceptions=True)
    assert [str(each) for each in found] == ["no answer"] * 9
    assert log.reads == 1
    log.fails = False
    clock.advance(1.0)
    assert await one.session("t") is None
    await one.close()
