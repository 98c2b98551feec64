"""`progressive settle` as a function: a request's options, wagers and cards, and the result."""

import json
from itertools import permutations
from typing import Any

import pytest

from progressive.application.settle_tool.request import LINE_BYTES_MAX, RULES_KEPT_MAX, Settler
from tests.support.hands import BUSTS, games

Json = dict[str, Any]

SETTLER = Settler(games())


def wager(bet: str, amount_cents: int = 500, *, seat: int = 1, base_cents: int = 2_500) -> Json:
    return {"seat": seat, "bet": bet, "amount_cents": amount_cents, "base_cents": base_cents}


def seat(dealt: str, *hands: str, number: int = 1, **played: object) -> Json:
    split = {"hands": [hand.split() for hand in hands]} if hands else {}
    return {"seat": number, "cards": dealt.split(), **split, **played}


def request(game: str, paytable: str, bet: str, /, **changes: object) -> Json:
    """One wager of $5 at seat 1; `dealer` is written as cards."""
    dealer = str(changes.pop("dealer", "Ts 7h"))
    return {
        "game": game,
        "paytable": paytable,
        "decks": 6,
        "wagers": [wager(bet)],
        "seats": [seat("9s 8h")],
        "dealer": {"cards": dealer.split()},
        **changes,
    }


def blazing(**changes: object) -> Json:
    return request("nj-blazing-7s", "3", "blazing7", **changes)


def buster(**changes: object) -> Json:
    return request("nj-buster", "A", "buster", **changes)


def table_101(**changes: object) -> Json:
    return request("ca-101-blackjack-x", "101", "base", **changes)


def settled(asked: Json) -> Json:
    answer: Json = json.loads(SETTLER.settle_line(json.dumps(asked).encode()))
    assert "error" not in answer, answer
    return answer


def refused(asked: Json) -> tuple[str, str]:
    answer: Json = json.loads(SETTLER.settle_line(json.dumps(asked).encode()))
    assert set(answer) == {"error"}, answer
    return answer["error"]["code"], answer["error"]["message"]


def a_meter(primary_cents: int, *, reset_meter_cents: int = 0, reset_cents: int = 0) -> Json:
    return {
        "primary_cents": primary_cents,
        "reset_meter_cents": reset_meter_cents,
        "reset_cents": reset_cents,
    }


# --- the whole result -------------------------------------------------------------------------


def test_result_is_the_one_of_the_contract() -> None:
    asked = blazing(
        seats=[seat("7d 7d 7d")],
        meters={
            "mega": a_meter(10_000_000, reset_meter_cents=5, reset_cents=2_500_000),
            "major": a_meter(1),
        },
        rates_ppm={"mega": {"primary": 120_001, "reset": 10_000}},
    )
    assert settled(asked) == {
        "results": [
            {
                "order": 1,
                "seat": 1,
                "bet": "blazing7",
                "line": "three_7_diamonds",
                "result": "win",
                "kind": "meter",
                "meter": "mega",
                "share_percent": 100,
                # 2.28(b): this round's wager is on the meter that it wins.
                "pay_cents": 10_000_060,
                "bonus_cents": 0,
                "stake_returned_cents": 0,
                "collected_cents": 500,
                "meter_before_cents": 10_000_060,
                "meter_after_cents": 2_500_010,
            }
        ],
        "meters": {
            "mega": {
                "primary_cents": 2_500_010,
                "reset_meter_cents": 0,
                "reset_cents": 2_500_000,
                "primary_microcents": 2_500_010_000_500,
                "reset_meter_microcents": 0,
            },
            "major": {
                "primary_cents": 1,
                "reset_meter_cents": 0,
                "reset_cents": 0,
                "primary_microcents": 1_000_000,
                "reset_meter_microcents": 0,
            },
        },
        "dealer": {
            "cards": ["Ts", "7h"],
            "count": 2,
            "total": 17,
            "soft": False,
            "bust": False,
            "blackjack": False,
        },
        "collection": None,
    }


def test_lost_bet_has_no_line() -> None:
    (row,) = settled(buster())["results"]
    assert row == {
        "order": 1,
        "seat": 1,
        "bet": "buster",
        "line": "none",
        "result": "lose",
        "kind": "none",
        "meter": None,
        "share_percent": None,
        "pay_cents": 0,
        "bonus_cents": 0,
        "stake_returned_cents": 0,
        "collected_cents": 500,
    }


