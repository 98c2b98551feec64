"""One table's socket: frames in, frames out, and why it ended. Knows nothing about money."""

import asyncio
import ssl
from typing import Final

import aiohttp
from aiohttp import WSMsgType

from progressive.runtime.client_tls import unreachable_in_words
from progressive.simulator.answers import ServerMessage, UnreadableAnswerError, decode_answer
from progressive.wire import close_codes
from progressive.wire.feed_messages import StateChanged
from progressive.wire.table_messages import Welcome

SUBPROTOCOL: Final = "progressive.table.v1"
CONNECT_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 10.0
"""Silence for this long is taken for a lost connection: the message is sent again on a new one."""
LOOK_SECONDS: Final = 1.0

_STAY_AWAY: Final = {
    close_codes.BAD_FRAME: "the service takes no such frame",
    close_codes.BAD_KEY: "the service does not know this key",
    close_codes.UNKNOWN_TABLE: "the service has no such table",
    close_codes.TOO_BIG: "the frame was too big",
}


class ConnectionLostError(Exception):
    """The connection is gone; coming back is worth a try."""


class StayAwayError(Exception):
    """The service sent the table away for good."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{_STAY_AWAY[code]}: closed with {code} {reason}".rstrip())
        self.code = code


class TableConnection:
    """A connection that can be lost, dropped and opened again."""

    def __init__(
        self, url: str, table: str, key: str, *, tls: ssl.SSLContext | bool = True
    ) -> None:
        """`tls`: whose certificates are trusted."""
        self._tls = tls
        self._address = f"{url}/v1/tables/{table}/socket"
        self._headers = {"Authorization": f"Bearer {key}"}
        self._session: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse[bool] | None = None
        self._waits_since: float | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether a message can be sent, as far as this side knows."""
        return self._socket is not None

    async def open(self) -> Welcome:
        """Connect and be welcomed."""
        await self.drop()
        # A session of its own: closing it cuts this table's connection and no other.
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=self._tls))
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self._socket = await self._session.ws_connect(
                    self._address,
                    headers=self._headers,
                    protocols=(SUBPROTOCOL,),
                    decode_text=False,
                )
        except (aiohttp.ClientError, OSError) as error:
            await self.drop()
            raise ConnectionLostError(unreachable_in_words(error)) from None
        self._watch = asyncio.create_task(self._watch_silence(self._session))
        welcome = await self.receive()
        if not isinstance(welcome, Welcome):
            raise UnreadableAnswerError(f"{type(welcome).__name__} before any welcome")
        return welcome

    async def send(self, payload: bytes) -> None:
        """One text frame."""
        if self._socket is None:
            raise ConnectionLostError("not connected")
        try:
            await self._socket.send_frame(payload, WSMsgType.TEXT)
        except (aiohttp.ClientError, OSError) as error:
            await self.drop()
            raise ConnectionLostError(unreachable_in_words(error)) from None

    async def receive(self) -> ServerMessage:
        """The next message; what the service says of its state is not waited for."""
        while True:
            message = await self._receive()
            if not isinstance(message, StateChanged):
                return message

    async def _receive(self) -> ServerMessage:
        socket = self._socket
        if socket is None:
            raise ConnectionLostError("not connected")
        self._waits_since = asyncio.get_running_loop().time()
        frame = await socket.receive()
        self._waits_since = None
        if frame.type is not WSMsgType.TEXT:
            code, reason = socket.close_code or 0, str(frame.extra or "")
            await self.drop()
            if code in _STAY_AWAY:
                raise StayAwayError(code, reason)
            raise ConnectionLostError(f"closed with {code} {reason}".rstrip())
        return decode_answer(frame.data)

    async def _watch_silence(self, session: aiohttp.ClientSession) -> None:
        """One look a second, where a timer for each message would cost as much as the message."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            since = self._waits_since
            if since is not None and loop.time() - since > ANSWER_SECONDS:
                # Whoever waits on the socket is told that it is closed.
                await session.close()
                return

    async def close(self) -> None:
        """Say goodbye."""
        if self._socket is not None:
            await self._socket.close()
        await self.drop()

    async def drop(self) -> None:
        """As after a power cut: no goodbye."""
        session, self._session, self._socket = self._session, None, None
        watch, self._watch, self._waits_since = self._watch, None, None
        if watch is not None:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
        if session is not None:
            await session.close()
