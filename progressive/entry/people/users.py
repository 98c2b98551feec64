"""Accounts over HTTP: who has one, a new one, and the word of a colleague about one."""

from collections.abc import Callable

import msgspec
from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.people.accounts import BadPersonError, NotTheirsError, People
from progressive.application.people.listing import user_row
from progressive.domain.people.roles import Act, Person, Role
from progressive.domain.signatures import Signature
from progressive.entry.http.errors import RefusedError
from progressive.entry.http.links import answered
from progressive.entry.people.door import Door
from progressive.entry.people.origins import address


class _NewUser(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    role: Role
    department: str
    password: str


_new_user = msgspec.json.Decoder(_NewUser)


class UserPages:
    """`/v1/users`. No `Idempotency-Key` counts here: a stored request would hold a password."""

    def __init__(
        self,
        people: People,
        door: Door,
        clock: Clock,
        *,
        on_unlocked: Callable[[str, str], None] = lambda name, where: None,
    ) -> None:
        self._people = people
        self._door = door
        self._clock = clock
        self._on_unlocked = on_unlocked
        """Told the name, and from where it was done."""

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/users", self.users),
            web.post("/v1/users", self.add),
            web.post("/v1/users/{name:.+}/confirm", self.confirm),
            web.post("/v1/users/{name:.+}/unlock", self.unlock),
        ]

    async def users(self, request: web.Request) -> web.Response:
        """GET /v1/users: everybody, by name."""
        await self._door.require(request, Act.VIEW_ACTS)
        now = self._clock.now()
        known = await self._people.everybody()
        return answered({"users": [user_row(each, now) for each in known]})

    async def add(self, request: web.Request) -> web.Response:
        """POST /v1/users: an administrator makes an account, which needs no other's word."""
        by = await self._door.require(request, Act.MANAGE_USERS)
        try:
            # As it was sent: a password is not tidied.
            given = _new_user.decode(await request.read())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RefusedError(400, "BAD_MESSAGE", str(error)[:200]) from None
        person = Person(given.name, given.role, given.department)
        try:
            await self._people.add(person, given.password, where=address(request), by=by)
        except BadPersonError as error:
            raise RefusedError(400, "BAD_USER", str(error)) from None
        return answered(
            {"name": person.name, "role": person.role, "department": person.department}, 201
        )

    async def confirm(self, request: web.Request) -> web.Response:
        """POST /v1/users/{name}/confirm: what was done at the machine was meant."""
        name = request.match_info["name"][:200]
        by = await self._door.require(request, Act.CONFIRM_USER, first=Signature(name, ""))
        try:
            person = await self._people.confirm(name, by, where=address(request))
        except NotTheirsError as error:
            await self._door.refuse(
                request, 403, "WRONG_ROLE", act=Act.CONFIRM_USER, who=by.name, message=str(error)
            )
        except BadPersonError as error:
            raise RefusedError(404, "UNKNOWN_USER", str(error)) from None
        if person.unconfirmed:
            return answered({"name": person.name, "second_needed": True}, 202)
        return answered({"name": person.name})

    async def unlock(self, request: web.Request) -> web.Response:
        """POST /v1/users/{name}/unlock: bad log-ins are forgotten, and this address is known."""
        by = await self._door.require(request, Act.UNLOCK_USER)
        name = request.match_info["name"][:200]
        try:
            person = await self._people.unlock(name, where=address(request), by=by)
        except BadPersonError as error:
            raise RefusedError(404, "UNKNOWN_USER", str(error)) from None
        self._on_unlocked(person.name, address(request))
        return answered({"name": person.name})
