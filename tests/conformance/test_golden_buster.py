"""Buster Blackjack by hand: New Jersey, South Dakota, Washington; every row, and every edge.

Each case is worked out from the rule text, whose clause stands in its id, and holds for the
reference model and the product alike.
"""

import pytest

from tests.conformance.builders import BUSTS, a_buster_round
from tests.conformance.conftest import Settle
from tests.conformance.model_cards import Request

# NJ 13:69F-2.30(g) and SD 20:18:15:30.07(8), column by column: 3, 4, 5, 6, 7, 8, 9 cards.
COLUMNS = {
    "A": (2, 2, 4, 15, 50, 250, 250),
    "B": (2, 2, 4, 15, 50, 200, 200),
    "C": (2, 2, 4, 12, 50, 250, 250),
    "D": (2, 2, 4, 12, 50, 200, 200),
    "E": (2, 2, 3, 12, 50, 250, 250),
    "F": (1, 2, 8, 20, 50, 250, 250),
}
ROWS = [
    (game, paytable, count, odds)
    for game, columns in (
        ("nj-buster", COLUMNS),
        ("sd-buster", COLUMNS),
        ("wa-buster", {"WA": COLUMNS["A"]}),
    )
    for paytable, column in columns.items()
    for count, odds in zip(BUSTS, column, strict=True)
]


@pytest.mark.parametrize(("game", "paytable", "count", "odds"), ROWS)
def test_every_row_of_the_paytables_pays_what_is_written_to_one(
    settle: Settle, game: str, paytable: str, count: int, odds: int
) -> None:
    answer = settle(a_buster_round(BUSTS[count], game=game, paytable=paytable))
    (result,) = answer["results"]
    assert result == result | {
        "order": 1,
        "seat": 1,
        "bet": "buster",
        "line": f"bust_{count}" if count < 8 else "bust_8_or_more",
        "result": "win",
        "kind": "fixed",
        "meter": None,
        "share_percent": None,
        "pay_cents": 500 * odds,
        "bonus_cents": 0,
        "stake_returned_cents": 500,
        "collected_cents": 0,
    }
    assert answer["dealer"]["count"] == count
    assert answer["dealer"]["bust"] is True


SOFT_17_OF_ACES = "As Ah Ad Ac As Ah Ad"
DEALERS = {
    # game, soft 17, dealer -> line
    "NJ (d)1 blackjack": ("nj-buster", "hit", "As Kd", "none"),
    "NJ (d)2 hard 17": ("nj-buster", "hit", "Ts 7d", "none"),
    "NJ (d)2 21 in seven cards": ("nj-buster", "hit", "2s 2d 2h 2c 3s 3d 7h", "none"),
    "NJ (f)3ii soft 18": ("nj-buster", "hit", "As 7d", "none"),
    "NJ (f)3 soft 17 is drawn to": ("nj-buster", "hit", "As 6d 9c Kd", "bust_4"),
    "NJ (g) the longest hand": (
        "nj-buster", "hit", f"{SOFT_17_OF_ACES} 5c As Ah Ad Ac Td", "bust_8_or_more",
    ),
    "SD (4) blackjack": ("sd-buster", "hit", "Ks Ad", "none"),
    "SD (5) soft 17 stands": ("sd-buster", "stand", "As 6d", "none"),
    "SD (5) soft 17 hits": ("sd-buster", "hit", "As 6d 9c Kd", "bust_4"),
    "SD (5) seven aces stand": ("sd-buster", "stand", SOFT_17_OF_ACES, "none"),
    "WA blackjack": ("wa-buster", "hit", "Ts Ad", "none"),
    "WA soft 17 of 3 cards stands": ("wa-buster", "stand", "As 2d 4c", "none"),
    "WA soft 17 of 3 cards hits": ("wa-buster", "hit", "As 2d 4c 9h Kh", "bust_5"),
}  # fmt: skip


@pytest.mark.parametrize(("game", "soft17", "dealer", "line"), DEALERS.values(), ids=DEALERS)
def test_the_wager_is_on_the_dealers_completed_hand(
    settle: Settle, game: str, soft17: str, dealer: str, line: str
) -> None:
    (result,) = settle(a_buster_round(dealer, game=game, soft17=soft17))["results"]
    assert result["line"] == line
    assert result["result"] == ("lose" if line == "none" else "win")
    assert result["collected_cents"] == (500 if line == "none" else 0)
    assert result["stake_returned_cents"] == (0 if line == "none" else 500)


