"""Log in, be known by a token, log out.

A session is a random token that only its holder has: the store keeps a hash of it. Every log-in
and every refusal is recorded before it is answered.
"""

import asyncio
import re
import secrets
from enum import StrEnum
from hashlib import sha256
from typing import Final
from weakref import WeakValueDictionary

from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.people.act_log import LOG_IN, LOG_OUT, Deed, Outcome
from progressive.application.people.ports import (
    EXPIRED,
    Passwords,
    SessionStore,
    StoredSession,
)
from progressive.application.people.session_clock import SessionClock
from progressive.application.people.tries import (
    FAMILIAR_SECONDS,
    address_mark,
    device_mark,
    lanes_for,
)
from progressive.domain.people.names import key_to_find
from progressive.domain.people.roles import Person
from progressive.domain.time_text import later

IDLE_SECONDS: Final = 30 * 60
SESSION_SECONDS: Final = 12 * 3600
"""A session ends after a long shift, however busy it is."""
TOUCH_SECONDS: Final = 60
"""How old the note of a session's last use may get: a commit a minute, not one a request."""
FORGET_SECONDS: Final = 7 * 24 * 3600
"""How long an ended session can still be told from one that never was."""

TOKEN_PREFIX: Final = "pss_"  # noqa: S105 - lets a secret scanner recognise a token gone astray
DEVICE_PREFIX: Final = "psd_"
TOKEN_BYTES: Final = 32
_DEVICE: Final = re.compile(DEVICE_PREFIX + r"[\w-]{43}", re.ASCII)


class LogInRefusal(StrEnum):
    """Why a log-in failed: for the act log, never for whoever tried."""

    UNKNOWN_NAME = "UNKNOWN_NAME"
    WRONG_PASSWORD = "WRONG_PASSWORD"  # noqa: S105 - a code
    LOCKED = "LOCKED"
    """Too many bad tries from there: this one was not looked at."""
    DISABLED = "DISABLED"
    CHANGED_MEANWHILE = "CHANGED_MEANWHILE"


class NoSession(StrEnum):
    """Why a token opens nothing."""

    NO_SESSION = "NO_SESSION"
    SESSION_EXPIRED = "SESSION_EXPIRED"
    SESSION_ENDED = "SESSION_ENDED"


class LoggedIn(Struct, frozen=True):
    """A new session. The token is nowhere else."""

    token: str
    person: Person
    expires_at: str
    device: str
    """Tells this browser from others at the next log-in; opens nothing by itself."""


class Session(Struct, frozen=True):
    """A live session."""

    person: Person
    token_sha256: str
    expires_at: str


class Stranger(Struct, frozen=True):
    """A token that opens nothing, and whose it was."""

    reason: NoSession
    person: Person | None = None


