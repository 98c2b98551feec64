"""The naturals of the 101 base game, dealt at random: two cards each for player and dealer."""

from typing import Final

import numpy as np

from progressive.montecarlo.game import Setup, Tally
from progressive.montecarlo.score import Event
from progressive.montecarlo.stack import Stack

# Codes of a player's card: nothing, ten to queen, then aces and kings by suit. The class of two
# cards in whatever order is their sum, so every sum that makes a natural must be unlike all others.
_TEN: Final = 1
_KINGS: Final = {"Ks": 2, "Kh": 3, "Kd": 4, "Kc": 5}
_ACES: Final = {"As": 11, "Ah": 22, "Ad": 33, "Ac": 44}
_PLAYER_CLASSES: Final = 2 * 44 + 1
_SUITED: Final = {_ACES["A" + suit] + _KINGS["K" + suit] for suit in "shdc"}
_NATURAL: Final = {ace + ten for ace in _ACES.values() for ten in (_TEN, *_KINGS.values())}

# Codes of a dealer's card: only ace and ten make 7, as 2 x 1 and 2 x 6 do not.
_DEALER_TEN, _DEALER_ACE = 1, 6


class Naturals:
    """A class is the player's two cards, and whether the dealer has a natural as well."""

    def __init__(self, setup: Setup, random: np.random.Generator) -> None:
        self._stack = Stack(setup.decks, random)
        below_king = {rank + suit: _TEN for rank in "TJQ" for suit in "shdc"}
        self._player = self._stack.codes(below_king | _KINGS | _ACES)
        tens = {rank + suit: _DEALER_TEN for rank in "TJQK" for suit in "shdc"}
        self._dealer = self._stack.codes(tens | dict.fromkeys(_ACES, _DEALER_ACE))

    def deal(self, hands: int) -> Tally:
        """Four cards: two to the player, two to the dealer."""
        first = self._stack.deal(hands)
        second = self._stack.deal(hands, [first])
        up = self._stack.deal(hands, [first, second])
        hole = self._stack.deal(hands, [first, second, up])
        classes = self._player.take(first)
        classes += self._player.take(second)
        dealer = self._dealer.take(up) + self._dealer.take(hole)
        classes += _PLAYER_CLASSES * (dealer == _DEALER_ACE + _DEALER_TEN).view(np.uint8)
        return np.bincount(classes, minlength=2 * _PLAYER_CLASSES)

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """A natural wins, or pushes against the dealer's."""
        tied, player = divmod(hand_class, _PLAYER_CLASSES)
        if player not in _NATURAL:
            return ()
        line = "blackjack_x" if player in _SUITED else "natural_31"
        return (Event("push" if tied else "win", line),)
