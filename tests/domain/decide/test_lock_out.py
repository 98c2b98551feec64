"""decide, lock-out: which wagers are taken, and what they put where."""

import pytest
from msgspec import structs

from progressive.domain.commands import RegisterWagers, Wager
from progressive.domain.decide.decide import decide
from progressive.domain.events import MeterFlow, Stake, WagersRegistered
from progressive.domain.ids import BetId, MeterId, TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules, TableRules
from tests.support.builders import (
    BET,
    BJ1,
    LINK,
    MAJOR,
    MEGA,
    MINOR,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_wager,
    accept,
    opened_link,
    wagers,
)

BUSTER = BetId("buster")
RULES = a_link()
TWO_BETS = a_link(bets=(a_bet(), a_buster()))
DOLLAR = a_link(wager_cents=100)


def registered(rules: LinkRules, command: RegisterWagers) -> WagersRegistered:
    event = accept(opened_link(rules), rules, command)
    assert isinstance(event, WagersRegistered)
    return event


def refused(rules: LinkRules, command: RegisterWagers) -> Refusal:
    decision = decide(opened_link(rules), rules, BJ1, command, NOW)
    assert isinstance(decision, Refusal), decision
    return decision


def on_buster(seat: int = 1, amount_cents: int = 500, base_cents: int = 2_500) -> Wager:
    return a_wager(seat, bet=BUSTER, amount_cents=amount_cents, base_cents=base_cents)


# --- which wagers are taken -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "placed", "code", "expected"),
    [
        (RULES, wagers(0), Rejection.UNKNOWN_SEAT, None),
        (RULES, wagers(8), Rejection.UNKNOWN_SEAT, None),
        (RULES, wagers(-1), Rejection.UNKNOWN_SEAT, None),
        (RULES, wagers(1, bet=BetId("other")), Rejection.UNKNOWN_BET, None),
        (RULES, wagers(1, bet=BetId("")), Rejection.UNKNOWN_BET, None),
        (RULES, wagers(3, 3), Rejection.DUPLICATE_WAGER, None),
        (RULES, [a_wager(3), a_wager(3, tender="coupon")], Rejection.DUPLICATE_WAGER, None),
        # NJ 13:69F-2.28(f): only beside a blackjack wager.
        (RULES, wagers(1, base_cents=0), Rejection.NO_BASE_WAGER, None),
        # NJ 13:69F-2.3(m): one denomination, the one posted.
        (RULES, wagers(1, amount_cents=100), Rejection.WRONG_AMOUNT, 500),
        (RULES, wagers(1, amount_cents=499), Rejection.WRONG_AMOUNT, 500),
        (RULES, wagers(1, amount_cents=1_000), Rejection.WRONG_AMOUNT, 500),
        (RULES, wagers(1, amount_cents=0), Rejection.WRONG_AMOUNT, 500),
        (DOLLAR, wagers(1, amount_cents=500), Rejection.WRONG_AMOUNT, 100),
        (TWO_BETS, [on_buster(amount_cents=99)], Rejection.BELOW_MINIMUM, 100),
        (TWO_BETS, [on_buster(amount_cents=0)], Rejection.BELOW_MINIMUM, 100),
        (
            TWO_BETS,
            [on_buster(amount_cents=10_001, base_cents=50_000)],
            Rejection.ABOVE_MAXIMUM,
            10_000,
        ),
        (TWO_BETS, [on_buster(amount_cents=2_501)], Rejection.ABOVE_BASE_WAGER, 2_500),
        (TWO_BETS, [on_buster(base_cents=0)], Rejection.NO_BASE_WAGER, None),
        # A cap is a cap, also where the floor posts one amount instead of a range.
        (
            a_link(bets=(a_buster(wager_cents=500),)),
            [on_buster(base_cents=300)],
            Rejection.ABOVE_BASE_WAGER,
            300,
        ),
        (TWO_BETS, [on_buster(1), on_buster(1)], Rejection.DUPLICATE_WAGER, None),
    ],
)
def test_unacceptable_wager_is_refused(
    rules: LinkRules, placed: list[Wager], code: Rejection, expected: int | None
) -> None:
    refusal = refused(rules, a_lock(wagers=placed))
    assert (refusal.code, refusal.expected) == (code, expected)


