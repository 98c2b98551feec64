"""The 101 Casino by hand: Blackjack X, Buster, Jack Magic, the player-dealer's cover, collection.

Each case is worked out from the rule text, whose heading stands in its id, and holds for the
reference model and the product alike.
"""

from itertools import permutations

import pytest

from tests.conformance.builders import BUSTS, a_101_round
from tests.conformance.conftest import Settle
from tests.conformance.model_cards import Request

HANDS = {
    # player, player-dealer -> line, result, cents paid on $10
    "odds: natural": ("As Qd", "Ts 9d", "natural_31", "win", 1_500),
    "odds: natural with a ten": ("Td As", "Ts 9d", "natural_31", "win", 1_500),
    "odds: natural, ace and king unsuited": ("As Kd", "Ts 9d", "natural_31", "win", 1_500),
    "odds: natural, ace and queen suited": ("As Qs", "Ts 9d", "natural_31", "win", 1_500),
    "odds: Blackjack X": ("As Ks", "Ts 9d", "blackjack_x", "win", 2_000),
    "odds: Blackjack X, hearts": ("Kh Ah", "Ts 9d", "blackjack_x", "win", 2_000),
    "odds: hard 31": ("Ts 5d 6c Kd", "Ts 9d", "hard_31", "win", 3_000),
    "odds: hard 31 over a dealer's 21": ("Ts 5d 6c Kd", "Ts 5d 6c", "hard_31", "win", 3_000),
    "odds: hard 31 with an ace as 1": ("Ts Td Ac Kd", "Ts 9d", "hard_31", "win", 3_000),
    "hard: ten, ten and ace are 21": ("Ts Td Ac", "Ts Td", "other", "win", 1_000),
    "odds: 20 over 19": ("Ts Td", "Ts 9d", "other", "win", 1_000),
    "6c: 19 against 20": ("Ts 9d", "Ts Td", "none", "lose", 0),
    "6c: equal totals push": ("Ts 9d", "9s Td", "other", "push", 0),
    "6c: 21 in three pushes 21": ("Ts 5d 6c", "7s 7d 7c", "other", "push", 0),
    "6c: a natural beats 21": ("As Td", "7s 7d 7c", "natural_31", "win", 1_500),
    "6b: 22 loses": ("Ts 5d 7c", "Ts 9d", "none", "lose", 0),
    "6b: 22 loses to a bust": ("Ts 5d 7c", "Ts 6d Kd", "none", "lose", 0),
    "6b: 30 loses to a bust": ("Ts Td Kc", "Ts 6d Kd", "none", "lose", 0),
    "bust: 12 is paid": ("Ts 2d", "Ts 6d Kd", "other", "win", 1_000),
    "bust: a natural is paid its own odds": ("As Td", "Ts 6d Kd", "natural_31", "win", 1_500),
    "5b: two naturals tie": ("As Td", "Ks Ad", "natural_31", "push", 0),
    "5b: Blackjack X ties too": ("As Ks", "Ks Ad", "blackjack_x", "push", 0),
    "5b: a natural beats 20": ("Ts Td", "Ks Ad", "none", "lose", 0),
    "player-dealer hits soft 17": ("Ts 8d", "As 6d 9c Kd", "other", "win", 1_000),
    "player-dealer stands on soft 18": ("Ts 8d", "As 7d", "other", "push", 0),
}


@pytest.mark.parametrize(
    ("player", "dealer", "line", "result", "pay_cents"), HANDS.values(), ids=HANDS
)
def test_a_hand_is_compared_and_paid_by_the_odds(
    settle: Settle, player: str, dealer: str, line: str, result: str, pay_cents: int
) -> None:
    answer = settle(a_101_round(dealer, {1: player}))
    (settled,) = answer["results"]
    assert settled == settled | {
        "order": 1,
        "seat": 1,
        "bet": "base",
        "line": line,
        "result": result,
        "kind": "fixed" if result == "win" else "none",
        "meter": None,
        "share_percent": None,
        "pay_cents": pay_cents,
        "bonus_cents": 0,
        "stake_returned_cents": 0 if result == "lose" else 1_000,
        "collected_cents": 1_000 if result == "lose" else 0,
    }


def test_the_half_cent_of_three_to_two_goes_up(settle: Settle) -> None:
    (result,) = settle(a_101_round("Ts 9d", {1: "As Qd"}, bets={"base": 501}))["results"]
    assert result["pay_cents"] == 752


