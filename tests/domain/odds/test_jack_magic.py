"""Jack Magic: every line against brute force, row by row of the printed chart."""

from fractions import Fraction
from math import comb

import pytest

from progressive.domain.games.reading import Dealing
from progressive.domain.odds import jack_magic
from progressive.domain.odds.shoe import Shoe
from tests.domain.odds.enumeration import Cards, counted

CHART = (
    "three_one_eyed_jacks",
    "three_jacks",
    "two_one_eyed_jacks",
    "two_jacks",
    "one_one_eyed_jack",
    "one_jack",
)


def best(decks: int | None) -> dict[str, Fraction]:
    found = dict.fromkeys((*CHART, "none"), Fraction())
    for hand, chance in jack_magic.chances(Shoe(decks), Dealing()).items():
        found[next((line for line in CHART if line in hand.lines), "none")] += chance
    return found


def row_of(cards: Cards) -> str:
    """The chart read from the top: the first row that fits is paid."""
    jacks = [card for card in cards if card[0] == "J"]
    one_eyed = [card for card in jacks if card in ("Js", "Jh")]
    for number, word in ((3, "three"), (2, "two"), (1, "one")):
        plural = "" if number == 1 else "s"
        if len(one_eyed) >= number:
            return f"{word}_one_eyed_jack{plural}"
        if len(jacks) >= number:
            return f"{word}_jack{plural}"
    return "none"


@pytest.mark.parametrize("decks", [1, 3, 8, None])
def test_every_line_is_what_counting_every_deal_gives(decks: int | None) -> None:
    expected = dict.fromkeys((*CHART, "none"), Fraction()) | counted(decks, 3, row_of)
    assert best(decks) == expected


def test_one_deck_has_two_one_eyed_jacks() -> None:
    assert best(1)["three_one_eyed_jacks"] == 0
    assert best(1)["three_jacks"] == Fraction(comb(4, 3), comb(52, 3))


def test_a_line_is_known_by_name_and_every_hand_is_counted() -> None:
    chances = jack_magic.chances(Shoe(6), Dealing())
    assert {line for hand in chances for line in hand.lines} == set(CHART)
    assert set(jack_magic.ENGINE.lines) == set(CHART)
    assert sum(chances.values()) == 1
