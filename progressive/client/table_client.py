"""One table as its controller sees it: tell a message, get its answer, exactly once.

Messages are numbered here, kept on the disk before they are sent, and sent again until they are
answered, whatever breaks in between. One at a time: what a table does next hangs on the answer.
"""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Final, Literal, Self, TypeVar

from msgspec import Struct, structs

from progressive.client.answers import Answer
from progressive.client.connection import StayAwayError, TableConnection
from progressive.client.line import TableLine
from progressive.client.outbox import Kept, Outbox
from progressive.client.timing import REAL_TIME, ClientTime, any_chance, usual_patience
from progressive.domain.commands import TableCommand
from progressive.domain.rejections import Rejection
from progressive.wire.codec import encode
from progressive.wire.feed_messages import StateChanged
from progressive.wire.table_messages import ErrorMessage, Locked, Settled, Voided, Welcome

log = logging.getLogger(__name__)

SETTLED_SECONDS: Final = 5.0
"""A connection that held for so long was a good one: the next try need not wait for long."""

T = TypeVar("T")
State = Literal["away", "live", "inoperable", "refused"]
_NUMBERS_DISAGREE: Final = (Rejection.SEQ_REUSED, Rejection.SEQ_GAP)


class ServiceBehindError(Exception):
    """The service does not know a message that it has answered: its journal has lost something."""

    def __init__(self, table: str, answered: int, next_seq: int) -> None:
        super().__init__(
            f"{table}: the service has answered message {answered}, and now expects {next_seq}: "
            "its journal has lost records; nothing is sent until it has them again"
        )
        self.answered: Final = answered
        self.next_seq: Final = next_seq


class UnansweredError(Exception):
    """Another message has no answer yet: `finish` it first."""


class Ahead(Struct, frozen=True):
    """Numbers were used up that this table knows nothing of: a supervisor has voided its round, or
    another controller was here."""

    expected_seq: int
    next_seq: int