class Sessions:
    """The sessions of a floor."""

    def __init__(self, store: SessionStore, passwords: Passwords, clock: Clock) -> None:
        self._store = store
        self._passwords = passwords
        self._clock = SessionClock(clock)
        self._seeded = False
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def log_in(
        self, name: str, password: str, *, where: str, device: str = ""
    ) -> LoggedIn | LogInRefusal:
        """A session, or why not. Takes as long for a name that nobody has.

        `device` is what the browser was given at its last log-in.
        """
        key = key_to_find(name)
        # One after the other for a name: good tries at one moment must not count as bad ones.
        async with self._turns.setdefault(key, asyncio.Lock()):
            return await self._log_in(key, password, where, device)

    async def end_overdue(self) -> None:
        """Sessions that time has ended are marked as ended: a clock set back, or a start with such
        a clock, does not bring them to life again."""
        await self._seed()
        at = self._clock.now()
        await self._store.end_overdue(
            opened_before=later(at, seconds=-SESSION_SECONDS),
            used_before=later(at, seconds=-IDLE_SECONDS),
        )

    async def _seed(self) -> None:
        """Time goes on from the latest one that is stored, whatever the clock says now."""
        if not self._seeded:
            self._clock.begin_after(await self._store.latest_time())
            self._seeded = True

    async def knows_device(self, name: str, device: str) -> bool:
        """Whether this person has signed in with this browser before."""
        mark = device_mark(device)
        return mark in await self._familiar(key_to_find(name), {mark})

    async def _familiar(self, key: str, marks: set[str]) -> frozenset[str]:
        since = later(self._clock.now(), seconds=-FAMILIAR_SECONDS)
        return await self._store.familiar(key, marks, since=since)

    async def _log_in(
        self, key: str, password: str, where: str, device: str
    ) -> LoggedIn | LogInRefusal:
        await self._seed()
        at = self._clock.now()
        marks = {device_mark(device), address_mark(where)}
        lanes = lanes_for(
            device=device_mark(device),
            address=address_mark(where),
            familiar=await self._familiar(key, marks),
        )
        begun = await self._store.begin_try(key, at=at, lanes=lanes)
        fits = await self._passwords.fits(begun.password_hash if begun else None, password)
        if begun is None:
            return await self._refused(LogInRefusal.UNKNOWN_NAME, None, where)
        who = begun.person.name
        # A guess must not be told apart from a hit while tries are slowed or the account disabled.
        if begun.locked:
            return await self._refused(LogInRefusal.LOCKED, who, where)
        if not fits:
            return await self._refused(LogInRefusal.WRONG_PASSWORD, who, where)
        if begun.person.disabled:
            return await self._refused(LogInRefusal.DISABLED, who, where)
        token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        if not _DEVICE.fullmatch(device):
            device = DEVICE_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        opened_at = self._clock.now()
        opened = await self._store.open_session(
            key,
            token_sha256(token),
            password_hash=begun.password_hash,
            purge_before=later(opened_at, seconds=-FORGET_SECONDS),
            deed=Deed(opened_at, who, where, LOG_IN, Outcome.DONE),
            lanes=lanes,
            marks={device_mark(device), address_mark(where)},
            forget_before=later(opened_at, seconds=-FAMILIAR_SECONDS),
        )
        if not opened:
            return await self._refused(LogInRefusal.CHANGED_MEANWHILE, who, where)
        expires_at = later(opened_at, seconds=SESSION_SECONDS)
        return LoggedIn(token, begun.person, expires_at, device)

    async def find(self, token: str, *, in_use: bool = True) -> Session | Stranger:
        """Whose token this is now; one that is in use is kept from falling idle."""
        hashed = token_sha256(token)
        stored = await self._store.session(hashed)
        if stored is None:
            return Stranger(NoSession.NO_SESSION)
        if stored.ended == EXPIRED:
            return Stranger(NoSession.SESSION_EXPIRED, stored.person)
        if stored.ended is not None or stored.person.disabled:
            return Stranger(NoSession.SESSION_ENDED, stored.person)
        await self._seed()
        at = self._clock.now()
        if at >= _expires_at(stored):
            await self.end_overdue()
            return Stranger(NoSession.SESSION_EXPIRED, stored.person)
        if in_use and at >= later(stored.used_at, seconds=TOUCH_SECONDS):
            await self._store.touch_session(hashed, at=at)
        return Session(stored.person, hashed, later(stored.opened_at, seconds=SESSION_SECONDS))

    async def log_out(self, session: Session, *, where: str) -> None:
        """The token opens nothing any more."""
        deed = Deed(self._clock.now(), session.person.name, where, LOG_OUT, Outcome.DONE)
        await self._store.end_session(session.token_sha256, deed)

    async def _refused(self, why: LogInRefusal, who: str | None, where: str) -> LogInRefusal:
        deed = Deed(self._clock.now(), who, where, LOG_IN, Outcome.REFUSED, {"code": why})
        await self._store.record(deed)
        return why


def _expires_at(session: StoredSession) -> str:
    return min(
        later(session.opened_at, seconds=SESSION_SECONDS),
        later(session.used_at, seconds=IDLE_SECONDS),
    )


def token_sha256(token: str) -> str:
    """What is kept of a token. It has 256 random bits: nothing slower is needed."""
    return sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
