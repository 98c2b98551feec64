"""Meters by hand: who is paid first, from which amount, and what is left (N.J.A.C. 13:69F-2.28).

Each case is worked out from the rule text, whose clause stands in its id, and holds for the
reference model and the product alike.
"""

from itertools import permutations

import pytest

from tests.conformance.builders import a_blazing_round, a_meter
from tests.conformance.conftest import Settle
from tests.conformance.model_cards import Request

MEGA, MINOR, MIXED = "7d 7d 7d", "7s 7c 7s", "7s 7c 7h"
SUITED, COLOR = "7s 7s 7s", "7h 7d 7h"  # Paytable 1: 100 and 10 percent of the one meter.


def paid(answer: dict[str, list[dict[str, int]]]) -> list[tuple[int, int]]:
    return [(result["seat"], result["pay_cents"]) for result in answer["results"]]


PAID_IN_TURN = {
    # paytable, meter, seats, payment order -> (seat, cents) in order, primary after
    "2.28(h) two Mega": (
        "3", "mega", {2: MEGA, 5: MEGA}, "counter_clockwise",
        [(5, 10_000_000), (2, 2_500_000)], 2_500_000,
    ),
    "2.28(h) two Mega, clockwise": (
        "3", "mega", {2: MEGA, 5: MEGA}, "clockwise",
        [(2, 10_000_000), (5, 2_500_000)], 2_500_000,
    ),
    "2.28(h) three Minor": (
        "3", "minor", {1: MINOR, 4: MINOR, 7: MINOR}, "counter_clockwise",
        [(7, 300_000), (4, 250_000), (1, 250_000)], 250_000,
    ),
    "2.28(h) three Minor, clockwise": (
        "3", "minor", {1: MINOR, 4: MINOR, 7: MINOR}, "clockwise",
        [(1, 300_000), (4, 250_000), (7, 250_000)], 250_000,
    ),
    "2.28(h) losers stand in the same order": (
        "3", "minor", {1: "2c 3c", 4: MINOR, 7: "7s 2c"}, "counter_clockwise",
        [(7, 1_000), (4, 300_000), (1, 0)], 250_000,
    ),
    "2.28(h) 10 percent, three times": (
        "1", "progressive", {1: COLOR, 2: COLOR, 3: COLOR}, "counter_clockwise",
        [(3, 100_000), (2, 90_000), (1, 81_000)], 729_000,
    ),
    "2.28(h) 10 percent before 100": (
        "1", "progressive", {3: SUITED, 7: COLOR}, "counter_clockwise",
        [(7, 100_000), (3, 900_000)], 200_000,
    ),
    "2.28(h) 10 percent after 100": (
        "1", "progressive", {3: COLOR, 7: SUITED}, "counter_clockwise",
        [(7, 1_000_000), (3, 20_000)], 180_000,
    ),
    "2.28(h) 10, 100, 10": (
        "1", "progressive", {1: COLOR, 2: SUITED, 3: COLOR}, "counter_clockwise",
        [(3, 100_000), (2, 900_000), (1, 20_000)], 180_000,
    ),
    "2.28(h) equal share, 100 and 100": (
        "1", "progressive", {2: SUITED, 5: SUITED}, "equal_share",
        [(5, 500_000), (2, 500_000)], 200_000,
    ),
    "2.28(h) equal share, 100, 10 and 10": (
        # 100, 10 and 10 of 120 parts: 833,333.3, 83,333.3 and 83,333.3 cents; one cent is left.
        "1", "progressive", {1: SUITED, 2: COLOR, 3: COLOR}, "equal_share",
        [(3, 83_333), (2, 83_333), (1, 833_333)], 200_001,
    ),
    "2.28(h) equal share, 10 and 10": (
        "1", "progressive", {1: COLOR, 2: COLOR}, "equal_share",
        [(2, 100_000), (1, 100_000)], 800_000,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("paytable", "meter", "texts", "payment_order", "expected", "primary_cents"),
    PAID_IN_TURN.values(),
    ids=PAID_IN_TURN,
)
def test_winners_of_one_round_are_paid_in_turn_however_they_are_listed(
    settle: Settle,
    paytable: str,
    meter: str,
    texts: dict[int, str],
    payment_order: str,
    expected: list[tuple[int, int]],
    primary_cents: int,
) -> None:
    for listed in permutations(texts):
        request = a_blazing_round(
            {seat: texts[seat] for seat in listed},
            paytable=paytable,
            payment_order=payment_order,
            decks=8,
        )
        answer = settle(request)
        assert paid(answer) == expected
        assert [result["order"] for result in answer["results"]] == [*range(1, len(texts) + 1)]
        assert answer["meters"][meter]["primary_cents"] == primary_cents


def test_counter_clockwise_is_the_order_where_none_is_named(settle: Settle) -> None:
    answer = settle(a_blazing_round({2: MEGA, 5: MEGA}))
    assert paid(answer) == [(5, 10_000_000), (2, 2_500_000)]


def test_the_second_mega_of_a_round_gets_the_reset_meter_and_the_third_nothing(
    settle: Settle,
) -> None:
    """2.28(i): Mega may reset to $0. The hand stays a Mega hand; it is not graded down."""
    meters = {
        "mega": a_meter(5_000_000, reset_meter_cents=70_000),
        "major": a_meter(0),
        "minor": a_meter(250_000, reset_cents=250_000),
    }
    # Option 2: a 7 of diamonds up serves all three.
    table: Request = {
        "texts": dict.fromkeys((1, 2, 3), "7d 7d"),
        "dealer": "7d",
        "dealing_option": 2,
    }
    answer = settle(a_blazing_round(**table, meters=meters, decks=8))
    assert paid(answer) == [(3, 5_000_000), (2, 70_000), (1, 0)]
    assert {(r["result"], r["kind"], r["meter"], r["line"]) for r in answer["results"]} == {
        ("win", "meter", "mega", "three_7_diamonds")
    }
    assert answer["meters"]["mega"] == answer["meters"]["mega"] | a_meter(0)


def test_each_meter_is_its_own_queue(settle: Settle) -> None:
    answer = settle(a_blazing_round({1: MEGA, 2: SUITED, 3: MINOR, 4: MIXED}))
    assert paid(answer) == [(4, 100_000), (3, 300_000), (2, 1_500_000), (1, 10_000_000)]
    after = {name: meter["primary_cents"] for name, meter in answer["meters"].items()}
    assert after == {"mega": 2_500_000, "major": 500_000, "minor": 250_000}


@pytest.mark.parametrize(
    ("primary_cents", "rounding", "pay_cents"),
    [
        (1_000_004, "nearest", 100_000),
        (1_000_005, "nearest", 100_001),
        (1_000_009, "down", 100_000),
        (1_000_001, "up", 100_001),
        (1_000_000, "up", 100_000),
        (1_000_005, None, 100_001),
    ],
)
def test_a_tenth_of_the_meter_is_rounded_as_asked_and_the_meter_falls_by_what_is_paid(
    settle: Settle, primary_cents: int, rounding: str | None, pay_cents: int
) -> None:
    asked: Request = {"award_rounding": rounding} if rounding else {}
    meters = {"progressive": a_meter(primary_cents, reset_cents=200_000)}
    answer = settle(a_blazing_round({1: COLOR}, paytable="1", meters=meters, **asked))
    assert paid(answer) == [(1, pay_cents)]
    assert answer["meters"]["progressive"]["primary_cents"] == primary_cents - pay_cents


def test_no_rounding_pays_more_than_the_whole_cents_on_the_meter(settle: Settle) -> None:
    """$5 at 1 ppm puts 0.0005 cents on an empty meter: a tenth, rounded up, would be a cent."""
    request = a_blazing_round(
        {1: COLOR},
        paytable="1",
        award_rounding="up",
        meters={"progressive": a_meter(0, reset_cents=200_000)},
        rates_ppm={"progressive": {"primary": 1, "reset": 0}},
    )
    answer = settle(request)
    assert paid(answer) == [(1, 0)]
    assert answer["meters"]["progressive"]["primary_cents"] == 0


def test_this_rounds_wagers_are_on_the_meters_before_the_first_card(settle: Settle) -> None:
    """2.28(b). Two wagers of 500 cents at 123,457 ppm are 123.457 cents; at 1,543 ppm 1.543."""
    request = a_blazing_round(
        {1: MEGA, 2: "2c 3c"},
        rates_ppm={
            "mega": {"primary": 123_457, "reset": 1_543},
            "major": {"primary": 60_000, "reset": 0},
            "minor": {"primary": 40_999, "reset": 0},
        },
    )
    answer = settle(request)
    assert paid(answer) == [(2, 0), (1, 10_000_123)]
    # The odd 0.457 cents stay and meet the reset meter's 1.543: two whole cents.
    assert answer["meters"]["mega"]["primary_cents"] == 2_500_002
    assert answer["meters"]["mega"]["reset_meter_cents"] == 0
    assert answer["meters"]["major"]["primary_cents"] == 1_500_060
    assert answer["meters"]["minor"]["primary_cents"] == 300_040