def test_bonus_comes_on_top_of_the_line() -> None:
    # WA: "$5 x 50 + $1000 = $1250".
    asked = request(
        *("wa-buster", "WA", "buster"), seats=[seat("As Kh")], dealer=BUSTS[7], free_bonus="B1"
    )
    (row,) = settled(asked)["results"]
    assert (row["pay_cents"], row["bonus_cents"]) == (25_000, 100_000)
    assert (row["stake_returned_cents"], row["collected_cents"]) == (500, 0)


@pytest.mark.parametrize(("amount_cents", "bonus_cents"), [(499, 0), (500, 100_000)])
@pytest.mark.parametrize(
    ("game", "paytable"), [("nj-buster", "A"), ("sd-buster", "A"), ("wa-buster", "WA")]
)
def test_bonus_is_earned_from_five_dollars_unless_told(
    game: str, paytable: str, amount_cents: int, bonus_cents: int
) -> None:
    # 2.30(h)(ii), SD (9)(a), and what Washington recommends.
    asked = request(
        *(game, paytable, "buster"),
        wagers=[wager("buster", amount_cents)],
        seats=[seat("As Kh")],
        dealer=BUSTS[7],
        free_bonus="B1",
    )
    assert settled(asked)["results"][0]["bonus_cents"] == bonus_cents


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (blazing(dealer=""), (0, 0, False, False, False)),
        (blazing(dealer="As"), (1, 11, True, False, False)),
        (blazing(dealer="As Kh"), (2, 21, True, False, True)),
        (buster(dealer=BUSTS[5]), (5, 26, False, True, False)),
        # 101: a natural is 31 there.
        (table_101(dealer="As Kh"), (2, 31, True, False, True)),
        (table_101(dealer="As 8h"), (2, 19, True, False, False)),
    ],
)
def test_dealers_hand_is_counted(asked: Json, expected: tuple[object, ...]) -> None:
    hand = settled(asked)["dealer"]
    assert tuple(hand[key] for key in ("count", "total", "soft", "bust", "blackjack")) == expected


def test_round_nobody_bet_on_has_no_results() -> None:
    assert settled(blazing(wagers=[], seats=[]))["results"] == []


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (blazing(game="nj-blazing-8s"), "game: no game 'nj-blazing-8s'"),
        (blazing(game="Nj-blazing-7s"), "game: no game"),
        (blazing(game="nj-blazing-7s\u0000"), "game: no game"),
        (blazing(paytable="4"), "paytable: nj-blazing-7s has no paytable '4': 1, 2, 3"),
        (blazing(paytable="٣"), "paytable: "),
        (buster(paytable="G"), "paytable: "),
        (buster(paytable="a"), "paytable: "),
        # 2.2(a)4: six or eight; elsewhere one to eight.
        (blazing(decks=7), "decks: 7 is not 6 or 8 (N.J.A.C. 13:69F-2.2(a)4)"),
        (blazing(decks=-6), "decks: "),
        (buster(decks=9), "decks: "),
        (buster(decks=0), "decks: "),
        (blazing(dealing_option=3), "dealing_option: 3 is not 1 or 2"),
        (blazing(dealing_option=0), "dealing_option: 0 is not 1 or 2"),
        (buster(dealing_option=1), "dealing_option: nj-buster has none"),
        # 2.30(f)3 and 101 have the dealer hit a soft 17.
        (buster(soft17="stand"), 'soft17: "stand" is not "hit" (N.J.A.C. 13:69F-2.30(f)3)'),
        (table_101(soft17="stand"), "soft17: "),
        (buster(payment_order="equal_share"), "payment_order: "),
        (table_101(payment_order="counter_clockwise"), "payment_order: "),
        # There is no B2 outside Washington, and no bonus outside Buster.
        (buster(free_bonus="B2"), "free_bonus: buster has no 'B2': B1, B3"),
        (blazing(free_bonus="B1"), "free_bonus: nj-blazing-7s has none"),
        (table_101(free_bonus="B1"), "free_bonus: ca-101-blackjack-x has none"),
        (buster(free_bonus_min_cents=500), "free_bonus_min_cents: not wanted"),
        (buster(free_bonus="B1", free_bonus_min_cents=499), "free_bonus_min_cents: 499 is not 500"),
        (buster(lammers="before_deal"), "lammers: nj-buster knows none"),
        (buster(player_dealer_wager_cents=1), "nj-buster has no player-dealer"),
        (buster(collection_schedule=1), "nj-buster has no player-dealer"),
        (
            buster(bank={"seat": 1, "rounds_banked": 1, "seats": [1]}),
            "nj-buster has no player-dealer",
        ),
        (table_101(collection_schedule=10), "collection_schedule: 10 is none of 1, 2, 3"),
        (table_101(collection_schedule=0), "collection_schedule: 0 is none of"),
        (blazing(meters={"progressive": a_meter(1)}), "meters: no meter 'progressive'"),
        (buster(meters={"mega": a_meter(1)}), "meters: no meter 'mega': paytable A has none"),
        (
            blazing(rates_ppm={"mega": {"primary": 1}}),
            "rates_ppm: 'mega' is not among the meters given",
        ),
        (
            blazing(meters={"mega": a_meter(1)}, rates_ppm={"grand": {"primary": 1}}),
            "rates_ppm: no meter 'grand'",
        ),
    ],
)
def test_option_that_the_game_lacks_is_refused(asked: Json, told: str) -> None:
    code, message = refused(asked)
    assert code == "BAD_MESSAGE"
    assert message.startswith(told)


