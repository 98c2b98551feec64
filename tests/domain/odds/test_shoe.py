"""Chances of a shoe: exact, complete, and the same as counting every deal."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.odds.shoe import DECKS_MAX, Shoe, tally
from tests.domain.odds.enumeration import Cards, counted

SUITS = dict.fromkeys("shdc", 13)


def suits_of(cards: Cards) -> Cards:
    return tuple(card[1] for card in cards)


@pytest.mark.parametrize("decks", [1, 2, None])
def test_tally_is_what_counting_every_deal_gives(decks: int | None) -> None:
    assert tally(Shoe(decks), SUITS, cards=2, read=lambda kinds: kinds) == counted(
        decks, 2, suits_of
    )


def test_card_dealt_twice_needs_two_decks() -> None:
    per_deck = {"As": 1, "other": 51}
    two_aces = ("As", "As")
    chances = {
        decks: tally(Shoe(decks), per_deck, cards=2, read=lambda kinds: kinds)[two_aces]
        for decks in (1, 2, None)
    }
    assert chances == {1: 0, 2: Fraction(2, 104 * 103), None: Fraction(1, 52**2)}


@given(
    decks=st.none() | st.integers(1, DECKS_MAX),
    cards=st.integers(0, 4),
    cuts=st.sets(st.integers(1, 51), max_size=4),
)
def test_chances_sum_to_1_and_each_card_is_like_the_first(
    decks: int | None, cards: int, cuts: set[int]
) -> None:
    edges = [0, *sorted(cuts), 52]
    per_deck = {str(low): high - low for low, high in pairwise(edges)}
    chances = tally(Shoe(decks), per_deck, cards=cards, read=lambda kinds: kinds)
    assert sum(chances.values()) == 1
    for place in range(cards):
        found = sum(chance for kinds, chance in chances.items() if kinds[place] == "0")
        assert found == Fraction(per_deck["0"], 52)


def test_kinds_must_make_up_a_deck() -> None:
    with pytest.raises(ValueError, match="51 cards, not a deck"):
        tally(Shoe(6), {"seven": 4, "other": 47}, cards=1, read=lambda kinds: kinds)
