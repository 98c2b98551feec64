"""Log in and out over HTTP, and ask who one is."""

from typing import Final

import msgspec
from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.people.act_log import LOG_IN, LOG_OUT
from progressive.application.people.rate_limits import RateLimit, address_key
from progressive.application.people.sessions import SESSION_SECONDS, LogInRefusal, Sessions
from progressive.application.people.tries import FAMILIAR_SECONDS
from progressive.domain.people.names import key_to_find
from progressive.domain.people.roles import Act, Person, unfit
from progressive.entry.http.errors import RefusedError, error
from progressive.entry.people.door import Door
from progressive.entry.people.origins import address
from progressive.wire.codec import encode

BAD_LOG_INS_A_MINUTE: Final = 30
"""From one address, whatever the names."""
BAD_LOG_INS_A_MINUTE_FOR_A_NAME: Final = 10
"""For one name, from one address; it holds for names that nobody has too."""
UNLOCKED_TRIES: Final = 5
"""Of whom a colleague has unlocked, beside her: whatever others behind the same proxy do."""

_REFUSED: Final = (
    "wrong name or password; or too many bad tries (wait, or ask a supervisor or administrator to "
    "unlock the account), or the account is disabled"
)
"""One text for all: whoever guesses must not learn which."""


class Credentials(Struct, forbid_unknown_fields=True):
    """What a log-in carries."""

    user: str
    password: str


_credentials = msgspec.json.Decoder(Credentials)


class SessionPages:
    """`/v1/sessions`."""

    def __init__(self, sessions: Sessions, door: Door, clock: Clock) -> None:
        self._sessions = sessions
        self._door = door
        self._by_address = RateLimit(clock, per_minute=BAD_LOG_INS_A_MINUTE)
        self._by_name = RateLimit(clock, per_minute=BAD_LOG_INS_A_MINUTE_FOR_A_NAME)
        self._unlocked: dict[str, int] = {}
        """Tries left, by name and address; only colleagues make entries."""
        self.log_ins = 0

    def let_in(self, name: str, where: str) -> None:
        """Somebody was unlocked from that address."""
        self._unlocked[_pair(name, where)] = UNLOCKED_TRIES

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.post("/v1/sessions", self.log_in),
            web.delete("/v1/sessions", self.log_out),
            web.get("/v1/sessions/me", self.me),
        ]

    async def log_in(self, request: web.Request) -> web.Response:
        """POST /v1/sessions: a token, also as a cookie."""
        try:
            given = _credentials.decode(await request.read())
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return error(400, "BAD_MESSAGE", 'send {"user":"…","password":"…"}')
        where, pair = address_key(address(request)), _pair(given.user, address(request))
        device = request.cookies.get(self._device_cookie, "")
        # Whoever has signed in with this browser is not kept out by others behind the same proxy.
        known = bool(device) and await self._sessions.knows_device(given.user, device)
        if not known and self._unlocked.get(pair):
            self._unlocked[pair] -= 1
            known = True
        # Only bad tries count: a whole shift may log in through one proxy.
        if not known and not (self._by_address.take(where) and self._by_name.take(pair)):
            await self._door.refuse(
                request, 429, "TOO_MANY_TRIES", act=LOG_IN, message="too many bad tries: wait"
            )
        opened = await self._sessions.log_in(
            given.user, given.password, where=address(request), device=device
        )
        if isinstance(opened, LogInRefusal):
            self._door.refused[opened] += 1
            raise RefusedError(401, "BAD_CREDENTIALS", _REFUSED, WWW_Authenticate="Bearer")
        if not known:
            self._by_address.give_back(where)
            self._by_name.give_back(pair)
        self.log_ins += 1
        response = web.json_response(
            body=encode(
                {"token": opened.token, "expires_at": opened.expires_at, **_told(opened.person)}
            )
        )
        self._set_cookie(response, self._device_cookie, opened.device, FAMILIAR_SECONDS)
        if request.query.get("cookie") == "none":
            # For somebody beside whoever this browser is signed in as: a supervisor at a panel.
            return response
        self._set_cookie(response, self._door.cookie, opened.token, SESSION_SECONDS)
        return response

    @property
    def _device_cookie(self) -> str:
        """Tells a browser; it opens nothing."""
        return f"{self._door.cookie}-browser"

    def _set_cookie(self, response: web.Response, name: str, value: str, seconds: int) -> None:
        response.set_cookie(
            name,
            value,
            max_age=seconds,
            path="/",
            httponly=True,
            secure=self._door.secure,
            samesite="Strict",
        )

    async def log_out(self, request: web.Request) -> web.Response:
        """DELETE /v1/sessions: the token opens nothing any more."""
        session = await self._door.session(request, LOG_OUT)
        await self._sessions.log_out(session, where=address(request))
        response = web.Response(status=204)
        response.del_cookie(
            self._door.cookie,
            path="/",
            httponly=True,
            secure=self._door.secure,
            samesite="Strict",
        )
        return response

    async def me(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/me: who one is and what one may do."""
        session = await self._door.session(request, "view_session")
        body = {"expires_at": session.expires_at, **_told(session.person)}
        return web.json_response(body=encode(body))


def _pair(name: str, where: str) -> str:
    return f"{key_to_find(name)} {address_key(where)}"


def _told(person: Person) -> dict[str, object]:
    return {
        "user": person.name,
        "role": person.role,
        "department": person.department,
        "may": [act for act in Act if unfit(person, act) is None],
    }
