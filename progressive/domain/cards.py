"""Playing cards as the protocol writes them: rank then suit, `7d`, `Ts`."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
DECK: Final = frozenset(rank + suit for rank in RANKS for suit in SUITS)


def unknown_card(cards: Iterable[str]) -> str | None:
    """The first text that is no card, or None."""
    return next((card for card in cards if card not in DECK), None)


def overdealt_card(cards: Iterable[str], *, decks: int) -> str | None:
    """A card that lies on the table more often than the shoe holds it, or None."""
    for card, copies in Counter(cards).items():
        if copies > decks:
            return card
    return None
