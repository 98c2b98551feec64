"""Jack Magic, dealt at random: the player's two cards and the up card."""

from typing import Final

import numpy as np

from progressive.montecarlo.game import Setup, Tally
from progressive.montecarlo.score import Event
from progressive.montecarlo.stack import Stack

_ONE_EYED, _TWO_EYED = 1, 4
"""A class is their sum over three cards: two-eyed jacks by the four, one-eyed in what is left."""
_CLASSES: Final = 3 * _TWO_EYED + 1
_ROWS: Final = {
    (3, "one_eyed"): "three_one_eyed_jacks",
    (3, "any"): "three_jacks",
    (2, "one_eyed"): "two_one_eyed_jacks",
    (2, "any"): "two_jacks",
    (1, "one_eyed"): "one_one_eyed_jack",
    (1, "any"): "one_jack",
}


class JackMagic:
    """Counts jacks; which card came first is all the same."""

    def __init__(self, setup: Setup, random: np.random.Generator) -> None:
        self._stack = Stack(setup.decks, random)
        self._lines = setup.lines
        self._jack = self._stack.codes(
            {"Js": _ONE_EYED, "Jh": _ONE_EYED, "Jd": _TWO_EYED, "Jc": _TWO_EYED}
        )

    def deal(self, hands: int) -> Tally:
        """Three cards each."""
        first = self._stack.deal(hands)
        second = self._stack.deal(hands, [first])
        third = self._stack.deal(hands, [first, second])
        classes = self._jack.take(first)
        classes += self._jack.take(second)
        classes += self._jack.take(third)
        return np.bincount(classes, minlength=_CLASSES)

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """The highest row only."""
        two_eyed, one_eyed = divmod(hand_class, _TWO_EYED)
        have = {"one_eyed": one_eyed, "any": one_eyed + two_eyed}
        made = {row for (wanted, kind), row in _ROWS.items() if have[kind] >= wanted}
        line = next((line for line in self._lines if line in made), None)
        return () if line is None else (Event("win", line),)
