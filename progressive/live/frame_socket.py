"""HOT. A websocket whose text frames arrive as a call, not through a queue and a task switch.

aiohttp has no public hook for that, so for the versions named here its frame reader is one of ours
that calls back at once; with any other version the frames take aiohttp's ordinary way through
`async for`, slower, and neither fragments nor masks are seen there.

Every frame counts: pings, pongs and fragments against an allowance of their own, or against that
of the messages. Pings that come together get one pong.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final

import aiohttp
from aiohttp import WSMsgType, web
from aiohttp.http_websocket import WebSocketError

from progressive.common.token_bucket import TokenBucket
from progressive.live.entrance.gate import gate_of
from progressive.live.frames import PING_FRAME, pong_frame
from progressive.wire import close_codes
from progressive.wire.codec import FRAME_BYTES_MAX

log = logging.getLogger(__name__)

KNOWN_AIOHTTP: Final = ("3.14.",)
CALLS_BACK: Final = aiohttp.__version__.startswith(KNOWN_AIOHTTP)

LINGER_SECONDS: Final = 2.0
LINGER_LOOKS: Final = 40
SOCKETS_A_SLICE: Final = 64
"""Sockets that are looked at before others get a turn on the loop."""
OTHER_FRAMES_A_SECOND: Final = 5.0
OTHER_FRAMES_AT_ONCE: Final = 20.0
"""Pings, pongs and fragments: a peer that behaves sends one in some seconds."""
UNREAD_PONG_BYTES: Final = 64 * 1024
"""A peer with this much unread gets neither pings nor pongs."""

_TOO_BIG_BYTES: Final = FRAME_BYTES_MAX + 1
"""aiohttp's limit is the first size it refuses."""

_TEXT: Final = WSMsgType.TEXT.value
_CONTINUATION_AND_DATA: Final = 0x7
"""Opcodes above are those of control frames."""
_PING: Final = WSMsgType.PING.value
_PONG: Final = WSMsgType.PONG.value

OnText = Callable[[bytes], None]

