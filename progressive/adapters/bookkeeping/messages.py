"""What the service and the bookkeeper say to each other: frames of MessagePack, their length first.

A file crosses the pipe in parts, so that none of them holds up the service's loop.
"""

from typing import Final, Literal

import msgspec
from msgspec import Struct

from progressive.application.finance.desk.asked import Asked

LENGTH_BYTES: Final = 4
FRAME_BYTES_MAX: Final = 2 * 2**20
PART_BYTES: Final = 256 * 2**10
"""Of a file, in one frame."""
FILE_BYTES_MAX: Final = 128 * 2**20


class Orders(Struct, frozen=True, kw_only=True):
    """The first frame that the process is given."""

    data: str
    accounts: str | None
    """A TOML file with a [gl] section."""
    mappings: str | None
    """A folder of cage mappings."""
    close_within_hours: int
    """After its end a gaming day should be closed."""
    rest: int
    """While nobody waits: after each short piece of work, so many times as long."""
    memory_bytes: int
    """What the process may take; 0: no limit."""


class Told(Struct, frozen=True):
    """A question, or (None) that nobody waits for it any more."""

    id: int
    question: Asked | None = None


class Said(Struct, frozen=True, omit_defaults=True):
    """What the process says."""

    kind: Literal["hello", "part", "answer"]
    id: int = 0
    data: bytes = b""
    """part: of the file."""
    code: str = ""
    """answer: why there is no file."""
    message: str = ""
    media_type: str = ""
    file_name: str = ""


_encoder: Final = msgspec.msgpack.Encoder()
decode_orders: Final = msgspec.msgpack.Decoder(Orders).decode
decode_told: Final = msgspec.msgpack.Decoder(Told).decode
decode_said: Final = msgspec.msgpack.Decoder(Said).decode


def frame(message: Orders | Told | Said) -> bytes:
    """The bytes on the pipe."""
    body = _encoder.encode(message)
    return len(body).to_bytes(LENGTH_BYTES) + body
