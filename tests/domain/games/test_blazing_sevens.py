"""Blazing 7's, N.J.A.C. 13:69F-2.28: which line a player's sevens make, row by row."""

from collections import Counter
from itertools import product

import pytest

from progressive.domain.games.blazing_sevens import READER, made, missing
from progressive.domain.games.claims import highest_line
from progressive.domain.games.reading import Dealing
from progressive.domain.options import DealerProcedure
from tests.support.hands import a_seat, an_offer, cards

FIRST_THREE = Dealing(option=1)
WITH_UP_CARD = Dealing(option=2)


def paid_line(
    dealt: str, *hands: str, paytable: str = "3", dealing: Dealing = FIRST_THREE, dealer: str = ""
) -> str | None:
    lines = an_offer("nj-blazing-7s", "blazing7", paytable).lines
    line = highest_line(lines, made(a_seat(dealt, *hands), cards(dealer), dealing))
    return None if line is None else line.id


# --- rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealing", [FIRST_THREE, WITH_UP_CARD], ids=["option 1", "option 2"])
@pytest.mark.parametrize(
    ("paytable", "suits", "line"),
    [
        # 2.28(c)(i): "of the Same Suit", "of the Same Color", "Any Three 7s"
        ("1", "ddd", "three_7_suited"),
        ("1", "hhh", "three_7_suited"),
        ("1", "sss", "three_7_suited"),
        ("1", "ccc", "three_7_suited"),
        ("1", "hdh", "three_7_color"),
        ("1", "csc", "three_7_color"),
        ("1", "dds", "three_7_any"),
        ("1", "hcd", "three_7_any"),
        # 2.28(c)(ii): "of Diamonds", "of the Same Suit Other Than Diamonds", color, mixed
        ("2", "ddd", "three_7_diamonds"),
        ("2", "hhh", "three_7_suited_other"),
        ("2", "sss", "three_7_suited_other"),
        ("2", "ccc", "three_7_suited_other"),
        ("2", "ddh", "three_7_color"),
        ("2", "ssc", "three_7_color"),
        ("2", "ddc", "three_7_mixed"),
        ("2", "shd", "three_7_mixed"),
        # 2.28(c)(iii): the same hands, on three meters
        ("3", "ddd", "three_7_diamonds"),
        ("3", "hhh", "three_7_suited_other"),
        ("3", "sss", "three_7_suited_other"),
        ("3", "ccc", "three_7_suited_other"),
        ("3", "hdd", "three_7_color"),
        ("3", "ccs", "three_7_color"),
        ("3", "sdd", "three_7_mixed"),
        ("3", "chs", "three_7_mixed"),
    ],
)
def test_three_sevens_make_the_highest_row_of_their_suits(
    paytable: str, suits: str, line: str, dealing: Dealing
) -> None:
    first, second, third = (f"7{suit}" for suit in suits)
    if dealing.option == 1:
        found = paid_line(f"{first} {second} {third}", paytable=paytable)
    else:
        found = paid_line(f"{first} {second}", paytable=paytable, dealing=dealing, dealer=third)
    assert found == line


@pytest.mark.parametrize(
    ("paytable", "expected"),
    [
        ("1", {"three_7_suited": 4, "three_7_color": 12, "three_7_any": 48}),
        (
            "3",
            {
                "three_7_diamonds": 1,
                "three_7_suited_other": 3,
                "three_7_color": 12,
                "three_7_mixed": 48,
            },
        ),
    ],
)
def test_every_order_of_suits_has_its_row(paytable: str, expected: dict[str, int]) -> None:
    # 2.28(e): one row a hand. Of 64 orders 4 are suited, 2 x (2 x 2 x 2 - 2) of one color.
    found = Counter(
        paid_line(f"7{a} 7{b} 7{c}", paytable=paytable) for a, b, c in product("shdc", repeat=3)
    )
    assert found == expected


@pytest.mark.parametrize("paytable", ["1", "2", "3"])
@pytest.mark.parametrize(
    ("dealt", "line"),
    [
        # 2.28(c): "Two 7s in the First Two Cards", "One 7 in the First Two Cards"
        ("7d 7d", "two_7"),
        ("7s 7h", "two_7"),
        ("7s 7h 2c", "two_7"),
        ("7d 2s", "one_7"),
        ("2s 7d", "one_7"),
        # A seven that comes third counts toward three of them and nothing else.
        ("7d 2s 7h", "one_7"),
        ("2s 7d 7h", "one_7"),
        ("7d 2s 7d 7d", "one_7"),
        ("2s 3s 7d", None),
        ("2s 3s 7d 7d 7d", None),
        ("2s 3s", None),
        # "The first three cards": the fourth is too late.
        ("7d 7d 2s 7d", "two_7"),
    ],
)
def test_one_and_two_sevens_are_in_the_first_two_cards(
    paytable: str, dealt: str, line: str | None
) -> None:
    assert paid_line(dealt, paytable=paytable) == line


# --- which card is the third ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "hands", "line"),
    [
        # 2.11(g), option 1: the pair and the first card dealt after the split, on whichever hand.
        ("7d 7d 7d 5c", ("7d 7d", "7d 5c"), "three_7_diamonds"),
        ("7d 7h 7s 5c", ("7d 7s", "7h 5c"), "three_7_mixed"),
        # How the hands are listed does not matter: the cards are in the order dealt.
        ("7d 7h 7s 5c", ("7h 5c", "7d 7s"), "three_7_mixed"),
        # "No other card dealt to the player following the split shall be considered."
        ("7d 7h 5c 7s", ("7d 5c", "7h 7s"), "two_7"),
        ("7d 7h 5c 6c 7s", ("7d 5c 7s", "7h 6c"), "two_7"),
        # A third seven split again is still the first card after the split.
        ("7d 7h 7d 5c 6c 8c", ("7d 5c", "7h 6c", "7d 8c"), "three_7_color"),
    ],
)
def test_after_a_split_the_first_card_dealt_is_the_third(
    dealt: str, hands: tuple[str, ...], line: str
) -> None:
    assert paid_line(dealt, *hands) == line


