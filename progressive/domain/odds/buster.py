"""Buster Blackjack: in how many cards the dealer busts.

How many orders a set of cards can be drawn in, without the dealer having to stop on the way,
does not depend on the shoe. Those few thousand sets are found once; a shoe, with or without some
cards removed, then only says how often each can be drawn.

How the players play does not matter: whatever they take, the dealer's next card is equally any
of those that nobody has seen.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import Final

from progressive.domain.odds.dealing import LOST, Chances, Dealing, Hand
from progressive.domain.odds.shoe import ACES_PER_DECK, CARDS_PER_DECK, TENS_PER_DECK, Shoe
from progressive.domain.rules import Soft17

Counts = tuple[int, ...]
"""How many cards of each worth: aces first, then 2 to 9, then all that count ten."""

ACE: Final = 1
TEN: Final = 10

OPEN_ENDED_FROM: Final = 8
LINES: Final = frozenset(f"bust_{cards}" for cards in range(3, OPEN_ENDED_FROM)) | {
    f"bust_{OPEN_ENDED_FROM}_or_more"
}

_PER_DECK: Final = (*(4,) * 9, TENS_PER_DECK)
_BEST: Final = 21
_STANDS_ON: Final = 17


def chances(dealing: Dealing) -> Chances:
    """The dealer's bust sizes as lines; every other hand loses, a blackjack among them."""
    return _as_lines(bust_sizes(dealing.shoe, dealing.soft17))


def chances_with_blackjack(dealing: Dealing) -> Chances:
    """The same, where the player holds a blackjack as well: what the free bonus asks for."""
    shoe = dealing.shoe
    aces, tens = shoe.held(ACES_PER_DECK), shoe.held(TENS_PER_DECK)
    blackjack = Fraction(2 * aces * tens, shoe.draws(shoe.held(CARDS_PER_DECK), 2))
    sizes = bust_sizes(shoe, dealing.soft17, removed=(ACE, TEN))
    return _as_lines({cards: chance * blackjack for cards, chance in sizes.items()})


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """What a reader must know to trust the figures."""
    stops = "draws to" if dealing.soft17 == "hit" else "stands on"
    return (
        "the dealer always completes the hand; a dealer blackjack loses",
        f"the dealer {stops} soft 17",
    )


def bust_sizes(shoe: Shoe, soft17: Soft17, *, removed: Sequence[int] = ()) -> dict[int, Fraction]:
    """The chance of a bust by its number of cards; `removed` lie elsewhere, told by worth."""
    gone = [0 if shoe.decks is None else removed.count(worth) for worth in range(ACE, TEN + 1)]
    held = [shoe.held(per_deck) - away for per_deck, away in zip(_PER_DECK, gone, strict=True)]
    orders: defaultdict[int, int] = defaultdict(int)
    for taken, ways in _bust_hands(soft17):
        orders[sum(taken)] += ways * prod(map(shoe.draws, held, taken))
    return {
        cards: Fraction(ways, shoe.draws(sum(held), cards))
        for cards, ways in orders.items()
        if ways
    }


def _as_lines(sizes: dict[int, Fraction]) -> Chances:
    found: defaultdict[Hand, Fraction] = defaultdict(Fraction)
    for cards, chance in sizes.items():
        counted = str(cards) if cards < OPEN_ENDED_FROM else f"{OPEN_ENDED_FROM}_or_more"
        found[Hand((f"bust_{counted}",))] += chance
    found[LOST] = 1 - sum(found.values(), start=Fraction())
    return found


@cache
def _bust_hands(soft17: Soft17) -> tuple[tuple[Counts, int], ...]:
    """Every set of cards that is a bust, and how many orders of it a dealer can draw."""
    busts: dict[Counts, int] = {}
    drawing: dict[Counts, int] = {(0,) * TEN: 1}
    while drawing:
        drawn: defaultdict[Counts, int] = defaultdict(int)
        for hand, ways in drawing.items():
            for worth in range(TEN):
                drawn[(*hand[:worth], hand[worth] + 1, *hand[worth + 1 :])] += ways
        busts |= {hand: ways for hand, ways in drawn.items() if _hard_total(hand) > _BEST}
        drawing = {hand: ways for hand, ways in drawn.items() if _draws(hand, soft17)}
    return tuple(busts.items())


def _draws(hand: Counts, soft17: Soft17) -> bool:
    if sum(hand) < 2:
        return True
    hard = _hard_total(hand)
    soft = hand[0] > 0 and hard + 10 <= _BEST
    if not soft:
        return hard < _STANDS_ON
    total = hard + 10
    return total < _STANDS_ON or (total == _STANDS_ON and soft17 == "hit")


def _hard_total(hand: Counts) -> int:
    """With every ace as 1: more than 21 is a bust, however the aces are counted."""
    return sum(worth * cards for worth, cards in enumerate(hand, start=ACE))
