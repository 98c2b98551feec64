"""A websocket text frame as bytes, built once and written to any number of connections.

RFC 6455 section 5.2: a server's frame is not masked, so it is the same for every receiver.
"""

from typing import Final

_TEXT_FINAL: Final = 0x81


def text_frame(payload: bytes) -> bytes:
    """The whole frame: header and payload."""
    size = len(payload)
    if size < 126:
        return bytes((_TEXT_FINAL, size)) + payload
    if size < 65536:
        return bytes((_TEXT_FINAL, 126, size >> 8, size & 0xFF)) + payload
    return bytes((_TEXT_FINAL, 127)) + size.to_bytes(8, "big") + payload
