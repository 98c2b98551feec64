"""What a dealer's panel asks for. `docs/protocol.md` has it in words.

A panel keeps no numbering of its own. It says which of the table's messages it saw last (`after`),
and its message is the next one or none: the table's number and the body, both in the journal, tell
a message sent again from a new one, whatever was lost or restarted in between.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from progressive.domain.commands import (
    Count,
    DealerCards,
    Reason,
    RegisterWagers,
    RoundName,
    SeatCards,
    SettleRound,
    TableCommand,
    VoidRound,
    Wager,
)
from progressive.domain.ids import AwardId, RoundId
from progressive.wire.codec import UNDECODABLE, in_words

PanelId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{8,32}\Z")]
"""Made by the panel, never used twice: so no two lock-outs are alike."""
TableNumber = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Seats = Annotated[tuple[SeatCards, ...], Meta(max_length=32)]


class PanelLock(Struct, frozen=True, tag="lock", tag_field="type", forbid_unknown_fields=True):
    """The dealer's lock-out."""

    id: PanelId
    after: TableNumber
    wagers: Annotated[tuple[Wager, ...], Meta(max_length=256)]
    chips_counted: Count


class PanelSettle(Struct, frozen=True, tag="settle", tag_field="type", forbid_unknown_fields=True):
    """The round is played, or (early) its two-card awards are."""

    id: PanelId
    after: TableNumber
    round: RoundName
    dealer: DealerCards = DealerCards()
    seats: Seats = ()
    complete: bool = True
    early: bool = False


class PanelVoid(Struct, frozen=True, tag="void", tag_field="type", forbid_unknown_fields=True):
    """A misdeal."""

    id: PanelId
    after: TableNumber
    round: RoundName
    reason: Reason


class PanelSignOn(Struct, frozen=True, tag="sign_on", tag_field="type", forbid_unknown_fields=True):
    """Whoever is logged in deals here from now on."""

    id: PanelId


class PanelLook(Struct, frozen=True, tag="look", tag_field="type", forbid_unknown_fields=True):
    """With these cards on the table: which side bets carry a lammer, and what is still to be said
    before the round can be settled? Changes nothing."""

    id: PanelId
    seats: Seats
    dealer: DealerCards = DealerCards()


class PanelSupervisor(
    Struct, frozen=True, tag="supervisor", tag_field="type", forbid_unknown_fields=True
):
    """A supervisor comes to this panel with a session of her own, or (with None) leaves it."""

    id: PanelId
    token: Annotated[str, Meta(max_length=200)] | None = None


class PanelValidateRound(
    Struct, frozen=True, tag="validate_round", tag_field="type", forbid_unknown_fields=True
):
    """The supervisor who is signed in here confirms a round's payouts."""

    id: PanelId
    round: RoundName
    awards: Annotated[tuple[AwardId, ...], Meta(max_length=256)]


PanelCommand = PanelLock | PanelSettle | PanelVoid
PanelMessage = PanelCommand | PanelSignOn | PanelLook | PanelSupervisor | PanelValidateRound


class BadPanelMessage(Struct, frozen=True):
    """A frame that holds no message; its id, where one could still be read."""

    id: str | None
    why: str


class _Named(Struct):
    id: PanelId


_decoder: Final[msgspec.json.Decoder[PanelMessage]] = msgspec.json.Decoder(PanelMessage)
_named_decoder = msgspec.json.Decoder(_Named)


def decode_panel(frame: bytes) -> PanelMessage | BadPanelMessage:
    """What a panel's frame asks for."""
    try:
        return _decoder.decode(frame)
    except UNDECODABLE as error:
        return BadPanelMessage(_id_of(frame), in_words(error))


def _id_of(frame: bytes) -> str | None:
    try:
        return _named_decoder.decode(frame).id
    except UNDECODABLE:
        return None


def table_command(message: PanelCommand) -> TableCommand:
    """The panel's message with the number that the service gives it.

    A round is named after its number, for people, and after the panel's id: two panels that lock
    the same wagers at the same moment mean two lock-outs, and only one of them comes about.
    """
    seq = message.after + 1
    match message:
        case PanelLock():
            name = RoundId(f"{seq}-{message.id}")
            return RegisterWagers(seq, name, message.wagers, message.chips_counted)
        case PanelSettle():
            return SettleRound(
                seq,
                message.round,
                message.dealer,
                message.seats,
                complete=message.complete,
                early=message.early,
            )
        case PanelVoid():
            return VoidRound(seq, message.round, message.reason)
