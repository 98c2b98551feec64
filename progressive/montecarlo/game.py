"""What a simulated bet is: many hands dealt to class numbers, and each class read once."""

from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from progressive.domain.options import DealerProcedure, Soft17
from progressive.montecarlo.score import Event

Tally = NDArray[np.int64]
"""How many hands fell into each class."""


class Setup(Struct, frozen=True, kw_only=True):
    """The bet as it is to be dealt and read."""

    decks: int | None
    lines: tuple[str, ...]
    """The paytable's lines, highest first."""
    dealing_option: int = 1
    dealer_procedure: DealerProcedure = "no_peek"
    soft17: Soft17 = "hit"
    free_bonus: bool = False
    """Buster: watch for the player's blackjack too."""


class Game(Protocol):
    """A bet as the simulation knows it."""

    def deal(self, hands: int) -> Tally:
        """HOT Deal so many hands; how many of them fell into each class."""

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """What a hand of that class is worth. Called once a class, after all was dealt."""
