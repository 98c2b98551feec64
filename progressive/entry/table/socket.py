"""HOT. The table socket: decode, submit, answer. One live socket a table.

Frames are decoded where they arrive and answered by the link's writer once they are durable; no
task switch and no queue of ours lies between.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from aiohttp import web

from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.keys.ports import KeyCheck
from progressive.application.link.batch import Answer
from progressive.application.link.ports import Telemetry
from progressive.application.link.worker import LinkWorker
from progressive.application.people.refused_claims import RefusedClaims
from progressive.common.token_bucket import TokenBucket
from progressive.domain.ids import TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import Receipt
from progressive.domain.views import LinkView
from progressive.entry.http.tls import common_name
from progressive.entry.people.origins import address
from progressive.entry.table.welcome import welcome
from progressive.live.entrance.gate import gate_of
from progressive.live.frame_socket import SOCKETS_A_SLICE, FrameSocket, Heartbeat
from progressive.live.frames import text_frame
from progressive.live.slices import in_slices
from progressive.runtime.series import Series, counter, gauge
from progressive.wire import close_codes
from progressive.wire.codec import (
    BadMessage,
    ReceiptEncoder,
    decode_command,
    encode,
    encode_refusal,
)
from progressive.wire.feed_messages import StateChanged

log = logging.getLogger(__name__)

SUBPROTOCOL: Final = "progressive.table.v1"
BEAT_SECONDS: Final = 1.0
PING_AFTER_BEATS: Final = 2
DEAD_AFTER_BEATS: Final = 6
"""A table that is silent for so many beats, pings included, has lost its connection."""
UNANSWERED_MAX: Final = 32
"""Messages a table may have under way before the service stops reading from it."""
MESSAGES_A_BEAT: Final = 2_000
"""A dealer makes one in ten seconds, a simulated table a thousand in one; above this, no more is
read for a while. Counted down by the message, filled up by the beat: no clock is looked at."""
MESSAGES_AT_ONCE: Final = 4_000
UNREAD_BYTES_MAX: Final = 1024 * 1024
"""A table that does not read its answers is let go, at the next beat."""


class TableSocket:
    """One connected table."""

    def __init__(
        self,
        table: TableId,
        worker: LinkWorker,
        *,
        answers: ReceiptEncoder,
        on_bad_message: Callable[[], None],
        on_refused: Callable[[int | None, Refusal], None],
        on_ahead: Callable[[int | None, Refusal], None],
        on_pause: Callable[[], None],
    ) -> None:
        self.table = table
        self.worker = worker
        self._answers = answers
        self._on_bad_message = on_bad_message
        self._on_refused = on_refused
        self._on_ahead = on_ahead
        self._on_pause = on_pause
        self._first_seq = 0
        """Number of the first message on this socket."""
        self._ahead = False
        self._unanswered = 0
        self._allowance = TokenBucket(MESSAGES_AT_ONCE)
        self._reading = True
        self._transport: asyncio.Transport | None = None
        self.ws = FrameSocket(self._on_text, protocols=(SUBPROTOCOL,))
        self.ws.on_beat = self._on_beat
        self.ws.on_other_frame = self._count_frame

    def welcome(self, transport: asyncio.Transport) -> None:
        """The service speaks first."""
        self._transport = transport
        self._write(encode(welcome(self.table, self.worker)))

    def tell_state(self) -> None:
        """The link went out of service or came back: the dealer takes no side bets or does."""
        view = self.worker.view
        if view.leader is not None:
            self.close_soon(close_codes.NOT_LEADER, view.leader.encode())
            return
        self._write(encode(StateChanged(view.state, view.reason)))

    def _on_text(self, data: bytes) -> None:
        allowance = self._allowance
        # Not `take`: the message is here already, and a call would cost more than the count.
        allowance.tokens = left = allowance.tokens - 1
        if left < 0 and self._reading:
            self._wait_for_allowance()
        command = decode_command(data)
        if isinstance(command, BadMessage):
            refusal = Refusal(Rejection.BAD_MESSAGE, command.why)
            self._first_seq = self._first_seq or command.seq or 1
            self._on_bad_message()
            self._on_refused(command.seq, refusal)
            self._write(encode_refusal(command.seq, refusal))
            return
        if not self._first_seq:
            self._first_seq = command.seq
        self._unanswered += 1
        if self._unanswered > UNANSWERED_MAX and self._reading:
            self._stop_reading()
        self.worker.submit_nowait(self.table, command, self)

    def _count_frame(self) -> None:
        """Pings, pongs and fragments count like messages."""
        self._allowance.tokens -= 1
        if self._allowance.tokens < 0 and self._reading:
            self._wait_for_allowance()

    def _wait_for_allowance(self) -> None:
        self._on_pause()
        self._stop_reading()

    @property
    def left(self) -> bool:
        """`MayLeave`: whether the connection is gone."""
        return self._transport is None or self._transport.is_closing()

    def prepare(self, seq: int, answer: Answer, repeat: bool) -> object:
        """`Reply`: an accepted message's answer as the frame to send; others as they are."""
        if type(answer) is Receipt:
            return text_frame(self._answers.encode(answer, repeat=repeat))
        return seq, answer

    def deliver(self, ready: object) -> None:
        """`Reply`: what was prepared goes out."""
        self._unanswered -= 1
        if not self._reading:
            self._read_on()
        if type(ready) is bytes:
            self._send(ready)
            return
        seq, answer = ready if isinstance(ready, tuple) else (None, None)
        if isinstance(answer, Refusal):
            self._on_refused(seq, answer)
            self._note_ahead(seq, answer)
            self._write(encode_refusal(seq, answer))
        else:
            # The fate of the message is unknown: the table comes back and sends it again.
            self.close_soon(close_codes.TRY_AGAIN_LATER, b"the journal did not answer")

    def _note_ahead(self, seq: int | None, answer: Refusal) -> None:
        """A gap that no message of this socket left: those before it were answered by a journal
        that is not this one. One word of it is enough."""
        if answer.code is not Rejection.SEQ_GAP or answer.expected is None or self._ahead:
            return
        if answer.expected < self._first_seq:
            self._ahead = True
            self._on_ahead(seq, answer)

    def _on_beat(self) -> None:
        if self._allowance.tokens < 0:
            # It is this side that does not listen.
            self.ws.silent_beats = 0
        self._allowance.fill(MESSAGES_A_BEAT)
        transport = self._transport
        if transport is not None and transport.get_write_buffer_size() > UNREAD_BYTES_MAX:
            log.warning("a table does not read its answers", extra={"table": self.table})
            transport.abort()
        elif not self._reading:
            self._read_on()

    def _stop_reading(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._reading = False
            self._transport.pause_reading()

    def _read_on(self) -> None:
        """Once the table has waited for its answers, and for its allowance."""
        if self._unanswered <= UNANSWERED_MAX // 2 and self._allowance.tokens >= 0:
            self._reading = True
            if self._transport is not None and not self._transport.is_closing():
                self._transport.resume_reading()

    def _write(self, payload: bytes) -> None:
        self._send(text_frame(payload))

    def _send(self, frame: bytes) -> None:
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(frame)

    def close_soon(self, code: int, reason: bytes) -> None:
        """Close from where nothing can be awaited."""
        task = asyncio.get_running_loop().create_task(self.ws.close(code=code, message=reason))
        _closing.add(task)
        task.add_done_callback(_closing.discard)


_closing: set[asyncio.Task[bool]] = set()


class TableSockets:
    """All connected tables, and the door they come in by."""

    def __init__(
        self,
        workers: dict[TableId, LinkWorker],
        keys: KeyCheck,
        telemetry: Telemetry,
        claims: RefusedClaims,
        drivers: TableDrivers,
        *,
        certified: bool = False,
    ) -> None:
        """`certified`: a table must show a certificate in its own name, besides its key."""
        self._workers = workers
        self._keys = keys
        self._telemetry = telemetry
        self._claims = claims
        self.drivers = drivers
        self._certified = certified
        self.pauses = 0
        """Times a table sent too much and was made to wait."""
        self._connected: dict[TableId, TableSocket] = {}
        self._answers = {
            worker.rules.id: ReceiptEncoder([meter.id for meter in worker.rules.terms.meters])
            for worker in workers.values()
        }
        self._heartbeat = Heartbeat(
            beat_seconds=BEAT_SECONDS, ping_after=PING_AFTER_BEATS, dead_after=DEAD_AFTER_BEATS
        )

    def start(self) -> None:
        """Begin to watch who is still there."""
        self._heartbeat.start()
        self._claims.start()

    @property
    def connected(self) -> dict[TableId, TableSocket]:
        """Who is connected now."""
        return self._connected

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            gauge(
                "progressive_tables_connected",
                "Tables with a live socket",
                lambda: [((), len(self._connected))],
            ),
            counter(
                "progressive_table_pauses",
                "Times a table sent too much and was made to wait",
                lambda: [((), self.pauses)],
            ),
        ]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/tables/{table}/socket."""
        table = TableId(request.match_info["table"])
        worker = self._workers.get(table)
        if worker is None:
            return await _refuse(request, close_codes.UNKNOWN_TABLE, b"unknown table")
        if self._certified and common_name(request.transport) != table:
            log.warning("no certificate", extra={"table": table, "remote": request.remote})
            return await _refuse(request, close_codes.BAD_KEY, b"no certificate of this table")
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        fits = await self._keys.fits(table, key.strip())
        if scheme.lower() != "bearer" or not fits:
            log.warning("bad table key", extra={"table": table, "remote": request.remote})
            return await _refuse(request, close_codes.BAD_KEY, b"bad key")
        offered = request.headers.get("Sec-WebSocket-Protocol")
        if offered is not None and SUBPROTOCOL not in [name.strip() for name in offered.split(",")]:
            return await _refuse(request, close_codes.BAD_FRAME, b"unknown subprotocol")
        if worker.leader is not None:
            return await _refuse(request, close_codes.NOT_LEADER, worker.leader.encode())
        if worker.may_be_behind:
            return await _refuse(
                request, close_codes.TRY_AGAIN_LATER, close_codes.NOBODY_LEADS.encode()
            )
        if not self.drivers.controller_takes(table):
            return await _refuse(request, close_codes.ALREADY_CONNECTED, b"already connected")
        if (gate := gate_of(request)) is not None:
            gate.admit(table=True)
        socket = TableSocket(
            table,
            worker,
            answers=self._answers[worker.rules.id],
            on_bad_message=partial(self._telemetry.refused, worker.rules.id, Rejection.BAD_MESSAGE),
            on_refused=partial(self._note_refusal, table, address(request)),
            on_ahead=partial(self._note_ahead, table, address(request)),
            on_pause=self._count_pause,
        )
        self._connected[table] = socket
        try:
            await socket.ws.prepare(request)
            if request.transport is not None:
                self._heartbeat.watch(socket.ws)
                socket.welcome(request.transport)
                await socket.ws.run()
        finally:
            self._heartbeat.forget(socket.ws)
            del self._connected[table]
            self.drivers.controller_leaves(table)
        return socket.ws

    def _note_refusal(self, table: TableId, where: str, seq: int | None, why: Refusal) -> None:
        state = self._workers[table].state
        dealer = None if state is None else state.dealers.get(table)
        self._claims.note(table, where, dealer, seq, why)

    def _note_ahead(self, table: TableId, where: str, seq: int | None, why: Refusal) -> None:
        state = self._workers[table].state
        dealer = None if state is None else state.dealers.get(table)
        log.error("a table is ahead of the journal", extra={"table": table, "seq": seq})
        self._claims.note_ahead(table, where, dealer, seq, why)

    def _count_pause(self) -> None:
        self.pauses += 1

    def tell_state(self, view: LinkView) -> None:
        """Say a link's new state at its tables."""
        of_link = [each for each in self._connected.values() if each.worker.rules.id == view.link]
        # In slices. Each says the newest state there is, so a table never hears an older one last.
        in_slices(of_link, TableSocket.tell_state, size=SOCKETS_A_SLICE)

    async def close(self) -> None:
        """Send everyone away; they come back when the service does."""
        await self._heartbeat.stop()
        await self._claims.stop()
        await asyncio.gather(
            *[
                socket.ws.close(code=close_codes.GOING_AWAY, message=b"the service stops")
                for socket in list(self._connected.values())
            ]
        )


async def _refuse(request: web.Request, code: int, reason: bytes) -> web.WebSocketResponse:
    """A close code can only be read after the handshake, so there is one."""
    ws = FrameSocket(lambda _: None, protocols=(SUBPROTOCOL,))
    await ws.prepare(request)
    await ws.close(code=code, message=reason)
    return ws
