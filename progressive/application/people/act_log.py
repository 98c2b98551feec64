"""The act log's record format: one JSON line per act, chained by hash like the journal's.

`{"seq":…,"at":…,"prev":…,"who":…,"from":…,"act":…,"outcome":…,"details":{…}}`. `prev` is the
SHA-256 of the bytes of the record before.
"""

from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct, field

LOG_IN: Final = "log_in"
LOG_OUT: Final = "log_out"
TABLE_MESSAGE: Final = "table_message"
"""A table's message that was refused."""
UNSHARE: Final = "unshare"
"""People that nodes shared became one node's own."""
REQUEST: Final = "request"
"""A request or a socket that was refused before it was known what it wanted."""

Details = dict[str, str | int | bool]


class Outcome(StrEnum):
    """How it ended."""

    DONE = "done"
    REFUSED = "refused"


class Deed(Struct, frozen=True):
    """What somebody did or tried to do."""

    at: str
    who: str | None
    """A known person's name. Names that nobody has are not kept: a password typed into the wrong
    field would stand here for ever."""
    where: str
    """An address, or the command line and its user."""
    act: str
    outcome: Outcome
    details: Details = {}


class ActRecord(Struct, frozen=True):
    """A deed with its place in the log."""

    seq: int
    at: str
    prev: str
    who: str | None
    where: str = field(name="from")
    act: str
    outcome: Outcome
    details: Details


_encoder = msgspec.json.Encoder(order="deterministic")


_decoder = msgspec.json.Decoder(ActRecord)


def decode_act(stored: bytes) -> ActRecord:
    """A stored record; raises msgspec.DecodeError."""
    return _decoder.decode(stored)


class _Numbered(Struct):
    seq: int


_numbered_decoder = msgspec.json.Decoder(_Numbered)


def seq_of_act(stored: bytes) -> int:
    """A stored record's number, whoever wrote it."""
    return _numbered_decoder.decode(stored).seq


def encode_act(seq: int, prev: str, deed: Deed) -> bytes:
    """The bytes to store."""
    return _encoder.encode(
        ActRecord(
            seq=seq,
            at=deed.at,
            prev=prev,
            who=deed.who,
            where=deed.where,
            act=deed.act,
            outcome=deed.outcome,
            details=deed.details,
        )
    )
