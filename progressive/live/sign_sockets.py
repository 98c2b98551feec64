"""The door the signs come in by: join a link's hub, say what is on the glass, nothing else.

The service and every relay use this one door; what the reports are for is the caller's business.
A relay comes in by it too (`?relay=NAME`), and speaks for the signs behind it.
"""

import asyncio
import socket as sockets
from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar

from aiohttp import web

from progressive.common.token_bucket import TokenBucket
from progressive.live.entrance.gate import gate_of
from progressive.live.frame_socket import FrameSocket, Heartbeat
from progressive.live.hub import Hub, Outbox
from progressive.live.relay_desk import Admits, Allowances, OnShowing, RelayAdmits, RelayDesk
from progressive.wire import close_codes
from progressive.wire.codec import FRAME_BYTES_MAX, decode_showing, decode_showings
from progressive.wire.feed import UNNAMED, place_named, sign_named

__all__ = ["Admits", "OnShowing", "SignSockets"]

BEAT_SECONDS: Final = 5.0
PING_AFTER_BEATS: Final = 1
DEAD_AFTER_BEATS: Final = 3
SEND_BUFFER_BYTES: Final = 64 * 1024
"""Small, so that a sign that stops reading is noticed instead of being fed into the kernel."""
SHOWINGS_A_SECOND: Final = 1.0
SHOWING_BURST: Final = 5.0
"""Once a second is agreed; a burst of this many is forgiven to an uneven network."""
RELAY_MESSAGES_A_SECOND: Final = 100.0
"""Of a relay: once a second each of its signs, up to 500 in a message."""
RELAY_BURST: Final = 200.0
SIGN_BYTES_A_SECOND: Final = 16.0 * 1024
SIGN_BYTES_AT_ONCE: Final = 4.0 * FRAME_BYTES_MAX
"""Of a sign, frames of every kind and their headers included. One says a hundred bytes a second."""
RELAY_BYTES_A_SECOND: Final = 4.0 * 1024 * 1024
RELAY_BYTES_AT_ONCE: Final = 16.0 * 1024 * 1024
"""Of a relay: reports of a hundred bytes, once a second, of tens of thousands of signs."""
OnPresence = Callable[[str, bool], None]
"""Called with a sign's name when it is let in, and when it is gone."""

V = TypeVar("V")


class SignSocket(Generic[V]):
    """One connected sign, or a relay of signs."""

    def __init__(
        self, hub: Hub[V], sign: str, on_showing: OnShowing | None, desk: RelayDesk | None
    ) -> None:
        self._hub = hub
        self._sign = sign
        self._on_showing = on_showing
        self._desk = desk
        self._outbox: Outbox | None = None
        burst, a_second = (
            (SHOWING_BURST, SHOWINGS_A_SECOND)
            if desk is None
            else (RELAY_BURST, RELAY_MESSAGES_A_SECOND)
        )
        self._clock = asyncio.get_running_loop().time
        self._allowance = TokenBucket(burst, a_second=a_second, now=self._clock())
        self.ws = FrameSocket(self._on_text)
        if desk is not None:
            self.ws.on_other_frame = self._count_frame

    async def run(self, transport: asyncio.Transport, after: tuple[int, int] | None) -> None:
        """Until the sign is gone."""
        self._outbox = outbox = self._hub.join(transport, self._sign, after)
        self.ws.on_expelled = lambda: self._hub.leave(outbox)
        try:
            await self.ws.run()
        finally:
            self._hub.leave(self._outbox)
            if self._desk is not None:
                await self._desk.close()

    def _on_text(self, data: bytes) -> None:
        understood = self._of_a_sign(data) if self._desk is None else self._of_a_relay(data)
        if not understood:
            what = b"showing" if self._desk is None else b"showings"
            self.ws.expel(b"only %b, once a second" % what)

    def _count_frame(self) -> None:
        """A relay's messages are long, and may come in fragments: those count like messages."""
        if not self._may_speak():
            self.ws.expel(b"too many frames")

    def _may_speak(self) -> bool:
        self._allowance.fill_until(self._clock())
        return self._allowance.take()

    def _of_a_sign(self, data: bytes) -> bool:
        showing = decode_showing(data)
        if showing is None or not self._may_speak():
            return False
        if self._outbox is not None:
            self._outbox.showing_seq = showing.seq
            if self._on_showing is not None:
                self._on_showing(self._sign, showing, age_ms=0)
        return True

    def _of_a_relay(self, data: bytes) -> bool:
        showings = decode_showings(data)
        if showings is None or self._desk is None or not self._may_speak():
            return False
        return self._desk.take(showings)


