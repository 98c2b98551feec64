"""A TCP proxy in the middle of a connection that can be told to lose things."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

Fault = Literal["none", "drop replies", "drop requests", "cut at request", "cut at reply"]


class TcpProxy:
    """Passes bytes on, or does not. A fault holds for connections that are open as well."""

    def __init__(self, port: int) -> None:
        self._to = port
        self.port = 0
        self.fault: Fault = "none"
        self.seen = asyncio.Event()
        """Set once a fault has met something."""
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["TcpProxy"]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    def begin(self, fault: Fault) -> None:
        """From now on."""
        self.seen.clear()
        self.fault = fault

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            there = await asyncio.open_connection("127.0.0.1", self._to)
            both = [
                asyncio.create_task(self._pass(reader, there[1], "request")),
                asyncio.create_task(self._pass(there[0], writer, "reply")),
            ]
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in both:
                    each.cancel()
                await asyncio.gather(*both, return_exceptions=True)
                there[1].close()
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, what: str
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                if self.fault == f"cut at {what}":
                    self.seen.set()
                    return
                lost = {"request": "drop requests", "reply": "drop replies"}[what]
                if self.fault == lost:
                    self.seen.set()
                    continue
                writer.write(data)
                await writer.drain()
