"""The frames a table sends in the benchmark: the same bytes for every server under test."""

import base64

WAGERS_A_ROUND = 7
FIXED_EVERY, METER_EVERY = 50, 2_000
"""One settlement in so many has a winner of a fixed line, and of a meter. Tables are never in step:
one that wins in a round wins again only after all the others have."""
_STEP = 17


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
        frames += [client_frame(lock), _settle(number)]
    return frames


def winning_frames(frames: list[bytes], table: int) -> list[bytes]:
    """The frames of one of many tables that settle with winners now and then."""
    won = frames.copy()
    for number in range(1, len(frames) // 2 + 1):
        turn = number * _STEP + table
        if turn % METER_EVERY == 0:
            won[2 * number - 1] = _settle(number, b'"7s","7c","7s"')
        elif turn % FIXED_EVERY == 0:
            won[2 * number - 1] = _settle(number, b'"7s","7h"')
    return won


def _settle(number: int, winning_cards: bytes = b"") -> bytes:
    """A settlement as a dealer keys it: only the winning seat, or nobody."""
    seats = b'{"seat":3,"cards":[%b]}' % winning_cards if winning_cards else b""
    dealer = b'"dealer":{"cards":["5s"]},' if winning_cards else b""
    return client_frame(
        b'{"type":"settle","seq":%d,"round":"r%d",%b"seats":[%b],"complete":false}'
        % (2 * number, number, dealer, seats)
    )


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
