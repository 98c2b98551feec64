"""The tables: a thousand sockets in one process, lighter than any server they measure.

Raw protocols, prebuilt frames, no websocket library: what is measured must be the server. The load
looks at its sockets once a millisecond instead of being woken for each of them: tables and signs
are other machines, so no server pays for waking them, and on a virtual machine that would cost as
much as the write itself.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

from tests.bench.frames import handshake
from tests.bench.measured import Measured, percentile_ms
from tests.bench.processes import Server

NAP_SECONDS = 0.001


class _Naps:
    """While in use, the loop never waits in the kernel for a socket."""

    def __enter__(self) -> None:
        self._awake = True
        self._nap()

    def __exit__(self, *_: object) -> None:
        self._awake = False

    def _nap(self) -> None:
        if self._awake:
            time.sleep(NAP_SECONDS)
            asyncio.get_running_loop().call_soon(self._nap)


class CountingSocket(asyncio.Protocol):
    """A websocket client that only counts frames."""

    def __init__(self, opening: bytes, on_open: Callable[["CountingSocket"], None]) -> None:
        self._opening = opening
        self._on_open = on_open
        self._buffer = b""
        self._open = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self.transport = transport  # type: ignore[assignment]
        self.transport.write(self._opening)

    def data_received(self, data: bytes) -> None:
        if self._buffer:
            data = self._buffer + data
            self._buffer = b""
        if not self._open:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._buffer = data
                return
            assert data.startswith(b"HTTP/1.1 101"), data[:200]
            self._open = True
            data = data[end + 4 :]
            self._on_open(self)
        at, size = 0, len(data)
        while size - at >= 2:
            length, head = data[at + 1], 2
            if length == 126:
                if size - at < 4:
                    break
                length, head = int.from_bytes(data[at + 2 : at + 4], "big"), 4
            if size - at < head + length:
                break
            if data[at] == 0x81:
                self.on_frame(data, at + head, at + head + length)
            elif data[at] == 0x89:
                self.transport.write(b"\x8a\x80\0\0\0\0")
            elif data[at] == 0x88:
                self.on_close(data[at + head : at + head + length])
            at += head + length
        self._buffer = data[at:]

    def on_frame(self, data: bytes, start: int, end: int) -> None: ...

    def on_close(self, payload: bytes) -> None:
        raise AssertionError(f"closed by the server: {payload!r}")


class _Table(CountingSocket):
    """Closed loop: the next frame goes out when the last is answered."""

    frames: Sequence[bytes]
    took: list[float]
    on_done: Callable[[], None]
    next = 0
    sent_at = 0.0
    errors = 0

    def begin(self) -> None:
        self.sent_at = time.perf_counter()
        self.transport.write(self.frames[0])

    def on_frame(self, data: bytes, start: int, end: int) -> None:
        if data.startswith(b'{"type":"welcome"', start):
            return
        now = time.perf_counter()
        self.took.append(now - self.sent_at)
        if data.startswith(b'{"type":"error"', start):
            self.errors += 1
        self.next += 1
        if self.next == len(self.frames):
            self.on_done()
            return
        self.sent_at = now
        self.transport.write(self.frames[self.next])


async def drive_tables(
    server: Server,
    paths: Sequence[str],
    keys: Sequence[str],
    frames: Sequence[Sequence[bytes]],
) -> Measured:
    """Every socket sends all its frames, each after the answer to the one before."""
    loop = asyncio.get_running_loop()
    took: list[float] = []
    finished = asyncio.Event()
    left = len(paths)

    def done() -> None:
        nonlocal left
        left -= 1
        if not left:
            finished.set()

    tables: list[_Table] = []
    opened = 0
    all_open = asyncio.Event()

    def on_open(_: CountingSocket) -> None:
        nonlocal opened
        opened += 1
        if opened == len(paths):
            all_open.set()

    for path, key, of_table in zip(paths, keys, frames, strict=True):
        opening = handshake(path, key)
        _, table = await loop.create_connection(
            lambda opening=opening: _Table(opening, on_open), "127.0.0.1", server.port
        )
        table.frames, table.took, table.on_done = of_table, took, done
        tables.append(table)
    await all_open.wait()
    await asyncio.sleep(0.5)  # let the service finish its greetings
    cpu, began = server.cpu(), time.perf_counter()
    with _Naps():
        for table in tables:
            table.begin()
        await finished.wait()
    seconds = time.perf_counter() - began
    cpu = server.cpu() - cpu
    for table in tables:
        table.transport.abort()
    return Measured(
        messages=len(took),
        seconds=seconds,
        p50_ms=percentile_ms(took, 50),
        p99_ms=percentile_ms(took, 99),
        errors=sum(table.errors for table in tables),
        cpu=cpu,
    )
