"""lammers, ARSD 20:18:15:30.07(6) and (7): which side bets carry a marker."""

import pytest

from progressive.domain.commands import SeatCards
from progressive.domain.games.lammers import marked_seats
from progressive.domain.options import Lammers
from tests.support.hands import a_seat

SEATS: dict[int, SeatCards] = {
    1: a_seat("Ts 9h", seat=1),
    2: a_seat("As Kh", seat=2),
    3: a_seat("Ts 6h 6d", seat=3),
    4: a_seat("8s 8h Td Tc 9d", "8s Td 9d", "8h Tc", seat=4),
    5: a_seat("8s 8h Td Tc 9d 8d", "8s Td 9d", "8h Tc 8d", seat=5),
    6: a_seat("7s 7h 7d", seat=6),
}


@pytest.mark.parametrize(
    ("use", "marked"),
    [
        (None, []),
        # (6)(a): "on top of the side bets ... before the dealer deals a card".
        ("before_deal", [1, 2, 3, 4, 5, 6]),
        # (6)(b): "after the players receive a blackjack or after they bust", in every hand.
        ("after_hand", [2, 3, 5]),
    ],
)
def test_lammer_marks_the_bets_that_stay_in_action(use: Lammers | None, marked: list[int]) -> None:
    assert marked_seats([6, 5, 4, 3, 2, 1], SEATS, use) == marked


def test_only_side_bets_are_marked() -> None:
    assert marked_seats([3, 1], SEATS, "before_deal") == [1, 3]
    assert marked_seats([3, 1], SEATS, "after_hand") == [3]


def test_seat_whose_cards_are_not_known_is_not_done() -> None:
    assert marked_seats([1, 9], SEATS, "before_deal") == [1, 9]
    assert marked_seats([3, 9], SEATS, "after_hand") == [3]
