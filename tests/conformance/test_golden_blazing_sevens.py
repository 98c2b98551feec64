"""Blazing 7's by hand: every row of N.J.A.C. 13:69F-2.28(c), and which cards count.

Each case is worked out from the rule text, whose clause stands in its id, and holds for the
reference model and the product alike.
"""

import pytest

from tests.conformance.builders import a_blazing_round
from tests.conformance.conftest import Settle
from tests.conformance.model_cards import Request

PAY_ROWS = {
    # paytable, cards -> line, meter, share, cents paid on $5 (meters as in the builders)
    "(c)(i) suited spades": ("1", "7s 7s 7s", "three_7_suited", "progressive", 100, 1_000_000),
    "(c)(i) suited hearts": ("1", "7h 7h 7h", "three_7_suited", "progressive", 100, 1_000_000),
    "(c)(i) suited clubs": ("1", "7c 7c 7c", "three_7_suited", "progressive", 100, 1_000_000),
    "(c)(i) suited diamonds": ("1", "7d 7d 7d", "three_7_suited", "progressive", 100, 1_000_000),
    "(c)(i) red": ("1", "7h 7d 7h", "three_7_color", "progressive", 10, 100_000),
    "(c)(i) black": ("1", "7c 7c 7s", "three_7_color", "progressive", 10, 100_000),
    "(c)(i) any": ("1", "7c 7c 7d", "three_7_any", None, None, 100_000),
    "(c)(i) two 7s": ("1", "7c 7d 5h", "two_7", None, None, 12_500),
    "(c)(i) one 7": ("1", "7c 5d", "one_7", None, None, 1_000),
    "(c)(i) no 7": ("1", "6c 5d", "none", None, None, 0),
    "(c)(ii) diamonds": ("2", "7d 7d 7d", "three_7_diamonds", "progressive", 100, 1_000_000),
    "(c)(ii) suited": ("2", "7s 7s 7s", "three_7_suited_other", "progressive", 10, 100_000),
    "(c)(ii) color": ("2", "7d 7h 7d", "three_7_color", None, None, 250_000),
    "(c)(ii) mixed": ("2", "7d 7h 7s", "three_7_mixed", None, None, 100_000),
    "(c)(ii) two 7s": ("2", "7d 7d", "two_7", None, None, 12_500),
    "(c)(ii) one 7": ("2", "2d 7d", "one_7", None, None, 1_000),
    "(c)(ii) no 7": ("2", "2d Kd", "none", None, None, 0),
    "(c)(iii) mega": ("3", "7d 7d 7d", "three_7_diamonds", "mega", 100, 10_000_000),
    "(c)(iii) major spades": ("3", "7s 7s 7s", "three_7_suited_other", "major", 100, 1_500_000),
    "(c)(iii) major hearts": ("3", "7h 7h 7h", "three_7_suited_other", "major", 100, 1_500_000),
    "(c)(iii) major clubs": ("3", "7c 7c 7c", "three_7_suited_other", "major", 100, 1_500_000),
    "(c)(iii) minor": ("3", "7s 7c 7c", "three_7_color", "minor", 100, 300_000),
    "(c)(iii) mixed": ("3", "7s 7c 7h", "three_7_mixed", None, None, 100_000),
    "(c)(iii) two 7s": ("3", "7s 7h 2c", "two_7", None, None, 12_500),
    "(c)(iii) one 7": ("3", "7s Ah", "one_7", None, None, 1_000),
    "(c)(iii) no 7": ("3", "As Ah", "none", None, None, 0),
}


@pytest.mark.parametrize(
    ("paytable", "cards", "line", "meter", "share", "pay_cents"), PAY_ROWS.values(), ids=PAY_ROWS
)
def test_every_row_of_the_paytables_pays_what_is_written(
    settle: Settle,
    paytable: str,
    cards: str,
    line: str,
    meter: str | None,
    share: int | None,
    pay_cents: int,
) -> None:
    answer = settle(a_blazing_round({4: cards}, paytable=paytable))
    (result,) = answer["results"]
    won = line != "none"
    assert result == result | {
        "order": 1,
        "seat": 4,
        "bet": "blazing7",
        "line": line,
        "result": "win" if won else "lose",
        "kind": "none" if not won else "meter" if meter else "fixed",
        "meter": meter,
        "share_percent": share,
        "pay_cents": pay_cents,
        "bonus_cents": 0,
        "stake_returned_cents": 0,
        "collected_cents": 500,
    }
    assert answer["collection"] is None


