"""Bytes to messages and back. Nothing here trusts its input, and nothing here raises on it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from progressive.domain.award_events import AwardMade
from progressive.domain.commands import TableCommand
from progressive.domain.events import (
    RoundSettled,
    RoundVoided,
    SettledEarly,
    TableEvent,
    WagersRegistered,
)
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rejections import Refusal
from progressive.domain.rounding import floor_cents
from progressive.domain.state.link_state import Receipt
from progressive.wire.feed_messages import REPORTS_MAX, FeedMessage, Showing, Showings, SignReport
from progressive.wire.meters import MeterCents
from progressive.wire.table_messages import AwardMessage, ErrorMessage, Locked, Settled, Voided

FRAME_BYTES_MAX: Final = 64 * 1024

_command_decoder: Final[msgspec.json.Decoder[TableCommand]] = msgspec.json.Decoder(TableCommand)
_showing_decoder = msgspec.json.Decoder(Showing)
_showings_decoder = msgspec.json.Decoder(Showings)
_feed_decoder: Final[msgspec.json.Decoder[FeedMessage]] = msgspec.json.Decoder(FeedMessage)
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
UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def decode_command(frame: bytes | str) -> TableCommand | BadMessage:
    """What a table's frame asks for."""
    try:
        return _command_decoder.decode(frame)
    except UNDECODABLE as error:
        return BadMessage(_number_of(frame), in_words(error))


def decode_showing(frame: bytes | str) -> Showing | None:
    """What a sign says it shows, or None for anything else."""
    try:
        return _showing_decoder.decode(frame)
    except UNDECODABLE:
        return None


def decode_showings(frame: bytes | str) -> Showings | None:
    """What a relay says its signs show, or None for anything else."""
    try:
        return _showings_decoder.decode(frame)
    except UNDECODABLE:
        return None


def encode_showings(reports: Iterable[SignReport]) -> Iterator[bytes]:
    """Reports in as few messages as their number and a frame's size allow."""
    batch: list[bytes] = []
    size = _SHOWINGS_BYTES
    for report in reports:
        encoded = encode(report)
        if len(batch) == REPORTS_MAX or size + len(encoded) + 1 > FRAME_BYTES_MAX:
            yield _SHOWINGS % b",".join(batch)
            batch, size = [], _SHOWINGS_BYTES
        batch.append(encoded)
        size += len(encoded) + 1
    if batch:
        yield _SHOWINGS % b",".join(batch)


_SHOWINGS: Final = b'{"type":"showings","reports":[%b]}'
_SHOWINGS_BYTES: Final = len(_SHOWINGS)


def decode_feed(frame: bytes | str) -> FeedMessage | None:
    """What a feed says, or None for what this version does not know."""
    try:
        return _feed_decoder.decode(frame)
    except UNDECODABLE:
        return None


_AWARDING: Final = frozenset((RoundSettled, SettledEarly))


class ReceiptEncoder:
    """HOT. Answers of one link. What never changes in them is encoded once, as a template."""

    def __init__(self, meter_ids: Sequence[str]) -> None:
        self._meter_ids = tuple(meter_ids)
        meters = [MeterCents(meter_id, 0) for meter_id in meter_ids]
        self._meters_template = _template(encode(meters))
        self._templates: dict[type[TableEvent], bytes] = {
            WagersRegistered: _template(encode(Locked(0, "", 0, []))),
            RoundSettled: _template(encode(Settled(0, "", 0, [], []))),
            SettledEarly: _template(encode(Settled(0, "", 0, [], [], early=True))),
            RoundVoided: _template(encode(Voided(0, "", 0, []))),
        }
        # A settlement leaves the meters where the event before it did: often the very same tuple.
        self._amounts: tuple[int, ...] | None = None
        self._meters = b""

    def encode(self, receipt: Receipt, *, repeat: bool) -> bytes:
        """The answer to an accepted message."""
        event = receipt.event
        if type(event) in _AWARDING and event.awards:  # type: ignore[union-attr]
            return self._with_awards(receipt, repeat=repeat)
        if event.meters is not self._amounts:
            if len(event.meters) == len(self._meter_ids):
                cents = [amount // MICROCENTS_PER_CENT for amount in event.meters]
                self._meters = self._meters_template % tuple(cents)
            else:
                self._meters = encode(self._named(event.meters))
            self._amounts = event.meters
        answer = self._templates[type(event)] % (
            event.table_seq,
            encode(event.round),
            receipt.journal_seq,
            self._meters,
        )
        return answer[:-1] + b',"repeat":true}' if repeat else answer

    def _with_awards(self, receipt: Receipt, *, repeat: bool) -> bytes:
        """The answer to a settlement with winners: rare, so nothing is prepared for it."""
        event = receipt.event
        if not isinstance(event, RoundSettled | SettledEarly):
            raise TypeError("only a settlement has awards")
        return encode(
            Settled(
                seq=event.table_seq,
                round=event.round,
                journal_seq=receipt.journal_seq,
                awards=[award_message(made) for made in event.awards],
                meters=self._named(event.meters),
                early=isinstance(event, SettledEarly),
                repeat=repeat,
            )
        )

    def _named(self, amounts: Sequence[int]) -> list[MeterCents]:
        """The meters of an answer; none where it was given under terms that had other meters."""
        if len(amounts) != len(self._meter_ids):
            return []
        return [
            MeterCents(meter_id, floor_cents(amount))
            for meter_id, amount in zip(self._meter_ids, amounts, strict=True)
        ]


def award_message(made: AwardMade, status: str | None = None) -> AwardMessage:
    """An award as it was made, or (with a status) as it stands now."""
    return AwardMessage(
        award=made.award,
        order=made.order,
        seat=made.seat,
        bet=made.bet,
        line=made.line,
        kind=made.kind,
        meter=made.meter,
        share_percent=made.share_percent,
        amount_cents=made.amount_cents,
        bonus_cents=made.bonus_cents,
        status=status or made.status,
        meter_before_cents=None if made.meter_before is None else floor_cents(made.meter_before),
        meter_after_cents=None if made.meter_after is None else floor_cents(made.meter_after),
        wager_cents=made.wager_cents,
        tax_form=made.tax_form,
        paid_before_cents=made.paid_before_cents,
        due_cents=made.due_cents,
        stake_returned_cents=made.stake_returned_cents,
        pays_from="rack" if made.from_rack else "cage",
    )


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
    except UNDECODABLE:
        return None


def in_words(error: Exception) -> str:
    """What was wrong with a frame, for whoever sent it."""
    if isinstance(error, UnicodeDecodeError):
        return "the text is not UTF-8"
    if isinstance(error, RecursionError):
        return "the JSON is nested too deeply"
    return str(error)[:200]