class TableClient:
    """One table. `async with TableClient(…) as table:` keeps it connected until the block ends."""

    def __init__(
        self,
        nodes: Sequence[str],
        table: str,
        key: str,
        *,
        outbox: Path | None,
        tls: ssl.SSLContext | bool = True,
        on_state: Callable[[State, str | None], None] = lambda state, reason: None,
        clock: ClientTime = REAL_TIME,
        chance: Callable[[], float] = any_chance,
    ) -> None:
        """`nodes`: addresses, the likeliest leader first. `outbox`: the file that keeps the message
        under way; None: it is forgotten with this object. `on_state` hears every change of state.
        """
        self.table: Final = table
        self.welcome: Welcome | None = None
        """The last one, from a link in service: terms, and the open round at that moment."""
        self.ahead: Ahead | None = None
        """Set where the last welcome counted further than this table."""
        self.state: State = "away"
        self.reason: str | None = None
        """Why it is not live."""
        self._on_state = on_state
        self._clock = clock
        self._outbox = None if outbox is None else Outbox(outbox, table)
        self._kept = Kept()
        self._patience = usual_patience(chance, clock=clock)
        connection = TableConnection(
            *(table, key), tls=tls, clock=clock, on_state=self._hear_state, ignores_unknown=True
        )
        self._line = TableLine(
            connection,
            nodes,
            patience=self._patience,
            on_welcome=self._be_welcomed,
            on_trouble=lambda why: self._be("away", why),
        )
        self._telling = asyncio.Lock()
        """Held while a message is under way, from before it is on the disk."""
        self._turn = asyncio.Lock()
        """Held by whoever sends, or opens a connection."""
        self._keeping: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Read the outbox (raises OutboxError), and begin to connect."""
        if self._outbox is not None:
            self._kept = await asyncio.to_thread(self._outbox.read)
        self._keep_connected()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Say goodbye. A message without an answer stays in the outbox."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        await self._line.close()

    @property
    def node(self) -> str:
        """The node that is connected or tried."""
        return self._line.node

    @property
    def unanswered(self) -> TableCommand | None:
        """The message without an answer: `finish` it before another one."""
        return self._kept.under_way

    async def tell(self, message: TableCommand) -> Answer | ErrorMessage:
        """Number the message, keep it, send it until it is answered; a refusal is an answer too.

        Waits as long as it takes; whoever stops waiting finds it in `unanswered`. Raises
        UnansweredError, OutboxError (nothing was sent), StayAwayError, ServiceBehindError.
        """
        async with self._telling:
            if self.unanswered is not None:
                raise UnansweredError(f"message {self.unanswered.seq} of {self.table} comes first")
            if self._kept.answered is None:
                # A table that begins is told by the service where it stands.
                async with self._turn:
                    await self._with_words(self._line.connect())
            seq = (self._kept.answered or 0) + 1
            await self._keep(structs.replace(self._kept, message=structs.replace(message, seq=seq)))
            return await self._send_under_way()

    async def finish(self) -> tuple[TableCommand, Answer | ErrorMessage] | None:
        """Send what an earlier call, or run of the controller, left without an answer."""
        async with self._telling:
            message = self.unanswered
            return None if message is None else (message, await self._send_under_way())

    async def again(self) -> tuple[TableCommand, Answer | ErrorMessage] | None:
        """The last message that was accepted, and its answer once more (`repeat` is true): for a
        controller that ended before it could act on it. None where this outbox knows of none."""
        async with self._telling:
            message = self._kept.message
            if message is None or self.unanswered is not None:
                return None
            return message, await self._ask(message)

    # --- one message ---------------------------------------------------------------------------

    async def _send_under_way(self) -> Answer | ErrorMessage:
        message = self._kept.under_way
        if message is None:
            raise AssertionError("only called with a message under way")
        answer = await self._ask(message)
        if not isinstance(answer, ErrorMessage):
            await self._keep(Kept(self._used_up(message.seq), message))
            return answer
        if (
            answer.code == Rejection.SEQ_GAP
            and answer.expected is not None
            and self._kept.answered is not None
            and answer.expected <= self._kept.answered
        ):
            await self._line.drop()
            behind = ServiceBehindError(self.table, self._kept.answered, answer.expected)
            self._be("refused", str(behind))
            raise behind
        await self._keep(Kept(self._used_up(message.seq - 1)))
        if answer.code in _NUMBERS_DISAGREE:
            # The welcome says where the table stands.
            await self._line.drop()
        return answer

    def _used_up(self, seq: int) -> int:
        """The last number that is used up, as far as answers and the last welcome tell."""
        return max(seq, 0 if self.welcome is None else self.welcome.next_seq - 1)

    async def _ask(self, message: TableCommand) -> Answer | ErrorMessage:
        self._keep_connected()
        payload = encode(message)
        while True:
            async with self._turn:
                answer = await self._with_words(self._line.ask(payload))
            if isinstance(answer, ErrorMessage) and answer.seq in (None, message.seq):
                return answer
            if isinstance(answer, Locked | Settled | Voided) and answer.seq == message.seq:
                return answer
            log.warning("answer to another message", extra={"table": self.table})
            await self._line.drop()
            await self._patience.wait("answer to another message")

    async def _with_words(self, work: Coroutine[None, None, T]) -> T:
        """What needs a person is said in the state too."""
        try:
            return await work
        except (StayAwayError, ServiceBehindError) as error:
            self._be("refused", str(error))
            raise

    async def _keep(self, kept: Kept) -> None:
        """On the disk first. Whoever stops waiting does not stop the disk."""
        if self._outbox is not None:
            writing = asyncio.ensure_future(asyncio.to_thread(self._outbox.write, kept))
            try:
                await asyncio.shield(writing)
            except asyncio.CancelledError:
                await asyncio.wait({writing})
                if writing.exception() is None:
                    self._kept = kept
                raise
        self._kept = kept

    # --- the connection ------------------------------------------------------------------------

    def _keep_connected(self) -> None:
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._stay_connected())

    async def _stay_connected(self) -> None:
        """Until the service sends the table away, or is behind: the next message tries again."""
        with contextlib.suppress(StayAwayError, ServiceBehindError):
            while True:
                async with self._turn:
                    await self._with_words(self._line.connect())
                since = self._clock.monotonic()
                await self._line.wait_lost()
                if self._clock.monotonic() - since >= SETTLED_SECONDS:
                    self._patience.eased()
                if not self._line.is_open:
                    self._be("away", "the connection to the service is lost")

    def _be_welcomed(self, welcome: Welcome) -> None:
        """Hold what the service counts against what this table knows."""
        answered, next_seq = self._kept.answered, welcome.next_seq
        if answered is not None and next_seq <= answered:
            raise ServiceBehindError(self.table, answered, next_seq)
        self.welcome = welcome
        self.ahead = None
        under_way = self._kept.under_way
        if answered is not None:
            expected = answered + 1
            if next_seq > expected + (under_way is not None):
                self.ahead = Ahead(expected, next_seq)
                log.warning(
                    "numbers were used up that this table knows nothing of",
                    extra={"table": self.table, "expected": expected, "next_seq": next_seq},
                )
        if under_way is None:
            self._kept = structs.replace(self._kept, answered=next_seq - 1)
        self._be("live", None)

    def _hear_state(self, told: StateChanged) -> None:
        self._be("live" if told.state == "live" else "inoperable", told.reason)

    def _be(self, state: State, reason: str | None) -> None:
        if (state, reason) != (self.state, self.reason):
            self.state, self.reason = state, reason
            self._on_state(state, reason)
