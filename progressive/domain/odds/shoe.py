"""A full, well shuffled shoe, and the chance of what is dealt from it.

Everything is counted in whole numbers: in how many orders given cards can come out, over in how
many orders any cards can. Nothing is rounded, so the chances of all deals sum to exactly 1.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import perm, prod
from typing import Final, TypeVar

from msgspec import Struct

CARDS_PER_DECK: Final = 52
DECKS_MAX: Final = 8

Seen = TypeVar("Seen", bound=Hashable)


class Shoe(Struct, frozen=True):
    """So many decks. Endless: a card dealt changes nothing for the next one."""

    decks: int | None
    """None: endless, as a continuous shuffler nearly is."""

    def held(self, per_deck: int) -> int:
        """How many cards of a kind lie in it; of an endless shoe, in any one deck of it."""
        return per_deck if self.decks is None else per_deck * self.decks

    def draws(self, held: int, taken: int) -> int:
        """In how many orders `taken` cards can come out of `held`, one after another."""
        return held**taken if self.decks is None else perm(held, taken)


def tally(
    shoe: Shoe,
    per_deck: Mapping[str, int],
    *,
    cards: int,
    read: Callable[[tuple[str, ...]], Seen],
) -> dict[Seen, Fraction]:
    """The chance of each thing that `read` sees, over every deal of so many cards.

    A deal is told by the kinds of its cards, in the order dealt: `per_deck` says how many cards
    of each kind a deck has. Kinds that no line tells apart are best one kind.
    """
    if sum(per_deck.values()) != CARDS_PER_DECK:
        raise ValueError(f"the kinds make up {sum(per_deck.values())} cards, not a deck")
    orders: defaultdict[Seen, int] = defaultdict(int)
    for kinds in product(per_deck, repeat=cards):
        orders[read(kinds)] += prod(
            shoe.draws(shoe.held(per_deck[kind]), taken) for kind, taken in Counter(kinds).items()
        )
    of_all = shoe.draws(shoe.held(CARDS_PER_DECK), cards)
    return {seen: Fraction(ways, of_all) for seen, ways in orders.items()}