@pytest.mark.parametrize(
    "changes",
    [
        {"decks": 6.0},
        {"decks": True},
        {"decks": "6"},
        {"decks": None},
        {"dealing_option": True},
        {"dealing_option": 1.0},
        {"dealer_procedure": "peek"},
        {"soft17": "HIT"},
        {"payment_order": "widdershins"},
        {"award_rounding": "half_even"},
        {"wagers": None},
        {"wagers": {}},
        {"wagers": [wager("blazing7")] * 257},
        {"wagers": [{"seat": 1, "bet": "blazing7", "amount_cents": 500.0, "base_cents": 1}]},
        {"wagers": [{"seat": True, "bet": "blazing7", "amount_cents": 500, "base_cents": 1}]},
        {"wagers": [{"seat": 1, "bet": "blazing7", "amount_cents": 10**11 + 1}]},
        {"wagers": [{"seat": 1, "bet": "blazing7", "amount_cents": -500}]},
        {"wagers": [{"seat": 1, "bet": "blazing7", "amount_cents": 10**400}]},
        {"wagers": [{"seat": 1, "bet": 7, "amount_cents": 500}]},
        {"wagers": [{"seat": 1, "bet": "blazing7"}]},
        {"seats": [{"seat": 1, "cards": "7d7d"}]},
        {"seats": [{"seat": 1, "cards": ["2s"] * 65}]},
        {"seats": [{"seat": 1, "cards": ["2s", "3s"], "hand": []}]},
        {"dealer": ["As"]},
        {"meters": {"mega": {}}},
        {"meters": {"mega": {"primary_cents": 0.5}}},
        {"meters": {"mega": {"primary_cents": -1}}},
        {"rates_ppm": {"mega": {"primary": 1_000_001}}},
        {"rates_ppm": {"mega": {"primary": 0.12}}},
        {"bank": {"seat": 0, "rounds_banked": 1, "seats": []}},
        {"surprise": 1},
    ],
)
def test_value_of_another_kind_is_refused(changes: Json) -> None:
    assert refused(blazing() | changes)[0] == "BAD_MESSAGE"


def test_defaults_are_option_1_no_peek_and_the_games_first_soft_17() -> None:
    three = blazing(seats=[seat("7d 7d 7s")], dealer="As Kh")
    plain = settled(three)
    assert plain["results"][0]["line"] == "three_7_mixed"
    assert plain == settled(
        three
        | {
            "dealing_option": 1,
            "dealer_procedure": "no_peek",
            "payment_order": "counter_clockwise",
            "award_rounding": "nearest",
        }
    )
    for game, paytable in (("sd-buster", "A"), ("wa-buster", "WA"), ("nj-buster", "A")):
        soft = request(game, paytable, "buster", dealer="As 6h")
        assert refused(soft)[0] == "INCOMPLETE_CARDS"
        assert settled(soft | {"dealer": {"cards": ["As", "6h", "4d"]}, "soft17": "hit"})
    assert settled(request("sd-buster", "A", "buster", dealer="As 6h", soft17="stand"))


def test_options_of_one_request_have_no_bearing_on_the_next() -> None:
    three = blazing(seats=[seat("7d 7d 7s")], dealer="As Kh")
    found = [
        settled(three | {"dealer_procedure": procedure})["results"][0]["line"]
        for procedure in ("no_peek", "card_reader", "hole_face_up", "no_peek")
    ]
    assert found == ["three_7_mixed", "two_7", "two_7", "three_7_mixed"]


def test_rules_that_are_kept_ready_do_not_pile_up() -> None:
    settler = Settler(games())
    asked = request("wa-buster", "WA", "buster", free_bonus="B1")
    for least_cents in range(RULES_KEPT_MAX + 10):
        line = json.dumps(asked | {"free_bonus_min_cents": least_cents}).encode()
        assert b"error" not in settler.settle_line(line)
    assert len(settler._rules) <= RULES_KEPT_MAX


