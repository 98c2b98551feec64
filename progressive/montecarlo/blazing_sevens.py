"""Blazing 7's, dealt at random: three cards, and the dealer's two where they matter."""

from collections.abc import Iterable
from itertools import product
from typing import Final

import numpy as np

from progressive.montecarlo.game import Setup, Tally
from progressive.montecarlo.score import Event
from progressive.montecarlo.stack import Stack

_SUITS: Final = ("", "7d", "7h", "7s", "7c")
"""By code; 0 is no seven. Red before black."""
_CLASSES: Final = len(_SUITS) ** 3
_CUT_SHORT: Final = _CLASSES
"""Three sevens of which the third does not count."""
_ACE, _TEN = 1, 2


class BlazingSevens:
    """A class is the codes of three cards, in the order dealt, or a third seven taken back."""

    def __init__(self, setup: Setup, random: np.random.Generator) -> None:
        self._stack = Stack(setup.decks, random)
        self._lines = setup.lines
        # Option 2 reads the up card: a 7 there leaves no room for a blackjack.
        self._two_on_blackjack = setup.dealing_option == 1 and setup.dealer_procedure != "no_peek"
        self._seven = self._stack.codes({card: code for code, card in enumerate(_SUITS) if card})
        tens = {rank + suit: _TEN for rank in "TJQK" for suit in "shdc"}
        self._dealer = self._stack.codes({f"A{suit}": _ACE for suit in "shdc"} | tens)
        self._three = np.array([all(codes) for codes in product(range(5), repeat=3)])

    def deal(self, hands: int) -> Tally:
        """Three cards each; a pair of 7s always takes the third."""
        first = self._stack.deal(hands)
        second = self._stack.deal(hands, [first])
        third = self._stack.deal(hands, [first, second])
        classes = self._seven.take(first)
        for card in (second, third):
            classes *= len(_SUITS)
            classes += self._seven.take(card)
        if self._two_on_blackjack:
            # The dealer's cards decide only where there are three sevens to take one from.
            at = np.flatnonzero(self._three.take(classes))
            player = [card.take(at) for card in (first, second, third)]
            up = self._stack.deal(at.size, player)
            hole = self._stack.deal(at.size, [*player, up])
            dealer = self._dealer.take(up) * self._dealer.take(hole)
            classes[at[dealer == _ACE * _TEN]] = _CUT_SHORT
        return np.bincount(classes, minlength=_CLASSES + 1)

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """The line of the paytable that pays it."""
        if hand_class == _CUT_SHORT:
            return self._paid(["two_7"])
        codes = (hand_class // 25, hand_class // 5 % 5, hand_class % 5)
        return self._paid(_names(*(_SUITS[code] for code in codes)))

    def _paid(self, names: Iterable[str]) -> tuple[Event, ...]:
        line = next((name for name in names if name in self._lines), None)
        return () if line is None else (Event("win", line),)


def _names(first: str, second: str, third: str) -> list[str]:
    """What the paytables call these cards."""
    if not (first and second):
        return ["one_7"] if first or second else []
    if not third:
        return ["two_7"]
    if first == second == third:
        return ["three_7_diamonds" if first == "7d" else "three_7_suited_other", "three_7_suited"]
    reds = sum(card in ("7d", "7h") for card in (first, second, third))
    return ["three_7_color"] if reds in (0, 3) else ["three_7_mixed", "three_7_any"]
