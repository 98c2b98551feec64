"""The frames a table sends in the benchmark: the same bytes for every server under test."""

import base64

WAGERS_A_ROUND = 7


def client_frame(payload: bytes) -> bytes:
    """A masked text frame. The mask is zero: the server unmasks as much as with any other."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, 0x80 | size)) + b"\0\0\0\0" + payload
    return bytes((0x81, 0x80 | 126)) + size.to_bytes(2, "big") + b"\0\0\0\0" + payload


def table_frames(rounds: int) -> list[bytes]:
    """Lock and settle, round after round."""
    wagers = b",".join(
        b'{"seat":%d,"bet":"blazing7","amount_cents":500,"base_cents":2500,"tender":"chip"}' % seat
        for seat in range(1, WAGERS_A_ROUND + 1)
    )
    frames: list[bytes] = []
    for number in range(1, rounds + 1):
        lock = b'{"type":"lock","seq":%d,"round":"r%d","wagers":[%b],"chips_counted":%d}' % (
            2 * number - 1,
            number,
            wagers,
            WAGERS_A_ROUND,
        )
        settle = b'{"type":"settle","seq":%d,"round":"r%d","seats":[],"complete":false}' % (
            2 * number,
            number,
        )
        frames += [client_frame(lock), client_frame(settle)]
    return frames


def handshake(path: str, key: str = "") -> bytes:
    """The HTTP request that opens a websocket."""
    nonce = base64.b64encode(b"0123456789abcdef").decode()
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {nonce}",
        "Sec-WebSocket-Version: 13",
        *([f"Authorization: Bearer {key}"] if key else []),
        "\r\n",
    ]
    return "\r\n".join(lines).encode()