@pytest.mark.parametrize(
    ("dealt", "hands", "dealer", "line"),
    [
        # 2.28(c), option 2: the player's two and the up card, whatever is drawn.
        ("7d 7d", (), "7d", "three_7_diamonds"),
        ("7d 7d", (), "7s Kd", "three_7_mixed"),
        ("7d 7d 7d", (), "9s", "two_7"),
        ("7d 7d", (), "9s 7d", "two_7"),
        # 2.11(g): the same after a split.
        ("7d 7d 7h 7h", ("7d 7h", "7d 7h"), "9s", "two_7"),
        ("7d 7h 5c 6c", ("7d 5c", "7h 6c"), "7d", "three_7_color"),
        # The dealer's seven makes neither one nor two of them.
        ("7d 2s", (), "7h", "one_7"),
        ("2s 7d", (), "7h", "one_7"),
        ("2s 3s", (), "7h 7d", None),
    ],
)
def test_with_option_2_only_the_up_card_is_added(
    dealt: str, hands: tuple[str, ...], dealer: str, line: str | None
) -> None:
    assert paid_line(dealt, *hands, dealing=WITH_UP_CARD, dealer=dealer) == line


@pytest.mark.parametrize(
    ("procedure", "dealer", "line"),
    [
        # 2.6(j)4: settled on two cards before the peek; final where it shows a blackjack.
        ("card_reader", "As Kh", "two_7"),
        ("card_reader", "Kh As", "two_7"),
        ("card_reader", "Th Ac", "two_7"),
        # "If the dealer does not have a blackjack, the wager shall proceed": one award in all.
        ("card_reader", "As 9h", "three_7_diamonds"),
        ("card_reader", "Ks Qh", "three_7_diamonds"),
        ("card_reader", "9s", "three_7_diamonds"),
        # Twenty-one in three cards is no blackjack.
        ("card_reader", "As 5h 5d", "three_7_diamonds"),
        # 2.6(k)7: hole card face up.
        ("hole_face_up", "Js Ad", "two_7"),
        ("hole_face_up", "9s 9d", "three_7_diamonds"),
        # Nobody looked before the draw, and no clause takes a dealt card back.
        ("no_peek", "As Kh", "three_7_diamonds"),
        ("no_peek", "", "three_7_diamonds"),
    ],
)
def test_dealers_blackjack_seen_before_the_draw_leaves_two_cards(
    procedure: DealerProcedure, dealer: str, line: str
) -> None:
    dealing = Dealing(option=1, procedure=procedure)
    assert paid_line("7d 7d 7d", dealing=dealing, dealer=dealer) == line


@pytest.mark.parametrize("procedure", ["card_reader", "hole_face_up", "no_peek"])
@pytest.mark.parametrize("dealer", ["As", "As Kh", "As 9h"])
def test_pair_of_sevens_is_paid_against_an_ace_whatever_is_under_it(
    procedure: DealerProcedure, dealer: str
) -> None:
    # 2.28(d): paid "irrespective of the point total of the hand of the dealer".
    dealing = Dealing(option=1, procedure=procedure)
    assert paid_line("7d 7h", dealing=dealing, dealer=dealer) == "two_7"
    assert missing(a_seat("7d 7h"), cards(dealer), dealing) is None


# --- cards that are needed --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "dealing", "dealer", "wanted"),
    [
        ("2s 3s", WITH_UP_CARD, "", "up card"),
        ("2s 3s", WITH_UP_CARD, "As", None),
        ("7d 7d 7d", FIRST_THREE, "", None),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "", "up card"),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "As", "hole card"),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "Ts", "hole card"),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "Ks", "hole card"),
        ("7d 7d 7d", Dealing(option=1, procedure="hole_face_up"), "Js", "hole card"),
        ("7d 7d 7d 2s 3s", Dealing(option=1, procedure="card_reader"), "As", "hole card"),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "9s", None),
        ("7d 7d 7d", Dealing(option=1, procedure="card_reader"), "As 2s", None),
        # Where two cards or three come to the same, nothing more is asked.
        ("7d 7d", Dealing(option=1, procedure="card_reader"), "", None),
        ("7d 7d 2s", Dealing(option=1, procedure="card_reader"), "As", None),
        ("7d 2s 7d", Dealing(option=1, procedure="card_reader"), "As", None),
        ("7d 7d 2s 7d", Dealing(option=1, procedure="card_reader"), "As", None),
    ],
)
def test_dealers_cards_are_asked_for_only_where_they_tell(
    dealt: str, dealing: Dealing, dealer: str, wanted: str | None
) -> None:
    found = missing(a_seat(dealt), cards(dealer), dealing)
    assert found is None if wanted is None else wanted in (found or "")


def test_reader_makes_no_line_that_it_does_not_list() -> None:
    named = {
        line
        for a, b, c in product("shdc", repeat=3)
        for line in made(a_seat(f"7{a} 7{b} 7{c}"), (), FIRST_THREE)
    }
    assert named == set(READER.lines)
    assert not READER.needs_whole_dealer_hand
