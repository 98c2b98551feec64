"""A supervisor at a dealer's panel: signed in beside the dealer, for minutes, on this panel only.

She signs in with a session of her own (`POST /v1/sessions?cookie=none`), so that the dealer's stays
what it is. What she confirms stands in the journal and in the act log under her name. Her session
is looked up for every act, and ended when she leaves, when her time is up or when the panel goes.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from aiohttp import web
from msgspec import Struct

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.link.batch import ActReceipt
from progressive.application.link.worker import LinkWorker
from progressive.application.people.act_log import Details, Outcome
from progressive.application.people.sessions import Session
from progressive.domain.acts import ValidateRound, VoidLockedRound
from progressive.domain.ids import AwardId, RoundId, TableId
from progressive.domain.people.names import same_person
from progressive.domain.people.roles import Act, Person, unfit
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.time_text import later
from progressive.entry.http.errors import RefusedError
from progressive.entry.people.door import Door
from progressive.wire.panel_commands import PanelSupervisor
from progressive.wire.panel_messages import PanelRefused, PanelSupervised

SUPERVISOR_MINUTES: Final = 10
"""How long a supervisor is signed in at a panel, counted from her sign-in: whoever stands there
could tap for her."""

_NOBODY: Final = Refusal(Rejection.NEEDS_APPROVAL, "a supervisor signs in at this panel first")

Say = Callable[[PanelRefused | PanelSupervised], None]


class _Present(Struct, frozen=True):
    token: str
    session: Session
    until: str
    until_seconds: float


class PanelSupervision:
    """Who is signed in at one panel beside its dealer."""

    def __init__(
        self,
        request: web.Request,
        table: TableId,
        worker: LinkWorker,
        *,
        door: Door,
        clock: Clock,
        say: Say,
    ) -> None:
        self._request = request
        self._table = table
        self._worker = worker
        self._door = door
        self._clock = clock
        self._say = say
        self._present: _Present | None = None
        self._ending: asyncio.Task[None] | None = None

    def beat(self) -> None:
        """Once a second: is the time of the one who is here up?"""
        if self._is_over() and self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._time_is_up())

    async def handle(self, message: PanelSupervisor, dealer: Person) -> None:
        """Somebody comes to the panel, or leaves it. A refusal is hers: the panel stays."""
        if message.token is None:
            await self.leave()
            self._say(PanelSupervised(message.id, None, None))
            return
        try:
            self._say(await self._come(message.id, message.token, dealer))
        except RefusedError as refused:
            said = refused.response
            self._say(PanelRefused(message.id, said.code, said.message))
            self._say(PanelSupervised(None, None, None))

    def _is_over(self) -> bool:
        present = self._present
        return present is not None and self._clock.monotonic() >= present.until_seconds

    async def _time_is_up(self) -> None:
        with suppress(StoreError):
            await self.leave()
        self._say(PanelSupervised(None, None, None))
        self._ending = None

    async def _come(self, panel_id: str, token: str, dealer: Person) -> PanelSupervised:
        """A supervisor signs in; raises RefusedError where she may not, or deals here."""
        await self.leave()
        session = await self._door.holder(token)
        if session is None:
            await self._refuse(401, "NO_SESSION", None, "log in first")
        person = session.person
        if (why := unfit(person, Act.VALIDATE_AWARD)) is not None:
            await self._door.end(self._request, session)
            await self._refuse(403, why, person.name, "your role does not allow this")
        state = self._worker.state
        here = None if state is None else state.dealers.get(self._table)
        for deals in (dealer.signature, here):
            if deals is not None and same_person(deals, person.signature):
                await self._door.end(self._request, session)
                text = f"{person.name} deals at {self._table}: somebody else"
                await self._refuse(403, "DEALER_OF_TABLE", person.name, text)
        seconds = 60 * SUPERVISOR_MINUTES
        until = later(self._clock.now(), seconds=seconds)
        self._present = _Present(token, session, until, self._clock.monotonic() + seconds)
        return PanelSupervised(panel_id, person.signature, until)

    async def leave(self) -> None:
        """She leaves, or her time is up: her session is over."""
        present, self._present = self._present, None
        if present is not None:
            await self._door.end(self._request, present.session)

    async def here(self) -> Person | None:
        """The supervisor who is signed in, as far as she may act now."""
        present = self._present
        if present is None:
            return None
        session = None if self._is_over() else await self._door.holder(present.token)
        if session is None or unfit(session.person, Act.VALIDATE_AWARD) is not None:
            await self.leave()
            return None
        return session.person

    async def confirm(self, round_id: RoundId, awards: tuple[AwardId, ...]) -> ActReceipt | Refusal:
        """She has seen the lights and cards of these awards."""
        if (person := await self.here()) is None:
            return _NOBODY
        act = ValidateRound(self._table, round_id, person.signature, awards)
        return await self._performed(Act.VALIDATE_AWARD, act, person)

    async def void(self, round_id: RoundId, reason: str) -> ActReceipt | Refusal:
        """She voids the locked round."""
        if (person := await self.here()) is None:
            return _NOBODY
        act = VoidLockedRound(self._table, round_id, reason, person.signature)
        return await self._performed(Act.VOID_ROUND, act, person)

    async def _performed(
        self, kind: Act, act: ValidateRound | VoidLockedRound, person: Person
    ) -> ActReceipt | Refusal:
        answer = await self._worker.perform(act)
        about: Details = {"table": self._table, "round": act.round, "at": "panel"}
        outcome = Outcome.DONE
        if isinstance(answer, Refusal):
            about["code"], outcome = answer.code.value, Outcome.REFUSED
        await self._door.record(self._request, kind, outcome, who=person.name, details=about)
        return answer

    async def _refuse(self, status: int, code: str, who: str | None, text: str) -> NoReturn:
        await self._door.refuse(
            self._request, status, code, act=Act.VALIDATE_AWARD, who=who, message=text
        )
