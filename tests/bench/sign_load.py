"""The signs: thousands of sockets in one process, lighter than any server they measure.

No event loop and no websocket library: all sockets that have something are read in one go, and
what came is counted by the mark that every update bears. Like the tables, the signs are looked at
once a millisecond, so that no server pays for waking them.
"""

import re
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.bench.frames import client_frame, handshake
from tests.bench.measured import Measured, percentile_ms
from tests.bench.processes import Server
from tests.bench.sign_frames import nats_subscribe

NAP_SECONDS = 0.001
SILENCE_SECONDS = 3.0
"""So long without a byte: what has not come by then was never sent."""
START_SECONDS = 20.0
READ_BYTES = 16 * 1024
OPENED_AT_ONCE = 128
LOOKS_EVERY = 8
"""One sign in so many looks at the clock."""
TINY_BUFFER_BYTES = 2048

_MARK = b'"type":"update"'
_KEPT = len(_MARK) - 1
_SENT_AT = re.compile(_MARK + rb',"epoch":1,"seq":(\d+),')

Greeting = Callable[[socket.socket], None]
"""What a sign does once its websocket is open, until it is subscribed."""


def no_greeting(sign: socket.socket) -> None:
    """The feed begins by itself."""


def nats_greeting(sign: socket.socket) -> None:
    sign.sendall(client_frame(nats_subscribe()))
    said = b""
    while b"PONG" not in said:
        said += sign.recv(READ_BYTES)


class Signs:
    """Connected signs that read, and what they have seen."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        self.count = len(sockets)
        self._poll = select.epoll()
        self._sockets = {sign.fileno(): sign for sign in sockets}
        self._looking = {sign.fileno() for sign in sockets[::LOOKS_EVERY]}
        for fd, sign in self._sockets.items():
            sign.setblocking(False)
            self._poll.register(fd, select.EPOLLIN)
        self._tails = dict.fromkeys(self._sockets, b"")
        self.updates = 0
        self.first_made_ns = 0
        self.last_read_ns = 0
        self.late_seconds: list[float] = []

    def forget(self) -> None:
        """What was seen so far does not count."""
        self.updates = self.first_made_ns = self.last_read_ns = 0
        self.late_seconds = []

    def read_until(self, updates: int) -> None:
        """Read until so many have come, or no more are coming."""
        patience = time.monotonic() + START_SECONDS
        while self.updates < updates and time.monotonic() < patience:
            time.sleep(NAP_SECONDS)
            if self.read_ready():
                patience = time.monotonic() + SILENCE_SECONDS

    def read_ready(self) -> int:
        """One look at every sign that has something."""
        ready = self._poll.poll(0, self.count)
        sockets, tails, looking = self._sockets, self._tails, self._looking
        updates = 0
        for fd, _ in ready:
            # An update may be cut in two by a read; its mark is found when the rest is here.
            data = sockets[fd].recv(READ_BYTES)
            assert data, "closed by the server"
            data = tails[fd] + data
            updates += data.count(_MARK)
            tails[fd] = data[-_KEPT:]
            if fd in looking:
                self._look_at_the_clock(data)
        if updates:
            self.updates += updates
            self.last_read_ns = time.monotonic_ns()
        return updates

    def _look_at_the_clock(self, data: bytes) -> None:
        now = time.monotonic_ns()
        for made in _SENT_AT.finditer(data):
            made_ns = int(made[1])
            self.first_made_ns = self.first_made_ns or made_ns
            self.late_seconds.append((now - made_ns) / 1e9)

    def close(self) -> None:
        self._poll.close()
        for sign in self._sockets.values():
            sign.close()


def drive_signs(
    server: Server, signs: Signs, broadcasts: int, start: Callable[[], None]
) -> Measured:
    """Begin the broadcasts, count until all have arrived."""
    signs.forget()
    cpu, load_began = server.cpu(), time.process_time()
    start()
    signs.read_until(broadcasts * signs.count)
    cpu, load_seconds = server.cpu() - cpu, time.process_time() - load_began
    # From the making of the first update: what it took to ask for it is not the server's.
    seconds = (signs.last_read_ns - signs.first_made_ns) / 1e9
    return Measured(
        messages=signs.updates,
        seconds=seconds,
        p50_ms=percentile_ms(signs.late_seconds, 50),
        p99_ms=percentile_ms(signs.late_seconds, 99),
        errors=broadcasts * signs.count - signs.updates,
        cpu=cpu,
        load_busy=load_seconds / seconds,
    )


@contextmanager
def open_signs(server: Server, count: int, greeting: Greeting = no_greeting) -> Iterator[Signs]:
    signs = Signs(list(_open(server.port, count, greeting)))
    try:
        yield signs
    finally:
        signs.close()


@contextmanager
def open_signs_that_never_read(server: Server, count: int) -> Iterator[None]:
    """What they are sent fills the little room they have, then the server's."""
    signs = list(_open(server.port, count, no_greeting, receive_bytes=TINY_BUFFER_BYTES))
    try:
        yield
    finally:
        for sign in signs:
            sign.close()


def _open(
    port: int, count: int, greeting: Greeting, receive_bytes: int | None = None
) -> Iterator[socket.socket]:
    request = handshake("/v1/links/main/feed")
    for start in range(0, count, OPENED_AT_ONCE):
        batch = []
        for _ in range(min(OPENED_AT_ONCE, count - start)):
            sign = socket.socket()
            if receive_bytes is not None:
                sign.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            # Closed with a reset: thousands of ports must not linger from turn to turn.
            sign.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sign.connect(("127.0.0.1", port))
            sign.sendall(request)
            batch.append(sign)
        for sign in batch:
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += sign.recv(READ_BYTES)
            assert answer.startswith(b"HTTP/1.1 101"), answer[:200]
            greeting(sign)
        yield from batch
