"""Blazing 7's: every line against brute force, and the figures that everybody can check."""

from collections import defaultdict
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.games.reading import Dealing
from progressive.domain.odds import blazing_sevens
from progressive.domain.odds.shoe import Shoe
from progressive.domain.options import DealerProcedure
from tests.domain.odds.enumeration import Cards, counted, deals, is_blackjack

pytestmark = pytest.mark.slow

LADDER = (
    "three_7_diamonds",
    "three_7_suited_other",
    "three_7_color",
    "three_7_mixed",
    "two_7",
    "one_7",
)


def best(
    decks: int | None, *, option: int = 1, procedure: DealerProcedure = "no_peek"
) -> dict[str, Fraction]:
    """The probability of each line of paytables 2 and 3 being the one paid."""
    found = dict.fromkeys((*LADDER, "none"), Fraction())
    dealing = Dealing(option=option, procedure=procedure)
    for hand, chance in blazing_sevens.chances(Shoe(decks), dealing).items():
        found[next((line for line in LADDER if line in hand.lines), "none")] += chance
    return found


def line_of(cards: Cards) -> str:
    """2.28(c) and (e), word for word, for three cards of which all count."""
    sevens = [card for card in cards if card[0] == "7"]
    suits = {card[1] for card in sevens}
    if len(sevens) == 3:
        if suits == {"d"}:
            return "three_7_diamonds"
        if len(suits) == 1:
            return "three_7_suited_other"
        return "three_7_color" if suits in ({"d", "h"}, {"s", "c"}) else "three_7_mixed"
    in_first_two = sum(card[0] == "7" for card in cards[:2])
    return ("none", "one_7", "two_7")[in_first_two]


def complete(found: dict[str, Fraction]) -> dict[str, Fraction]:
    return dict.fromkeys((*LADDER, "none"), Fraction()) | found


@pytest.mark.parametrize("decks", [1, 3, 6, 8, None])
def test_every_line_is_what_counting_every_deal_gives(decks: int | None) -> None:
    assert best(decks) == complete(counted(decks, 3, line_of))


@pytest.mark.parametrize("decks", [1, 6, None])
def test_dealer_blackjack_leaves_two_cards(decks: int | None) -> None:
    ways_of: defaultdict[str, Fraction] = defaultdict(Fraction)
    for cards, ways in deals(decks, 3):
        # The dealer's two come from what the player's three leave.
        three = line_of(cards).startswith("three")
        cut = counted(decks, 2, is_blackjack, dealt=cards)[True] if three else 0
        ways_of[line_of(cards)] += ways * (1 - cut)
        ways_of["two_7"] += ways * cut
    everything = sum(ways_of.values())
    expected = complete({line: ways / everything for line, ways in ways_of.items()})
    # 2.6(j)4 with a card reader, 2.6(k)7 with the hole card face up: the same limit.
    assert best(decks, procedure="card_reader") == expected
    assert best(decks, procedure="hole_face_up") == expected


def test_three_sevens_of_diamonds_are_three_cards_out_of_a_shoe() -> None:
    six = best(6)["three_7_diamonds"]
    assert six == Fraction(comb(6, 3), comb(312, 3)) == Fraction(1, 250_666)
    assert best(8)["three_7_diamonds"] == Fraction(comb(8, 3), comb(416, 3))
    assert best(None)["three_7_diamonds"] == Fraction(1, 52**3)


@pytest.mark.parametrize(
    ("decks", "impossible"),
    [
        (1, {"three_7_diamonds", "three_7_suited_other", "three_7_color"}),
        (2, {"three_7_diamonds", "three_7_suited_other"}),
        (3, set()),
    ],
)
def test_few_decks_hold_too_few_equal_sevens(decks: int, impossible: set[str]) -> None:
    assert {line for line, chance in best(decks).items() if not chance} == impossible


@pytest.mark.parametrize("procedure", ["no_peek", "card_reader", "hole_face_up"])
def test_option_2_is_read_the_same_by_every_procedure(procedure: DealerProcedure) -> None:
    # A 7 up leaves the dealer no blackjack, and other up cards make no three 7s.
    assert best(6, option=2, procedure=procedure) == best(6)


@given(
    decks=st.none() | st.integers(1, 8),
    option=st.sampled_from([1, 2]),
    procedure=st.sampled_from(["no_peek", "card_reader", "hole_face_up"]),
)
def test_every_hand_is_something(
    decks: int | None, option: int, procedure: DealerProcedure
) -> None:
    dealing = Dealing(option=option, procedure=procedure)
    chances = blazing_sevens.chances(Shoe(decks), dealing)
    assert sum(chances.values()) == 1
    assert {line for hand in chances for line in hand.lines} <= set(blazing_sevens.ENGINE.lines)