@pytest.mark.parametrize(
    ("rules", "placed"),
    [
        (RULES, ()),
        (RULES, wagers(1, 2, 3, 4, 5, 6, 7)),
        (RULES, wagers(7, 1)),
        (RULES, wagers(1, base_cents=1)),
        (DOLLAR, wagers(1, amount_cents=100)),
        (TWO_BETS, [on_buster(amount_cents=100)]),
        (TWO_BETS, [on_buster(amount_cents=10_000, base_cents=10_000)]),
        (TWO_BETS, [on_buster(amount_cents=2_500, base_cents=2_500)]),
        (TWO_BETS, [a_wager(1), on_buster(1)]),
        (a_link(bets=(a_buster(max_cents=None),)), [on_buster(1, 10**11, 10**11)]),
        (a_link(needs_base_wager=False), wagers(1, base_cents=0)),
    ],
)
def test_acceptable_wagers_are_registered_as_sent(rules: LinkRules, placed: list[Wager]) -> None:
    event = registered(rules, a_lock(wagers=placed))
    assert event.wagers == tuple(placed)


def test_seats_are_those_of_the_table_at_hand() -> None:
    rules = a_link(
        tables=(
            TableRules(id=BJ1, link=LINK, seats=5),
            TableRules(id=TableId("BJ-02"), link=LINK, seats=7),
        )
    )
    assert refused(rules, a_lock(wagers=wagers(6))).code is Rejection.UNKNOWN_SEAT
    accept(opened_link(rules), rules, a_lock(wagers=wagers(6)), table=TableId("BJ-02"))


def with_limits(rules: LinkRules, base_min_cents: int, base_max_cents: int = 0) -> LinkRules:
    """The link with the limits of base wagers at its first table, BJ-01."""
    first, *others = rules.tables
    limited = structs.replace(first, base_min_cents=base_min_cents, base_max_cents=base_max_cents)
    return structs.replace(rules, tables=(limited, *others))


LIMITED = with_limits(TWO_BETS, 2_500, 50_000)


# NJ 13:69F-2.28(f), 2.30(b): beside a blackjack wager, and that is one the table takes.
@pytest.mark.parametrize(
    ("placed", "code", "expected"),
    [
        (wagers(1, base_cents=1), Rejection.BELOW_MINIMUM, 2_500),
        ([a_wager(1), a_wager(2, base_cents=2_499)], Rejection.BELOW_MINIMUM, 2_500),
        ([on_buster(base_cents=2_499)], Rejection.BELOW_MINIMUM, 2_500),
        (wagers(1, base_cents=50_001), Rejection.ABOVE_MAXIMUM, 50_000),
        # The first fact that stands in the way is named.
        (wagers(1, base_cents=0), Rejection.NO_BASE_WAGER, None),
        (wagers(1, base_cents=1, amount_cents=400), Rejection.WRONG_AMOUNT, 500),
        ([on_buster(amount_cents=2_501)], Rejection.ABOVE_BASE_WAGER, 2_500),
    ],
)
def test_base_wager_that_the_table_does_not_take_is_refused(
    placed: list[Wager], code: Rejection, expected: int | None
) -> None:
    refusal = refused(LIMITED, a_lock(wagers=placed))
    assert (refusal.code, refusal.expected) == (code, expected)


def test_refusal_of_a_base_wager_names_table_limit_and_seat() -> None:
    low = refused(LIMITED, a_lock(wagers=wagers(3, base_cents=1)))
    assert low.message == "BJ-01 takes base wagers of 2500 cents or more, seat 3 has 1"
    high = refused(LIMITED, a_lock(wagers=wagers(3, base_cents=60_000)))
    assert high.message == "BJ-01 takes base wagers of 50000 cents or less, seat 3 has 60000"


@pytest.mark.parametrize(
    ("rules", "base_cents"),
    [
        (LIMITED, 2_500),
        (LIMITED, 50_000),
        (with_limits(TWO_BETS, 2_500), 10**11),
        (with_limits(TWO_BETS, 0, 50_000), 1),
        # A bet that needs none takes none, whatever the table's least is.
        (with_limits(a_link(needs_base_wager=False), 2_500), 0),
    ],
)
def test_base_wager_within_the_table_s_limits_is_taken(rules: LinkRules, base_cents: int) -> None:
    registered(rules, a_lock(wagers=wagers(1, base_cents=base_cents)))