@pytest.mark.parametrize(
    ("cards", "pay_cents"),
    [("7s 7c 7h", 20_000), ("7s 7c", 2_500), ("7s 2c", 200), ("7d 7d 7d", 10_000_000)],
)
def test_at_one_dollar_fixed_lines_pay_a_fifth_and_meters_the_same(
    settle: Settle, cards: str, pay_cents: int
) -> None:
    (result,) = settle(a_blazing_round({1: cards}, amount_cents=100))["results"]
    assert result["pay_cents"] == pay_cents
    assert result["collected_cents"] == 100


COUNTED_CARDS = {
    # cards, option, procedure, dealer -> line
    "2.28(c) 7-x-7 is one 7": ("7d 2d 7d", 1, "card_reader", "9c", "one_7"),
    "2.28(c) x-7-7 is one 7": ("2d 7d 7d", 1, "card_reader", "9c", "one_7"),
    "2.28(c) x-x-7 is nothing": ("2d 3d 7d", 1, "card_reader", "9c", "none"),
    "2.28(c) the fourth card never counts": ("7d 7d 2c 7d", 1, "card_reader", "9c", "two_7"),
    "2.28(d) a busted hand is paid": ("7d Kd 9d", 1, "card_reader", "9c", "one_7"),
    "2.28(d) a pair that stood is paid": ("7d 7d", 1, "no_peek", "9c", "two_7"),
    "2.11(g) split, 7 dealt next": (
        "7d 7d 7d 5s | 7d 7d / 7d 5s", 1, "card_reader", "9c", "three_7_diamonds",
    ),
    "2.11(g) split, 7 on the second hand": (
        "7d 7d 5s 7d | 7d 5s / 7d 7d", 1, "card_reader", "9c", "two_7",
    ),
    "2.11(g) split, option 2, 7 up": (
        "7d 7d 5s 9d | 7d 5s / 7d 9d", 2, "card_reader", "7d", "three_7_diamonds",
    ),
    "2.11(g) split, option 2, 7 drawn": (
        "7d 7d 7d 9d | 7d 7d / 7d 9d", 2, "card_reader", "5c", "two_7",
    ),
    "2.6(j)4 ace up, a pair of 7s": ("7d 7d", 1, "card_reader", "As", "two_7"),
    "2.6(j)4 ace up, blackjack": ("7d 7d 7d", 1, "card_reader", "As Kd", "two_7"),
    "2.6(j)4 ten up, blackjack": ("7d 7d 7d", 1, "card_reader", "Ts Ad", "two_7"),
    "2.6(j)4 ace up, no blackjack": ("7d 7d 7d", 1, "card_reader", "As 5d", "three_7_diamonds"),
    "2.6(j)4 ten up, no blackjack": ("7d 7d 7d", 1, "card_reader", "Ks Qd", "three_7_diamonds"),
    "2.6(j)4 ace up, hole unseen, 7-x": ("7d 5d 7d", 1, "card_reader", "As", "one_7"),
    "2.6(j)4 ace up, hole unseen, 7-7-x": ("7d 7c 2d", 1, "card_reader", "As", "two_7"),
    "2.6(k)7 hole card up, blackjack": ("7d 7d 7d", 1, "hole_face_up", "As Kd", "two_7"),
    "2.6(k)7 hole card up, none": ("7d 7d 7d", 1, "hole_face_up", "9s Kd", "three_7_diamonds"),
    "2.6(j) no reader, blackjack": ("7d 7d 7d", 1, "no_peek", "As Kd", "three_7_diamonds"),
    "2.6(j) no reader, nothing known": ("7d 7d 7d", 1, "no_peek", "", "three_7_diamonds"),
    "2.28(c) option 2, 7 of diamonds up": ("7d 7d", 2, "card_reader", "7d", "three_7_diamonds"),
    "2.28(c) option 2, suited": ("7s 7s", 2, "card_reader", "7s", "three_7_suited_other"),
    "2.28(c) option 2, one color": ("7d 7h", 2, "card_reader", "7h", "three_7_color"),
    "2.28(c) option 2, mixed up card": ("7d 7d", 2, "card_reader", "7s", "three_7_mixed"),
    "2.28(c) option 2, the player's third": ("7d 7d 7d", 2, "card_reader", "5c", "two_7"),
    "2.28(c) option 2, the hole card": ("7d 7d", 2, "hole_face_up", "5c 7d", "two_7"),
    "2.28(c) option 2, 7-x and 7 up": ("7d 5d", 2, "card_reader", "7d", "one_7"),
    "2.28(c) option 2, only the 7 up": ("4d 5d", 2, "card_reader", "7d", "none"),
    "2.28(c) option 2, dealer's blackjack": ("7d 7d", 2, "card_reader", "As Kd", "two_7"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("cards", "option", "procedure", "dealer", "line"), COUNTED_CARDS.values(), ids=COUNTED_CARDS
)
def test_only_the_cards_named_by_the_rule_count(
    settle: Settle, cards: str, option: int, procedure: str, dealer: str, line: str
) -> None:
    request = a_blazing_round(
        {1: cards}, dealer=dealer, dealing_option=option, dealer_procedure=procedure
    )
    (result,) = settle(request)["results"]
    assert result["line"] == line


REFUSALS = {
    "2.6(j)4 third 7, ace up, hole unseen": (
        {"texts": {1: "7d 7d 7d"}, "dealer": "As"}, "INCOMPLETE_CARDS",
    ),
    "2.6(j)4 third 7, king up, hole unseen": (
        {"texts": {1: "7d 7c 7s"}, "dealer": "Kh"}, "INCOMPLETE_CARDS",
    ),
    "2.6(j)4 third 7, queen up, hole unseen": (
        {"texts": {1: "7d 7c 7s"}, "dealer": "Qs"}, "INCOMPLETE_CARDS",
    ),
    "2.6(j)4 third 7, jack up, hole unseen": (
        {"texts": {1: "7d 7c 7s"}, "dealer": "Jd"}, "INCOMPLETE_CARDS",
    ),
    "2.6(j)4 third 7, ten up, hole unseen": (
        {"texts": {1: "7d 7c 7s"}, "dealer": "Tc"}, "INCOMPLETE_CARDS",
    ),
    "2.6(j)4 third 7, no dealer's card": (
        {"texts": {1: "7d 7c 7s"}, "dealer": ""}, "INCOMPLETE_CARDS",
    ),
    "2.6(k)7 third 7, ace up, hole unseen": (
        {"texts": {1: "7d 7d 7d"}, "dealer": "As", "dealer_procedure": "hole_face_up"},
        "INCOMPLETE_CARDS",
    ),
    "2.28(c) option 2 without an up card": (
        {"texts": {1: "2d 7d"}, "dealer": "", "dealing_option": 2}, "INCOMPLETE_CARDS",
    ),
    "2.28(b) $2": ({"texts": {1: "2d 7d"}, "amount_cents": 200}, "WRONG_AMOUNT"),
    "2.28(b) $0.99": ({"texts": {1: "2d 7d"}, "amount_cents": 99}, "WRONG_AMOUNT"),
    "2.28(b) $10": ({"texts": {1: "2d 7d"}, "amount_cents": 1_000}, "WRONG_AMOUNT"),
    "2.2(a)4 seventh 7d of six decks": (
        {"texts": {1: "7d 7d 7d", 2: "7d 7d 7d"}, "dealer": "7d"}, "IMPOSSIBLE_CARDS",
    ),
    "2.2(a)4 seven decks": ({"texts": {1: "2d 7d"}, "decks": 7}, "BAD_MESSAGE"),
    "one card": ({"texts": {1: "7d"}}, "INCOMPLETE_CARDS"),
    "no card by that name": ({"texts": {1: "7d 10d"}}, "BAD_CARD"),
    "seat 16": ({"texts": {16: "7d 2d"}}, "UNKNOWN_SEAT"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_the_rule_does_not_allow_is_refused(
    settle: Settle, changes: Request, code: str
) -> None:
    assert settle(a_blazing_round(**changes))["error"]["code"] == code


def test_a_side_bet_without_a_bet_on_the_hand_is_refused_by_2_28_f(settle: Settle) -> None:
    request = a_blazing_round({1: "7d 2d"})
    request["wagers"][0]["base_cents"] = 0
    assert settle(request)["error"]["code"] == "NO_BASE_WAGER"


def test_one_dollar_beside_five_dollars_is_refused_by_2_3_m(settle: Settle) -> None:
    request = a_blazing_round({1: "7d 2d", 2: "2c 3c"})
    request["wagers"][0]["amount_cents"] = 100
    assert settle(request)["error"]["code"] == "WRONG_AMOUNT"


def test_the_sixth_copy_of_a_card_in_six_decks_is_dealt(settle: Settle) -> None:
    answer = settle(a_blazing_round({1: "7d 7d 7d", 2: "7d 7d 7d"}))
    assert [result["line"] for result in answer["results"]] == ["three_7_diamonds"] * 2


def test_the_dealers_cards_are_told_as_far_as_they_are_known(settle: Settle) -> None:
    answer = settle(a_blazing_round({1: "7d 2d"}, dealer="As"))
    assert answer["dealer"] == answer["dealer"] | {
        "cards": ["As"], "count": 1, "total": 11, "soft": True, "bust": False, "blackjack": False,
    }  # fmt: skip
