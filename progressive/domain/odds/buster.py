"""Buster Blackjack: in how many cards the dealer busts.

How many orders a set of cards can be drawn in, without the dealer having to stop on the way,
does not depend on the shoe. Those sets, under two thousand, are found once; a shoe, with or without
some cards removed, then only says how often each can be drawn.

How the players play does not matter: whatever they take, the dealer's next card is equally any
of those that nobody has seen.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import Final

from progressive.domain.cards import BLACKJACK
from progressive.domain.games import buster
from progressive.domain.games.dealt import DEALER_STANDS
from progressive.domain.games.reading import Dealing
from progressive.domain.odds.engine import LOST, Chances, Engine, Hand
from progressive.domain.odds.shoe import CARDS_PER_DECK, Shoe
from progressive.domain.options import Soft17

Counts = tuple[int, ...]
"""How many cards of each worth: aces first, then 2 to 9, then all that count ten."""

ACE: Final = 1
TEN: Final = 10

_PER_DECK: Final = (*(4,) * 9, 16)


def chances(shoe: Shoe, dealing: Dealing) -> Chances:
    """The dealer's bust sizes as lines; every other hand loses, a blackjack among them."""
    return _as_lines(bust_sizes(shoe, dealing.soft17))


def chances_with_blackjack(shoe: Shoe, dealing: Dealing) -> Chances:
    """The same beside a player's blackjack, whose ace and ten the dealer cannot draw."""
    aces, tens = (shoe.held(_PER_DECK[worth - ACE]) for worth in (ACE, TEN))
    blackjack = Fraction(2 * aces * tens, shoe.draws(shoe.held(CARDS_PER_DECK), 2))
    sizes = bust_sizes(shoe, dealing.soft17, removed=(ACE, TEN))
    return _as_lines({cards: chance * blackjack for cards, chance in sizes.items()})


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """What the dealer does, and what the player does not."""
    verb = "draws to" if dealing.soft17 == "hit" else "stands on"
    dealer = f"the dealer completes every hand and {verb} soft 17; a dealer's blackjack loses"
    if dealing.player_points_max is None:
        return (dealer,)
    limit = dealing.player_points_max
    return (dealer, f"no player draws to more than {limit} points, which would lose the bet")


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
        found[Hand((buster.bust_line(cards),))] += chance
    return found | {LOST: 1 - sum(found.values(), start=Fraction())}


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
        busts |= {hand: ways for hand, ways in drawn.items() if _hard_total(hand) > BLACKJACK}
        drawing = {hand: ways for hand, ways in drawn.items() if _draws(hand, soft17)}
    return tuple(busts.items())


def _draws(hand: Counts, soft17: Soft17) -> bool:
    if sum(hand) < 2:
        return True
    hard = _hard_total(hand)
    soft = hand[0] > 0 and hard + 10 <= BLACKJACK
    if not soft:
        return hard < DEALER_STANDS
    total = hard + 10
    return total < DEALER_STANDS or (total == DEALER_STANDS and soft17 == "hit")


def _hard_total(hand: Counts) -> int:
    """With every ace as 1: more than 21 is a bust, however the aces are counted."""
    return sum(worth * cards for worth, cards in enumerate(hand, start=ACE))


ENGINE: Final = Engine(
    lines=buster.READER.lines,
    chances=chances,
    with_blackjack=chances_with_blackjack,
    heeds=frozenset({"soft17"}),
    assumptions=assumptions,
)