def by_hand(answer: Request) -> list[tuple[object, ...]]:
    fields = ("bet", "line", "result", "pay_cents", "stake_returned_cents", "collected_cents")
    return [tuple(result[field] for field in fields) for result in answer["results"]]


def test_split_aces_with_a_ten_are_21_at_even_money(settle: Settle) -> None:
    answer = settle(a_101_round("Ts 9d", {1: "As Ad Ks 5c | As Ks / Ad 5c"}))
    assert by_hand(answer) == [
        ("base", "other", "win", 1_000, 1_000, 0),
        ("base", "none", "lose", 0, 0, 1_000),
    ]
    assert [result["hand"] for result in answer["results"]] == [1, 2]
    pushed = settle(a_101_round("7s 7d 7c", {1: "As Ad Ks 5c | As Ks / Ad 5c"}))
    assert by_hand(pushed)[0] == ("base", "other", "push", 0, 1_000, 0)


def test_doubles_surrenders_and_insurance_are_settled_at_their_seat(settle: Settle) -> None:
    request = a_101_round("As 8d", {1: "5s 6d Tc", 2: "Ts 6d", 3: "Ts Td"}, bets={"base": 1_001})
    request["seats"][0]["double_cents"] = [1_000]
    request["seats"][1]["surrendered"] = [True]
    request["seats"][2]["insurance_cents"] = 500
    answer = settle(request)
    assert [result["seat"] for result in answer["results"]] == [1, 2, 3, 3]
    assert by_hand(answer) == [
        ("base", "other", "win", 2_001, 2_001, 0),
        # "Forfeit half": the odd cent goes with it.
        ("base", "none", "lose", 0, 500, 501),
        ("base", "other", "win", 1_001, 1_001, 0),
        ("insurance", "none", "lose", 0, 0, 500),
    ]


def test_insurance_pays_two_to_one_on_the_player_dealers_natural(settle: Settle) -> None:
    request = a_101_round("As Kd", {1: "Ts Td", 2: "Ah Qh"})
    for seat in request["seats"]:
        seat["insurance_cents"] = 500
    answer = settle(request)
    amounts = [row[2:] for row in by_hand(answer)]
    assert amounts == [
        ("lose", 0, 0, 1_000),
        ("win", 1_000, 500, 0),
        ("push", 0, 1_000, 0),
        ("win", 1_000, 500, 0),
    ]


# --- Buster and Jack Magic --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "odds"), [(3, 2), (4, 2), (5, 4), (6, 15), (7, 50), (8, 200), (9, 200)]
)
def test_every_row_of_the_buster_table_pays_to_one(settle: Settle, count: int, odds: int) -> None:
    answer = settle(a_101_round(BUSTS[count], {1: "Ts 9d"}, bets={"buster": 500}))
    line = f"bust_{count}" if count < 8 else "bust_8_or_more"
    assert by_hand(answer) == [("buster", line, "win", 500 * odds, 500, 0)]


@pytest.mark.parametrize("dealer", ["As Kd", "Ts 7d", "As 7d", "7s 7d 7c"])
def test_a_player_dealer_who_does_not_bust_collects_the_buster_bets(
    settle: Settle, dealer: str
) -> None:
    answer = settle(a_101_round(dealer, {1: "Ts 9d"}, bets={"buster": 500}))
    assert by_hand(answer) == [("buster", "none", "lose", 0, 0, 500)]


JACKS = {
    # first two cards, up card -> line, to 1
    "three one-eyed": ("Js Jh", "Js", "three_one_eyed_jacks", 300),
    "three, two of them one-eyed": ("Js Jh", "Jd", "three_jacks", 100),
    "three, none one-eyed": ("Jc Jd", "Jd", "three_jacks", 100),
    "two one-eyed": ("Js Jh", "9d", "two_one_eyed_jacks", 40),
    "two one-eyed, one of them up": ("Js 2h", "Jh", "two_one_eyed_jacks", 40),
    "two, one of them one-eyed": ("Js Jd", "9d", "two_jacks", 10),
    "two, none one-eyed": ("Jc Jd", "9d", "two_jacks", 10),
    "one one-eyed": ("Js 2d", "9d", "one_one_eyed_jack", 3),
    "one one-eyed, up": ("3s 2d", "Jh", "one_one_eyed_jack", 3),
    "one": ("3s Jd", "9d", "one_jack", 1),
    "one, up": ("3s 2d", "Jc", "one_jack", 1),
    "none": ("3s 2d", "9c", "none", 0),
    "the third card never counts": ("3s 2d Js", "9c", "none", 0),
    "the hole card never counts": ("3s 2d", "9c Js", "none", 0),
}


