"""Playing cards as the protocol writes them: rank then suit, `7d`, `Ts`; and their points."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
DECK: Final = frozenset(rank + suit for rank in RANKS for suit in SUITS)

POINTS: Final = {rank: min(place, 10) for place, rank in enumerate(RANKS, start=1)}
"""Blackjack points, with the ace as one."""
POINTS_OF_CARD: Final = {card: POINTS[card[0]] for card in DECK}

BLACKJACK: Final = 21


class Total(Struct, frozen=True, gc=False):
    """What a hand counts. Soft: an ace in it counts eleven."""

    points: int
    soft: bool

    @property
    def bust(self) -> bool:
        """Over 21."""
        return self.points > BLACKJACK


def total(cards: Sequence[str]) -> Total:
    """The best count of a hand; over 21 every ace counts one."""
    points = sum([POINTS_OF_CARD[card] for card in cards])
    if points <= BLACKJACK - 10 and any(card[0] == "A" for card in cards):
        return Total(points + 10, True)
    return Total(points, False)


def is_natural(cards: Sequence[str]) -> bool:
    """An ace and a ten-value card, and nothing else: a blackjack."""
    return len(cards) == 2 and total(cards).points == BLACKJACK


def unknown_card(cards: Iterable[str]) -> str | None:
    """The first text that is no card, or None."""
    return next((card for card in cards if card not in DECK), None)


def overdealt_card(cards: Iterable[str], *, decks: int) -> str | None:
    """A card that lies on the table more often than the shoe holds it, or None."""
    for card, copies in Counter(cards).items():
        if copies > decks:
            return card
    return None
