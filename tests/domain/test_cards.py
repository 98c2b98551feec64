"""cards: rank then suit, and no more copies than the shoe holds."""

import pytest

from progressive.domain.cards import DECK, is_natural, overdealt_card, total, unknown_card


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


@pytest.mark.parametrize(
    ("cards", "points", "soft"),
    [
        ("Ts 9h", 19, False),
        ("As 9h", 20, True),
        ("As Ks", 21, True),
        ("As Ah", 12, True),
        ("As 5h Td", 16, False),
        ("Ts 7h Td", 27, False),
        # A busted hand counts every ace as one.
        ("Ts 7h As Td", 28, False),
        ("As Ah Ad Ac 7s", 21, True),
        ("Js Qh Ks", 30, False),
    ],
)
def test_hand_counts_its_best_total(cards: str, points: int, soft: bool) -> None:
    counted = total(cards.split())
    assert (counted.points, counted.soft, counted.bust) == (points, soft, points > 21)


@pytest.mark.parametrize(
    ("cards", "natural"),
    [("As Td", True), ("Kh Ad", True), ("As 9d", False), ("7s 7d 7h", False), ("As 5d 5h", False)],
)
def test_natural_is_an_ace_and_a_ten_and_nothing_else(cards: str, natural: bool) -> None:
    assert is_natural(cards.split()) is natural
