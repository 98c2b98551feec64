"""The door of the service: whose request is this, may they, and is it their own doing.

What is refused here is recorded in the act log with who, when and from where, and changes nothing.
"""

from collections import Counter
from typing import Final, NoReturn

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.people.act_log import REQUEST, Deed, Details, Outcome
from progressive.application.people.ports import ActLog
from progressive.application.people.rate_limits import RateLimit, address_key
from progressive.application.people.sessions import NoSession, Session, Sessions
from progressive.domain.people.roles import Act, Person, Unfit, unfit
from progressive.domain.signatures import Signature
from progressive.entry.http.errors import Handler, RefusedError
from progressive.entry.people.origins import Origins, address, changes_something, opens_socket
from progressive.live.entrance.gate import gate_of

REFUSALS_A_MINUTE: Final = 600
"""Refusals of one address that are recorded one by one: each is a commit, and the log is kept for
ever. Those beyond are counted and answered 429."""

_MESSAGES: Final[dict[str, str]] = {
    NoSession.NO_SESSION: "log in first",
    NoSession.SESSION_EXPIRED: "the session has expired: log in again",
    NoSession.SESSION_ENDED: "the session was ended: log in again",
    Unfit.WRONG_ROLE: "your role does not allow this",
    Unfit.UNCONFIRMED: "your account was made or changed at the machine: an administrator must "
    "confirm it first",
    Unfit.SAME_PERSON: "another person must do this",
    Unfit.SAME_DEPARTMENT: "somebody of another department must do this",
    "CROSS_SITE": "this service does not take requests from other sites' pages",
}
_WAIT: Final = {"Retry_After": "60"}
_HEADERS: Final = {401: {"WWW_Authenticate": "Bearer"}, 429: _WAIT}


class Door:
    """Lets in, turns away, and writes down."""

    def __init__(
        self, sessions: Sessions, store: ActLog, clock: Clock, *, origins: Origins, tls: bool
    ) -> None:
        self._sessions = sessions
        self._store = store
        self._clock = clock
        self._origins = origins
        self._refusals = RateLimit(clock, per_minute=REFUSALS_A_MINUTE)
        self.secure = tls or origins.any_secure
        self.cookie = "__Host-progressive" if self.secure else "progressive"
        """The prefix makes browsers refuse such a cookie from anyone but this host, over TLS."""
        self.refused: Counter[str] = Counter()

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """No page of another site opens a socket here or changes anything."""
        matters = changes_something(request) or opens_socket(request)
        if matters and not self._origins.welcome(request):
            await self.refuse(request, 403, "CROSS_SITE", act=REQUEST)
        return await handler(request)

    async def require(
        self, request: web.Request, act: Act, *, first: Signature | None = None
    ) -> Person:
        """Who asks, if they may do this, and upon what `first` began; otherwise RefusedError."""
        person = (await self.session(request, act)).person
        if (why := unfit(person, act, first=first)) is not None:
            await self.refuse(request, 403, why, act=act, who=person.name)
        return person

    def claims(self, request: web.Request) -> bool:
        """Whether a request may be of a table or of staff: it is looked at before strangers'.

        Signs are strangers, with a key too: there are thousands of them.
        """
        if request.path.startswith("/v1/links/") and opens_socket(request):
            return False
        return self.shows_session(request)

    def shows_session(self, request: web.Request) -> bool:
        """Whether a request comes with a session at all, good or bad."""
        return bool(self._token(request)[0])

    async def visitor(self, request: web.Request, *, in_use: bool = True) -> Person | None:
        """Who looks at a page; a stranger is nobody, and looking is no refusal to record."""
        token, _ = self._token(request)
        found = await self._sessions.find(token, in_use=in_use) if token else None
        if not isinstance(found, Session):
            return None
        _admit(request)
        return found.person

    async def holder(self, token: str) -> Session | None:
        """The live session of a token that came by a socket; None where there is none."""
        found = await self._sessions.find(token)
        return found if isinstance(found, Session) else None

    async def end(self, request: web.Request, session: Session) -> None:
        """A session that was held for somebody is over."""
        await self._sessions.log_out(session, where=address(request))

    async def session(self, request: web.Request, act: str) -> Session:
        """The live session of a request; otherwise RefusedError. `act` is for the record."""
        token, from_cookie = self._token(request)
        # A browser adds the cookie by itself: only its Origin tells whose doing the request is.
        if from_cookie and changes_something(request) and "Origin" not in request.headers:
            await self.refuse(request, 403, "CROSS_SITE", act=act)
        found = await self._sessions.find(token)
        if isinstance(found, Session):
            _admit(request)
            return found
        who = found.person.name if found.person else None
        await self.refuse(request, 401, found.reason, act=act, who=who)

    async def refuse(
        self,
        request: web.Request,
        status: int,
        code: str,
        *,
        act: str,
        who: str | None = None,
        message: str | None = None,
    ) -> NoReturn:
        """Record, then raise RefusedError."""
        self.refused[code] += 1
        if not self._refusals.take(address_key(address(request))):
            raise RefusedError(429, "TOO_MANY_REFUSALS", "too many refusals: wait", **_WAIT)
        details: Details = {"code": code, "request": f"{request.method} {request.path}"[:200]}
        await self.record(request, act, Outcome.REFUSED, who=who, details=details)
        raise RefusedError(status, code, message or _MESSAGES[code], **_HEADERS.get(status, {}))

    async def record(
        self,
        request: web.Request,
        act: str,
        outcome: Outcome,
        *,
        who: str | None,
        details: Details,
    ) -> None:
        """One more line of the act log."""
        deed = Deed(self._clock.now(), who, address(request), act, outcome, details)
        await self._store.record(deed)

    def _token(self, request: web.Request) -> tuple[str, bool]:
        """What was shown at the door, and whether a browser may have added it by itself."""
        if (header := request.headers.get("Authorization")) is not None:
            scheme, _, token = header.partition(" ")
            return (token.strip() if scheme.lower() == "bearer" else ""), False
        return request.cookies.get(self.cookie, ""), True


def _admit(request: web.Request) -> None:
    """A session was found: this connection is not a stranger's."""
    if (gate := gate_of(request)) is not None:
        gate.admit()