INCOMPLETE, IMPOSSIBLE = "INCOMPLETE_CARDS", "IMPOSSIBLE_CARDS"
WRONG_DEALERS = {
    "NJ (f)3 no card": ("nj-buster", "hit", "", INCOMPLETE),
    "NJ (f)3 one card": ("nj-buster", "hit", "Ts", INCOMPLETE),
    "NJ (f)3i stopped at hard 16": ("nj-buster", "hit", "Ts 6d", INCOMPLETE),
    "NJ (f)3ii stopped at soft 17": ("nj-buster", "hit", "As 6d", INCOMPLETE),
    "NJ (f)3i drew on hard 17": ("nj-buster", "hit", "Ts 7d Kd", IMPOSSIBLE),
    "NJ (f)3ii drew on soft 18": ("nj-buster", "hit", "As 7d 9c", IMPOSSIBLE),
    "NJ (f)3iii drew on a bust": ("nj-buster", "hit", "Ts 6d Kd 2c", IMPOSSIBLE),
    "NJ (d)1 drew on a blackjack": ("nj-buster", "hit", "As Kd 5c", IMPOSSIBLE),
    "SD (5) stopped at 16": ("sd-buster", "stand", "As 5d", INCOMPLETE),
    "SD (5) drew on soft 17": ("sd-buster", "stand", "As 6d 9c Kd", IMPOSSIBLE),
    "WA stopped at soft 17": ("wa-buster", "hit", "As 6d", INCOMPLETE),
    "WA drew on soft 17": ("wa-buster", "stand", "As 6d 9c Kd", IMPOSSIBLE),
}


@pytest.mark.parametrize(
    ("game", "soft17", "dealer", "code"), WRONG_DEALERS.values(), ids=WRONG_DEALERS
)
def test_a_dealers_hand_not_played_by_the_rule_is_refused(
    settle: Settle, game: str, soft17: str, dealer: str, code: str
) -> None:
    assert settle(a_buster_round(dealer, game=game, soft17=soft17))["error"]["code"] == code


PLAYERS = {
    # game, player's cards -> result on a dealer's bust
    "NJ (f)1 a blackjack stays in play": ("nj-buster", "As Kd", "win"),
    "NJ (f)2 a busted hand stays in play": ("nj-buster", "Ts 6d Kd", "win"),
    "NJ (a) 28 points are no matter": ("nj-buster", "Ts 8d Kd", "win"),
    "SD (3) a busted hand stays in action": ("sd-buster", "Ts 8d Kd", "win"),
    "WA 27 points": ("wa-buster", "Ts 7h Td", "win"),
    "WA 28 points": ("wa-buster", "Ts 8h Td", "lose"),
    "WA 28 points with an ace as 1": ("wa-buster", "Ts 7h Ac Td", "lose"),
    "WA 27 points with an ace as 1": ("wa-buster", "Ts 6h Ac Td", "win"),
    "WA 31 points": ("wa-buster", "Ts 5h 6c Td", "lose"),
    "WA a blackjack": ("wa-buster", "As Kd", "win"),
    "WA split, one hand of 28": ("wa-buster", "8s 8d Ts Tc 2h 9h | 8s Ts Tc / 8d 2h 9h", "lose"),
    "WA split, 27 and 27": ("wa-buster", "7s 7d Ts Tc Th Kh | 7s Ts Tc / 7d Th Kh", "win"),
}


@pytest.mark.parametrize(("game", "cards", "expected"), PLAYERS.values(), ids=PLAYERS)
def test_the_players_hand_matters_only_where_the_rule_says(
    settle: Settle, game: str, cards: str, expected: str
) -> None:
    (result,) = settle(a_buster_round(BUSTS[3], {1: cards}, game=game))["results"]
    assert result["result"] == expected
    assert result["line"] == ("bust_3" if expected == "win" else "none")


