"""What odds depend on beside the paytable, and what they are odds of."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from progressive.domain.odds.shoe import Shoe
from progressive.domain.rules import DealerProcedure, Soft17


class Dealing(Struct, frozen=True, kw_only=True):
    """How the cards reach the table. A bet heeds some of it and ignores the rest."""

    decks: int | None
    """None: endless."""
    dealing_option: int = 1
    dealer_procedure: DealerProcedure = "no_peek"
    soft17: Soft17 = "hit"

    @property
    def shoe(self) -> Shoe:
        """What the cards come from."""
        return Shoe(self.decks)


class Hand(NamedTuple):
    """What a deal is worth to a bet, whatever the lines pay."""

    lines: tuple[str, ...] = ()
    """Every line it makes; the paytable's order says which of them is paid. None: lost."""
    pushes: bool = False
    """The line is made and the wager only goes back."""


Chances = Mapping[Hand, Fraction]
"""Every hand of a bet with its probability; they sum to 1."""

LOST = Hand()
