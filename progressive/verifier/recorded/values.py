"""Small values that many records carry: signatures, flows, wagers, cards.

Those that are stored as JSON arrays are named tuples; those that are stored as objects are
dataclasses. The order of fields is the order in which they are stored. Those that stand in nearly
every record are not frozen: a frozen dataclass takes three times as long to make.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final, Literal, NamedTuple

from progressive.verifier.recorded.limits import AmountCents, BetName, Cards, Hands, SmallNumber

Tender = Literal["chip", "coupon"]


class Unset(Enum):
    """The one value of a field that was not stored, where not stored is not the same as null."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Signature:
    """Who signed, as it is kept with what was signed."""

    name: str
    department: str


class MeterFlow(NamedTuple):
    """Microcents onto (or, with a minus, off) the three parts of one meter."""

    meter: str
    primary: int
    reset: int
    overflow: int


class Stake(NamedTuple):
    """All wagers of a round on one bet, by tender."""

    bet: str
    chip_cents: int
    coupon_cents: int


@dataclass(slots=True)
class Wager:
    """One side bet at one seat: a chip on the acceptor, or a coupon instead of one."""

    FORBIDS_UNKNOWN: ClassVar = True

    seat: SmallNumber
    bet: BetName
    amount_cents: AmountCents
    base_cents: AmountCents = 0
    tender: Tender = "chip"


class PlainWagers(NamedTuple):
    """Chips of one amount on one bet, seat by seat: nearly every lock-out is that and no more."""

    bet: BetName
    amount_cents: AmountCents
    seats: tuple[SmallNumber, ...]
    base_cents: tuple[AmountCents, ...]

    @property
    def whole(self) -> bool:
        """Whether every seat has its base wager."""
        return len(self.seats) == len(self.base_cents)

    def listed(self) -> tuple[Wager, ...]:
        """The wagers one by one."""
        pairs: Sequence[tuple[int, int]] = list(zip(self.seats, self.base_cents, strict=True))
        return tuple([Wager(seat, self.bet, self.amount_cents, base) for seat, base in pairs])


@dataclass(slots=True)
class DealerCards:
    """The dealer's cards; the first one is the up card."""

    FORBIDS_UNKNOWN: ClassVar = True

    cards: Cards = ()


@dataclass(slots=True)
class SeatCards:
    """A seat's cards in the order dealt; `hands` are the final hands where the seat split.

    Where a bet on the dealer's hand asks something about a seat, the dealer may answer the question
    instead of keying the cards. What is not said is not stored.
    """

    FORBIDS_UNKNOWN: ClassVar = True

    seat: SmallNumber
    cards: Cards = ()
    hands: Hands = ()
    blackjack: bool | Unset = UNSET
    """False: the seat has no blackjack, so no free bonus. A blackjack itself needs its cards."""
    points_over: bool | Unset = UNSET
    """Whether a hand of the seat has more points than its bet allows (WA: 28 or more)."""

    @property
    def answers(self) -> bool:
        """Whether anything is said in place of cards."""
        return self.blackjack is not UNSET or self.points_over is not UNSET


@dataclass(frozen=True, slots=True)
class JournalPlace:
    """A record that was committed once: where it stood, and what it was."""

    epoch: int
    """The epoch that the journal was open under."""
    seq: int
    head: str
    """Hash of that record."""
    at: str
    """Time of that record."""