@pytest.mark.parametrize(("player", "dealer", "line", "odds"), JACKS.values(), ids=JACKS)
def test_jack_magic_pays_the_highest_row_of_three_cards(
    settle: Settle, player: str, dealer: str, line: str, odds: int
) -> None:
    answer = settle(a_101_round(dealer, {1: player}, bets={"jack_magic": 500}))
    expected = ("win", 500 * odds, 500, 0) if odds else ("lose", 0, 0, 500)
    assert by_hand(answer) == [("jack_magic", line, *expected)]


# --- cover, order, collection -----------------------------------------------------------------

ALL_BETS = {"base": 1_000, "buster": 500, "jack_magic": 500}


def test_wagers_are_settled_clockwise_in_three_passes(settle: Settle) -> None:
    request = a_101_round("Ts 9d", {2: "Ts 8d", 1: "Ts 8d"}, bets=ALL_BETS)
    for wagers in permutations(request["wagers"], 6):
        answer = settle({**request, "wagers": list(wagers)})
        assert [(result["bet"], result["seat"]) for result in answer["results"]] == [
            ("base", 1), ("base", 2), ("buster", 1), ("buster", 2),
            ("jack_magic", 1), ("jack_magic", 2),
        ]  # fmt: skip
        assert [result["order"] for result in answer["results"]] == [1, 2, 3, 4, 5, 6]


WINS, LOSES, PUSHES = "Ts Td", "Ts 8d", "Ts 9d"  # against 19
COVER = {
    # cover, seats -> (paid, stake returned, collected)
    "enough": (2_000, [WINS, WINS], [(1_000, 1_000, 0), (1_000, 1_000, 0)]),
    "exhausted by the first": (1_000, [WINS, WINS], [(1_000, 1_000, 0), (0, 1_000, 0)]),
    "the second in part": (1_300, [WINS, WINS], [(1_000, 1_000, 0), (300, 1_000, 0)]),
    "may not win more either": (1_300, [LOSES, LOSES], [(0, 0, 1_000), (0, 700, 300)]),
    "losers pay for winners": (
        500, [LOSES, WINS, WINS], [(0, 500, 500), (1_000, 1_000, 0), (0, 1_000, 0)],
    ),
    "a push moves nothing": (
        1_000, [WINS, PUSHES, WINS], [(1_000, 1_000, 0), (0, 1_000, 0), (0, 1_000, 0)],
    ),
    "nothing put up": (0, [WINS, LOSES], [(0, 1_000, 0), (0, 1_000, 0)]),
    "no limit given": (None, [WINS, LOSES], [(1_000, 1_000, 0), (0, 0, 1_000)]),
}  # fmt: skip


@pytest.mark.parametrize(("cover_cents", "hands", "expected"), COVER.values(), ids=COVER)
def test_the_player_dealer_wins_or_loses_no_more_than_he_put_up(
    settle: Settle,
    cover_cents: int | None,
    hands: list[str],
    expected: list[tuple[int, int, int]],
) -> None:
    limit: Request = {} if cover_cents is None else {"player_dealer_wager_cents": cover_cents}
    answer = settle(a_101_round("Ts 9d", dict(enumerate(hands, start=1)), **limit))
    assert [row[3:] for row in by_hand(answer)] == expected
    results = [row[2] for row in by_hand(answer)]
    names = {WINS: "win", LOSES: "lose", PUSHES: "push"}
    assert results == [names[hand] for hand in hands]


def test_base_wagers_come_before_any_bonus_bet_when_the_cover_runs_out(settle: Settle) -> None:
    """Seat 1 would win $10 + $10 on the bust; seat 2's hand is paid before seat 1's Buster bet."""
    request = a_101_round(
        "Ts 6d Kd",
        {1: "Ts 9d", 2: "Ts 9d"},
        bets={"base": 1_000, "buster": 500},
        player_dealer_wager_cents=2_400,
    )
    assert [row[3:] for row in by_hand(settle(request))] == [
        (1_000, 1_000, 0), (1_000, 1_000, 0), (400, 500, 0), (0, 500, 0),
    ]  # fmt: skip


