"""One table's socket to one node: frames in, frames out, and why it ended. Knows no money."""

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

import aiohttp
from aiohttp import WSMsgType

from progressive.client.answers import ServerMessage, UnreadableAnswerError, decode_answer
from progressive.client.timing import REAL_TIME, ClientTime
from progressive.runtime.client_tls import unreachable_in_words
from progressive.wire import close_codes
from progressive.wire.feed_messages import StateChanged
from progressive.wire.table_messages import Welcome

SUBPROTOCOL: Final = "progressive.table.v1"
CONNECT_SECONDS: Final = 2.0
"""For the handshake and the welcome."""
ANSWER_SECONDS: Final = 4.0
"""Without an answer for so long, the message is sent again on a new connection."""
SILENT_SECONDS: Final = 3.0
"""Without a frame for so long a connection is lost, whatever TCP says: the service pings a table
that is silent for two seconds. A node that hangs is found out by this."""
LOOK_SECONDS: Final = 0.5
FRAME_BYTES_MAX: Final = 1024 * 1024

STAY_AWAY: Final = {
    close_codes.BAD_FRAME: "the service takes no such frame",
    close_codes.BAD_KEY: "the service does not know this key",
    close_codes.NOT_ALLOWED: "the service does not allow it",
    close_codes.UNKNOWN_TABLE: "the service has no such table",
    close_codes.TOO_BIG: "the frame was too big",
}


class ConnectionLostError(Exception):
    """The connection is gone; coming back is worth a try."""


class NotLeaderError(ConnectionLostError):
    """Closed with 4503: another node leads."""

    def __init__(self, said: str) -> None:
        super().__init__(f"another node leads: {said}")
        self.said: Final = said
        """Its address, as the service gave it."""


