"""The panel socket: a dealer's screen drives a table through the service. COLD.

The table's numbering lives here for such tables: a panel says what it saw last, and its message
gets the next number or none. That number and the body are in the journal, so a message that is
sent again (after a reload, by a second browser, over a network that lost the answer, to a service
that was killed) finds what became of it there. Nothing is remembered beside the journal.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.journal.ports import StoreError
from progressive.application.link.batch import ActReceipt, Answer, Calling
from progressive.application.link.replies import FateUnknownError
from progressive.application.link.worker import LinkWorker
from progressive.application.people.act_log import Outcome
from progressive.application.people.sessions import IDLE_SECONDS
from progressive.common.token_bucket import TokenBucket
from progressive.domain.acts import SignOn
from progressive.domain.decide.void_round import void_needs_supervisor
from progressive.domain.ids import TableId
from progressive.domain.people.names import same_person
from progressive.domain.people.roles import Act, Person
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt
from progressive.entry.http.errors import RefusedError
from progressive.entry.people.door import Door
from progressive.entry.table.panel_guide import guide
from progressive.entry.table.panel_supervisor import PanelSupervision
from progressive.entry.table.panel_views import round_lammers
from progressive.live.frame_socket import FrameSocket
from progressive.live.frames import text_frame
from progressive.wire import close_codes
from progressive.wire.codec import encode
from progressive.wire.panel_commands import (
    BadPanelMessage,
    PanelCommand,
    PanelLook,
    PanelMessage,
    PanelSignOn,
    PanelSupervisor,
    PanelValidateRound,
    PanelVoid,
    decode_panel,
    table_command,
)
from progressive.wire.panel_messages import (
    PanelDone,
    PanelLooked,
    PanelRefused,
    PanelSignedOn,
    PanelSupervised,
    PanelTick,
    PanelWelcome,
)

log = logging.getLogger(__name__)

SUBPROTOCOL: Final = "progressive.panel.v1"
INBOX_MAX: Final = 16
"""Messages a panel may have sent and not seen handled; a dealer has one under way."""
MESSAGES_A_BEAT: Final = 20
MESSAGES_AT_ONCE: Final = 40
UNREAD_BYTES_MAX: Final = 256 * 1024

MOVED_ON: Final = "MOVED_ON"
NOT_SIGNED_ON: Final = "NOT_SIGNED_ON"
_NUMBERING: Final = (Rejection.SEQ_REUSED, Rejection.SEQ_GAP)

OnRefused = Callable[[int | None, Refusal], None]
OnAnswer = Callable[["PanelSocket", bytes], None]


class PanelSocket:
    """One connected panel."""

    def __init__(
        self,
        request: web.Request,
        table: TableId,
        worker: LinkWorker,
        person: Person,
        *,
        door: Door,
        clock: Clock,
        on_answer: OnAnswer,
        on_refused: OnRefused,
    ) -> None:
        """`on_answer` sends an answer behind the state that it led to."""
        self.table = table
        self.worker = worker
        self.person = person
        self._request = request
        self._door = door
        self._clock = clock
        self._on_answer = on_answer
        self._on_refused = on_refused
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue(INBOX_MAX)
        self._supervision = PanelSupervision(
            request, table, worker, door=door, clock=clock, say=self._say
        )
        self._allowance = TokenBucket(MESSAGES_AT_ONCE)
        self._idle_beats = 0
        self._closing: asyncio.Task[bool] | None = None
        self.ws = FrameSocket(self._on_text, protocols=(SUBPROTOCOL,))
        self.ws.on_beat = self._on_beat

    async def run(self) -> None:
        """Until the panel is gone."""
        working = asyncio.create_task(self._work())
        try:
            await self.ws.run()
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
            with suppress(StoreError):
                await self._supervision.leave()

    def welcome(self) -> None:
        """As whom the panel is known."""
        self.write(encode(PanelWelcome(self.person.signature)))

    def write(self, payload: bytes) -> None:
        """Send soon. A panel that does not read is let go, and finds the state on its return."""
        transport = self._request.transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > UNREAD_BYTES_MAX:
            transport.abort()
        else:
            transport.write(text_frame(payload))

    def close_soon(self, code: int, reason: str) -> None:
        """Close from where nothing can be awaited."""
        if self._closing is None:
            closing = self.ws.close(code=code, message=reason.encode()[:120])
            self._closing = asyncio.get_running_loop().create_task(closing)

    def _on_beat(self) -> None:
        self._allowance.fill(MESSAGES_A_BEAT)
        self._idle_beats += 1
        if self._idle_beats > IDLE_SECONDS:
            # Looking on is no use of a session: it has expired meanwhile.
            self.close_soon(close_codes.BAD_KEY, "the session has expired: log in again")
        else:
            self.write(encode(PanelTick(self._clock.now())))
        self._supervision.beat()

    def _on_text(self, data: bytes) -> None:
        self._idle_beats = 0
        if not self._allowance.take() or self._inbox.full():
            self.close_soon(close_codes.BAD_FRAME, "too many messages")
        else:
            self._inbox.put_nowait(data)

    # --- messages ----------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            data = await self._inbox.get()
            message = decode_panel(data)
            if isinstance(message, BadPanelMessage):
                self._refuse(message.id, Refusal(Rejection.BAD_MESSAGE, message.why))
                continue
            try:
                # Asked for every message: whoever was disabled meanwhile does nothing more.
                person = await self._door.require(self._request, Act.SIGN_ON_TABLE)
                await self._handle(message, person)
            except RefusedError as refused:
                self.close_soon(*close_of(refused))
            except FateUnknownError:
                self.close_soon(close_codes.TRY_AGAIN_LATER, "the journal did not answer")
            except StoreError as error:
                log.error("a panel's session cannot be looked up", extra={"why": str(error)})
                self._say(PanelRefused(message.id, "UNAVAILABLE", "who you are cannot be read now"))

    async def _handle(self, message: PanelMessage, person: Person) -> None:
        if isinstance(message, PanelSignOn):
            await self._sign_on(message.id, person)
        elif isinstance(message, PanelLook):
            self._look(message)
        elif isinstance(message, PanelSupervisor):
            await self._supervision.handle(message, person)
        elif isinstance(message, PanelValidateRound):
            answer = await self._supervision.confirm(message.round, message.awards)
            self._tell_act(message.id, self.worker.table_state(self.table).last_seq, answer)
        else:
            await self._submit(message, person)

    async def _submit(self, message: PanelCommand, person: Person) -> None:
        state = self.worker.state
        dealer = None if state is None else state.dealers.get(self.table)
        if state is not None and (dealer is None or not same_person(dealer, person.signature)):
            # What is locked and settled here stands under the name of whoever is signed on.
            who = "nobody" if dealer is None else dealer.name
            text = f"{who} is signed on at {self.table}: sign on first"
            self._say(PanelRefused(message.id, NOT_SIGNED_ON, text))
            return
        if isinstance(message, PanelVoid) and await self._is_hers_to_void(message):
            answer = await self._supervision.void(message.round, message.reason)
            self._tell_act(message.id, message.after + 1, answer)
            return
        reply = Calling(partial(self._reply, message.id))
        self.worker.submit_nowait(self.table, table_command(message), reply)

    def _reply(self, panel_id: str, seq: int, answer: Answer, repeat: bool) -> None:
        if isinstance(answer, Receipt):
            self._say(PanelDone(panel_id, seq, answer.journal_seq, repeat))
        elif isinstance(answer, Refusal):
            self._refuse(panel_id, answer, seq)
        else:
            # The fate of the message is unknown: the panel comes back and sends it again.
            self.close_soon(close_codes.TRY_AGAIN_LATER, "the journal did not answer")

    async def _is_hers_to_void(self, message: PanelVoid) -> bool:
        """A misdeal that the terms leave to the supervisor who is signed in here.

        A message sent again is recognised by its number, as any other: the round is void by then.
        """
        state, at_table = self.worker.state, self.worker.table_state(self.table)
        opened = at_table.round
        return (
            state is not None
            and opened is not None
            and message.after == at_table.last_seq
            and void_needs_supervisor(state.terms_of(opened.terms_version), opened)
            and await self._supervision.here() is not None
        )

    def _tell_act(self, panel_id: str, seq: int, answer: ActReceipt | Refusal) -> None:
        if isinstance(answer, Refusal):
            self._refuse(panel_id, answer)
        else:
            self._say(PanelDone(panel_id, seq, answer.journal_seq))

    def _refuse(self, panel_id: str | None, why: Refusal, seq: int | None = None) -> None:
        if why.code in _NUMBERING:
            text = "the table has moved on: somebody else was faster"
            self._say(PanelRefused(panel_id, MOVED_ON, text))
            return
        self._on_refused(seq, why)
        self._say(PanelRefused(panel_id, why.code.value, why.message, why.expected))

    def _say(
        self, answer: PanelDone | PanelRefused | PanelSignedOn | PanelLooked | PanelSupervised
    ) -> None:
        self._on_answer(self, encode(answer))

    def _look(self, message: PanelLook) -> None:
        """What cards mean that are still being dealt or keyed: nothing is stored of them."""
        state = self.worker.state
        opened = None if state is None else state.tables[self.table].round
        if state is None or opened is None:
            self._say(PanelLooked(message.id, [], None))
            return
        lammers = round_lammers(state, opened, message.seats)
        terms = state.terms_of(opened.terms_version)
        led = guide(terms, opened, message, state.early.get(self.table))
        self._say(PanelLooked(message.id, lammers, led))

    # --- the dealer --------------------------------------------------------------------------

    async def sign_on_if_free(self) -> None:
        """On connecting. A panel that comes back must not take the table from a relief dealer."""
        state = self.worker.state
        if state is None or self.table in state.dealers:
            return
        with suppress(FateUnknownError):
            await self._perform_sign_on(self.person)

    async def _sign_on(self, panel_id: str, person: Person) -> None:
        refusal = await self._perform_sign_on(person)
        if refusal is None:
            self._say(PanelSignedOn(panel_id, person.signature))
        else:
            self._refuse(panel_id, refusal)

    async def _perform_sign_on(self, person: Person) -> Refusal | None:
        answer = await self.worker.perform(SignOn(self.table, person.signature))
        if isinstance(answer, Refusal):
            return answer
        await self._door.record(
            self._request,
            Act.SIGN_ON_TABLE,
            Outcome.DONE,
            who=person.name,
            details={"table": self.table, "on": True},
        )
        return None


def close_of(refused: RefusedError) -> tuple[int, str]:
    """A refusal at the door as a close code: no page can read the status of a failed handshake."""
    known = refused.response.status == 401
    return (close_codes.BAD_KEY if known else close_codes.NOT_ALLOWED), str(refused)
