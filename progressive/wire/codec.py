"""Bytes to messages and back. Nothing here trusts its input, and nothing here raises on it."""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from progressive.domain.commands import TableCommand
from progressive.domain.events import RoundSettled, RoundVoided, TableEvent, WagersRegistered
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


class ReceiptEncoder:
    """HOT. Answers of one link. What never changes in them is encoded once, as a template."""

    def __init__(self, meter_ids: Sequence[str]) -> None:
        meters = [MeterCents(meter_id, 0) for meter_id in meter_ids]
        self._meters_template = _template(encode(meters))
        self._templates: dict[type[TableEvent], bytes] = {
            WagersRegistered: _template(encode(Locked(0, "", 0, []))),
            RoundSettled: _template(encode(Settled(0, "", 0, [], []))),
            RoundVoided: _template(encode(Voided(0, "", 0, []))),
        }
        # A settlement leaves the meters where the event before it did: often the very same tuple.
        self._amounts: tuple[int, ...] | None = None
        self._meters = b""

    def encode(self, receipt: Receipt, *, repeat: bool) -> bytes:
        """The answer to an accepted message."""
        event = receipt.event
        if event.meters is not self._amounts:
            cents = [amount // MICROCENTS_PER_CENT for amount in event.meters]
            self._meters = self._meters_template % tuple(cents)
            self._amounts = event.meters
        answer = self._templates[type(event)] % (
            event.table_seq,
            encode(event.round),
            receipt.journal_seq,
            self._meters,
        )
        return answer[:-1] + b',"repeat":true}' if repeat else answer


def _template(encoded: bytes) -> bytes:
    """An answer's bytes with its round, numbers and meters left out, in the order they stand."""
    return (
        encoded.replace(b"%", b"%%")
        .replace(b'"round":""', b'"round":%b')
        .replace(b'"meters":[]', b'"meters":%b')
        .replace(b":0", b":%d")
    )


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