# --- wagers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (blazing(wagers=[wager("blazing7", seat=0)]), "UNKNOWN_SEAT"),
        (blazing(wagers=[wager("blazing7", seat=16)]), "UNKNOWN_SEAT"),
        (blazing(wagers=[wager("buster")]), "UNKNOWN_BET"),
        (blazing(wagers=[wager("blazing7 ")]), "UNKNOWN_BET"),
        (table_101(wagers=[wager("insurance")]), "UNKNOWN_BET"),
        (blazing(wagers=[wager("blazing7"), wager("blazing7")]), "DUPLICATE_WAGER"),
        # 2.28(f): only beside a blackjack wager.
        (blazing(wagers=[wager("blazing7", base_cents=0)]), "NO_BASE_WAGER"),
        (buster(wagers=[wager("buster", base_cents=0)]), "NO_BASE_WAGER"),
        (table_101(wagers=[wager("jack_magic", base_cents=0)]), "NO_BASE_WAGER"),
        # 2.28(b), 2.3(m): $1 or $5, one of them at a table.
        (blazing(wagers=[wager("blazing7", 200)]), "WRONG_AMOUNT"),
        (blazing(wagers=[wager("blazing7", 0)]), "WRONG_AMOUNT"),
        (blazing(wagers=[wager("blazing7", 501)]), "WRONG_AMOUNT"),
        (blazing(wagers=[wager("blazing7", 100), wager("blazing7", seat=2)]), "WRONG_AMOUNT"),
        # 2.30(c): "at least $1.00, but shall not exceed ... the player's wager".
        (buster(wagers=[wager("buster", 99)]), "BELOW_MINIMUM"),
        (buster(wagers=[wager("buster", 501, base_cents=500)]), "ABOVE_BASE_WAGER"),
        (
            request("wa-buster", "WA", "buster", wagers=[wager("buster", 501, base_cents=500)]),
            "ABOVE_BASE_WAGER",
        ),
        (table_101(wagers=[wager("buster", 501, base_cents=500)]), "ABOVE_BASE_WAGER"),
        # The base wager on the table counts, not what is said beside the other.
        (table_101(wagers=[wager("base", 500), wager("buster", 501)]), "ABOVE_BASE_WAGER"),
        (table_101(wagers=[wager("base", 0)]), "BELOW_MINIMUM"),
        (request("sd-buster", "A", "buster", wagers=[wager("buster", 0)]), "BELOW_MINIMUM"),
        # SD (9)(a): the cap stands where the bonus is offered.
        (
            request(
                *("sd-buster", "A", "buster"),
                wagers=[wager("buster", 501, base_cents=500)],
                free_bonus="B1",
            ),
            "ABOVE_BASE_WAGER",
        ),
    ],
)
def test_wager_that_the_text_does_not_take_is_refused(asked: Json, code: str) -> None:
    assert refused(asked)[0] == code


@pytest.mark.parametrize(
    "asked",
    [
        blazing(wagers=[wager("blazing7", 100)]),
        blazing(wagers=[wager("blazing7") | {"tender": "coupon"}]),
        # Nothing caps Blazing 7's or Jack Magic by the base wager.
        blazing(wagers=[wager("blazing7", base_cents=1)]),
        table_101(wagers=[wager("jack_magic", 50_000, base_cents=500)]),
        buster(wagers=[wager("buster", 100, base_cents=100)]),
        buster(wagers=[wager("buster", 500, base_cents=500)]),
        # SD (1) has neither a cap nor a least wager; $4.99 earns no bonus but is a good bet.
        request("sd-buster", "A", "buster", wagers=[wager("buster", 501, base_cents=500)]),
        request("sd-buster", "A", "buster", wagers=[wager("buster", 1)]),
        request("sd-buster", "A", "buster", wagers=[wager("buster", 499)], free_bonus="B1"),
        request("wa-buster", "WA", "buster", wagers=[wager("buster", 1)]),
        # 101: a base wager at the seat serves as one.
        table_101(wagers=[wager("base", 500, base_cents=0), wager("buster", 500, base_cents=0)]),
        buster(wagers=[wager("buster", 10**11, base_cents=10**11)]),
    ],
)
def test_wager_that_the_text_takes_is_settled(asked: Json) -> None:
    assert settled(asked)["results"]


