"""Brute force: every single deal, card by card, as slow and as plain as it can be."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from typing import TypeVar

from progressive.domain.cards import DECK

CARDS = sorted(DECK)
Cards = tuple[str, ...]
Seen = TypeVar("Seen", bound=Hashable)


def deals(decks: int | None, cards: int, *, dealt: Cards = ()) -> Iterator[tuple[Cards, int]]:
    """Every order of so many further cards, and in how many ways the shoe can give it."""
    if cards == 0:
        yield (), 1
        return
    for card in CARDS:
        copies = 1 if decks is None else decks - dealt.count(card)
        if copies > 0:
            for rest, ways in deals(decks, cards - 1, dealt=(*dealt, card)):
                yield (card, *rest), copies * ways


def counted(
    decks: int | None, cards: int, read: Callable[[Cards], Seen], *, dealt: Cards = ()
) -> dict[Seen, Fraction]:
    """How likely each reading of the next cards is: its deals over all deals."""
    found: defaultdict[Seen, int] = defaultdict(int)
    for cards_dealt, ways in deals(decks, cards, dealt=dealt):
        found[read(cards_dealt)] += ways
    everything = sum(found.values())
    return {seen: Fraction(ways, everything) for seen, ways in found.items()}


def is_blackjack(two: Cards) -> bool:
    """An ace and a card that counts ten."""
    return sum(card[0] == "A" for card in two) == 1 and sum(card[0] in "TJQK" for card in two) == 1
