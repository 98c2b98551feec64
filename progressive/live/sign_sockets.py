"""The door the signs come in by: join a link's hub, say what is on the glass, nothing else.

The service and every relay use this one door; what the reports are for is the caller's business.
"""

import asyncio
import socket as sockets
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from aiohttp import web

from progressive.live.frame_socket import FrameSocket, Heartbeat
from progressive.live.hub import Hub, Outbox
from progressive.wire import close_codes
from progressive.wire.codec import decode_showing
from progressive.wire.feed import sign_named
from progressive.wire.messages import Showing

BEAT_SECONDS: Final = 5.0
PING_AFTER_BEATS: Final = 1
DEAD_AFTER_BEATS: Final = 3
SEND_BUFFER_BYTES: Final = 64 * 1024
"""Small, so that a sign that stops reading is noticed instead of being fed into the kernel."""
SHOWING_BURST: Final = 5.0
"""Once a second is agreed; a burst of this many is forgiven to an uneven network."""
OnShowing = Callable[[str, Showing], None]
"""Called with a sign's name and what it says it shows."""

V = TypeVar("V")


class _ShowingRate:
    """Lets a sign speak once a second, and a little more after a pause."""

    def __init__(self) -> None:
        self._tokens = SHOWING_BURST
        self._at = asyncio.get_running_loop().time()

    def allows(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._tokens = min(SHOWING_BURST, self._tokens + now - self._at)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class SignSocket(Generic[V]):
    """One connected sign."""

    def __init__(self, hub: Hub[V], sign: str, on_showing: OnShowing | None) -> None:
        self._hub = hub
        self._sign = sign
        self._on_showing = on_showing
        self._outbox: Outbox | None = None
        self._rate = _ShowingRate()
        self._closing: asyncio.Task[bool] | None = None
        self.ws = FrameSocket(self._on_text)

    async def run(self, transport: asyncio.Transport) -> None:
        """Until the sign is gone."""
        self._outbox = self._hub.join(transport, self._sign)
        try:
            await self.ws.run()
        finally:
            self._hub.leave(self._outbox)

    def _on_text(self, data: bytes) -> None:
        showing = decode_showing(data)
        if showing is None or not self._rate.allows():
            reason = b"only showing, once a second"
            self._closing = asyncio.get_running_loop().create_task(
                self.ws.close(code=close_codes.BAD_FRAME, message=reason)
            )
        elif self._outbox is not None:
            self._outbox.showing_seq = showing.seq
            if self._on_showing is not None:
                self._on_showing(self._sign, showing)


class SignSockets(Generic[V]):
    """The door the signs come in by."""

    def __init__(
        self, find_hub: Callable[[str], Hub[V] | None], on_showing: OnShowing | None = None
    ) -> None:
        self._find_hub = find_hub
        self._on_showing = on_showing
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
        named = sign_named(request.query.get("sign", ""))
        sign = SignSocket(hub, named, self._on_showing)
        await sign.ws.prepare(request)
        transport = request.transport
        if transport is None:
            return sign.ws
        if (raw := transport.get_extra_info("socket")) is not None:
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, SEND_BUFFER_BYTES)
            # Frames of one sign may share a packet. At ten updates a second the one before has
            # long been acknowledged, so nothing waits; where it has not, a network that is slow
            # or a sign that is busy gets fewer and fuller packets.
            raw.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 0)
        self._connected.add(sign)
        self._heartbeat.watch(sign.ws)
        try:
            await sign.run(transport)
        finally:
            self._heartbeat.forget(sign.ws)
            self._connected.discard(sign)
        return sign.ws

    async def close(self) -> None:
        """Send everyone away; they come back when the service does."""
        await self._heartbeat.stop()
        await asyncio.gather(
            *[
                sign.ws.close(code=close_codes.GOING_AWAY, message=b"the service stops")
                for sign in list(self._connected)
            ]
        )
