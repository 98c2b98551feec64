"""Jack Magic, The 101 Casino: jacks among the first two cards and the up card."""

from collections import Counter
from itertools import product

import pytest

from progressive.domain.games.claims import highest_line
from progressive.domain.games.jack_magic import READER, made
from progressive.domain.games.reading import Dealing
from progressive.domain.rulebook.paytable import ToOne
from tests.support.hands import a_seat, an_offer, cards

LINES = an_offer("ca-101-blackjack-x", "jack_magic", "101").lines


def paid(dealt: str, dealer: str) -> tuple[str, int] | None:
    line = highest_line(LINES, made(a_seat(dealt), cards(dealer), Dealing()))
    if line is None:
        return None
    assert isinstance(line.pays, ToOne)
    assert line.pays.per == 1
    return line.id, line.pays.to


@pytest.mark.parametrize(
    ("dealt", "dealer", "expected"),
    [
        # "Jack of Spades and Jack of Hearts are one-eyed": the chart, row by row.
        ("Js Jh", "Js", ("three_one_eyed_jacks", 300)),
        ("Jh Jh", "Jh", ("three_one_eyed_jacks", 300)),
        ("Js Jh", "Jd", ("three_jacks", 100)),
        ("Jd Jc", "Jd", ("three_jacks", 100)),
        ("Js Jh", "9d", ("two_one_eyed_jacks", 40)),
        ("Js 9d", "Jh", ("two_one_eyed_jacks", 40)),
        ("9d Jh", "Jh", ("two_one_eyed_jacks", 40)),
        ("Jd Jc", "9d", ("two_jacks", 10)),
        # One of two is one-eyed: 10 to 1, not 3 and not 13.
        ("Js Jc", "9d", ("two_jacks", 10)),
        ("9d Jd", "Jh", ("two_jacks", 10)),
        ("Js 9d", "8d", ("one_one_eyed_jack", 3)),
        ("9d 8d", "Jh", ("one_one_eyed_jack", 3)),
        ("9d Jd", "8d", ("one_jack", 1)),
        ("9d 8d", "Jc", ("one_jack", 1)),
        ("9d 8d", "7d", None),
    ],
)
def test_highest_row_is_paid(dealt: str, dealer: str, expected: tuple[str, int] | None) -> None:
    assert paid(dealt, dealer) == expected


@pytest.mark.parametrize(
    ("dealt", "dealer"),
    [
        # "The player's initial two-card hand and player-dealer's initial up-card"
        ("2s 3s Jh", "9d"),
        ("2s 3s Jh Jh", "9d"),
        ("2s 3s", "9d Jh"),
        ("2s 3s", "2d Jh Js"),
    ],
)
def test_hole_card_and_drawn_cards_never_count(dealt: str, dealer: str) -> None:
    assert paid(dealt, dealer) is None


def test_every_three_cards_have_their_row() -> None:
    # Four jacks and one other card, in every order of three.
    deck = ("Js", "Jh", "Jd", "Jc", "2s")
    found = Counter(paid(f"{a} {b}", c) for a, b, c in product(deck, repeat=3))
    assert found == {
        ("three_one_eyed_jacks", 300): 2**3,
        ("three_jacks", 100): 4**3 - 2**3,
        ("two_one_eyed_jacks", 40): 3 * 2**2,
        ("two_jacks", 10): 3 * (4**2 - 2**2),
        ("one_one_eyed_jack", 3): 3 * 2,
        ("one_jack", 1): 3 * 2,
        None: 1,
    }


def test_up_card_is_needed_and_no_more() -> None:
    seat = a_seat("Js 9d")
    assert READER.missing(seat, (), Dealing()) is not None
    assert READER.missing(seat, ("9d",), Dealing()) is None
    assert not READER.needs_whole_dealer_hand
