"""A game's rule text in its checked form: what a floor may choose, and what each line pays.

Built from a file in `config/games/`, so a new paytable is new data and not new code. Nothing here
looks at cards (the game modules do) or moves money.
"""

from typing import Literal

from msgspec import Struct

from progressive.domain.ids import BetId, MeterId
from progressive.domain.options import PaymentOrder, Soft17

Cap = Literal["always", "never", "with_free_bonus"]
"""Whether a side bet may exceed the base wager beside it."""


class ShareOfMeter(Struct, frozen=True, kw_only=True, tag="share_of_meter"):
    """A line that pays a part of a meter, whatever the wager was."""

    meter: MeterId
    share_percent: int
    """1 to 100. What is left of a share below 100 stays on the meter."""


class ForOne(Struct, frozen=True, kw_only=True, tag="for_one"):
    """A line that pays a multiple of the wager; "for 1" has the stake in it already."""

    for_one: int


class ToOne(Struct, frozen=True, kw_only=True, tag="to_one"):
    """A line that pays odds on the wager and gives the stake back: 250 to 1, or 3 to 2."""

    to: int
    per: int = 1


Pays = ShareOfMeter | ForOne | ToOne


class PayLine(Struct, frozen=True, kw_only=True):
    """One row of a paytable. `id` is what the game's reader calls the hand."""

    id: str
    pays: Pays


class MeterFloor(Struct, frozen=True, kw_only=True):
    """A meter that a paytable needs, and the least the house must put on it."""

    id: MeterId
    initial_min_cents: int
    reset_min_cents: int
    """Of the part that the house funds; a reset meter does not count toward it."""
    clause: str


class Paytable(Struct, frozen=True, kw_only=True):
    """The lines, highest first, and the meters they pay from."""

    id: str
    clause: str
    lines: tuple[PayLine, ...]
    """In order of rank: where a hand makes several, the first of them is the one paid."""
    meters: tuple[MeterFloor, ...] = ()

    def line(self, line_id: str) -> PayLine | None:
        """The line of that name, or None where this paytable does not pay it."""
        return next((line for line in self.lines if line.id == line_id), None)


class BonusLine(Struct, frozen=True, kw_only=True):
    """A fixed amount on top of a line, whatever the wager was."""

    id: str
    cents: int


class FreeBonus(Struct, frozen=True, kw_only=True):
    """What a player with a blackjack gets on top when the line is made."""

    id: str
    clause: str
    lines: tuple[BonusLine, ...]

    def cents(self, line_id: str) -> int:
        """The bonus on a line; most have none."""
        return next((line.cents for line in self.lines if line.id == line_id), 0)


class BonusMinimum(Struct, frozen=True, kw_only=True):
    """The least side bet that earns a free bonus."""

    cents: int
    adjustable: bool
    """Whether a floor may set another amount."""
    clause: str


class Accepted(Struct, frozen=True, kw_only=True):
    """The numbers that a rule text lets a floor choose from."""

    accepted: tuple[int, ...]
    clause: str


class AcceptedSoft17(Struct, frozen=True, kw_only=True):
    """What the dealer may do on a soft 17; the first is what is taken where nobody says."""

    accepted: tuple[Soft17, ...]
    clause: str


class LeastWager(Struct, frozen=True, kw_only=True):
    """The least that a bet takes."""

    cents: int
    clause: str


class PointsLimit(Struct, frozen=True, kw_only=True):
    """How many points a player may hold for the bet to be paid."""

    points: int
    clause: str


class PaymentOrders(Struct, frozen=True, kw_only=True):
    """The order of payment that the text prescribes, and those a regulator may approve."""

    standard: PaymentOrder
    on_approval: tuple[PaymentOrder, ...] = ()
    clause: str


class GameBet(Struct, frozen=True, kw_only=True):
    """One bet of a game, with everything a floor may choose about it."""

    id: BetId
    name: str
    clause: str
    reader: str
    """Which game module reads the cards: a key of `games.READERS`."""
    needs_base_wager: bool
    capped_by_base_wager: Cap
    wager_cents: Accepted | None = None
    """None: the floor sets an amount or a range of its own."""
    least_wager: LeastWager | None = None
    dealing_option: Accepted | None = None
    """None: the bet is dealt in one way only."""
    player_points: PointsLimit | None = None
    lammers: bool = False
    """Whether the dealer may mark the wagers that stay in action."""
    free_bonus_minimum: BonusMinimum | None = None
    free_bonuses: tuple[FreeBonus, ...] = ()
    paytables: tuple[Paytable, ...]

    def paytable(self, paytable_id: str) -> Paytable | None:
        """The paytable of that name, or None."""
        return next((each for each in self.paytables if each.id == paytable_id), None)

    def free_bonus(self, bonus_id: str) -> FreeBonus | None:
        """The bonus of that name, or None."""
        return next((each for each in self.free_bonuses if each.id == bonus_id), None)

    def capped(self, *, with_free_bonus: bool) -> bool:
        """Whether the bet may not exceed the base wager."""
        return self.capped_by_base_wager == "always" or (
            self.capped_by_base_wager == "with_free_bonus" and with_free_bonus
        )


class CollectionBand(Struct, frozen=True, kw_only=True):
    """A fee for table action up to an amount; the last band has no end."""

    player_dealer_cents: int
    up_to_cents: int | None = None


class CollectionSchedule(Struct, frozen=True, kw_only=True):
    """What a card room takes from the player-dealer before a round, by the total table action."""

    id: int
    table_min_cents: int
    table_max_cents: int
    player_cents: int
    bands: tuple[CollectionBand, ...]

    def player_dealer_cents(self, action_cents: int) -> int:
        """The fee on that much action. Between two printed bands ($100.50) the higher one."""
        for band in self.bands:
            if band.up_to_cents is None or action_cents <= band.up_to_cents:
                return band.player_dealer_cents
        raise AssertionError("the last band has no end")


class PlayerDealer(Struct, frozen=True, kw_only=True):
    """A game that is banked by one of its players, who wins and loses what they put up."""

    bank_rounds: int
    """Rounds in a row before the bank is offered on."""
    least_action_cents: int
    """Below it no fee is defined, and so no round is dealt."""
    clause: str
    house_clause: str = ""
    """What keeps the house out of the game; empty: the text as a whole."""
    collections: tuple[CollectionSchedule, ...]

    def collection(self, schedule: int) -> CollectionSchedule | None:
        """The schedule of that number, or None."""
        return next((each for each in self.collections if each.id == schedule), None)


class Game(Struct, frozen=True, kw_only=True):
    """One rule text: what holds for all its bets, and the bets in the order they are settled."""

    id: str
    name: str
    clause: str
    decks: Accepted
    soft17: AcceptedSoft17
    payment_order: PaymentOrders
    player_dealer: PlayerDealer | None = None
    """None: the house banks the game."""
    currency: str = ""
    """In which the text names its amounts; empty: it does not say."""
    bets: tuple[GameBet, ...]

    def bet(self, bet_id: str) -> GameBet | None:
        """The bet of that name, or None."""
        return next((each for each in self.bets if each.id == bet_id), None)

    @property
    def paytable_ids(self) -> list[str]:
        """The names of all paytables; those of a game with several bets hold for all of them."""
        return list(dict.fromkeys(table.id for bet in self.bets for table in bet.paytables))