class StayAwayError(Exception):
    """The service sent the table away until something is put right."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{STAY_AWAY[code]}: closed with {code} {reason}".rstrip())
        self.code = code


class TableConnection:
    """A connection that can be lost, dropped and opened again."""

    def __init__(
        self,
        table: str,
        key: str,
        *,
        tls: ssl.SSLContext | bool = True,
        clock: ClientTime = REAL_TIME,
        on_state: Callable[[StateChanged], None] = lambda _: None,
        ignores_unknown: bool = False,
    ) -> None:
        """`tls`: whose certificates are trusted. `ignores_unknown`: messages of a newer service are
        passed over, as the protocol asks of a reader; else they are errors."""
        self._tls = tls
        self._path = f"/v1/tables/{table}/socket"
        self._headers = {"Authorization": f"Bearer {key}"}
        self._clock = clock
        self._on_state = on_state
        self._ignores_unknown = ignores_unknown
        self._session: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse[bool] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._came: asyncio.Queue[ServerMessage | None] = asyncio.Queue()
        self._end: Exception | None = None
        self._heard_at = 0.0
        self._waits_since: float | None = None
        self.lost = asyncio.Event()
        """Set as long as no connection is open."""
        self.lost.set()

    @property
    def is_open(self) -> bool:
        """Whether a message can be sent, as far as this side knows."""
        return not self.lost.is_set()

    def raise_end(self) -> None:
        """Raise, once, why the last connection ended by itself; nothing where it did not."""
        end, self._end = self._end, None
        if end is not None:
            raise end

    async def open(self, node: str) -> Welcome:
        """Connect and be welcomed."""
        await self.drop()
        # A session of its own: closing it cuts this table's connection and no other.
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=self._tls))
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self._socket = await self._session.ws_connect(
                    f"{node}{self._path}",
                    headers=self._headers,
                    protocols=(SUBPROTOCOL,),
                    decode_text=False,
                    # Pings are signs of life here, so they are seen and answered here.
                    autoping=False,
                    max_msg_size=FRAME_BYTES_MAX,
                )
                self._begin(self._session, self._socket)
                welcome = await self.receive()
        except (aiohttp.ClientError, OSError) as error:
            await self.drop()
            raise ConnectionLostError(f"{node}: {unreachable_in_words(error)}") from None
        except BaseException:
            await self.drop()
            raise
        if not isinstance(welcome, Welcome):
            await self.drop()
            why = f"{type(welcome).__name__} before any welcome"
            raise ConnectionLostError(why) if self._ignores_unknown else UnreadableAnswerError(why)
        return welcome

    def _begin(
        self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse[bool]
    ) -> None:
        self._came = asyncio.Queue()
        self._heard_at = self._clock.monotonic()
        self.lost.clear()
        self._tasks = [
            asyncio.create_task(self._read(socket)),
            asyncio.create_task(self._watch_silence(session)),
        ]

    async def send(self, payload: bytes) -> None:
        """One text frame."""
        if self._socket is None or self.lost.is_set():
            self.raise_end()
            raise ConnectionLostError("not connected")
        try:
            await self._socket.send_frame(payload, WSMsgType.TEXT)
        except (aiohttp.ClientError, OSError) as error:
            await self.drop()
            raise ConnectionLostError(unreachable_in_words(error)) from None

    async def receive(self) -> ServerMessage:
        """The next message; what the service says of its state is not waited for."""
        self._waits_since = self._clock.monotonic()
        message = await self._came.get()
        self._waits_since = None
        if message is not None:
            return message
        try:
            self.raise_end()
        finally:
            await self.drop()
        raise ConnectionLostError("not connected")

    async def _read(self, socket: aiohttp.ClientWebSocketResponse[bool]) -> None:
        """All that comes, asked for or not: who reads nothing answers no ping."""
        end: Exception
        try:
            while (frame := await socket.receive()).type in _HEARD:
                self._heard_at = self._clock.monotonic()
                if frame.type is WSMsgType.TEXT:
                    self._take(frame.data)
                elif frame.type is WSMsgType.PING:
                    await socket.pong(frame.data)
            end = _end_of(socket.close_code or 0, str(frame.extra or ""))
        except UnreadableAnswerError as error:
            end = error
        except (aiohttp.ClientError, OSError) as error:
            end = ConnectionLostError(unreachable_in_words(error))
        # The watch has said before why it closed the connection.
        self._end = self._end or end
        self.lost.set()
        self._came.put_nowait(None)

    def _take(self, data: bytes) -> None:
        try:
            message = decode_answer(data)
        except UnreadableAnswerError:
            if self._ignores_unknown:
                return
            raise
        if isinstance(message, StateChanged):
            self._on_state(message)
        else:
            # No more than were asked for: the service speaks unasked of its state alone.
            self._came.put_nowait(message)

    async def _watch_silence(self, session: aiohttp.ClientSession) -> None:
        """One look a second, where a timer for each message would cost as much as the message."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            now = self._clock.monotonic()
            since = self._waits_since
            if now - self._heard_at > SILENT_SECONDS:
                why = f"nothing heard for {SILENT_SECONDS:.0f} seconds"
            elif since is not None and now - since > ANSWER_SECONDS:
                why = f"no answer for {ANSWER_SECONDS:.0f} seconds"
            else:
                continue
            self._end = ConnectionLostError(why)
            # Whoever waits on the socket is told that it is closed.
            await session.close()
            return

    async def close(self) -> None:
        """Say goodbye."""
        if self._socket is not None and self.is_open:
            await self._stop_tasks()
            await self._socket.close()
        await self.drop()

    async def drop(self) -> None:
        """As after a power cut: no goodbye."""
        session, self._session, self._socket = self._session, None, None
        self._waits_since = self._end = None
        self.lost.set()
        await self._stop_tasks()
        if session is not None:
            await session.close()

    async def _stop_tasks(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


_HEARD: Final = (WSMsgType.TEXT, WSMsgType.PING, WSMsgType.PONG)


def _end_of(code: int, reason: str) -> Exception:
    if code in STAY_AWAY:
        return StayAwayError(code, reason)
    if code == close_codes.NOT_LEADER:
        return NotLeaderError(reason)
    return ConnectionLostError(f"closed with {code} {reason}".rstrip())
