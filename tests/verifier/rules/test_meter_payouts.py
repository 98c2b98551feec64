"""The audit's own sums on meters, by the worked examples of the rule texts."""

from itertools import pairwise

import pytest

from progressive.domain.options import AwardRounding, OverflowPolicy, PaymentOrder
from progressive.verifier.rules.meter_payouts import Amounts, Fallback, quotient, take_in_turn

CENT = 1_000_000
ORDERED: PaymentOrder = "counter_clockwise"


@pytest.mark.parametrize(
    ("order", "shares", "paid"),
    [
        # 2.28(h): one after another, from the meter as the one before left it.
        (ORDERED, [10, 10, 10], [100_000, 90_000, 81_000]),
        ("clockwise", [10, 10, 10], [100_000, 90_000, 81_000]),
        # The second gets the reset: the house's $2,000 and the reset meter's $50, the third $2,000.
        (ORDERED, [100, 100, 100], [1_000_000, 205_000, 200_000]),
        (ORDERED, [10, 100, 10], [100_000, 900_000, 20_500]),
        # Filed otherwise: all from one reading, cut down alike.
        ("equal_share", [10, 10, 10], [100_000, 100_000, 100_000]),
        ("equal_share", [100, 100], [500_000, 500_000]),
        ("equal_share", [100, 10], [909_090, 90_909]),
    ],
)
def test_winners_take_in_turn(order: PaymentOrder, shares: list[int], paid: list[int]) -> None:
    found = Amounts(1_000_000 * CENT, 5_000 * CENT)
    takings = take_in_turn(found, Fallback(200_000), shares, order=order, rounding="nearest")
    assert [taken.cents for taken in takings] == paid
    for before, after in pairwise(takings):
        assert before.after == after.before


@pytest.mark.parametrize(
    ("rounding", "cents"), [("nearest", 11), ("down", 10), ("up", 11)], ids=lambda v: str(v)
)
def test_share_is_rounded_once(rounding: AwardRounding, cents: int) -> None:
    found = Amounts(105 * CENT)
    [taken] = take_in_turn(found, Fallback(), [10], order=ORDERED, rounding=rounding)
    assert (taken.cents, taken.after.primary) == (cents, (105 - cents) * CENT)


def test_no_share_is_more_than_there_is() -> None:
    [taken] = take_in_turn(Amounts(999_999), Fallback(), [90], order=ORDERED, rounding="up")
    assert taken.cents == 0


@pytest.mark.parametrize(
    ("policy", "limit_cents", "after"),
    [
        ("to_reset_meter", 0, Amounts(145 * CENT + 7, 0, 0)),
        ("stay", 0, Amounts(115 * CENT + 7, 0, 30 * CENT)),
        # What would pass the limit once more waits again.
        ("to_reset_meter", 120, Amounts(120 * CENT, 0, 25 * CENT + 7)),
        ("stay", 100, Amounts(100 * CENT, 0, 45 * CENT + 7)),
    ],
)
def test_reset_follows_limit_and_policy(
    policy: OverflowPolicy, limit_cents: int, after: Amounts
) -> None:
    found = Amounts(500 * CENT + 7, 15 * CENT, 30 * CENT)
    fallback = Fallback(100, limit_cents, policy)
    [taken] = take_in_turn(found, fallback, [100], order=ORDERED, rounding="nearest")
    assert (taken.cents, taken.funded_cents, taken.after) == (500, 100, after)
    assert taken.from_reset == 15 * CENT
    assert taken.from_overflow == 30 * CENT - after.overflow


@pytest.mark.parametrize(
    ("numerator", "rounding", "whole"),
    [
        (14, "nearest", 1),
        (15, "nearest", 2),
        (10, "up", 1),
        (11, "up", 2),
        (19, "down", 1),
    ],
)
def test_quotient_is_rounded_as_asked(numerator: int, rounding: AwardRounding, whole: int) -> None:
    assert quotient(numerator, 10, rounding) == whole