# --- cards ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (blazing(seats=[seat("7d 10d")]), "BAD_CARD"),
        (blazing(dealer="7d Xs"), "BAD_CARD"),
        (blazing(seats=[seat("7d 7d"), seat("2s 3s", number=2)]), "NOT_WAGERED"),
        (blazing(seats=[seat("7d 7d"), seat("7d 7d")]), "BAD_MESSAGE"),
        (blazing(seats=[seat("7d 7d", number=16)]), "UNKNOWN_SEAT"),
        (blazing(seats=[]), "INCOMPLETE_CARDS"),
        (blazing(seats=[seat("7d")]), "INCOMPLETE_CARDS"),
        # The seventh copy of a card in six decks.
        (blazing(seats=[seat("2d 2d 2d 2d 2d 2d 2d")]), "IMPOSSIBLE_CARDS"),
        (blazing(seats=[seat("2d 2d 2d 2d 2d 2d")], dealer="2d"), "IMPOSSIBLE_CARDS"),
        (buster(decks=1, seats=[seat("2s 3s")], dealer="2s Th 6d"), "IMPOSSIBLE_CARDS"),
        (blazing(dealing_option=2, dealer=""), "INCOMPLETE_CARDS"),
        (
            blazing(seats=[seat("7d 7d 7d")], dealer="As", dealer_procedure="card_reader"),
            "INCOMPLETE_CARDS",
        ),
        (buster(dealer=""), "INCOMPLETE_CARDS"),
        (buster(dealer="Ts"), "INCOMPLETE_CARDS"),
        (buster(dealer="Ts 6h"), "INCOMPLETE_CARDS"),
        (buster(dealer="Ts 7h 5d"), "IMPOSSIBLE_CARDS"),
        (blazing(dealer="Ts 7h 5d"), "IMPOSSIBLE_CARDS"),
        # 2.30(f)3: the hand is completed though the player has busted.
        (buster(seats=[seat("Ts 6h 6d")], dealer="Ts 6h"), "INCOMPLETE_CARDS"),
        (table_101(dealer="Ts"), "INCOMPLETE_CARDS"),
        (table_101(dealer="Ts 6h"), "INCOMPLETE_CARDS"),
        (table_101(wagers=[wager("jack_magic")], dealer=""), "INCOMPLETE_CARDS"),
        # One open bet is enough, whatever is listed after it.
        (
            table_101(wagers=[wager("buster"), wager("jack_magic")], dealer="Ts 6h"),
            "INCOMPLETE_CARDS",
        ),
        (
            table_101(
                wagers=[wager("base"), wager("base", seat=2)],
                seats=[seat("9s 8h"), seat("As Kd", number=2)],
                dealer="Ts 6h",
            ),
            "INCOMPLETE_CARDS",
        ),
        # Who doubles, surrenders or insures has a base wager.
        (
            table_101(
                wagers=[wager("jack_magic")],
                seats=[seat("Ts 9d", insurance_cents=100)],
                dealer="As",
            ),
            "BAD_MESSAGE",
        ),
        (blazing(seats=[seat("7d 7d", surrendered=[True])]), "BAD_MESSAGE"),
        (table_101(seats=[seat("Ts 9d", double_cents=[500])]), "IMPOSSIBLE_CARDS"),
    ],
)
def test_cards_that_cannot_be_are_refused(asked: Json, code: str) -> None:
    assert refused(asked)[0] == code


@pytest.mark.parametrize(
    "asked",
    [
        # The sixth copy of a card in six decks.
        blazing(seats=[seat("2d 2d 2d 2d 2d")], dealer="2d"),
        # Only what the bets depend on need be given.
        blazing(dealer=""),
        table_101(wagers=[wager("jack_magic")], dealer="Js"),
        table_101(seats=[seat("Ts 6h 6d")], dealer="Ts 6h"),
        table_101(seats=[seat("As Kd")], dealer="Ts 6h"),
        table_101(seats=[seat("Ts 9d")], dealer="As Kd"),
        table_101(seats=[seat("Ts 6d", surrendered=[True])], dealer="Ts 6h"),
    ],
)
def test_cards_that_tell_enough_are_settled(asked: Json) -> None:
    assert settled(asked)["results"]


# --- meters -----------------------------------------------------------------------------------


def test_meter_that_is_won_must_be_given() -> None:
    code, message = refused(blazing(seats=[seat("7d 7d 7d")], meters={"minor": a_meter(1)}))
    assert (code, message) == ("BAD_MESSAGE", "meters: seat 1 wins mega, which is not given")
    # Nobody wins it: it may be left out.
    assert settled(blazing(meters={"minor": a_meter(1)}))["meters"].keys() == {"minor"}