BLACKJACK = "As Kd"
BONUSES = {
    # game, bonus, dealer's cards, player, wager -> bonus
    "NJ (i) B1, 7": ("nj-buster", "B1", 7, BLACKJACK, 500, 100_000),
    "NJ (i) B1, 8": ("nj-buster", "B1", 8, BLACKJACK, 500, 800_000),
    "NJ (i) B1, 9": ("nj-buster", "B1", 9, BLACKJACK, 500, 800_000),
    "NJ (i) B3, 7": ("nj-buster", "B3", 7, BLACKJACK, 500, 100_000),
    "NJ (i) B3, 8": ("nj-buster", "B3", 8, BLACKJACK, 500, 500_000),
    "NJ (h)(iii) B1, 6": ("nj-buster", "B1", 6, BLACKJACK, 500, 0),
    "NJ (h)(ii) $4.99": ("nj-buster", "B1", 8, BLACKJACK, 499, 0),
    "NJ (h)(ii) $5.00": ("nj-buster", "B1", 8, BLACKJACK, 500, 800_000),
    "NJ (h)(ii) $50": ("nj-buster", "B1", 8, BLACKJACK, 5_000, 800_000),
    "NJ (h)(i) ace and ten": ("nj-buster", "B1", 8, "Th Ah", 500, 800_000),
    "NJ (h)(i) ace and jack": ("nj-buster", "B1", 8, "Jh Ac", 500, 800_000),
    "NJ (h)(i) ace and nine": ("nj-buster", "B1", 8, "9h Ac", 500, 0),
    "NJ (h)(i) 21 in three cards": ("nj-buster", "B1", 8, "7h 7c 7d", 500, 0),
    "NJ (h)(i) split aces": ("nj-buster", "B1", 8, "Ah Ac Kd Ks | Ah Kd / Ac Ks", 500, 0),
    "NJ (h) not offered": ("nj-buster", None, 8, BLACKJACK, 500, 0),
    "SD (9)(b) B1, 7": ("sd-buster", "B1", 7, BLACKJACK, 500, 100_000),
    "SD (9)(b) B1, 8": ("sd-buster", "B1", 8, BLACKJACK, 500, 800_000),
    "SD (9)(b) B3, 7": ("sd-buster", "B3", 7, BLACKJACK, 500, 100_000),
    "SD (9)(b) B3, 8": ("sd-buster", "B3", 8, BLACKJACK, 500, 500_000),
    "SD (9)(b) B1, 6": ("sd-buster", "B1", 6, BLACKJACK, 500, 0),
    "SD (9)(a) $4.99": ("sd-buster", "B1", 7, BLACKJACK, 499, 0),
    "WA B1, 8": ("wa-buster", "B1", 8, BLACKJACK, 500, 800_000),
    "WA B1, 7": ("wa-buster", "B1", 7, BLACKJACK, 500, 100_000),
    "WA B1, 6": ("wa-buster", "B1", 6, BLACKJACK, 500, 0),
    "WA B2, 8": ("wa-buster", "B2", 8, BLACKJACK, 500, 800_000),
    "WA B2, 7": ("wa-buster", "B2", 7, BLACKJACK, 500, 100_000),
    "WA B2, 6": ("wa-buster", "B2", 6, BLACKJACK, 500, 4_000),
    "WA B2, 5": ("wa-buster", "B2", 5, BLACKJACK, 500, 0),
    "WA B3, 8": ("wa-buster", "B3", 8, BLACKJACK, 500, 500_000),
    "WA B3, 7": ("wa-buster", "B3", 7, BLACKJACK, 500, 100_000),
    "WA B3, 6": ("wa-buster", "B3", 6, BLACKJACK, 500, 0),
    "WA $4.99, by default": ("wa-buster", "B2", 6, BLACKJACK, 499, 0),
}


@pytest.mark.parametrize(
    ("game", "bonus", "count", "cards", "amount_cents", "bonus_cents"),
    BONUSES.values(),
    ids=BONUSES,
)
def test_the_free_bonus_is_for_a_blackjack_a_long_bust_and_five_dollars(
    settle: Settle,
    game: str,
    bonus: str | None,
    count: int,
    cards: str,
    amount_cents: int,
    bonus_cents: int,
) -> None:
    offered: Request = {"free_bonus": bonus} if bonus else {}
    request = a_buster_round(
        BUSTS[count], {1: cards}, game=game, amount_cents=amount_cents, **offered
    )
    (result,) = settle(request)["results"]
    assert result["bonus_cents"] == bonus_cents


@pytest.mark.parametrize(("amount_cents", "bonus_cents"), [(199, 0), (200, 4_000)])
def test_washington_leaves_the_least_wager_for_the_bonus_to_the_house(
    settle: Settle, amount_cents: int, bonus_cents: int
) -> None:
    request = a_buster_round(
        BUSTS[6],
        {1: BLACKJACK},
        game="wa-buster",
        amount_cents=amount_cents,
        free_bonus="B2",
        free_bonus_min_cents=200,
    )
    assert settle(request)["results"][0]["bonus_cents"] == bonus_cents


