"""People for tests: a real file, a clock that is turned, and hashes that cost little."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from progressive.adapters.passwords import Argon2Passwords
from progressive.adapters.sqlite.people import SqlitePeople
from progressive.application.clock import Clock
from progressive.application.people.accounts import People
from progressive.application.people.sessions import LoggedIn, Sessions
from progressive.domain.people.roles import Person, Role
from tests.support.fake_clock import FakeClock

PASSWORD = "a password for tests"
HERE = "10.0.0.7"

ANN = Person("Ann", Role.SUPERVISOR, "Table games")
BOB = Person("Bob", Role.FINANCE, "Finance")


class PeopleDesk:
    """The use cases on one real file."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.clock = clock
        self.store = SqlitePeople(directory)
        self.passwords = Argon2Passwords(time_cost=1, memory_kib=8)
        self.people = People(self.store, self.passwords, clock)
        self.sessions = Sessions(self.store, self.passwords, clock)

    async def add(self, *people: Person) -> None:
        for person in people:
            await self.people.add(person, PASSWORD, where=HERE)

    async def log_in(self, person: Person) -> LoggedIn:
        opened = await self.sessions.log_in(person.name, PASSWORD, where=HERE)
        assert isinstance(opened, LoggedIn), opened
        return opened

    async def acts(self) -> list[dict[str, Any]]:
        return [json.loads(each) for each in await self.store.acts(after_seq=0, limit=1000)]

    async def last_act(self) -> dict[str, Any]:
        return (await self.acts())[-1]

    async def close(self) -> None:
        await self.store.close()
        self.passwords.close()


@contextlib.asynccontextmanager
async def a_people_desk(directory: Path, clock: Clock | None = None) -> AsyncIterator[PeopleDesk]:
    desk = PeopleDesk(directory, clock or FakeClock())
    try:
        yield desk
    finally:
        await desk.close()