EDGES_CENTS = (500, 10_000, 10_001, 20_000, 20_001, 30_000, 30_001, 60_000, 60_001, 500_000)
RATES_CENTS = {
    1: (150, 150, 350, 350, 450, 450, 650, 650, 950, 950),
    2: (150, 150, 350, 350, 450, 450, 650, 650, 950, 950),
    3: (150, 150, 350, 350, 450, 450, 650, 650, 950, 950),
    4: (150, 150, 400, 400, 500, 500, 700, 700, 1_000, 1_000),
    5: (150, 150, 400, 400, 500, 500, 700, 700, 1_000, 1_000),
    6: (150, 150, 400, 400, 500, 500, 700, 700, 1_000, 1_000),
    7: (150, 150, 450, 450, 550, 550, 750, 750, 1_050, 1_050),
    8: (150, 150, 450, 450, 550, 550, 750, 750, 1_050, 1_050),
    9: (150, 150, 450, 450, 550, 550, 750, 750, 1_050, 1_050),
}
COLLECTIONS = [
    (schedule, action_cents, rate_cents)
    for schedule, rates in RATES_CENTS.items()
    for action_cents, rate_cents in zip(EDGES_CENTS, rates, strict=True)
]


@pytest.mark.parametrize(("schedule", "action_cents", "rate_cents"), COLLECTIONS)
def test_the_collection_is_the_printed_rate_of_the_whole_action(
    settle: Settle, schedule: int, action_cents: int, rate_cents: int
) -> None:
    request = a_101_round(
        "Ts 9d", {1: "Ts Td"}, bets={"base": action_cents}, collection_schedule=schedule
    )
    assert settle(request)["collection"] == {"player_dealer_cents": rate_cents, "player_cents": 0}


def test_bonus_bets_belong_to_the_action_and_doubles_do_not(settle: Settle) -> None:
    bets = {"base": 9_000, "buster": 500, "jack_magic": 500}
    request = a_101_round("Ts 9d", {1: "5s 6d 9c"}, bets=bets, collection_schedule=1)
    request["seats"][0]["double_cents"] = [9_000]
    assert settle(request)["collection"]["player_dealer_cents"] == 150
    request["wagers"][2]["amount_cents"] = 550
    assert settle(request)["collection"]["player_dealer_cents"] == 350


REFUSALS = {
    "collection: action of $4.99": (
        {"dealer": "Ts 9d", "bets": {"base": 499}, "collection_schedule": 1}, "BELOW_MINIMUM",
    ),
    "collection: no schedule 10": ({"dealer": "Ts 9d", "collection_schedule": 10}, "BAD_MESSAGE"),
    "Buster above the game wager": (
        {"dealer": "Ts 9d", "bets": {"base": 1_000, "buster": 1_001}}, "ABOVE_BASE_WAGER",
    ),
    "Buster, hand not completed": (
        {"dealer": "Ts 6d", "bets": {"buster": 500}}, "INCOMPLETE_CARDS",
    ),
    "base, hand not completed": ({"dealer": "As 6d"}, "INCOMPLETE_CARDS"),
    "base, drew on hard 17": ({"dealer": "Ts 7d 2c"}, "IMPOSSIBLE_CARDS"),
    "Jack Magic without an up card": (
        {"dealer": "", "bets": {"jack_magic": 500}}, "INCOMPLETE_CARDS",
    ),
    "natural, a hole card under an ace": (
        {"dealer": "As", "texts": {1: "Ah Td"}}, "INCOMPLETE_CARDS",
    ),
    "a bet of another game": ({"dealer": "Ts 9d", "bets": {"blazing7": 500}}, "UNKNOWN_BET"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "code"), REFUSALS.values(), ids=REFUSALS)
def test_what_the_rule_does_not_allow_is_refused(
    settle: Settle, changes: Request, code: str
) -> None:
    table: Request = {"texts": {1: "Ts Td"}} | changes
    request = a_101_round(**table)
    assert settle(request)["error"]["code"] == code