def test_washingtons_own_example_pays_1250_dollars(settle: Settle) -> None:
    """The letter of 2014: $5 x 50 + $1000."""
    request = a_buster_round(BUSTS[7], {1: BLACKJACK}, game="wa-buster", free_bonus="B1")
    (result,) = settle(request)["results"]
    assert (result["pay_cents"], result["bonus_cents"]) == (25_000, 100_000)


AMOUNTS = {
    # game, bonus, wager, bet on the hand -> code, or None where it is good
    "NJ (c) the bet on the hand": ("nj-buster", None, 1_000, 1_000, None),
    "NJ (c) one cent more": ("nj-buster", None, 1_001, 1_000, "ABOVE_BASE_WAGER"),
    "NJ (c) $1.00": ("nj-buster", None, 100, 1_000, None),
    "NJ (c) $0.99": ("nj-buster", None, 99, 1_000, "BELOW_MINIMUM"),
    "NJ (b) no bet on the hand": ("nj-buster", None, 100, 0, "NO_BASE_WAGER"),
    "SD (1) no cap without the bonus": ("sd-buster", None, 1_001, 1_000, None),
    "SD (9)(a) the bet on the hand": ("sd-buster", "B1", 1_000, 1_000, None),
    "SD (9)(a) one cent more": ("sd-buster", "B1", 1_001, 1_000, "ABOVE_BASE_WAGER"),
    "SD (9)(a) $4 is a good bet": ("sd-buster", "B1", 400, 1_000, None),
    "SD (1) no bet on the hand": ("sd-buster", None, 100, 0, "NO_BASE_WAGER"),
    "WA the bet on the hand": ("wa-buster", None, 1_000, 1_000, None),
    "WA one cent more": ("wa-buster", None, 1_001, 1_000, "ABOVE_BASE_WAGER"),
    "WA one cent more, with the bonus": ("wa-buster", "B2", 1_001, 1_000, "ABOVE_BASE_WAGER"),
    "WA no bet on the hand": ("wa-buster", None, 100, 0, "NO_BASE_WAGER"),
}


@pytest.mark.parametrize(
    ("game", "bonus", "amount_cents", "base_cents", "code"), AMOUNTS.values(), ids=AMOUNTS
)
def test_the_wager_keeps_to_its_floor_and_its_cap(
    settle: Settle, game: str, bonus: str | None, amount_cents: int, base_cents: int, code: str
) -> None:
    offered: Request = {"free_bonus": bonus} if bonus else {}
    request = a_buster_round(
        BUSTS[3], game=game, amount_cents=amount_cents, base_cents=base_cents, **offered
    )
    assert settle(request).get("error", {"code": None})["code"] == code


HANDS = {
    "the same cards": ("8s 8d 2c 3c | 8s 2c / 8d 3c", None),
    "hands that lack a card": ("8s 8d 2c 3c | 8s 2c / 8d 8d", IMPOSSIBLE),
    "tens of two faces are of equal value": ("Ks Td 2c 3c | Ks 2c / Td 3c", None),
    "two unlike cards are no pair": ("9s 8d 2c 3c | 9s 2c / 8d 3c", IMPOSSIBLE),
    "a card drawn at 22": ("Ts 5d 7c 2c", IMPOSSIBLE),
    "a card drawn at 21": ("Ts 5d 6c 2c", None),
}


@pytest.mark.parametrize(("cards", "code"), HANDS.values(), ids=HANDS)
def test_a_players_hands_are_of_the_cards_he_was_dealt(
    settle: Settle, cards: str, code: str | None
) -> None:
    answer = settle(a_buster_round(BUSTS[3], {1: cards}))
    assert answer.get("error", {"code": None})["code"] == code


@pytest.mark.parametrize(("payment_order", "seats"), [("clockwise", [1, 3, 6]), (None, [6, 3, 1])])
def test_every_buster_wager_is_paid_from_the_dealers_right_unless_told_otherwise(
    settle: Settle, payment_order: str | None, seats: list[int]
) -> None:
    asked: Request = {"payment_order": payment_order} if payment_order else {}
    answer = settle(a_buster_round(BUSTS[5], dict.fromkeys((3, 6, 1), "Ts Th"), **asked))
    assert [result["seat"] for result in answer["results"]] == seats
    assert [result["order"] for result in answer["results"]] == [1, 2, 3]
    assert {result["pay_cents"] for result in answer["results"]} == {2_000}
