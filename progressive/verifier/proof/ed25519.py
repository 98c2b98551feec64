"""Ed25519 signatures (RFC 8032, section 5.1.7), checked in plain Python.

Only public values pass through here: nothing is secret, so nothing has to take constant time. It
must never sign, and never hold a private key.

Strict where the RFC leaves a choice, so that no second signature can be made out of a good one: S
below the order of the group, points only in their one canonical encoding, no key of small order
(anybody could sign for one), and R compared byte by byte.
"""

from hashlib import sha512
from typing import Final

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_P: Final = 2**255 - 19
_ORDER: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_D2: Final = 2 * _D % _P
_ROOT_OF_MINUS_1: Final = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]
"""Extended coordinates X, Y, Z, T: x = X/Z, y = Y/Z, x * y = T/Z."""

_NEUTRAL: Final[_Point] = (0, 1, 1, 0)


def is_signed_by(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the holder of a key signed exactly these bytes."""
    if len(public) != KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    r_bytes, s = signature[:32], int.from_bytes(signature[32:], "little")
    key = _decoded(public)
    if s >= _ORDER or key is None or _is_of_small_order(key):
        return False
    challenge = sha512(r_bytes + public + message).digest()
    h = int.from_bytes(challenge, "little") % _ORDER
    # R = S * B - h * A.
    return _encoded(_sum_of_multiples(s, _BASE, h, _negated(key))) == r_bytes


def _recovered_x(y: int, sign: int) -> int | None:
    """The x of a point with this y (section 5.1.3); None: there is none."""
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    found = v * x * x % _P
    if found == (_P - u) % _P:
        x = x * _ROOT_OF_MINUS_1 % _P
    elif found != u:
        return None
    if x == 0 and sign:
        return None
    return _P - x if x & 1 != sign else x


def _decoded(encoded: bytes) -> _Point | None:
    number = int.from_bytes(encoded, "little")
    y = number & ((1 << 255) - 1)
    x = _recovered_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % _P)


def _encoded(point: _Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _P)
    x, y = x * inverse % _P, y * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _add(one: _Point, other: _Point) -> _Point:
    """Section 5.1.4."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = t1 * _D2 * t2 % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _double(point: _Point) -> _Point:
    x, y, z, _ = point
    a, b, c = x * x % _P, y * y % _P, 2 * z * z % _P
    h = a + b
    e = h - (x + y) * (x + y)
    g = a - b
    f = c + g
    e %= _P
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _negated(point: _Point) -> _Point:
    x, y, z, t = point
    return _P - x, y, z, _P - t


def _is_of_small_order(point: _Point) -> bool:
    """Whether eight times the point is the neutral element."""
    x, y, z, _ = _double(_double(_double(point)))
    return x == 0 and y == z


def _sum_of_multiples(s: int, one: _Point, h: int, other: _Point) -> _Point:
    """s * one + h * other: both numbers bit by bit, with one doubling for the two."""
    table = (None, one, other, _add(one, other))
    total = _NEUTRAL
    for place in range(max(s.bit_length(), h.bit_length()) - 1, -1, -1):
        total = _double(total)
        chosen = table[(s >> place & 1) | (h >> place & 1) << 1]
        if chosen is not None:
            total = _add(total, chosen)
    return total


def _base() -> _Point:
    """The point with y = 4/5 and an even x (section 5.1)."""
    y = 4 * pow(5, -1, _P) % _P
    x = _recovered_x(y, 0)
    assert x is not None  # noqa: S101 - for the type checker: the constant is a point
    return x, y, 1, x * y % _P


_BASE: Final = _base()