def test_all_wagers_are_registered_before_anybody_is_paid() -> None:
    # 2.28(b); seat 3's wager is on the meter that seat 7 wins.
    asked = blazing(
        paytable="1",
        wagers=[wager("blazing7", seat=number) for number in (3, 7)],
        seats=[seat("2s 3s", number=3), seat("7c 7c 7c", number=7)],
        meters={"progressive": a_meter(200_000, reset_cents=200_000)},
        rates_ppm={"progressive": {"primary": 190_000, "reset": 10_001}},
    )
    answer = settled(asked)
    assert answer["results"][0]["pay_cents"] == 200_000 + 190
    after = answer["meters"]["progressive"]
    assert (after["primary_cents"], after["primary_microcents"]) == (200_010, 200_010_001_000)


@pytest.mark.parametrize("wagers", list(permutations((2, 5, 6))))
def test_winners_are_paid_in_seat_order_however_they_are_listed(wagers: tuple[int, ...]) -> None:
    asked = blazing(
        paytable="1",
        wagers=[wager("blazing7", seat=number) for number in wagers],
        seats=[
            seat("7d 7d 7d", number=2),
            seat("7d 7h 7d", number=5),
            seat("7s 7s 7s", number=6),
        ],
        meters={"progressive": a_meter(1_000_000, reset_meter_cents=1, reset_cents=200_000)},
    )
    rows = settled(asked)["results"]
    assert [(row["order"], row["seat"], row["pay_cents"]) for row in rows] == [
        (1, 6, 1_000_000),
        # 10 percent of $2,000.01, half a cent rounded away.
        (2, 5, 20_000),
        (3, 2, 180_001),
    ]
    shared = settled(asked | {"payment_order": "equal_share"})
    assert [row["pay_cents"] for row in shared["results"]] == [476_190, 47_619, 476_190]
    assert shared["meters"]["progressive"]["primary_cents"] == 200_000 + 1 + 1
    clockwise = settled(asked | {"payment_order": "clockwise"})
    assert [row["pay_cents"] for row in clockwise["results"]] == [1_000_000, 20_000, 180_001]


@pytest.mark.parametrize(("rounding", "cents"), [("nearest", 11), ("down", 10), ("up", 11)])
def test_award_rounding_is_the_houses_to_choose(rounding: str, cents: int) -> None:
    asked = blazing(
        paytable="1",
        seats=[seat("7d 7h 7d")],
        meters={"progressive": a_meter(105)},
        award_rounding=rounding,
    )
    assert settled(asked)["results"][0]["pay_cents"] == cents
    # One reading of the meter has its own way: whole cents, the odd ones stay.
    shared = settled(asked | {"payment_order": "equal_share"})
    assert shared["results"][0]["pay_cents"] == 10


# --- The 101 Casino ---------------------------------------------------------------------------


def test_whole_table_is_settled_bet_by_bet_clockwise() -> None:
    # "Beginning with each player's base game wager, then each player's Buster ... Bet".
    asked = table_101(
        wagers=[
            wager(bet, seat=number, base_cents=0)
            for number in (4, 1)
            for bet in ("jack_magic", "buster", "base")
        ],
        seats=[
            seat("8s 8h Td 9c", "8s Td", "8h 9c", number=1),
            seat("9s 8h", number=4, insurance_cents=250),
        ],
        dealer="As 7h",
    )
    rows = settled(asked)["results"]
    assert [(row["order"], row["seat"], row["bet"], row.get("hand")) for row in rows] == [
        (1, 1, "base", 1),
        (2, 1, "base", 2),
        (3, 4, "base", None),
        (4, 4, "insurance", None),
        (5, 1, "buster", None),
        (6, 4, "buster", None),
        (7, 1, "jack_magic", None),
        (8, 4, "jack_magic", None),
    ]


def test_coverage_runs_through_all_passes_in_order() -> None:
    asked = table_101(
        wagers=[wager("base", 1_000), wager("base", 1_000, seat=2), wager("buster", 500)],
        seats=[seat("Ts 9h"), seat("Ts 6h 6d", number=2)],
        dealer="Ts 6h Kd",
        player_dealer_wager_cents=1_000,
    )
    rows = settled(asked)["results"]
    # Seat 1 wins all there is, seat 2's loss brings it back, seat 1's Buster pays from that.
    found = [
        (row["pay_cents"], row["stake_returned_cents"], row["collected_cents"]) for row in rows
    ]
    assert found == [(1_000, 1_000, 0), (0, 0, 1_000), (1_000, 500, 0)]
    short = settled(asked | {"player_dealer_wager_cents": 900})["results"]
    found = [
        (row["pay_cents"], row["stake_returned_cents"], row["collected_cents"]) for row in short
    ]
    assert found == [(900, 1_000, 0), (0, 0, 1_000), (1_000, 500, 0)]
    assert [row["result"] for row in short] == ["win", "lose", "win"]


