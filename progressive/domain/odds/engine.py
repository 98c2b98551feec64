"""What an odds engine is: every hand of a bet and its probability, before anything is paid."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from progressive.domain.games.reading import Dealing
from progressive.domain.odds.shoe import Shoe

Choice = Literal["option", "procedure", "soft17"]
"""A field of `Dealing` that an operator chooses."""


class Hand(NamedTuple):
    """What a deal is to a bet, whatever its lines pay."""

    lines: tuple[str, ...] = ()
    """Every line it makes; the paytable's order says which of them is paid. None: lost."""
    pushes: bool = False
    """The line is made, but the wager only goes back."""


LOST: Final = Hand()

Chances = Mapping[Hand, Fraction]
"""Every hand of a bet with its probability. They sum to 1."""


class Engine(Struct, frozen=True, kw_only=True):
    """The odds of one reader's bets."""

    lines: tuple[str, ...]
    """The lines that the deal alone decides; others are left out of every answer."""
    chances: Callable[[Shoe, Dealing], Chances]
    with_blackjack: Callable[[Shoe, Dealing], Chances] | None = None
    """The same, but a hand counts only where the player holds a blackjack: for a free bonus."""
    heeds: frozenset[Choice] = frozenset()
    """What has a bearing on the odds; the rest of a dealing has none."""
    assumptions: Callable[[Dealing], tuple[str, ...]]
    """What a reader must know to trust the figures, a sentence each."""
