"""awards: what winners take from a meter, one after another, and what it falls back to."""

import pytest

from progressive.domain.awards.meter_payouts import (
    MeterAmounts,
    MeterReset,
    Taking,
    take,
    take_all,
    take_equally,
)
from progressive.domain.money import microcents
from progressive.domain.options import AwardRounding, OverflowPolicy, PaymentOrder

FUNDED = MeterReset(reset_cents=200_000)
UNFUNDED = MeterReset()


def a_meter(dollars: int = 0, *, odd_microcents: int = 0, reset: int = 0) -> MeterAmounts:
    """A meter of whole dollars and so many microcents more; `reset` in dollars too."""
    return MeterAmounts(
        primary=microcents(dollars * 100) + odd_microcents, reset=microcents(reset * 100)
    )


def one_after_another(meter: MeterAmounts, reset: MeterReset, *shares: int) -> list[int]:
    """What each of these shares is paid, in this order."""
    takings = take_all(meter, reset, shares, order="counter_clockwise", rounding="nearest")
    return [taking.amount_cents for taking in takings]


# --- one winner -------------------------------------------------------------------------------


def test_whole_meter_is_paid_in_whole_cents_and_keeps_the_fraction() -> None:
    # 2.28(h): "the amount on the primary meter"; less than a cent cannot be paid.
    taking = take(a_meter(10_000, odd_microcents=999_999), FUNDED, share_percent=100)
    assert (taking.amount_cents, taking.funded_cents, taking.reset) == (1_000_000, 200_000, True)
    assert taking.after == a_meter(2_000, odd_microcents=999_999)


def test_reset_is_the_funded_part_and_all_of_the_reset_meter() -> None:
    # 2.28(i): "the portion of the reset amount funded by the casino licensee", and the rest.
    before = MeterAmounts(primary=microcents(500), reset=1_234_567)
    after = take(before, FUNDED, share_percent=100).after
    assert after == MeterAmounts(primary=microcents(200_000) + 1_234_567)


def test_smaller_share_leaves_the_rest_and_resets_nothing() -> None:
    taking = take(a_meter(10_000, reset=50), FUNDED, share_percent=10)
    assert (taking.amount_cents, taking.funded_cents, taking.reset) == (100_000, 0, False)
    assert taking.before == a_meter(10_000, reset=50)
    assert taking.after == a_meter(9_000, reset=50)


def test_meter_below_its_floor_is_not_topped_up() -> None:
    # 2.28(i) sets floors for the initial and the reset amount, for nothing in between.
    assert take(a_meter(2_000), FUNDED, share_percent=10).after == a_meter(1_800)


@pytest.mark.parametrize(
    ("primary_microcents", "rounding", "cents"),
    [
        # 10 percent of $1.05 is 10.5 cents: half up.
        (105_000_000, "nearest", 11),
        (105_000_000, "down", 10),
        (105_000_000, "up", 11),
        (104_999_999, "nearest", 10),
        (104_000_000, "nearest", 10),
        (104_000_000, "up", 11),
        (100_000_001, "up", 11),
        (109_999_999, "down", 10),
        (100_000_000, "up", 10),
        # Never more than is there, however it is rounded.
        (500_000, "up", 0),
        (999_999, "nearest", 0),
        (1_000_000, "up", 1),
        (0, "up", 0),
    ],
)
def test_share_is_rounded_once_as_the_floor_says(
    primary_microcents: int, rounding: AwardRounding, cents: int
) -> None:
    before = MeterAmounts(primary=primary_microcents)
    taking = take(before, UNFUNDED, share_percent=10, rounding=rounding)
    assert taking.amount_cents == cents
    assert taking.after.primary == primary_microcents - microcents(cents)


def test_rounding_has_no_bearing_on_the_whole() -> None:
    before = MeterAmounts(primary=1_999_999)
    assert take(before, UNFUNDED, share_percent=100, rounding="up").amount_cents == 1


def test_share_is_rounded_to_the_nearest_cent_unless_told() -> None:
    assert take(MeterAmounts(primary=105_000_000), UNFUNDED, share_percent=10).amount_cents == 11


# --- several winners --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shares", "paid"),
    [
        # 2.28(h): each from the meter as the one before left it.
        ((10, 10, 10), [100_000, 90_000, 81_000]),
        ((100, 100), [1_000_000, 250_000]),
        # The reset meter is used up by the first reset: the third finds the funded part only.
        ((100, 100, 100), [1_000_000, 250_000, 200_000]),
        ((10, 100), [100_000, 900_000]),
        ((100, 10), [1_000_000, 25_000]),
        ((10, 100, 10), [100_000, 900_000, 25_000]),
    ],
)
def test_winners_are_paid_one_after_another(shares: tuple[int, ...], paid: list[int]) -> None:
    assert one_after_another(a_meter(10_000, reset=500), FUNDED, *shares) == paid


