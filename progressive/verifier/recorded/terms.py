"""The terms of a link: what decides about money. Recorded when it opens and when they change."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from progressive.verifier.recorded.house import HouseTerms

DealerProcedure = Literal["card_reader", "hole_face_up", "no_peek"]
Soft17 = Literal["hit", "stand"]
PaymentOrder = Literal["counter_clockwise", "clockwise", "equal_share"]
AwardRounding = Literal["nearest", "down", "up"]
Validation = Literal["meters", "every", "from_amount"]
"""Which awards a supervisor validates before they are paid (N.J.A.C. 13:69F-2.28(g)3): those of
meters and those above the rack's limit; every one; or from an amount on."""
OverflowPolicy = Literal["to_reset_meter", "stay"]
"""What becomes of an overflow meter when its meter is reset."""
Lammers = Literal["before_deal", "after_hand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareOfMeter:
    """A line that pays a part of a meter, whatever the wager was."""

    TYPE: ClassVar = "share_of_meter"

    meter: str
    share_percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForOne:
    """A line that pays a multiple of the wager; "for 1" has the stake in it already."""

    TYPE: ClassVar = "for_one"

    for_one: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToOne:
    """A line that pays odds on the wager and gives the stake back: 250 to 1, or 3 to 2."""

    TYPE: ClassVar = "to_one"

    to: int
    per: int = 1


Pays = ShareOfMeter | ForOne | ToOne


@dataclass(frozen=True, slots=True, kw_only=True)
class PayLine:
    """One row of a paytable. `id` is what the rule text calls the hand."""

    id: str
    pays: Pays


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusLine:
    """A fixed amount on top of a line, whatever the wager was."""

    id: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterRules:
    """One meter: what feeds it and what it falls back to."""

    id: str
    name: str
    rate_ppm: int
    """Share of each wager that goes to the displayed (primary) meter."""
    reset_rate_ppm: int = 0
    """Share of each wager that goes to the hidden reset meter."""
    initial_cents: int = 0
    reset_cents: int = 0
    """House-funded part of every reset."""
    limit_cents: int = 0
    """0: none. Contributions above it go to the overflow meter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BetRules:
    """One side bet: what may be wagered, by which rule text it is read, which meters it feeds."""

    id: str
    game: str
    reader: str
    """How its cards are read: games of several states may share one way."""
    paytable: str
    dealing_option: int | None = None
    wager_cents: int | None = None
    """The one accepted amount; None where the bet takes a range."""
    min_cents: int = 1
    max_cents: int | None = None
    payment_order: PaymentOrder = "counter_clockwise"
    award_rounding: AwardRounding = "nearest"
    lines: tuple[PayLine, ...] = ()
    """What the paytable pays, highest line first."""
    free_bonus: str | None = None
    free_bonus_lines: tuple[BonusLine, ...] = ()
    free_bonus_min_cents: int = 0
    """The least wager that earns the free bonus."""
    player_points_max: int | None = None
    """Points above which a player's hand spoils the bet; None: none do."""
    lammers: Lammers | None = None
    needs_base_wager: bool = True
    """NJ 13:69F-2.28(f): only a player with a blackjack wager may make the side bet."""
    capped_by_base_wager: bool = False
    validation: Validation = "meters"
    validation_from_cents: int = 0
    """With `from_amount`: fixed awards worth so much or more."""
    meters: tuple[MeterRules, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkTerms:
    """What decides about money on a link."""

    decks: int
    dealer_procedure: DealerProcedure
    soft17: Soft17
    bets: tuple[BetRules, ...]
    overflow: OverflowPolicy = "to_reset_meter"
    house: HouseTerms | None = None
    """Policy, time zone, names and local rule files. None: an older journal did not record it."""