def test_insurance_and_surrender_are_covered_at_their_place() -> None:
    asked = table_101(
        wagers=[wager("base", 1_000), wager("base", 1_000, seat=2)],
        seats=[
            seat("Ts 9h", insurance_cents=500),
            seat("Ts 6h", number=2, surrendered=[True]),
        ],
        dealer="As Kd",
        player_dealer_wager_cents=1_200,
    )
    rows = settled(asked)["results"]
    # Up 1000, insurance takes it back, the surrendered half is won.
    assert [(row["bet"], row["pay_cents"], row["collected_cents"]) for row in rows] == [
        ("base", 0, 1_000),
        ("insurance", 1_000, 0),
        ("base", 0, 500),
    ]


RATES = {
    **dict.fromkeys((1, 2, 3), (150, 350, 450, 650, 950)),
    **dict.fromkeys((4, 5, 6), (150, 400, 500, 700, 1_000)),
    **dict.fromkeys((7, 8, 9), (150, 450, 550, 750, 1_050)),
}
ACTION = {
    # Dollars and cents of action, and the band: between two printed ones the higher.
    500: 0,
    10_000: 0,
    10_001: 1,
    10_050: 1,
    10_100: 1,
    20_000: 1,
    20_001: 2,
    20_100: 2,
    30_000: 2,
    30_001: 3,
    30_100: 3,
    60_000: 3,
    60_001: 4,
    60_100: 4,
    1_000_000: 4,
}


@pytest.mark.parametrize("schedule", list(RATES))
@pytest.mark.parametrize(("action_cents", "band"), ACTION.items())
def test_collection_is_the_posted_rate_of_the_action(
    schedule: int, action_cents: int, band: int
) -> None:
    asked = table_101(wagers=[wager("base", action_cents)], collection_schedule=schedule)
    assert settled(asked)["collection"] == {
        "player_dealer_cents": RATES[schedule][band],
        "player_cents": 0,
    }


def test_collection_is_taken_on_every_wager_down_before_the_deal() -> None:
    # Bonus bets with them; a double and an insurance come later.
    asked = table_101(
        wagers=[wager("base", 9_000), wager("buster", 500), wager("jack_magic", 501)],
        seats=[seat("5s 6h Td", double_cents=[9_000], insurance_cents=4_500)],
        dealer="As 8h",
        collection_schedule=1,
    )
    assert settled(asked)["collection"]["player_dealer_cents"] == 350


def test_no_rate_is_defined_below_five_dollars() -> None:
    asked = table_101(wagers=[wager("base", 499)])
    assert settled(asked)["collection"] is None
    code, message = refused(asked | {"collection_schedule": 1})
    assert code == "BELOW_MINIMUM"
    assert "101 Casino, Collection Rates Schedule" in message


@pytest.mark.parametrize(
    ("schedule", "amount_cents", "remarked"),
    [
        (1, 500, False),
        (2, 999, True),
        (2, 1_000, False),
        (1, 60_000, False),
        (1, 60_001, True),
        (9, 300_000, False),
        (9, 2_499, True),
    ],
)
def test_stake_off_the_table_limit_is_remarked_and_settled(
    schedule: int, amount_cents: int, remarked: bool
) -> None:
    answer = settled(table_101(wagers=[wager("base", amount_cents)], collection_schedule=schedule))
    assert ("remarks" in answer) is remarked


@pytest.mark.parametrize(
    ("rounds_banked", "expected"),
    [
        (1, {"may_continue": True, "offered_to": 6}),
        (2, {"may_continue": False, "offered_to": 1}),
    ],
)
def test_bank_is_offered_on_after_two_rounds(rounds_banked: int, expected: Json) -> None:
    bank = {"seat": 6, "rounds_banked": rounds_banked, "seats": [1, 3, 6]}
    assert settled(table_101(bank=bank))["bank"] == expected


# --- lammers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "dealer", "expected"),
    [
        # ARSD 20:18:15:30.07(6)(a), (6)(b); (7)(a), (7)(b)
        ("before_deal", BUSTS[5], {"seats": [1, 2, 5], "removed_when": "paid"}),
        ("after_hand", BUSTS[5], {"seats": [2, 5], "removed_when": "paid"}),
        ("after_hand", "Ts 7h", {"seats": [2, 5], "removed_when": "collected"}),
    ],
)
def test_lammers_are_part_of_the_result_where_they_are_used(
    use: str, dealer: str, expected: Json
) -> None:
    asked = request(
        *("sd-buster", "A", "buster"),
        wagers=[wager("buster", seat=number) for number in (5, 2, 1)],
        seats=[
            seat("9s 8h"),
            seat("As Kh", number=2),
            seat("Td 6c 6h", number=5),
        ],
        dealer=dealer,
    )
    assert settled(asked | {"lammers": use})["lammers"] == expected
    assert "lammers" not in settled(asked)