DECISIONS = {
    # dealer, player, decisions -> code, or None where the rule allows it
    "double: any two cards": ("Ts 9d", "Ts 2d 4c", {"double_cents": [1_000]}, None),
    "double: for less": ("Ts 9d", "Ts 2d 4c", {"double_cents": [1]}, None),
    "double: for more": ("Ts 9d", "Ts 2d 4c", {"double_cents": [1_001]}, "ABOVE_BASE_WAGER"),
    "double: no card": ("Ts 9d", "Ts 2d", {"double_cents": [1_000]}, "IMPOSSIBLE_CARDS"),
    "double: two cards": ("Ts 9d", "Ts 2d 2c 2d", {"double_cents": [500]}, "IMPOSSIBLE_CARDS"),
    "double: a natural": ("Ts 9d", "As Td", {"double_cents": [1_000]}, "IMPOSSIBLE_CARDS"),
    "double: after the split": (
        "Ts 9d", "8s 8d 2c 9c 3c | 8s 2c 9c / 8d 3c", {"double_cents": [1_000, 0]}, None,
    ),
    "natural: the player must stand": ("Ts 9d", "As Kd 5c", {}, "IMPOSSIBLE_CARDS"),
    "surrender: two cards": ("Ts 9d", "Ts 6d", {"surrendered": [True]}, None),
    "surrender: after a hit": ("Ts 9d", "Ts 2d 2c", {"surrendered": [True]}, "IMPOSSIBLE_CARDS"),
    "surrender: a natural": ("Ts 9d", "As Td", {"surrendered": [True]}, "IMPOSSIBLE_CARDS"),
    "surrender: after the split": (
        "Ts 9d", "8s 8d 2c 3c | 8s 2c / 8d 3c", {"surrendered": [False, True]}, None,
    ),
    "insurance: half": ("As 9d", "Ts 6d 2c", {"insurance_cents": 500}, None),
    "insurance: above half": (
        "As 9d", "Ts 6d 2c", {"insurance_cents": 501}, "ABOVE_BASE_WAGER",
    ),
    "insurance: one percent": ("As 9d", "Ts 6d 2c", {"insurance_cents": 10}, None),
    "insurance: below one percent": (
        "As 9d", "Ts 6d 2c", {"insurance_cents": 9}, "BELOW_MINIMUM",
    ),
    "insurance: no ace up": ("Ts 9d", "Ts 6d", {"insurance_cents": 500}, "IMPOSSIBLE_CARDS"),
    "split: four hands": (
        "Ts 9d", "8s 8d 8c 8h 2c 2d 2h 2s | 8s 2c / 8d 2d / 8c 2h / 8h 2s", {}, None,
    ),
    "split: five hands": (
        "Ts 9d", "8s 8d 8c 8h 8s 2c 2d 2h 2s 3s | 8s 2c / 8d 2d / 8c 2h / 8h 2s / 8s 3s", {},
        "IMPOSSIBLE_CARDS",
    ),
    "split: a pair left together": (
        "Ts 9d", "8s 8d 2c 3c | 8s 8d / 2c 3c", {}, "IMPOSSIBLE_CARDS",
    ),
    "split: a third hand of other cards": (
        "Ts 9d", "8s 8d 2c 3c 4c 5c | 8s 2c / 8d 3c / 4c 5c", {}, "IMPOSSIBLE_CARDS",
    ),
    "split: aces twice": (
        "Ts 9d", "As Ad Ac 2c 3c 4c | As 2c / Ad 3c / Ac 4c", {}, "IMPOSSIBLE_CARDS",
    ),
    "split: aces hit": ("Ts 9d", "As Ad 2c 3c 4c | As 2c 3c / Ad 4c", {}, "IMPOSSIBLE_CARDS"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("dealer", "player", "decisions", "code"), DECISIONS.values(), ids=DECISIONS
)
def test_a_player_decides_within_the_player_options(
    settle: Settle, dealer: str, player: str, decisions: Request, code: str | None
) -> None:
    request = a_101_round(dealer, {1: player})
    request["seats"][0] |= decisions
    assert settle(request).get("error", {"code": None})["code"] == code


DEALER_NOT_NEEDED = {
    "6b: a hand over 21 has lost": ("Ts 5d 7c", "6c 9d", "lose"),
    "5b: a natural against two cards that are none": ("As Kd", "6c 9d", "win"),
    "6a: hard 31 against a hand that is no natural": ("Ts 5d 6c Kd", "As 5d", "win"),
}


@pytest.mark.parametrize(
    ("player", "dealer", "result"), DEALER_NOT_NEEDED.values(), ids=DEALER_NOT_NEEDED
)
def test_a_hand_that_is_decided_needs_no_more_of_the_player_dealers_cards(
    settle: Settle, player: str, dealer: str, result: str
) -> None:
    assert settle(a_101_round(dealer, {1: player}))["results"][0]["result"] == result