def test_limits_are_those_of_the_table_at_hand() -> None:
    command = a_lock(wagers=wagers(1, base_cents=100))
    assert refused(LIMITED, command).code is Rejection.BELOW_MINIMUM
    accept(opened_link(LIMITED), LIMITED, command, table=TableId("BJ-02"))


@pytest.mark.parametrize("other_cents", [5_000, 0, 2_501])
def test_two_base_wagers_at_one_seat_are_refused(other_cents: int) -> None:
    loose = a_link(bets=(a_bet(), a_buster(needs_base_wager=False, capped_by_base_wager=False)))
    placed = [a_wager(2), a_wager(4), on_buster(4, base_cents=other_cents)]
    refusal = refused(loose, a_lock(wagers=placed))
    assert refusal.code is Rejection.DUPLICATE_WAGER
    assert refusal.message == f"seat 4 has two base wagers, 2500 and {other_cents} cents"


def test_two_bets_beside_one_base_wager_are_taken() -> None:
    placed = [a_wager(2, base_cents=5_000), a_wager(4), on_buster(4), on_buster(2, 500, 5_000)]
    registered(TWO_BETS, a_lock(wagers=placed))


# NJ 13:69E-1.10(t)2: as many chips as lights, before anything is registered.
@pytest.mark.parametrize(
    ("placed", "counted", "lights"),
    [
        (wagers(1), 0, 1),
        (wagers(1), 2, 1),
        (wagers(1, 2, 3), 2, 3),
        ((), 1, 0),
        # A coupon is a wager without a chip.
        (wagers(1, tender="coupon"), 1, 0),
        ((*wagers(1, 2), *wagers(3, tender="coupon")), 3, 2),
        # A bet without meters has no acceptor, so its chips are not counted.
        ([on_buster(1)], 1, 0),
        ([a_wager(1), on_buster(1)], 2, 1),
    ],
)
def test_chip_count_that_differs_from_the_lights_is_refused(
    placed: list[Wager], counted: int, lights: int
) -> None:
    refusal = refused(TWO_BETS, a_lock(wagers=placed, chips_counted=counted))
    assert (refusal.code, refusal.expected) == (Rejection.CHIP_COUNT_MISMATCH, lights)
    registered(TWO_BETS, a_lock(wagers=placed, chips_counted=lights))


# --- what they put where ----------------------------------------------------------------------


def test_one_wager_is_split_to_the_last_microcent() -> None:
    event = registered(RULES, a_lock())
    assert event.flows == (
        MeterFlow(MEGA.id, 60_000_000, 5_000_000, 0),
        MeterFlow(MAJOR.id, 30_000_000, 2_500_000, 0),
        MeterFlow(MINOR.id, 20_000_000, 2_500_000, 0),
    )
    assert event.hold == 380_000_000
    assert event.stakes == (Stake(BET, 500, 0),)
    assert event.meters == (10_000_060_000_000, 1_500_030_000_000, 300_020_000_000)


def test_rates_too_fine_for_a_cent_are_kept_whole() -> None:
    rules = a_link(meters=(a_meter(rate_ppm=1, reset_rate_ppm=333_333),), wager_cents=100)
    event = registered(rules, a_lock(wagers=wagers(1, amount_cents=100)))
    assert event.flows == (MeterFlow(MeterId("mega"), 100, 33_333_300, 0),)
    assert event.hold == 100_000_000 - 100 - 33_333_300


def test_coupon_feeds_the_meters_as_a_chip_does() -> None:
    # NJ 13:69F-2.3(m): a coupon is a way of making the wager.
    chip = registered(RULES, a_lock(wagers=wagers(1, 2)))
    coupon = registered(RULES, a_lock(wagers=wagers(1, 2, tender="coupon")))
    assert (coupon.flows, coupon.hold, coupon.meters) == (chip.flows, chip.hold, chip.meters)
    assert (chip.stakes, coupon.stakes) == ((Stake(BET, 1_000, 0),), (Stake(BET, 0, 1_000),))


