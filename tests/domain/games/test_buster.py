"""Buster Blackjack: the dealer's bust, counted; the rows as each text prints them."""

import pytest

from progressive.domain.games.buster import LINES, READER, bust_line, made, missing
from progressive.domain.games.claims import highest_line
from progressive.domain.games.reading import Dealing
from progressive.domain.rulebook.paytable import ToOne
from tests.support.hands import BUSTS, a_seat, an_offer, cards

STANDING = a_seat("Ts 9h")
WASHINGTON = Dealing(player_points_max=27)

# N.J.A.C. 13:69F-2.30(g) and ARSD 20:18:15:30.07(8) print the same six tables.
A_TO_F = {
    "A": {8: 250, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2},
    "B": {8: 200, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2},
    "C": {8: 250, 7: 50, 6: 12, 5: 4, 4: 2, 3: 2},
    "D": {8: 200, 7: 50, 6: 12, 5: 4, 4: 2, 3: 2},
    "E": {8: 250, 7: 50, 6: 12, 5: 3, 4: 2, 3: 2},
    "F": {8: 250, 7: 50, 6: 20, 5: 8, 4: 2, 3: 1},
}
PRINTED = [
    *(("nj-buster", paytable, rows) for paytable, rows in A_TO_F.items()),
    *(("sd-buster", paytable, rows) for paytable, rows in A_TO_F.items()),
    # WSGC 2014-06-25, pay table: "3 or 4: 2"
    ("wa-buster", "WA", {8: 250, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2}),
    # 101 Casino, Buster Blackjack Bonus Bet Pay Table
    ("ca-101-blackjack-x", "101", {8: 200, 7: 50, 6: 15, 5: 4, 4: 2, 3: 2}),
]


@pytest.mark.parametrize(
    ("game", "paytable", "count", "to_one"),
    [
        (game, paytable, count, to_one)
        for game, paytable, rows in PRINTED
        for count, to_one in rows.items()
    ],
)
def test_bust_pays_by_the_number_of_cards(
    game: str, paytable: str, count: int, to_one: int
) -> None:
    lines = made(STANDING, cards(BUSTS[count]), Dealing())
    line = highest_line(an_offer(game, "buster", paytable).lines, lines)
    assert line is not None
    assert line.pays == ToOne(to=to_one)


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (3, "bust_3"),
        (7, "bust_7"),
        (8, "bust_8_or_more"),
        (9, "bust_8_or_more"),
        (13, "bust_8_or_more"),
    ],
)
def test_all_cards_of_the_hand_are_counted(count: int, line: str) -> None:
    # The first two included: "the number of cards in the dealer's busted hand".
    assert len(cards(BUSTS[count])) == count
    assert made(STANDING, cards(BUSTS[count]), Dealing()) == (line,)
    assert bust_line(count) == line


@pytest.mark.parametrize(
    "dealer",
    [
        # NJ 2.30(d)2: "does not exceed 21"
        "Ts 7h",
        "Ts 6h 5d",
        "As 6h 4d",
        "2s 2h 2d 2c 2s 3h 3d 5c",
        # NJ 2.30(d)1; elsewhere it follows: a dealer with a blackjack has not busted.
        "As Kh",
        "Th Ad",
    ],
)
@pytest.mark.parametrize("dealing", [Dealing(), WASHINGTON], ids=["plain", "WA"])
def test_no_bust_is_lost(dealer: str, dealing: Dealing) -> None:
    assert made(STANDING, cards(dealer), dealing) == ()


@pytest.mark.parametrize(
    ("dealt", "hands", "paid"),
    [
        # WA: "27 or less in order to receive a payout"; "28 or more ... will not be paid".
        ("Ts 7h Kd", (), True),
        ("Ts 8h Kd", (), False),
        # A busted hand counts every ace as one.
        ("Ts 7h As Kd", (), False),
        ("Ts 6h As Kd", (), True),
        ("As Kh", (), True),
        # One split hand of 28 is enough.
        ("8s 8h Td Tc Kd", ("8s Td Kd", "8h Tc"), False),
        ("8s 8h Td Tc Kd", ("8h Tc", "8s Td Kd"), False),
        ("7s 7h Td Tc Kd", ("7s Td Kd", "7h Tc"), True),
    ],
)
def test_washington_pays_players_with_27_points_or_less(
    dealt: str, hands: tuple[str, ...], paid: bool
) -> None:
    seat = a_seat(dealt, *hands)
    assert bool(made(seat, cards(BUSTS[5]), WASHINGTON)) is paid
    # NJ 2.30(a), SD (3), 101: the player's own hand has no bearing.
    assert made(seat, cards(BUSTS[5]), Dealing()) == ("bust_5",)


@pytest.mark.parametrize(("dealer", "told"), [("", False), ("Ts", False), ("Ts 6h", True)])
def test_dealers_hand_is_needed(dealer: str, told: bool) -> None:
    assert (missing(STANDING, cards(dealer), Dealing()) is None) is told


def test_dealer_plays_out_while_the_bet_is_live() -> None:
    # NJ 2.30(f)3, SD (5), WA (b), 101 "must always complete their hand"
    assert READER.needs_whole_dealer_hand
    assert READER.lines == LINES
    assert {bust_line(count) for count in range(3, 14)} == set(LINES)
