"""HOT Cards for many hands at once, each hand from a full shuffled shoe of its own."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from progressive.domain.cards import RANKS, SUITS

Places = NDArray[np.uint16]
"""One card for each hand: the place in the shoe that it came from."""
Codes = NDArray[np.uint8]
"""One small number for each hand: what a game sees in a card, or in several."""

CARDS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)


class Stack:
    """Deals from so many decks without replacement, or with it where the shoe is endless."""

    def __init__(self, decks: int | None, random: np.random.Generator) -> None:
        self._copies = decks or 1
        self._endless = decks is None
        self._size = len(CARDS) * self._copies
        self._random = random

    def codes(self, of_card: dict[str, int]) -> Codes:
        """What lies at each place, told by the game's own numbers; 0 for every other card."""
        return np.repeat(
            np.array([of_card.get(card, 0) for card in CARDS], dtype=np.uint8), self._copies
        )

    def deal(self, hands: int, before: Sequence[Places] = ()) -> Places:
        """The next card of every hand; `before` are all the cards that the hand has seen.

        A place that a hand has used is drawn again until it is a new one. That leaves every
        card still in the shoe equally likely, which is what dealing means.
        """
        places = self._draw(hands)
        if self._endless or not before:
            return places
        again = _used(places, before)
        while again.size:
            places[again] = self._draw(again.size)
            seen = [earlier.take(again) for earlier in before]
            again = again.take(_used(places.take(again), seen))
        return places

    def _draw(self, hands: int) -> Places:
        return self._random.integers(self._size, size=hands, dtype=np.uint16)


def _used(places: Places, before: Sequence[Places]) -> NDArray[np.intp]:
    """Which hands have this card already."""
    used = places == before[0]
    for earlier in before[1:]:
        used |= places == earlier
    return np.flatnonzero(used)
