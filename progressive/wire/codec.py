"""Bytes to messages and back. Nothing here trusts its input, and nothing here raises on it."""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from progressive.domain.commands import TableCommand
from progressive.domain.events import RoundSettled, RoundVoided, WagersRegistered
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rejections import Refusal
from progressive.domain.state import Receipt
from progressive.wire.messages import (
    ErrorMessage,
    Locked,
    MeterCents,
    Settled,
    Showing,
    Voided,
)

FRAME_BYTES_MAX: Final = 64 * 1024

_command_decoder: Final[msgspec.json.Decoder[TableCommand]] = msgspec.json.Decoder(TableCommand)
_showing_decoder = msgspec.json.Decoder(Showing)
_encoder = msgspec.json.Encoder()

encode = _encoder.encode


class BadMessage(Struct, frozen=True):
    """A frame that holds no message; its number, where one could still be read."""

    seq: int | None
    why: str


class _Numbered(Struct):
    seq: Annotated[int, Meta(ge=0, le=2**53)]


_numbered_decoder = msgspec.json.Decoder(_Numbered)

# msgspec lets these through besides its own: invalid UTF-8 inside a string, deep nesting.
_UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def decode_command(frame: bytes | str) -> TableCommand | BadMessage:
    """What a table's frame asks for."""
    try:
        return _command_decoder.decode(frame)
    except _UNDECODABLE as error:
        return BadMessage(_number_of(frame), _in_words(error))


def decode_showing(frame: bytes | str) -> Showing | None:
    """What a sign says it shows, or None for anything else."""
    try:
        return _showing_decoder.decode(frame)
    except _UNDECODABLE:
        return None


def encode_receipt(receipt: Receipt, meter_ids: Sequence[str], *, repeat: bool) -> bytes:
    """The answer to an accepted message."""
    event, journal_seq = receipt.event, receipt.journal_seq
    meters = [
        MeterCents(meter_id, amount // MICROCENTS_PER_CENT)
        for meter_id, amount in zip(meter_ids, event.meters, strict=True)
    ]
    match event:
        case WagersRegistered():
            return encode(Locked(event.table_seq, event.round, journal_seq, meters, repeat))
        case RoundSettled():
            return encode(Settled(event.table_seq, event.round, journal_seq, [], meters, repeat))
        case RoundVoided():
            return encode(Voided(event.table_seq, event.round, journal_seq, meters, repeat))


def encode_refusal(seq: int | None, refusal: Refusal) -> bytes:
    """The answer to a refused message."""
    return encode(ErrorMessage(seq, refusal.code.value, refusal.message, refusal.expected))


def _number_of(frame: bytes | str) -> int | None:
    try:
        return _numbered_decoder.decode(frame).seq
    except _UNDECODABLE:
        return None


def _in_words(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "the text is not UTF-8"
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply"
    return str(error)[:200]