if CALLS_BACK:
    from aiohttp._websocket.reader import WebSocketDataQueue, WebSocketReader

    class _CallingQueue(WebSocketDataQueue):
        """Hands over messages that came in fragments, in their order; keeps the rest."""

        socket: "FrameSocket"

        def feed_data(self, data: Any, size: int) -> None:  # noqa: ANN401 (aiohttp's own type)
            if data[0] is WSMsgType.TEXT:
                self.socket.hear(data[1])
            else:
                super().feed_data(data, size)

    class _CallingReader(WebSocketReader):
        """Hands whole text frames over where they are parsed; counts and checks all the others."""

        socket: "FrameSocket"
        _in_fragments = False

        def _handle_frame(self, fin: Any, opcode: int, payload: Any, compressed: Any) -> None:  # noqa: ANN401
            socket = self.socket
            if type(payload) is bytes:
                # The reader unmasks in a bytearray, so bytes came unmasked. RFC 6455, section 5.1:
                # a server closes the connection on such a frame.
                socket.expel(b"frames must be masked")
            elif opcode == _TEXT and fin and not self._in_fragments:
                socket.hear(bytes(payload))
            else:
                socket.count_other_frame()
                if opcode == _PING:
                    socket.pong_soon(payload)
                elif opcode == _PONG:
                    socket.silent_beats = 0
                elif not socket.expelled:
                    if opcode <= _CONTINUATION_AND_DATA:
                        self._in_fragments = not fin
                    super()._handle_frame(fin, opcode, payload, compressed)
            if socket.expelled:
                # Nothing that it has sent behind this is parsed.
                raise WebSocketError(close_codes.BAD_FRAME, socket.expelled)


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
        self.on_other_frame: Callable[[], None] | None = None
        """Called for every ping, pong and fragment, instead of the allowance here."""
        self.expelled = ""
        """Why this peer is being closed: it sent what nobody should."""
        self.on_expelled: Callable[[], None] | None = None
        """Called before the close frame is sent: nothing may be written after that."""
        self._clock = asyncio.get_running_loop().time
        self._other_frames = TokenBucket(
            OTHER_FRAMES_AT_ONCE, a_second=OTHER_FRAMES_A_SECOND, now=self._clock()
        )
        self._ping: bytes | None = None

    async def run(self) -> None:
        """Until the peer is gone or has been closed."""
        async for message in self:
            self.silent_beats = 0
            if message.type is WSMsgType.TEXT:
                self.hear(message.data)
            elif message.type is WSMsgType.PING:
                self.count_other_frame()
                self.pong_soon(message.data)
            elif message.type is WSMsgType.PONG:
                self.count_other_frame()
            elif message.type is WSMsgType.BINARY:
                self.expel(b"text frames only")

    def expel(self, why: bytes) -> None:
        """Close with 4400; nothing more is read, and its address is slowed if it goes on so."""
        if self.expelled or self._reader is None:
            return
        self.expelled = why.decode()
        if self.on_expelled is not None:
            self.on_expelled()
        if self._req is not None and (gate := gate_of(self._req)) is not None:
            gate.offend(why)
        # Whoever waits for the next frame finds this, and closes.
        self._reader.set_exception(WebSocketError(close_codes.BAD_FRAME, self.expelled))

    def count_other_frame(self) -> None:
        """A ping, a pong or a fragment is here."""
        if self.on_other_frame is not None:
            self.on_other_frame()
            return
        self._other_frames.fill_until(self._clock())
        if not self._other_frames.take():
            self.expel(b"too many frames")

    def pong_soon(self, payload: bytes) -> None:
        """RFC 6455 section 5.5.3: of several pings it is enough to answer the last one."""
        self.silent_beats = 0
        if self._ping is None:
            asyncio.get_running_loop().call_soon(self._pong)
        self._ping = bytes(payload)

    def _pong(self) -> None:
        payload, self._ping = self._ping, None
        if payload is not None:
            self._write_nowait(pong_frame(payload))

    def ping_nowait(self) -> None:
        """Whether the peer is still there; one that does not read will be found dead."""
        self._write_nowait(PING_FRAME)

    def _write_nowait(self, frame: bytes) -> None:
        transport = None if self._req is None else self._req.transport
        if transport is None or transport.is_closing() or self.closed or self.expelled:
            return
        if transport.get_write_buffer_size() <= UNREAD_PONG_BYTES:
            transport.write(frame)

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
        message = message or self.expelled.encode()
        lingers = code == close_codes.TOO_BIG or self.expelled
        if lingers and not self.closed and self._writer is not None:
            # The peer may be gone already: then there is nobody to tell.
            with contextlib.suppress(ConnectionError):
                await self._writer.close(code, message or b"64 KiB at the most")
                await self._linger()
        return await super().close(code=code, message=message, drain=drain)

    async def _linger(self) -> None:
        """Let a peer that is still sending finish, so that it reads why it was closed.

        Closing with unread bytes would reset the connection and lose the close frame. What comes
        in is thrown away, or not even read where the peer was expelled.
        """
        for _ in range(LINGER_LOOKS):
            if self._req is None or self._req.transport is None:
                return
            await asyncio.sleep(LINGER_SECONDS / LINGER_LOOKS)

    def _post_start(self, request: Any, protocol: Any, writer: Any) -> None:  # noqa: ANN401
        if (gate := gate_of(request)) is not None:
            gate.become_socket(self.expel)
        if not CALLS_BACK:
            super()._post_start(request, protocol, writer)
            return
        loop = asyncio.get_running_loop()
        self._ws_protocol = protocol
        self._writer = writer
        queue = _CallingQueue(request.protocol, FRAME_BYTES_MAX, loop=loop)
        queue.socket = self
        self._reader = queue
        parser = _CallingReader(queue, _TOO_BIG_BYTES, compress=False, decode_text=False)
        parser.socket = self
        self._parser = parser
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
            await self.beat()

    async def beat(self) -> None:
        """Look at every socket once, a slice of them in each turn of the loop."""
        sockets = list(self._sockets)
        for start in range(0, len(sockets), SOCKETS_A_SLICE):
            if start:
                await asyncio.sleep(0)
            for socket in sockets[start : start + SOCKETS_A_SLICE]:
                if socket in self._sockets:
                    self._look_at(socket)

    def _look_at(self, socket: FrameSocket) -> None:
        socket.silent_beats += 1
        if socket.on_beat is not None:
            socket.on_beat()
        if socket.silent_beats > self._dead_after:
            socket.abort()
        elif socket.silent_beats > self._ping_after:
            socket.ping_nowait()
