"""Websocket frames as bytes, built once and written to any number of connections.

RFC 6455 section 5.2: a server's frame is not masked, so it is the same for every receiver.
"""

from typing import Final

_SHORT: Final = [bytes((0x81, size)) for size in range(126)]
"""Final text frame, length in seven bits."""


def text_frame(payload: bytes) -> bytes:
    """The whole frame: header and payload."""
    size = len(payload)
    if size < 126:
        return _SHORT[size] + payload
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), payload)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), payload)


PING_FRAME: Final = b"\x89\x00"
"""Final, opcode ping, no payload."""


def pong_frame(payload: bytes) -> bytes:
    """The answer to a ping, whose payload has 125 bytes at the most."""
    return bytes((0x8A, len(payload))) + payload
