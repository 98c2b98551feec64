"""Wires all that has to do with people: the file, sessions, the door, and the pages about them."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from aiohttp import web
from msgspec import Struct

from progressive.adapters.passwords import Argon2Passwords
from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.people.accounts import People
from progressive.application.people.ports import PeopleStore
from progressive.application.people.refused_claims import RefusedClaims
from progressive.application.people.sessions import Sessions
from progressive.domain.ids import TableId
from progressive.domain.rejections import Rejection
from progressive.entry.http.tls import TlsFiles
from progressive.entry.people.act_log import ActPages
from progressive.entry.people.changes import Changes
from progressive.entry.people.door import Door
from progressive.entry.people.origins import Origins
from progressive.entry.people.sessions import SessionPages
from progressive.entry.people.users import UserPages
from progressive.live.entrance.limits import Limits
from progressive.runtime.series import Series, counter

log = logging.getLogger(__name__)

SWEEP_SECONDS: Final = 60.0
"""How long after its time a session may still be unmarked in the file."""


class Doorway(Struct, frozen=True):
    """How people and tables come in, beyond the address."""

    tls: TlsFiles | None = None
    origins: tuple[str, ...] = ()
    """Pages of these may speak to the service too: those of a proxy in front of it."""
    names: tuple[str, ...] = ()
    """Names of this machine: pages under them are the service's own."""
    limits: Limits = Limits()
    """What one connection and one address may do."""


class Reception:
    """Everything about people: who they are, their sessions, what they did."""

    def __init__(
        self,
        store: PeopleStore,
        doorway: Doorway,
        clock: Clock,
        *,
        on_table_refused: Callable[[TableId, Rejection], None],
    ) -> None:
        self.store = store
        self._passwords = Argon2Passwords()
        self.people = People(self.store, self._passwords, clock)
        self._sessions = sessions = Sessions(self.store, self._passwords, clock)
        self._sweeping: asyncio.Task[None] | None = None
        self.door = Door(
            sessions,
            self.store,
            clock,
            origins=Origins(doorway.origins, names=doorway.names),
            tls=doorway.tls is not None,
        )
        self.changes = Changes(self.door, self.store, clock)
        self.claims = RefusedClaims(self.store, clock, on_refused=on_table_refused)
        self._session_pages = SessionPages(sessions, self.door, clock)
        self._act_pages = ActPages(self.store, self.door)
        self._user_pages = UserPages(
            self.people, self.door, clock, on_unlocked=self._session_pages.let_in
        )

    def routes(self) -> list[web.AbstractRouteDef]:
        """Log in, log out, the act log, accounts."""
        return [
            *self._session_pages.routes(),
            *self._act_pages.routes(),
            *self._user_pages.routes(),
        ]

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            counter("progressive_log_ins", "Log-ins", lambda: [((), self._session_pages.log_ins)]),
            counter(
                "progressive_door_refusals",
                "Requests, sockets and log-ins of people that were refused",
                lambda: [((code,), count) for code, count in self.door.refused.items()],
                "code",
            ),
        ]

    def start(self) -> None:
        """Begin to mark the sessions that time has ended."""
        self._sweeping = asyncio.create_task(self._sweep(), name="sessions")

    async def _sweep(self) -> None:
        while True:
            try:
                await self._sessions.end_overdue()
            except StoreError as error:
                # Said louder elsewhere: nobody can log in while the file is broken.
                log.warning(
                    "sessions that time has ended are not marked", extra={"why": str(error)}
                )
            await asyncio.sleep(SWEEP_SECONDS)

    async def close(self) -> None:
        """Let go of the file."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sweeping
        await self.store.close()
        self._passwords.close()
