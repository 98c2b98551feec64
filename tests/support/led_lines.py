"""Virtual LED signs at the end of real lines: a pseudo-terminal, and a TCP port."""

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tests.support.virtual_sign import VirtualSign

READ_BYTES = 4_096


class PtySign:
    """A sign on a serial line. Its device is a link that leads to the terminal of the moment."""

    def __init__(self, device: Path) -> None:
        self.sign = VirtualSign()
        self.device = device
        self._master: int | None = None
        self._changed = asyncio.Event()

    def plug_in(self) -> None:
        master, slave = os.openpty()
        tty.setraw(slave)
        self.device.unlink(missing_ok=True)
        self.device.symlink_to(os.ttyname(slave))
        os.close(slave)
        os.set_blocking(master, False)
        self._master = master
        asyncio.get_running_loop().add_reader(master, self._read)

    def unplug(self) -> None:
        """As a hand would pull it: whoever has the line open gets errors."""
        if self._master is not None:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = None

    def _read(self) -> None:
        assert self._master is not None
        # Before the driver has opened the line, and after it has closed it, there is nobody.
        with contextlib.suppress(OSError):
            self.sign.receive(os.read(self._master, READ_BYTES))
            self._changed.set()

    async def until(self, shows: Callable[[VirtualSign], bool]) -> None:
        await _until(self.sign, self._changed, shows)

    async def __aenter__(self) -> Self:
        self.plug_in()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.unplug()


class TcpSign:
    """A sign behind a serial server, which passes on so many bytes a second or all at once."""

    def __init__(self, bytes_per_second: float | None = None) -> None:
        self.sign = VirtualSign()
        self.port = 0
        self.connections = 0
        self._bytes_per_second = bytes_per_second
        self._server: asyncio.Server | None = None
        self._changed = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()

    async def plug_in(self) -> None:
        # A serial server has little memory: what it has not passed on stays with the sender.
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, limit=64, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def unplug(self) -> None:
        if self._server is not None:
            self._server.close()
            for task in list(self._serving):
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self.connections += 1
        try:
            while data := await reader.read(48 if self._bytes_per_second else READ_BYTES):
                if self._bytes_per_second:
                    await asyncio.sleep(len(data) / self._bytes_per_second)
                self.sign.receive(data)
                self._changed.set()
        except ConnectionError:
            pass
        finally:
            self._serving.discard(task)
            writer.close()

    async def until(self, shows: Callable[[VirtualSign], bool]) -> None:
        await _until(self.sign, self._changed, shows)

    async def __aenter__(self) -> Self:
        await self.plug_in()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unplug()


async def _until(
    sign: VirtualSign, changed: asyncio.Event, shows: Callable[[VirtualSign], bool]
) -> None:
    """Until the glass is so; the time is a safety net for a hung test."""
    try:
        async with asyncio.timeout(60):
            while not shows(sign):
                changed.clear()
                await changed.wait()
    except TimeoutError:
        raise AssertionError(
            f"the sign shows {sign.glass!r}; faults: {sign.faults}; before: {sign.seen[-8:]}"
        ) from None
