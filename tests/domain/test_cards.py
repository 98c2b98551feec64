"""cards: rank then suit, and no more copies than the shoe holds."""

import pytest

from progressive.domain.cards import DECK, overdealt_card, unknown_card
from progressive.domain.games import READERS
from progressive.domain.games.blazing_sevens import makes_a_line


def test_deck_has_fifty_two_cards() -> None:
    assert len(DECK) == 52
    assert {"As", "Th", "7d", "Kc"} <= DECK


@pytest.mark.parametrize(
    "text", ["", "7", "d7", "7D", "10d", "1d", "0d", "7d ", " 7d", "7dd", "ad", "7♦", "7\u0000"]
)
def test_anything_else_is_no_card(text: str) -> None:
    assert unknown_card(["As", text, "??"]) == text


def test_known_cards_are_not_unknown() -> None:
    assert unknown_card(DECK) is None
    assert unknown_card([]) is None


@pytest.mark.parametrize(
    ("cards", "decks", "overdealt"),
    [
        ([], 1, None),
        (["7d"], 1, None),
        (["7d", "7d"], 1, "7d"),
        (["7d", "7h", "7s", "7c"], 1, None),
        (["7d"] * 6, 6, None),
        (["7d"] * 7, 6, "7d"),
        (["7d"] * 8, 8, None),
        (["2s"] * 6 + ["7d"] * 7, 6, "7d"),
    ],
)
def test_card_dealt_more_often_than_there_are_decks_is_found(
    cards: list[str], decks: int, overdealt: str | None
) -> None:
    assert overdealt_card(cards, decks=decks) == overdealt


# N.J.A.C. 13:69F-2.28(c): every line has a 7 among the player's first two cards.
@pytest.mark.parametrize(
    ("cards", "wins"),
    [
        ("7d 2s", True),
        ("2s 7d", True),
        ("7d 7d 7d", True),
        ("2s 3s 7d", False),
        ("2s 3s 7d 7d 7d", False),
        ("2s 3s", False),
        ("", False),
    ],
)
def test_seven_among_the_first_two_cards_wins(cards: str, wins: bool) -> None:
    assert makes_a_line(cards.split()) is wins
    assert READERS["nj-blazing-7s"](cards.split()) is wins
