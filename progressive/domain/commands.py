"""What a table asks for.

The table socket decodes its frames straight into these (the tags are the protocol's message
types), so nothing is copied on the hot path. Types and ranges are checked while decoding; what
depends on rules or state is `decide`'s to refuse.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from progressive.domain.ids import BetId, RoundId
from progressive.domain.money import CENTS_MAX

Tender = Literal["chip", "coupon"]

SequenceNumber = Annotated[int, Meta(ge=1, le=2**53)]
AmountCents = Annotated[int, Meta(ge=0, le=CENTS_MAX)]
SmallNumber = Annotated[int, Meta(ge=-(10**6), le=10**6)]
Count = Annotated[int, Meta(ge=0, le=10**6)]
RoundName = Annotated[RoundId, Meta(min_length=1, max_length=64)]
BetName = Annotated[BetId, Meta(max_length=64)]
Reason = Annotated[str, Meta(min_length=1, max_length=500)]
Card = Annotated[str, Meta(max_length=8)]
Cards = Annotated[tuple[Card, ...], Meta(max_length=64)]


class Wager(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One side bet at one seat: a chip on the acceptor, or a coupon instead of one."""

    seat: SmallNumber
    bet: BetName
    amount_cents: AmountCents
    base_cents: AmountCents = 0
    tender: Tender = "chip"


class DealerCards(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The dealer's cards; the first one is the up card."""

    cards: Cards = ()


class SeatCards(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A seat's cards in the order dealt; `hands` are the final hands where the seat split.

    Where a bet on the dealer's hand asks something about a seat, the dealer may answer the question
    instead of keying the cards. What is not said is not written, neither sent nor stored.
    """

    seat: SmallNumber
    cards: Cards = ()
    hands: Annotated[tuple[Cards, ...], Meta(max_length=8)] = ()
    blackjack: bool | UnsetType = UNSET
    """False: the seat has no blackjack, so no free bonus. A blackjack itself needs its cards."""
    points_over: bool | UnsetType = UNSET
    """Whether a hand of the seat has more points than its bet allows (WA: 28 or more)."""

    @property
    def answers(self) -> bool:
        """Whether anything is said in place of cards."""
        return self.blackjack is not UNSET or self.points_over is not UNSET


class RegisterWagers(
    Struct, frozen=True, gc=False, tag="lock", tag_field="type", forbid_unknown_fields=True
):
    """The dealer's lock-out: the wagers of a round, before its first card."""

    seq: SequenceNumber
    round: RoundName
    wagers: Annotated[tuple[Wager, ...], Meta(max_length=256)]
    chips_counted: Count


class SettleRound(
    Struct, frozen=True, gc=False, tag="settle", tag_field="type", forbid_unknown_fields=True
):
    """The round is played: its cards, or only those of the winning seats."""

    seq: SequenceNumber
    round: RoundName
    dealer: DealerCards = DealerCards()
    seats: Annotated[tuple[SeatCards, ...], Meta(max_length=32)] = ()
    complete: bool = True
    early: bool = False
    """Two-card awards before the peek: the round stays open (NJ 13:69F-2.6(j)4)."""


class VoidRound(
    Struct, frozen=True, gc=False, tag="void", tag_field="type", forbid_unknown_fields=True
):
    """A misdeal: the wagers go back."""

    seq: SequenceNumber
    round: RoundName
    reason: Reason


TableCommand = RegisterWagers | SettleRound | VoidRound