def test_chips_and_coupons_of_a_round_are_summed_by_tender() -> None:
    placed = (*wagers(1, 2), *wagers(3, tender="coupon"))
    assert registered(RULES, a_lock(wagers=placed)).stakes == (Stake(BET, 1_000, 500),)


def test_bet_without_meters_stays_with_the_house() -> None:
    event = registered(TWO_BETS, a_lock(wagers=[on_buster(1, 700)], chips_counted=0))
    assert (event.flows, event.hold) == ((), 700_000_000)
    assert event.meters == opened_link(TWO_BETS).primaries


def test_two_bets_are_staked_apart() -> None:
    event = registered(TWO_BETS, a_lock(wagers=[on_buster(1, 700), a_wager(1), a_wager(2)]))
    assert event.stakes == (Stake(BET, 1_000, 0), Stake(BUSTER, 700, 0))
    assert event.hold == 2 * 380_000_000 + 700_000_000


def test_each_bet_feeds_only_its_own_meters() -> None:
    other = BetId("other")
    rules = a_link(
        bets=(
            a_bet(meters=(a_meter("mega"),)),
            a_bet(id=other, meters=(a_meter("side", rate_ppm=200_000),)),
        )
    )
    event = registered(rules, a_lock(wagers=[a_wager(1, bet=other)], chips_counted=1))
    assert event.flows == (MeterFlow(MeterId("side"), 100_000_000, 0, 0),)
    assert event.meters == (0, 100_000_000)


def test_round_nobody_bet_on_moves_nothing() -> None:
    event = registered(RULES, a_lock(wagers=()))
    assert (event.stakes, event.flows, event.hold) == ((), (), 0)
    assert event.meters == opened_link(RULES).primaries


def test_whole_wager_may_go_to_the_meters() -> None:
    rules = a_link(meters=(a_meter(rate_ppm=900_000, reset_rate_ppm=100_000),))
    assert registered(rules, a_lock()).hold == 0


# --- limits -----------------------------------------------------------------------------------


# 500 cents at 10 percent: 50_000_000 microcents a wager; the meter starts at 1000 cents.
@pytest.mark.parametrize(
    ("limit_cents", "rate_ppm", "seats", "primary", "overflow"),
    [
        (1_050, 100_000, 1, 50_000_000, 0),  # exactly reached: nothing is over
        (1_050, 100_002, 1, 50_000_000, 1_000),  # and the first microcents beyond it are
        (1_050, 99_999, 1, 49_999_500, 0),
        (1_049, 100_000, 1, 49_000_000, 1_000_000),
        (1_000, 100_000, 1, 0, 50_000_000),  # at its limit from the start
        (999, 100_000, 1, 0, 50_000_000),  # above it from the start: never drawn down
        (1_075, 100_000, 2, 75_000_000, 25_000_000),
        (0, 100_000, 7, 350_000_000, 0),  # 0: no limit
    ],
)
def test_contribution_above_the_limit_overflows_at_the_exact_microcent(
    limit_cents: int, rate_ppm: int, seats: int, primary: int, overflow: int
) -> None:
    meter = a_meter(rate_ppm=rate_ppm, initial_cents=1_000, limit_cents=limit_cents)
    rules = a_link(meters=(meter,))
    event = registered(rules, a_lock(wagers=wagers(*range(1, seats + 1))))
    assert event.flows == (MeterFlow(meter.id, primary, 0, overflow),)
    assert event.hold == seats * 500 * (1_000_000 - rate_ppm)


def test_full_meter_stays_at_its_limit_while_the_overflow_grows() -> None:
    meter = a_meter(rate_ppm=123_457, reset_rate_ppm=1, initial_cents=1_000, limit_cents=1_100)
    rules = a_link(meters=(meter,))
    state = opened_link(rules)
    for seq in range(1, 21):
        accept(state, rules, a_lock(seq) if seq % 2 else a_settle(seq))
    assert state.balances["primary", meter.id] == 1_100_000_000
    assert state.balances["overflow", meter.id] == 10 * 500 * 123_457 - 100_000_000
    assert state.balances["reset", meter.id] == 10 * 500
