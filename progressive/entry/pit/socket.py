"""The pit socket: the board of the floor for those who may see awards; they only send "here".

The session is looked at again and again: when it ends, so does the socket. A person at the console
keeps it from falling idle by being there; the open page alone does not.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Final, Literal

import msgspec
from aiohttp import web
from msgspec import Struct

from progressive.application.journal.ports import StoreError
from progressive.domain.people.roles import Act, may
from progressive.entry.http.errors import RefusedError
from progressive.entry.people.door import Door
from progressive.entry.pit.hub import PitHub
from progressive.live.frame_socket import FrameSocket, Heartbeat
from progressive.wire import close_codes

SUBPROTOCOL: Final = "progressive.pit.v1"
BEAT_SECONDS: Final = 5.0
PING_AFTER_BEATS: Final = 1
DEAD_AFTER_BEATS: Final = 3
SESSION_BEATS: Final = 4
"""Beats between two looks at the session: 20 seconds."""
HERE_EACH_BEATS: Final = 2
"""Messages in so many beats; a page sends one a minute."""


class _Here(Struct, frozen=True, forbid_unknown_fields=True):
    """From the page: somebody touched it."""

    type: Literal["here"]


_here = msgspec.json.Decoder(_Here)


class PitSocket:
    """One console."""

    def __init__(self, door: Door, request: web.Request) -> None:
        self._door = door
        self._request = request
        self._beats = 0
        self._heard = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.ws = FrameSocket(self._on_text, protocols=(SUBPROTOCOL,))
        self.ws.on_beat = self._on_beat
        self.before_close: Callable[[], None] = lambda: None
        """Called before the close frame is sent: nothing may be written after that."""

    def _on_text(self, data: bytes) -> None:
        self._heard += 1
        try:
            _here.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._soon(self._close(close_codes.BAD_FRAME, b"only here"))
            return
        if self._heard > HERE_EACH_BEATS:
            self._soon(self._close(close_codes.BAD_FRAME, b"here once a minute"))
        else:
            self._soon(self._look_at_session(in_use=True))

    def _on_beat(self) -> None:
        self._beats += 1
        if self._beats % HERE_EACH_BEATS == 0:
            self._heard = 0
        if self._beats % SESSION_BEATS == 0:
            self._soon(self._look_at_session(in_use=False))

    async def _look_at_session(self, *, in_use: bool) -> None:
        # A people file that cannot be read now says nothing about the session.
        with contextlib.suppress(StoreError):
            person = await self._door.visitor(self._request, in_use=in_use)
            if person is None:
                await self._close(close_codes.BAD_KEY, b"the session is over")
            elif not may(person.role, Act.LIST_AWARDS):
                await self._close(close_codes.NOT_ALLOWED, b"not for this role")

    async def _close(self, code: int, reason: bytes) -> None:
        self.before_close()
        await self.ws.close(code=code, message=reason)

    def _soon(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class PitSockets:
    """The door the consoles come in by."""

    def __init__(self, hub: PitHub, door: Door) -> None:
        self._hub = hub
        self._door = door
        self._connected: set[PitSocket] = set()
        self._heartbeat = Heartbeat(
            beat_seconds=BEAT_SECONDS, ping_after=PING_AFTER_BEATS, dead_after=DEAD_AFTER_BEATS
        )

    def routes(self) -> list[web.AbstractRouteDef]:
        """The address it lives at."""
        return [web.get("/v1/pit/socket", self.handle)]

    def start(self) -> None:
        """Begin to watch who is still there."""
        self._heartbeat.start()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/pit/socket."""
        socket = PitSocket(self._door, request)
        try:
            person = await self._door.require(request, Act.LIST_AWARDS)
        except RefusedError as refused:
            return await _refuse(socket, request, refused)
        await socket.ws.prepare(request)
        if request.transport is None:
            return socket.ws
        if self._hub.full:
            await socket.ws.close(code=close_codes.TRY_AGAIN_LATER, message=b"too many consoles")
            return socket.ws
        viewer = self._hub.join(request.transport, watcher=may(person.role, Act.VIEW_ACTS))
        socket.before_close = lambda: self._hub.leave(viewer)
        self._connected.add(socket)
        self._heartbeat.watch(socket.ws)
        try:
            await socket.ws.run()
        finally:
            self._hub.leave(viewer)
            self._heartbeat.forget(socket.ws)
            self._connected.discard(socket)
        return socket.ws

    async def close(self) -> None:
        """Send everyone away; they come back when the service does."""
        await self._heartbeat.stop()
        await asyncio.gather(
            *[
                socket.ws.close(code=close_codes.GOING_AWAY, message=b"the service stops")
                for socket in list(self._connected)
            ]
        )


async def _refuse(
    socket: PitSocket, request: web.Request, refused: RefusedError
) -> web.StreamResponse:
    """A browser can only read why after the handshake, so there is one where it can help."""
    match refused.response.status:
        case 401:
            code, reason = close_codes.BAD_KEY, b"log in first"
        case 403:
            code, reason = close_codes.NOT_ALLOWED, b"not for this role"
        case _:
            return refused.response
    await socket.ws.prepare(request)
    await socket.ws.close(code=code, message=reason)
    return socket.ws