# --- lines of text ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'"settle"',
        b"\xff\xfe",
        b'{"game":"\xff"}',
        b'{"game":"\\ud800"}',
        b"[" * 100_000,
        b'{"game":' * 20_000,
        b'{"seats":[[[[[[' + b"[" * 100_000,
        json.dumps(blazing()).encode() + b" {}",
        b" " * (LINE_BYTES_MAX + 1),
        json.dumps(blazing(game="x" * LINE_BYTES_MAX)).encode(),
    ],
)
def test_line_that_is_no_request_gets_an_answer(line: bytes) -> None:
    answer = json.loads(SETTLER.settle_line(line))
    assert answer["error"]["code"] == "BAD_MESSAGE"
    assert len(answer["error"]["message"]) < 500


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "x" * 100_000},
        {"paytable": "é" * 65},
        {"free_bonus": "x" * 100_000},
        {"decks": 10**1_000},
        {"dealing_option": 10**1_000},
        {"collection_schedule": 10**1_000},
        {"meters": {"x" * 100_000: a_meter(1)}},
        {"rates_ppm": {"x" * 100_000: {"primary": 1}}},
    ],
)
def test_answer_does_not_repeat_a_name_without_end(changes: Json) -> None:
    code, message = refused(blazing() | changes)
    assert code == "BAD_MESSAGE"
    assert len(message) < 500


def test_line_of_the_greatest_length_is_settled() -> None:
    line = json.dumps(blazing()).encode()
    assert b"error" not in SETTLER.settle_line(line.ljust(LINE_BYTES_MAX))
    assert b"error" in SETTLER.settle_line(line.ljust(LINE_BYTES_MAX + 1))


# --- winners only, as a dealer keys a round ---------------------------------------------------


def winners_only(game: str, paytable: str, *wagers: Json, **changes: object) -> Json:
    asked = request(game, paytable, "buster", **{"seats": [], **changes})
    return asked | {"wagers": list(wagers), "complete": False}


def test_dealers_hand_decides_wagers_of_seats_that_are_not_given() -> None:
    placed = [wager("buster"), wager("buster", seat=2)]
    bust = settled(winners_only("nj-buster", "A", *placed, dealer="Ts 6h Kd"))
    assert [(row["seat"], row["result"]) for row in bust["results"]] == [(2, "win"), (1, "win")]
    stands = settled(winners_only("nj-buster", "A", *placed, dealer="Ts 9h"))
    assert [row["result"] for row in stands["results"]] == ["lose", "lose"]
    code, message = refused(winners_only("nj-buster", "A", *placed, dealer="Ts 6h"))
    assert (code, message) == (
        "INCOMPLETE_CARDS",
        "the dealer's hand is not played out: a card is missing",
    )


def test_other_wagers_of_seats_that_are_not_given_are_lost() -> None:
    placed = [wager("blazing7"), wager("blazing7", seat=2)]
    asked = blazing(seats=[seat("7d 2s")], dealer="Ts 8h") | {"wagers": placed, "complete": False}
    assert [(row["seat"], row["line"]) for row in settled(asked)["results"]] == [
        (2, "none"),
        (1, "one_7"),
    ]


def test_what_a_bust_leaves_open_is_asked_and_answered() -> None:
    asked = winners_only("wa-buster", "WA", wager("buster"), dealer="Ts 6h Kd")
    code, message = refused(asked)
    assert (code, message.split(":")[0]) == ("INCOMPLETE_CARDS", "seat 1")
    over = asked | {"seats": [{"seat": 1, "points_over": True}]}
    assert [row["result"] for row in settled(over)["results"]] == ["lose"]
    under = asked | {"seats": [{"seat": 1, "points_over": False}]}
    assert [row["result"] for row in settled(under)["results"]] == ["win"]


def test_seat_that_wins_nothing_is_not_given_unless_it_was_asked_about() -> None:
    asked = blazing(seats=[seat("2d 2s")], dealer="Ts 8h") | {"complete": False}
    assert refused(asked)[0] == "NOT_A_WINNER"
    assert settled(asked | {"complete": True})["results"][0]["result"] == "lose"


def test_base_game_takes_every_seats_cards() -> None:
    assert refused(table_101(complete=False)) == (
        "BAD_MESSAGE",
        "complete: the base game is settled on the cards of every seat",
    )