class SignSockets(Generic[V]):
    """The door the signs come in by."""

    def __init__(
        self,
        find_hub: Callable[[str], Hub[V] | None],
        on_showing: OnShowing | None = None,
        admits: Admits | None = None,
        on_presence: OnPresence | None = None,
        admits_relay: RelayAdmits | None = None,
    ) -> None:
        self._admits_relay = admits_relay
        self._allowances = Allowances()
        self._find_hub = find_hub
        self._on_showing = on_showing
        self._admits = admits
        self._on_presence = on_presence
        self._connected: set[SignSocket[V]] = set()
        self._heartbeat = Heartbeat(
            beat_seconds=BEAT_SECONDS, ping_after=PING_AFTER_BEATS, dead_after=DEAD_AFTER_BEATS
        )

    def start(self) -> None:
        """Begin to watch who is still there."""
        self._heartbeat.start()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/links/{link}/feed."""
        hub = self._find_hub(request.match_info["link"])
        if hub is None:
            raise web.HTTPNotFound(
                text='{"error":{"code":"UNKNOWN_LINK","message":"no such link"}}',
                content_type="application/json",
            )
        query = request.query
        _refuse_bad_names(query)
        by_relay = sign_named(query.get("relay", "")) != UNNAMED
        named = UNNAMED if by_relay else sign_named(query.get("sign", ""))
        # Amounts are no secret: only who speaks for a sign is asked for its key.
        admitted = named == UNNAMED or await self._admitted(request, named)
        desk = None
        if by_relay:
            standing = "keyed" if self._admits_relay is None else await self._admits_relay(request)
            admitted = standing != "refused"
            shared = self._allowances.of(request.remote) if standing == "anonymous" else None
            # One that is sent away may have spoken already: nobody listens.
            listener = self._on_showing if admitted else None
            desk = RelayDesk(request, self._admits, listener, shared)
        sign = SignSocket(hub, named, self._on_showing, desk)
        await sign.ws.prepare(request)
        if not admitted:
            what = b"sign" if desk is None else b"relay"
            await sign.ws.close(code=close_codes.BAD_KEY, message=b"this %b needs its key" % what)
            return sign.ws
        transport = request.transport
        if transport is None:
            return sign.ws
        if (gate := gate_of(request)) is not None:
            gate.limit_bytes(
                a_second=RELAY_BYTES_A_SECOND if by_relay else SIGN_BYTES_A_SECOND,
                at_once=RELAY_BYTES_AT_ONCE if by_relay else SIGN_BYTES_AT_ONCE,
            )
        if (raw := transport.get_extra_info("socket")) is not None:
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, SEND_BUFFER_BYTES)
            # Frames of one sign may share a packet. At ten updates a second the one before has
            # long been acknowledged, so nothing waits; where it has not, a network that is slow
            # or a sign that is busy gets fewer and fuller packets.
            raw.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 0)
        self._connected.add(sign)
        self._heartbeat.watch(sign.ws)
        if self._on_presence is not None:
            self._on_presence(named, True)
        try:
            await sign.run(transport, place_named(query.get("epoch", ""), query.get("seq", "")))
        finally:
            self._heartbeat.forget(sign.ws)
            self._connected.discard(sign)
            if self._on_presence is not None:
                self._on_presence(named, False)
        return sign.ws

    async def _admitted(self, request: web.Request, sign: str) -> bool:
        return self._admits is None or await self._admits(request, sign)

    async def close(self) -> None:
        """Send everyone away; they come back when the service does."""
        await self._heartbeat.stop()
        await asyncio.gather(
            *[
                sign.ws.close(code=close_codes.GOING_AWAY, message=b"the service stops")
                for sign in list(self._connected)
            ]
        )


def _refuse_bad_names(query: Mapping[str, str]) -> None:
    """A sign or relay whose name cannot be one must not be taken for one that gives none."""
    for what in ("sign", "relay"):
        given = query.get(what, "")
        if given not in ("", UNNAMED) and sign_named(given) == UNNAMED:
            raise web.HTTPBadRequest(
                text=f'{{"error":{{"code":"BAD_NAME","message":"this cannot name a {what}"}}}}',
                content_type="application/json",
            )
