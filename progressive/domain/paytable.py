"""A game's rule text in its checked form: what a floor may choose, and what each line pays.

Built from a file in `config/games/`, so a new paytable is new data and not new code. Nothing here
looks at cards (the game modules do) or moves money.
"""

from msgspec import Struct

from progressive.domain.ids import MeterId
from progressive.domain.rules import PaymentOrder


class ShareOfMeter(Struct, frozen=True, kw_only=True, tag="share_of_meter"):
    """A line that pays a part of a meter, whatever the wager was."""

    meter: MeterId
    share_percent: int
    """1 to 100. What is left of a share below 100 stays on the meter."""


class ForOne(Struct, frozen=True, kw_only=True, tag="for_one"):
    """A line that pays a multiple of the wager; "for 1" has the stake in it already."""

    for_one: int


class PayLine(Struct, frozen=True, kw_only=True):
    """One row of a paytable. `id` is what the game's reader calls the hand."""

    id: str
    pays: ShareOfMeter | ForOne


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


class Accepted(Struct, frozen=True, kw_only=True):
    """The numbers that a rule text lets a floor choose from."""

    accepted: tuple[int, ...]
    clause: str


class PaymentOrders(Struct, frozen=True, kw_only=True):
    """The order of payment that the text prescribes, and those a regulator may approve."""

    standard: PaymentOrder
    on_approval: tuple[PaymentOrder, ...] = ()
    clause: str


class Game(Struct, frozen=True, kw_only=True):
    """One game of a rule text, with everything a floor may choose about it."""

    id: str
    name: str
    clause: str
    reader: str
    """Which game module reads the cards: a key of `games.READERS`."""
    needs_base_wager: bool
    capped_by_base_wager: bool
    decks: Accepted
    payment_order: PaymentOrders
    wager_cents: Accepted | None = None
    """None: the floor sets an amount or a range of its own."""
    dealing_option: Accepted | None = None
    """None: the game is dealt in one way only."""
    paytables: tuple[Paytable, ...]

    def paytable(self, paytable_id: str) -> Paytable | None:
        """The paytable of that name, or None."""
        return next((each for each in self.paytables if each.id == paytable_id), None)
