"""Strangers with a plain socket: what they send is theirs to choose, byte by byte."""

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Self
from urllib.request import urlopen

from tests.bench.frames import handshake
from tests.support.service import ANSWER_SECONDS

FEED = "/v1/links/main/feed"
MASK = b"\1\2\3\4"
PING, PONG, CLOSE = 0x9, 0xA, 0x8


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, masked: bool = True) -> bytes:
    head = bytes(((0x80 if fin else 0) | opcode, (0x80 if masked else 0) | len(payload)))
    if not masked:
        return head + payload
    hidden = bytes(byte ^ MASK[at % 4] for at, byte in enumerate(payload))
    return head + MASK + hidden


class Stranger:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
        self._heard = b""

    @classmethod
    @contextlib.contextmanager
    def at(cls, port: int) -> Iterator[Self]:
        stranger = cls(port)
        try:
            yield stranger
        finally:
            stranger.socket.close()

    def open(self, path: str = FEED, key: str = "") -> None:
        """A websocket, as far as its first message."""
        self.send(handshake(path, key))
        while b"\r\n\r\n" not in self._heard:
            assert self._hear(), "closed before the answer"
        status, _, rest = self._heard.partition(b"\r\n\r\n")
        assert status.startswith(b"HTTP/1.1 101"), status
        self._heard = rest
        while len(self._heard) < 2:
            assert self._hear(), "closed before the first message"

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def close_code(self) -> int | None:
        """The code of the close frame, behind whatever came before; None where there is none."""
        with contextlib.suppress(ConnectionError):
            while (code := self._code_heard()) is None and self._hear():
                pass
        return code

    def _code_heard(self) -> int | None:
        data = self._heard
        while len(data) >= 4:
            opcode, size, head = data[0] & 0xF, data[1], 2
            if size == 126:
                size, head = int.from_bytes(data[2:4], "big"), 4
            if opcode == CLOSE:
                return int.from_bytes(data[head : head + 2], "big")
            data = data[head + size :]
        return None

    def is_gone(self) -> None:
        """Wait until the service has closed this connection."""
        with contextlib.suppress(ConnectionError):
            while self._hear():
                pass

    def answer(self) -> bytes:
        """All that comes until the service closes."""
        self.is_gone()
        return self._heard

    def _hear(self) -> bool:
        more = self.socket.recv(65536)
        self._heard += more
        return bool(more)


def metric(url: str, name: str) -> float:
    """One series of `/metrics`, with its labels as they stand there; 0 where it is not there."""
    with urlopen(f"{url}/metrics", timeout=ANSWER_SECONDS) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
    return 0.0


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
