"""Blackjack X, The 101 Casino: each hand against the player-dealer's."""

import pytest

from progressive.domain.games.base_game import depends_on_draw
from progressive.domain.games.blackjack_x import LINES, is_blackjack_x, outcomes
from progressive.domain.rulebook.paytable import ToOne
from tests.support.hands import a_seat, an_offer, cards

NINETEEN = "Ts 9h"
BUST = "Ts 6h Kd"
NATURAL = "As Th"


def of(dealt: str, dealer: str, *hands: str) -> list[tuple[str, str | None]]:
    return [(each.result, each.line) for each in outcomes(a_seat(dealt, *hands), cards(dealer))]


@pytest.mark.parametrize(
    ("line", "odds"),
    [
        # "Odds": 2:1, 3:2, 3:1, 1:1
        ("blackjack_x", (2, 1)),
        ("natural_31", (3, 2)),
        ("hard_31", (3, 1)),
        ("other", (1, 1)),
    ],
)
def test_odds_are_the_printed_ones(line: str, odds: tuple[int, int]) -> None:
    lines = an_offer("ca-101-blackjack-x", "base", "101").lines
    pays = next(each.pays for each in lines if each.id == line)
    assert isinstance(pays, ToOne)
    assert (pays.to, pays.per) == odds
    assert [each.id for each in lines] == list(LINES)


@pytest.mark.parametrize(
    ("dealt", "dealer", "result", "line"),
    [
        # "An Ace and King suited", in either order.
        ("As Ks", NINETEEN, "win", "blackjack_x"),
        ("Kd Ad", NINETEEN, "win", "blackjack_x"),
        ("As Kd", NINETEEN, "win", "natural_31"),
        # "An Ace card and a 10-point card": the ten is one of them.
        ("As Qs", NINETEEN, "win", "natural_31"),
        ("Jh As", NINETEEN, "win", "natural_31"),
        ("As Ts", NINETEEN, "win", "natural_31"),
        # "The player and the player-dealer ties on all naturals": Blackjack X with them.
        ("As Ks", NATURAL, "push", "blackjack_x"),
        ("As Kd", NATURAL, "push", "natural_31"),
        # "A natural beats all hands", a hard 31 too (dealing step 6a).
        ("7s 7h 7d Ks", NATURAL, "lose", None),
        ("Ts 9h", NATURAL, "lose", None),
        # 21 and a ten: "Hard 31"; it beats whatever is drawn.
        ("7s 7h 7d Ks", NINETEEN, "win", "hard_31"),
        ("7s 7h 7d Ks", "Ts 6h 5d", "win", "hard_31"),
        ("7s 7h 7d Ks", BUST, "win", "hard_31"),
        # An ace at eleven makes no hard 31; one that counts one may be part of it.
        ("Ts Th As", NINETEEN, "win", "other"),
        ("Ts Th As Kd", NINETEEN, "win", "hard_31"),
        # "The player loses on a hand with a value between 22 and 30", against a bust too.
        ("Ts 6h 6d", BUST, "lose", None),
        ("7s 7h 7d 9s", BUST, "lose", None),
        ("7s 7h 6d Ks", BUST, "lose", None),
        # Closer wins, further loses, the same pushes.
        ("Ts Th", NINETEEN, "win", "other"),
        ("Ts 9d", NINETEEN, "push", "other"),
        ("Ts 8d", NINETEEN, "lose", None),
        ("7s 7h 7d", "Ts 6h 5d", "push", "other"),
        ("2s 3h", BUST, "win", "other"),
        ("As 8h", NINETEEN, "push", "other"),
    ],
)
def test_hand_is_compared_with_the_dealers(
    dealt: str, dealer: str, result: str, line: str | None
) -> None:
    assert of(dealt, dealer) == [(result, line)]


def test_each_split_hand_is_compared_by_itself() -> None:
    # "Split Aces after the draw that receives a 10-point card have a value of 21".
    assert of("As Ah Ks 7d", NINETEEN, "As Ks", "Ah 7d") == [("win", "other"), ("lose", None)]
    assert of("As Ah Ks 7d", "Ts 6h 5d", "As Ks", "Ah 7d") == [("push", "other"), ("lose", None)]
    assert of("Ts Kh As 9d", NINETEEN, "Ts As", "Kh 9d") == [("win", "other"), ("push", "other")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("As Ks", True), ("Kh Ah", True), ("As Kh", False), ("As Qs", False), ("Ks Ks", False)],
)
def test_blackjack_x_is_ace_and_king_of_one_suit(text: str, expected: bool) -> None:
    assert is_blackjack_x(cards(text)) is expected


@pytest.mark.parametrize(
    ("dealt", "hands", "dealer", "depends"),
    [
        ("Ts 9d", (), "9s 5h", True),
        # A natural wins or pushes, a hand of 22 or more is lost or 31: whatever is drawn.
        ("As Kd", (), "9s 5h", False),
        ("Ts 6h 6d", (), "9s 5h", False),
        ("7s 7h 7d Ks", (), "9s 5h", False),
        # "In the event the player-dealer is dealt a Natural the game stops."
        ("Ts 9d", (), NATURAL, False),
        ("8s 8h Td Tc 9d", ("8s Td 9d", "8h Tc"), "9s 5h", True),
        ("8s 8h Td Tc 9d 8d", ("8s Td 9d", "8h Tc 8d"), "9s 5h", False),
    ],
)
def test_draw_matters_only_to_hands_still_open(
    dealt: str, hands: tuple[str, ...], dealer: str, depends: bool
) -> None:
    assert depends_on_draw(a_seat(dealt, *hands), cards(dealer)) is depends
