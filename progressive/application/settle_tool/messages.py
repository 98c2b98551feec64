"""`progressive settle`: the request and the result, one JSON object a line each."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from progressive.domain.commands import AmountCents, DealerCards, SmallNumber, Wager
from progressive.domain.games.base_game import PlayedSeat
from progressive.domain.games.blackjack_x import Result
from progressive.domain.money import PPM
from progressive.domain.options import (
    AwardRounding,
    DealerProcedure,
    Lammers,
    PaymentOrder,
    Soft17,
)

Name = Annotated[str, Meta(max_length=64)]
"""Longer than any in the rule books; what is refused is repeated in the answer."""
RatePpm = Annotated[int, Meta(ge=0, le=PPM)]
SeatNumber = Annotated[int, Meta(ge=1, le=15)]


class MeterBefore(Struct, frozen=True, forbid_unknown_fields=True):
    """A meter as the round finds it."""

    primary_cents: AmountCents
    reset_meter_cents: AmountCents = 0
    reset_cents: AmountCents = 0


class Rates(Struct, frozen=True, forbid_unknown_fields=True):
    """What a wager puts on a meter and on its reset meter."""

    primary: RatePpm
    reset: RatePpm = 0


class BankRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Who banked this round, for how many in a row, and which seats are taken."""

    seat: SeatNumber
    rounds_banked: Annotated[int, Meta(ge=1, le=1_000_000)]
    seats: Annotated[tuple[SeatNumber, ...], Meta(max_length=15)]


class SettleRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round to settle: the rules it was played by, the wagers, the cards."""

    game: Name
    paytable: Name
    decks: SmallNumber
    wagers: Annotated[tuple[Wager, ...], Meta(max_length=256)]
    dealer: DealerCards = DealerCards()
    seats: Annotated[tuple[PlayedSeat, ...], Meta(max_length=32)] = ()
    complete: bool = True
    """False: only the seats that won by their cards, or were asked about, as a dealer keys them."""
    dealing_option: SmallNumber | None = None
    dealer_procedure: DealerProcedure | None = None
    soft17: Soft17 | None = None
    payment_order: PaymentOrder | None = None
    award_rounding: AwardRounding | None = None
    free_bonus: Name | None = None
    free_bonus_min_cents: AmountCents | None = None
    lammers: Lammers | None = None
    meters: dict[Name, MeterBefore] | None = None
    rates_ppm: dict[Name, Rates] | None = None
    player_dealer_wager_cents: AmountCents | None = None
    collection_schedule: SmallNumber | None = None
    bank: BankRequest | None = None


class ResultRow(Struct, frozen=True):
    """One wager in the order of payment."""

    order: int
    seat: int
    bet: str
    line: str
    result: Result
    kind: Literal["meter", "fixed", "none"]
    meter: str | None
    share_percent: int | None
    pay_cents: int
    bonus_cents: int
    stake_returned_cents: int
    collected_cents: int
    meter_before_cents: int | UnsetType = UNSET
    meter_after_cents: int | UnsetType = UNSET
    hand: int | UnsetType = UNSET


class MeterAfter(Struct, frozen=True):
    """A meter as the round leaves it: whole cents, and the exact amounts behind them."""

    primary_cents: int
    reset_meter_cents: int
    reset_cents: int
    primary_microcents: int
    reset_meter_microcents: int


class DealerHand(Struct, frozen=True):
    """The dealer's cards, counted."""

    cards: tuple[str, ...]
    count: int
    total: int
    soft: bool
    bust: bool
    blackjack: bool


class Collection(Struct, frozen=True):
    """What the card room takes before the round."""

    player_dealer_cents: int
    player_cents: int


class LammersResult(Struct, frozen=True):
    """The seats that carried a lammer, and what took it off."""

    seats: list[int]
    removed_when: Literal["paid", "collected"]


class BankResult(Struct, frozen=True):
    """Whose turn the bank is."""

    may_continue: bool
    offered_to: int


class SettleResult(Struct, frozen=True, kw_only=True):
    """The round, settled."""

    results: list[ResultRow]
    meters: dict[str, MeterAfter]
    dealer: DealerHand
    collection: Collection | None
    lammers: LammersResult | UnsetType = UNSET
    bank: BankResult | UnsetType = UNSET
    remarks: list[str] | UnsetType = UNSET


class SettleFault(Struct, frozen=True):
    """Why a line was not settled."""

    code: str
    message: str


class SettleError(Struct, frozen=True):
    """The answer to a line that was not settled."""

    error: SettleFault
