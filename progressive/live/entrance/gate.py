"""One connection's way in: its bytes reach aiohttp in slices, in turn with everybody else's.

A table that has shown its key has no gate any more: its bytes go straight to aiohttp, and it shares
no queue with strangers. Everyone else's are handed on a slice at a time; meanwhile nothing more is
read, so that the rest waits in the sender's own buffers.
"""

import asyncio
import math
from collections.abc import Callable
from typing import Any, Protocol, cast

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from progressive.common.token_bucket import TokenBucket
from progressive.live.entrance.limits import SLICE_BYTES, Limits
from progressive.live.entrance.places import Standing
from progressive.live.entrance.turns import Turns


class Keeper(Protocol):
    """Who keeps the places and the addresses."""

    limits: Limits
    clock: Callable[[], float]

    def lane(self, gate: "Gate") -> Turns:
        """In which queue this connection's bytes wait."""
        ...

    def stands(self, gate: "Gate", standing: Standing) -> None:
        """What is known of a connection has changed."""
        ...

    def note_offence(self, gate: "Gate", why: str) -> None:
        """It sends what nobody should."""
        ...


class GatedHandler(web.RequestHandler):
    """aiohttp's side of a connection, which knows its gate."""

    __slots__ = ("gate",)

    gate: "Gate"

    def connection_lost(self, exc: BaseException | None) -> None:
        """Told by the gate, or by the transport where there is none any more."""
        self.gate.leave()
        super().connection_lost(exc)

    def log_exception(self, *args: Any, **kw: Any) -> None:  # noqa: ANN401 (as aiohttp has it)
        """A traceback in the log is for faults of ours, not for what strangers send."""
        error = kw.get("exc_info")
        if isinstance(error, HttpProcessingError):
            self.gate.note_bad_request()
        # Whoever leaves in the middle of a body that nobody wanted.
        elif self.transport is not None or not isinstance(error, RuntimeError | ConnectionError):
            super().log_exception(*args, **kw)


