"""The way to the sign: a serial line, or the TCP port of a serial server. Writes, never reads.

A command counts as sent when it has left this machine at the pace of the line: whatever waited in
a buffer would be old by the time it is shown.
"""

import asyncio
import contextlib
import fcntl
import os
import select
import socket
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, Literal, NamedTuple, Protocol

BITS_PER_BYTE: Final = 10
"""A start bit, eight bits (with a parity among them or not), a stop bit."""
REST_SECONDS: Final = 0.25
"""After every packet: a BetaBrite loses those that follow after a tenth of a second."""
STALL_SECONDS: Final = 10.0
"""A line that does not take a packet in this time is lost."""
CONNECT_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 0.02
SEND_BUFFER_BYTES: Final = 4_096

Framing = Literal["7E1", "8N1"]
BAUDS: Final = {
    1_200: termios.B1200,
    2_400: termios.B2400,
    4_800: termios.B4800,
    9_600: termios.B9600,
    19_200: termios.B19200,
    38_400: termios.B38400,
}
_FRAMING: Final[dict[Framing, int]] = {
    "7E1": termios.CS7 | termios.PARENB,
    "8N1": termios.CS8,
}


class Line(Protocol):
    """An open line. Every method raises an OSError once it is lost."""

    async def send(self, data: bytes) -> None:
        """Until the last byte has left."""
        ...

    def check(self) -> None:
        """Raises if the other end is gone."""
        ...


OpenLine = Callable[[], AbstractAsyncContextManager[Line]]


class Pace(NamedTuple):
    """How fast a sign can be spoken to."""

    baud: int = 9_600
    rest_seconds: float = REST_SECONDS
    settles: bool = True
    """Whether the sign starts itself again when its memory is laid out."""

    def seconds_for(self, size_bytes: int) -> float:
        """What so many bytes take on the line, and the rest after them."""
        return size_bytes * BITS_PER_BYTE / self.baud + self.rest_seconds


class SerialLine:
    """A terminal device."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def send(self, data: bytes) -> None:
        """Until the last byte has left."""
        # What a sign answers is not wanted, and must not pile up.
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        async with asyncio.timeout(STALL_SECONDS):
            while data:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BlockingIOError:
                    await asyncio.sleep(LOOK_SECONDS)
            await _until_sent(self)

    def fileno(self) -> int:
        """For the kernel."""
        return self._descriptor

    def check(self) -> None:
        """Raises if the device was unplugged."""
        poll = select.poll()
        poll.register(self._descriptor, 0)
        if poll.poll(0):
            raise ConnectionResetError("the serial line is gone")


@asynccontextmanager
async def serial_line(device: str, baud: int, framing: Framing) -> AsyncIterator[SerialLine]:
    """Open a terminal device for this process alone."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            _configure(descriptor, BAUDS[baud], framing)
            yield SerialLine(descriptor)
        finally:
            os.close(descriptor)
    except termios.error as error:
        raise OSError(*error.args) from error


def _configure(descriptor: int, speed: int, framing: Framing) -> None:
    fcntl.ioctl(descriptor, termios.TIOCEXCL)
    *_, characters = termios.tcgetattr(descriptor)
    # Raw both ways, no flow control, and no hang-up at the end: some signs start themselves again
    # when the line drops.
    flags = termios.CREAD | termios.CLOCAL | _FRAMING[framing]
    termios.tcsetattr(descriptor, termios.TCSANOW, [0, 0, flags, 0, speed, speed, characters])


class TcpLine:
    """A serial server, or a sign with a network port."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes) -> None:
        """Until the other end has acknowledged the last byte."""
        self.check()
        self._writer.write(data)
        async with asyncio.timeout(STALL_SECONDS):
            await self._writer.drain()
            await _until_sent(self)

    def fileno(self) -> int:
        """For the kernel."""
        connection: socket.socket = self._writer.get_extra_info("socket")
        return connection.fileno()

    def check(self) -> None:
        """Raises if the connection has ended."""
        if self._reader.at_eof() or self._reader.exception() or self._writer.is_closing():
            raise ConnectionResetError("the sign closed the connection")

    async def discard(self) -> None:
        """Read what a sign answers, until it ends the connection."""
        with contextlib.suppress(OSError):
            while await self._reader.read(1_024):
                pass


@asynccontextmanager
async def tcp_line(host: str, port: int) -> AsyncIterator[TcpLine]:
    """Open a connection whose unsent bytes are few."""
    async with asyncio.timeout(CONNECT_SECONDS):
        reader, writer = await asyncio.open_connection(host, port)
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    writer.transport.set_write_buffer_limits(high=0)
    line = TcpLine(reader, writer)
    discarding = asyncio.create_task(line.discard())
    try:
        yield line
    finally:
        discarding.cancel()
        await asyncio.gather(discarding, return_exceptions=True)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _until_sent(line: SerialLine | TcpLine) -> None:
    """Until the kernel has nothing left to send; the same question for terminals and sockets."""
    while True:
        # First: the number of a descriptor that was closed may already be another's.
        line.check()
        if fcntl.ioctl(line.fileno(), termios.TIOCOUTQ, bytes(4)) == bytes(4):
            return
        await asyncio.sleep(LOOK_SECONDS)
