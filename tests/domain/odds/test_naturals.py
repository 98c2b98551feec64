"""Naturals of the 101 base game: against brute force, pushes included."""

from collections import defaultdict
from fractions import Fraction

import pytest

from progressive.domain.games.reading import Dealing
from progressive.domain.odds import naturals
from progressive.domain.odds.engine import LOST, Hand
from progressive.domain.odds.shoe import Shoe
from tests.domain.odds.enumeration import Cards, counted, deals, is_blackjack


def line_of(cards: Cards) -> str | None:
    """ "A Blackjack X consists of an Ace and King suited"; other naturals are Natural 31."""
    if not is_blackjack(cards):
        return None
    suited = cards[0][1] == cards[1][1]
    return "blackjack_x" if suited and "K" in cards[0] + cards[1] else "natural_31"


@pytest.mark.slow
@pytest.mark.parametrize("decks", [1, 2, 6, 8, None])
def test_every_line_is_what_counting_every_deal_gives(decks: int | None) -> None:
    expected: defaultdict[Hand, Fraction] = defaultdict(Fraction)
    for player, ways in deals(decks, 2):
        line = line_of(player)
        if line is None:
            expected[LOST] += ways
            continue
        for natural, chance in counted(decks, 2, is_blackjack, dealt=player).items():
            expected[Hand((line,), pushes=natural)] += ways * chance
    everything = sum(expected.values())
    assert naturals.chances(Shoe(decks), Dealing()) == {
        hand: ways / everything for hand, ways in expected.items()
    }


def test_infinite_shoe_deals_player_and_dealer_apart() -> None:
    natural = Fraction(2 * 4 * 16, 52**2)
    chances = naturals.chances(Shoe(None), Dealing())
    assert chances[Hand(("blackjack_x",))] == Fraction(2 * 4, 52**2) * (1 - natural)
    assert chances[Hand(("natural_31",), pushes=True)] == Fraction(2 * 60, 52**2) * natural
