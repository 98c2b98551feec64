"""The door of the service on a real port, with a route for every act there is."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from progressive.domain.people.roles import Act, Person, Role
from progressive.domain.signatures import Signature
from progressive.entry.http.errors import errors_as_json
from progressive.entry.people.act_log import ActPages
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door
from progressive.entry.people.origins import Origins
from progressive.entry.people.sessions import SessionPages
from progressive.entry.people.users import UserPages
from tests.support.fake_clock import FakeClock
from tests.support.people import PASSWORD, PeopleDesk, a_people_desk

Json = dict[str, Any]

STAFF = [
    Person("Dan", Role.DEALER, "Table games"),
    Person("Ann", Role.SUPERVISOR, "Table games"),
    Person("Sue", Role.SUPERVISOR, "Table games"),
    Person("Bob", Role.FINANCE, "Finance"),
    Person("Eve", Role.ADMIN, "Systems"),
    Person("Joe", Role.AUDITOR, "Audit"),
    Person("Cleo", Role.COMPLIANCE, "Compliance"),
]
BY_ROLE = {person.role: person for person in reversed(STAFF)}


class DoorDesk:
    """What a test needs of a door: its address, the people, and what has been done."""

    def __init__(self, people: PeopleDesk, clock: FakeClock, door: Door) -> None:
        self.people = people
        self.clock = clock
        self.door = door
        self.done: list[tuple[str, str]] = []
        """Who was let do what."""
        self.first: Signature | None = None
        """Who began what the next act completes."""
        self.answer: Json = {"number": 1}
        self.status = 200
        self.url = ""
        self.session: aiohttp.ClientSession

    async def token(self, person: Person) -> str:
        return (await self.people.log_in(person)).token

    async def ask(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        **options: Any,  # noqa: ANN401 (aiohttp's own)
    ) -> tuple[int, Json]:
        status, body, _ = await self.ask_fully(method, path, token=token, **options)
        return status, body

    async def ask_fully(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        **options: Any,  # noqa: ANN401 (aiohttp's own)
    ) -> tuple[int, Json, aiohttp.ClientResponse]:
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        async with self.session.request(
            method, f"{self.url}{path}", headers=headers, **options
        ) as response:
            body = await response.json() if response.content_type == "application/json" else {}
            return response.status, body, response

    async def view(self, request: web.Request) -> web.Response:
        act = Act(request.match_info["act"])
        person = await self.door.require(request, act, first=self.first)
        self.done.append((person.name, act))
        return web.json_response({})

    async def change(self, person: Person, body: bytes) -> web.Response:
        self.done.append((person.name, body.decode()))
        return web.json_response(self.answer, status=self.status)


@contextlib.asynccontextmanager
async def a_door(
    directory: Path, *, people: Sequence[Person] = STAFF, origins: Sequence[str] = ()
) -> AsyncIterator[DoorDesk]:
    clock = FakeClock()
    async with a_people_desk(directory, clock) as desk:
        await desk.add(*people)
        door = Door(desk.sessions, desk.store, clock, origins=Origins(origins), tls=False)
        changes = Changes(door, desk.store, clock)
        opened = DoorDesk(desk, clock, door)

        async def change(request: web.Request) -> web.Response:
            act = Act(request.match_info["act"])
            about: dict[str, str | int] = {"award": "A-1"}
            return await changes.run(request, act, opened.change, first=opened.first, about=about)

        app = web.Application(middlewares=[errors_as_json, door.guard])
        sessions = SessionPages(desk.sessions, door, clock)
        users = UserPages(desk.people, door, clock, on_unlocked=sessions.let_in)
        app.add_routes([*sessions.routes(), *ActPages(desk.store, door).routes(), *users.routes()])
        app.router.add_get("/view/{act}", opened.view)
        app.router.add_post("/change/{act}", change)
        # No jar: a test sends the cookies it wants to send.
        async with (
            TestServer(app) as server,
            aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
        ):
            opened.url = str(server.make_url("/")).rstrip("/")
            opened.session = session
            yield opened


def credentials(name: str, password: str = PASSWORD) -> Json:
    return {"user": name, "password": password}
