"""People at a real service for tests: who they are, their sessions, and what they ask for."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp

from progressive.adapters.clock import SystemClock
from progressive.domain.people.roles import Person, Role
from tests.support.people import a_people_desk

ANN = Person("Ann", Role.SUPERVISOR, "Table games")
BEN = Person("Ben", Role.SUPERVISOR, "Table games")
CARA = Person("Cara", Role.FINANCE, "Cage")
FRED = Person("Fred", Role.FINANCE, "Finance")
GWEN = Person("Gwen", Role.ADMIN, "Administration")
DORA = Person("Dora", Role.DEALER, "Table games")
HUGH = Person("Hugh", Role.FINANCE, "Accounts")
STAFF = (ANN, BEN, CARA, FRED, GWEN, DORA, HUGH)

Tokens = Mapping[str, str]


async def staffed(data: Path) -> Tokens:
    """Everybody, with a session each that outlives the service's process."""
    async with a_people_desk(data, SystemClock()) as desk:
        await desk.add(*STAFF)
        return {person.name: (await desk.log_in(person)).token for person in STAFF}


class Cage:
    """The service's doors for people, by their names."""

    def __init__(self, session: aiohttp.ClientSession, tokens: Tokens) -> None:
        self._session = session
        self._tokens = tokens

    @classmethod
    @contextlib.asynccontextmanager
    async def at(cls, url: str, tokens: Tokens) -> AsyncIterator["Cage"]:
        async with aiohttp.ClientSession(url, cookie_jar=aiohttp.DummyCookieJar()) as session:
            yield cls(session, tokens)

    async def asks(
        self,
        who: Person,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        key: str | None = None,
    ) -> tuple[int, Any]:
        """Status and body of an answer."""
        headers = {"Authorization": f"Bearer {self._tokens[who.name]}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        async with self._session.request(method, path, json=body, headers=headers) as response:
            return response.status, await response.json()

    async def done(
        self, who: Person, path: str, body: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """A change that must be made."""
        status, answer = await self.asks(who, "POST", path, body or {})
        assert status in (200, 202), (status, answer)
        found: dict[str, Any] = answer
        return found

    async def read(self, path: str) -> Any:  # noqa: ANN401 - the service's JSON
        """What an administrator reads there."""
        status, answer = await self.asks(GWEN, "GET", path)
        assert status == 200, answer
        return answer
