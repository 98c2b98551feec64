"""HOT. A websocket whose text frames arrive as a call, not through a queue and a task switch.

aiohttp has no public hook for that, so for the versions named here its frame reader is given a
queue of ours that calls back at once; with any other version the frames take aiohttp's ordinary
way through `async for`, slower and otherwise the same. Control frames always take that way.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final

import aiohttp
from aiohttp import WSMsgType, web

from progressive.wire import close_codes
from progressive.wire.codec import FRAME_BYTES_MAX

log = logging.getLogger(__name__)

KNOWN_AIOHTTP: Final = ("3.14.",)
CALLS_BACK: Final = aiohttp.__version__.startswith(KNOWN_AIOHTTP)

LINGER_SECONDS: Final = 2.0
PING_WRITE_SECONDS: Final = 0.05
LINGER_LOOKS: Final = 40

_TOO_BIG_BYTES: Final = FRAME_BYTES_MAX + 1
"""aiohttp's limit is the first size it refuses."""

_TEXT: Final = WSMsgType.TEXT

OnText = Callable[[bytes], None]

if CALLS_BACK:
    from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader

    class _CallingQueue(WebSocketDataQueue):
        """Hands text frames over where they are parsed; keeps the rest for `receive`."""

        socket: "FrameSocket"

        def feed_data(self, data: Any, size: int) -> None:  # noqa: ANN401 (aiohttp's own type)
            if data[0] is _TEXT:
                self.socket.hear(data[1])
            else:
                super().feed_data(data, size)


class FrameSocket(web.WebSocketResponse):
    """A websocket that closes with this protocol's codes."""

    def __init__(self, on_text: OnText, *, protocols: tuple[str, ...] = ()) -> None:
        super().__init__(
            protocols=protocols,
            # aiohttp's own heartbeat moves a timer for every frame; see `Heartbeat`.
            autoping=False,
            timeout=2.0,
            compress=False,
            max_msg_size=_TOO_BIG_BYTES,
            decode_text=False,
        )
        self._on_text = on_text
        self.silent_beats = 0
        """Beats since the peer was last heard."""
        self.on_beat: Callable[[], None] | None = None
        """Called at every beat of the heart that watches this socket."""

    async def run(self) -> None:
        """Until the peer is gone or has been closed."""
        async for message in self:
            self.silent_beats = 0
            if message.type is WSMsgType.TEXT:
                self.hear(message.data)
            elif message.type is WSMsgType.PING:
                await self.pong(message.data)
            elif message.type is WSMsgType.BINARY:
                await self.close(code=close_codes.BAD_FRAME, message=b"text frames only")

    def abort(self) -> None:
        """Gone, without a word: the peer does not listen."""
        if self._req is not None and self._req.transport is not None:
            self._req.transport.abort()

    def hear(self, data: bytes) -> None:
        """One text frame. A bug in its handler must not vanish inside the frame reader."""
        self.silent_beats = 0
        try:
            self._on_text(data)
        except Exception:
            log.exception("frame handler failed")
            self.abort()

    async def close(self, *, code: int = 1000, message: bytes = b"", drain: bool = True) -> bool:
        """Close; a code that aiohttp chose is put into this protocol's terms."""
        code = close_codes.TRANSLATED.get(code, code)
        if code == close_codes.TOO_BIG and not self.closed and self._writer is not None:
            await self._writer.close(code, message or b"64 KiB at the most")
            await self._linger()
        return await super().close(code=code, message=message, drain=drain)

    async def _linger(self) -> None:
        """Let a peer that is still sending finish, so that it reads why it was closed.

        Closing with unread bytes would reset the connection and lose the close frame. What comes
        in is thrown away.
        """
        for _ in range(LINGER_LOOKS):
            if self._req is None or self._req.transport is None:
                return
            await asyncio.sleep(LINGER_SECONDS / LINGER_LOOKS)

    def _post_start(self, request: Any, protocol: Any, writer: Any) -> None:  # noqa: ANN401
        if not CALLS_BACK:
            super()._post_start(request, protocol, writer)
            return
        loop = asyncio.get_running_loop()
        self._ws_protocol = protocol
        self._writer = writer
        queue = _CallingQueue(request.protocol, FRAME_BYTES_MAX, loop=loop)
        queue.socket = self
        self._reader = queue
        self._parser = WebSocketReader(queue, _TOO_BIG_BYTES, compress=False, decode_text=False)
        request.protocol.set_parser(self._parser)
        request.protocol.keep_alive(False)


class Heartbeat:
    """Pings the silent ones and lets go of the dead: one timer for all sockets of a kind."""

    def __init__(self, *, beat_seconds: float, ping_after: int, dead_after: int) -> None:
        self._beat_seconds = beat_seconds
        self._ping_after = ping_after
        self._dead_after = dead_after
        self._sockets: set[FrameSocket] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.create_task(self._beat_forever())

    async def stop(self) -> None:
        """Stop beating."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def watch(self, socket: FrameSocket) -> None:
        """From now on."""
        self._sockets.add(socket)

    def forget(self, socket: FrameSocket) -> None:
        """It is gone."""
        self._sockets.discard(socket)

    async def _beat_forever(self) -> None:
        while True:
            await asyncio.sleep(self._beat_seconds)
            for socket in list(self._sockets):
                socket.silent_beats += 1
                if socket.on_beat is not None:
                    socket.on_beat()
                if socket.silent_beats > self._dead_after:
                    socket.abort()
                elif socket.silent_beats > self._ping_after:
                    # Not awaited to the end: a peer that does not read must not hold up the rest.
                    with contextlib.suppress(ConnectionError, TimeoutError):
                        async with asyncio.timeout(PING_WRITE_SECONDS):
                            await socket.ping()
