"""Strangers who flood, as a process: `python -m tests.bench.flooder KIND SOCKETS PORT`.

Prints a line once all sockets have begun. Whoever is sent away comes back at once, as such people
do. Runs until it is killed.
"""

import contextlib
import random
import selectors
import socket
import sys
import time

from tests.bench.frames import handshake

FEED = "/v1/links/main/feed"
BLOCK_BYTES = 64 * 1024
SECONDS_MAX = 120
"""Ends by itself, also where nobody kills it."""
COMES_BACK_SECONDS = 0.05
MASK = b"\1\2\3\4"

_PING = b"\x89\x80" + MASK
_PONG = b"\x8a\x80" + MASK
_FRAGMENT = b"\x00\x80" + MASK
_FIRST_FRAGMENT = b"\x01\x80" + MASK
_GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
_ASSET = b"GET /assets/sign/sign.css HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _block(frame: bytes) -> bytes:
    return frame * (BLOCK_BYTES // len(frame))


KINDS = {
    "pings": (handshake(FEED), _block(_PING)),
    "pongs": (handshake(FEED), _block(_PONG)),
    "fragments": (handshake(FEED) + _FIRST_FRAGMENT, _block(_FRAGMENT)),
    "http": (b"", _block(_GET)),
    "assets": (b"", _block(_ASSET)),
    "heads": (b"GET / HTTP/1.1\r\n", b"x"),
}
"""What is sent first, and what is then sent for ever."""


class _Flooding:
    def __init__(self, opening: bytes, block: bytes, port: int) -> None:
        self._opening = opening
        self._block = block
        self._port = port
        self._rest = b""
        self.socket: socket.socket
        self.connect()

    def connect(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self._port))
        self.socket.setblocking(False)
        self._rest = self._opening

    def send(self) -> None:
        while True:
            self._rest = self._rest or self._block
            self._rest = self._rest[self.socket.send(self._rest) :]

    def read(self) -> None:
        """Throw away what comes; nobody who floods looks at the answers."""
        while self.socket.recv(BLOCK_BYTES):
            pass
        raise ConnectionResetError


def flood(kind: str, sockets: int, port: int) -> None:
    opening, block = KINDS[kind]
    selector = selectors.DefaultSelector()
    away: list[tuple[float, _Flooding]] = []
    until = time.monotonic() + SECONDS_MAX
    for _ in range(sockets):
        each = _Flooding(opening, block, port)
        selector.register(each.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, each)
    print("flooding", flush=True)
    while (now := time.monotonic()) < until:
        while away and away[0][0] <= now:
            _, each = away.pop(0)
            try:
                each.connect()
            except OSError:
                away.append((now + COMES_BACK_SECONDS, each))
                continue
            selector.register(each.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, each)
        ready = selector.select(0.01)
        random.shuffle(ready)
        for key, events in ready:
            each = key.data
            try:
                if events & selectors.EVENT_WRITE:
                    with contextlib.suppress(BlockingIOError):
                        each.send()
                if events & selectors.EVENT_READ:
                    with contextlib.suppress(BlockingIOError):
                        each.read()
            except OSError:
                selector.unregister(each.socket)
                each.socket.close()
                away.append((now + COMES_BACK_SECONDS, each))


if __name__ == "__main__":
    flood(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