class Gate(asyncio.Protocol):
    """Between a transport and aiohttp."""

    def __init__(self, keeper: Keeper, address: str, handler: GatedHandler) -> None:
        self.address = address
        self.standing = Standing.UNFINISHED
        self.transport: asyncio.Transport | None = None
        self.coming: asyncio.Task[None] | None = None
        """Until the connection is there, its TLS handshake included."""
        self.on_offence: Callable[[bytes], None] | None = None
        """How the socket that this connection has become closes itself."""
        self._keeper = keeper
        self._handler = handler
        handler.gate = self
        self._held = b""
        self._handed_on = 0
        """Bytes of those held that aiohttp has."""
        self._waits = False
        self._paused = False
        self._over = False
        self._allowance: TokenBucket | None = None
        self._in_request = False
        self._head_begun = False
        self.since = keeper.clock()
        self.deadline = self.since + keeper.limits.head_seconds

    # --- asyncio.Protocol --------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there, its TLS handshake included."""
        self.transport = cast("asyncio.Transport", transport)
        if self.standing is Standing.GONE:
            self.transport.abort()
        else:
            self._handler.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Some bytes: they wait for their turn."""
        if self._over:
            # aiohttp may have resumed what it had paused itself.
            self._pause()
            return
        if self._allowance is not None:
            # What has come has come: below zero is a debt, and an offence.
            self._allowance.fill_until(self._keeper.clock())
            self._allowance.tokens -= len(data)
            if self._allowance.tokens < 0:
                self.offend(b"too many bytes")
                return
        self._held = data if not self._held else self._held[self._handed_on :] + data
        self._handed_on = 0
        if len(self._held) > SLICE_BYTES:
            self._pause()
        if not self._waits:
            self._wait()

    def eof_received(self) -> None:
        """As aiohttp sees it: the connection closes."""
        self._handler.eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Gone."""
        self._held = b""
        self._over = True
        self._handler.connection_lost(exc)

    def pause_writing(self) -> None:
        """The peer does not read."""
        self._handler.pause_writing()

    def resume_writing(self) -> None:
        """It does again."""
        self._handler.resume_writing()

    # --- handing on --------------------------------------------------------------------------

    def _wait(self) -> None:
        self._waits = True
        self._keeper.lane(self).put(self.address, self._hand_on)

    def _hand_on(self) -> None:
        """Its turn: one slice."""
        self._waits = False
        if self._over or not self._held:
            return
        begin, end = self._handed_on, self._handed_on + SLICE_BYTES
        data = self._held[begin:end]
        if end < len(self._held):
            self._handed_on = end
        else:
            self._held, self._handed_on = b"", 0
        if not self._in_request and not self._head_begun:
            self._head_begun = True
            self.deadline = min(
                self.deadline, self._keeper.clock() + self._keeper.limits.head_seconds
            )
        self._handler.data_received(data)
        if self._over:
            # That slice was the offence: nothing more is read.
            return
        if self._held:
            if not self._waits:
                self._wait()
        else:
            self._resume()

    def _pause(self) -> None:
        if not self._paused or self._reads():
            self._paused = True
            if self.transport is not None and not self.transport.is_closing():
                self.transport.pause_reading()

    def _reads(self) -> bool:
        """aiohttp resumes by itself what it has paused by itself."""
        return self.transport is not None and self.transport.is_reading()

    def _resume(self) -> None:
        if not self._paused:
            return
        self._paused = False
        # It has paused too: then it goes on by itself once there is room.
        held_back = self._handler._reading_paused or self._handler._buffer_paused  # noqa: SLF001
        if self.transport is not None and not self.transport.is_closing() and not held_back:
            self.transport.resume_reading()

    # --- requests ----------------------------------------------------------------------------

    def begin(self, standing: Standing) -> None:
        """A request's head is complete."""
        self._in_request = True
        self.deadline = math.inf
        if self.standing is not Standing.KNOWN:
            self._stand(standing)

    def answered(self) -> None:
        """The answer is ready; it has yet to be read."""
        self._in_request = False
        self._head_begun = False
        self.deadline = self._keeper.clock() + self._keeper.limits.idle_seconds

    def become_socket(self, on_offence: Callable[[bytes], None]) -> None:
        """The request became a websocket: it lives as long as it is heard of."""
        self.deadline = math.inf
        self.on_offence = on_offence

    def limit_bytes(self, *, a_second: float, at_once: float) -> None:
        """More than so much is an offence from now on."""
        self._allowance = TokenBucket(at_once, a_second=a_second, now=self._keeper.clock())

    # --- standing ----------------------------------------------------------------------------

    def admit(self, *, table: bool = False) -> None:
        """Somebody has checked the key or the session. A table is read from without a gate."""
        if self.standing is Standing.GONE:
            return
        self._stand(Standing.KNOWN)
        self._allowance = None
        if table and self.transport is not None:
            self.transport.set_protocol(self._handler)
            rest, self._held = self._held[self._handed_on :], b""
            if rest:
                self._handler.data_received(rest)
            self._resume()

    def offend(self, why: bytes) -> None:
        """Nothing more is read; a socket is closed with a word, anything else without."""
        if self._over:
            return
        self._over = True
        self._held = b""
        self._pause()
        self._keeper.note_offence(self, why.decode())
        if self.on_offence is not None:
            self.on_offence(why)
        elif self.transport is not None:
            self.transport.abort()

    def note_bad_request(self) -> None:
        """What it sent is not HTTP; aiohttp answers 400 and closes."""
        self._keeper.note_offence(self, "bad request")

    def close(self) -> None:
        """Gone, without a word."""
        self._over = True
        self._held = b""
        if self.transport is not None:
            self.transport.abort()
        elif self.coming is not None:
            self.coming.cancel()

    def leave(self) -> None:
        """The connection is gone."""
        self._stand(Standing.GONE)

    @property
    def began(self) -> bool:
        """Whether it has sent anything of a request that is not complete."""
        return self._head_begun and not self._in_request

    def _stand(self, standing: Standing) -> None:
        if self.standing is not Standing.GONE and standing is not self.standing:
            self._keeper.stands(self, standing)
            self.standing = standing


def gate_of(request: web.BaseRequest) -> Gate | None:
    """The gate that a request came in by; None where a server has none."""
    return getattr(request.protocol, "gate", None)