def test_second_winner_of_an_unfunded_meter_is_paid_nothing() -> None:
    # 2.28(i): Mega and Major "may be $0"; 2.28(h) pays what is on the meter.
    assert one_after_another(a_meter(50_000), UNFUNDED, 100, 100) == [5_000_000, 0]
    put_by = a_meter(50_000, reset=30)
    assert one_after_another(put_by, UNFUNDED, 100, 100, 100) == [5_000_000, 3_000, 0]


# --- equal shares -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shares", "paid", "left_dollars"),
    [
        # 2.28(h): "may modify this payment method": all from one reading of the meter.
        ((100,), [1_000_000], 2_500),
        ((100, 100), [500_000, 500_000], 2_500),
        ((10,), [100_000], 9_000),
        ((10, 10, 10), [100_000, 100_000, 100_000], 7_000),
        # 110 parts: 100 of them and 10.
        ((100, 10), [909_090, 90_909], None),
        ((10, 100), [90_909, 909_090], None),
    ],
)
def test_equal_shares_are_of_one_reading(
    shares: tuple[int, ...], paid: list[int], left_dollars: int | None
) -> None:
    takings = take_equally(a_meter(10_000, reset=500), FUNDED, shares)
    assert [taking.amount_cents for taking in takings] == paid
    if left_dollars is not None:
        assert takings[-1].after.primary == microcents(left_dollars * 100)


def test_odd_cents_of_equal_shares_stay_on_the_meter() -> None:
    takings = take_equally(a_meter(100, odd_microcents=5), FUNDED, (100, 100, 100))
    assert [taking.amount_cents for taking in takings] == [3_333, 3_333, 3_333]
    # One cent and a fraction are left, and the funded part comes on top.
    assert takings[-1].after == MeterAmounts(primary=microcents(200_001) + 5)


def test_equal_takings_show_the_meter_as_it_falls_and_reset_last() -> None:
    first, second = take_equally(a_meter(10_000, reset=500), FUNDED, (100, 100))
    assert first == Taking(
        amount_cents=500_000,
        before=a_meter(10_000, reset=500),
        after=a_meter(5_000, reset=500),
    )
    assert second == Taking(
        amount_cents=500_000,
        before=a_meter(5_000, reset=500),
        after=a_meter(2_500),
        funded_cents=200_000,
        reset=True,
    )


def test_equal_small_shares_reset_nothing() -> None:
    takings = take_equally(a_meter(10_000, reset=500), FUNDED, (10, 10))
    assert not any(taking.reset for taking in takings)
    assert takings[-1].after == a_meter(8_000, reset=500)


@pytest.mark.parametrize(
    ("order", "paid"),
    [
        ("counter_clockwise", [1_000_000, 250_000]),
        ("clockwise", [1_000_000, 250_000]),
        ("equal_share", [500_000, 500_000]),
    ],
)
def test_order_of_payment_says_how_winners_share(order: PaymentOrder, paid: list[int]) -> None:
    meter = a_meter(10_000, reset=500)
    takings = take_all(meter, FUNDED, (100, 100), order=order, rounding="nearest")
    assert [taking.amount_cents for taking in takings] == paid


# --- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "limit_cents", "expected"),
    [
        # 300 cents are funded, 40 put by, 25 waited above the limit.
        ("to_reset_meter", 0, MeterAmounts(primary=microcents(365))),
        ("to_reset_meter", 365, MeterAmounts(primary=microcents(365))),
        # What would pass the limit once more waits again.
        (
            "to_reset_meter",
            350,
            MeterAmounts(primary=microcents(350), overflow=microcents(15)),
        ),
        ("stay", 0, MeterAmounts(primary=microcents(340), overflow=microcents(25))),
        ("stay", 330, MeterAmounts(primary=microcents(330), overflow=microcents(35))),
    ],
)
def test_money_above_the_limit_follows_the_policy(
    policy: OverflowPolicy, limit_cents: int, expected: MeterAmounts
) -> None:
    before = MeterAmounts(primary=microcents(1_000), reset=microcents(40), overflow=microcents(25))
    reset = MeterReset(reset_cents=300, limit_cents=limit_cents, overflow=policy)
    assert take(before, reset, share_percent=100).after == expected


def test_smaller_share_leaves_what_waits_where_it_is() -> None:
    before = MeterAmounts(primary=microcents(1_000), reset=5, overflow=7)
    after = take(before, MeterReset(limit_cents=1_000), share_percent=10).after
    assert after == MeterAmounts(primary=microcents(900), reset=5, overflow=7)
