"""What the service and the process that seals say to each other: a JSON line each."""

from typing import Final, Literal

import msgspec
from msgspec import Struct

from progressive.application.seals.link_log import Target
from progressive.application.seals.sealing import Asked, SealAnswer, WitnessNews


class Orders(Struct, frozen=True, kw_only=True):
    """The first line that the process is given."""

    data: str
    key: str
    """The key file: nobody but this process reads it."""
    before: tuple[str, ...] = ()
    """Public lines of keys that sealed before this one."""
    witnesses: tuple[tuple[str, str], ...] = ()
    """Address and public line of each."""
    rest: int
    witness_seconds: float
    part_seconds: float = 10.0
    """After so long it says how far it has got, and waits to be asked to go on: whoever asks can
    tell a long first seal from a process that hangs."""


class Question(Struct, frozen=True):
    """Something to do, numbered."""

    id: int
    do: Asked
    target: Target
    hurry: bool = False
    """Without rests: the service stops."""


class Said(Struct, frozen=True, omit_defaults=True):
    """What the process says."""

    kind: Literal["hello", "answer", "news"]
    key: str = ""
    """hello: the public line of the key."""
    problem: str = ""
    """hello: why the key cannot be used."""
    id: int = 0
    answer: SealAnswer | None = None
    news: WitnessNews | None = None


encode: Final = msgspec.json.Encoder().encode
decode_orders: Final = msgspec.json.Decoder(Orders).decode
decode_question: Final = msgspec.json.Decoder(Question).decode
decode_said: Final = msgspec.json.Decoder(Said).decode
