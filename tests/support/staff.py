"""Staff of a running service, each with a session of their own, over real HTTP."""

import contextlib
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from progressive.adapters.clock import SystemClock
from progressive.domain.people.roles import Person, Role
from tests.support.people import a_people_desk

Json = dict[str, Any]

DAN = Person("Dan", Role.DEALER, "Table games")
ANN = Person("Ann", Role.SUPERVISOR, "Table games")
SUE = Person("Sue", Role.SUPERVISOR, "Table games")
BOB = Person("Bob", Role.FINANCE, "Cage")
PAT = Person("Pat", Role.FINANCE, "Accounts")
EVE = Person("Eve", Role.ADMIN, "Systems")
JOE = Person("Joe", Role.AUDITOR, "Audit")
AMY = Person("Amy", Role.FINANCE, "Treasury")
CLEO = Person("Cleo", Role.COMPLIANCE, "Compliance")
EVERYBODY = (DAN, ANN, SUE, BOB, PAT, EVE, JOE, AMY, CLEO)
BY_ROLE = {person.role: person for person in reversed(EVERYBODY)}


class Sent(NamedTuple):
    """An answer that is a file."""

    status: int
    headers: dict[str, str]
    body: bytes


class Staff:
    """Everybody who works here, logged in."""

    def __init__(self, url: str, tokens: dict[str, str], session: aiohttp.ClientSession) -> None:
        self.url = url
        self._tokens = tokens
        self._session = session

    async def ask(
        self,
        who: Person,
        method: str,
        path: str,
        body: Json | None = None,
        **headers: str,
    ) -> tuple[int, Any]:
        """Status and answer of a request in somebody's name."""
        sent = {"Authorization": f"Bearer {self._tokens[who.name]}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        async with self._session.request(
            method, self.url + path, json=body, headers=sent
        ) as answer:
            if answer.content_type == "application/json":
                return answer.status, await answer.json()
            return answer.status, await answer.text()

    async def send(self, who: Person, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
        """A file in somebody's name."""
        sent = {"Authorization": f"Bearer {self._tokens[who.name]}", "Content-Type": "text/csv"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        async with self._session.post(
            self.url + path, data=io.BytesIO(body), headers=sent
        ) as answer:
            return answer.status, await answer.json()

    async def log_in_again(self, data: Path, clock: SystemClock) -> None:
        """Everybody has a new session."""
        async with a_people_desk(data, clock) as desk:
            self._tokens = {who.name: (await desk.log_in(who)).token for who in EVERYBODY}

    async def file(self, who: Person, path: str) -> "Sent":
        """An answer as it is, with its headers."""
        headers = {"Authorization": f"Bearer {self._tokens[who.name]}"}
        async with self._session.get(self.url + path, headers=headers) as answer:
            return Sent(answer.status, dict(answer.headers), await answer.read())

    async def post(self, who: Person, path: str, body: Json | None = None) -> tuple[int, Any]:
        """A change in somebody's name."""
        return await self.ask(who, "POST", path, {} if body is None else body)


@contextlib.asynccontextmanager
async def working(
    url: str, data: Path, *, clock: SystemClock | None = None
) -> AsyncIterator[Staff]:
    """Everybody is hired and has a session, which ends by the clock as the service has it."""
    async with a_people_desk(data, clock or SystemClock()) as desk:
        await desk.add(*EVERYBODY)
        tokens = {person.name: (await desk.log_in(person)).token for person in EVERYBODY}
    async with aiohttp.ClientSession() as session:
        yield Staff(url, tokens, session)
