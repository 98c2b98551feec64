"""settlement: claims to money, with the meters as the winners find and leave them."""

from itertools import permutations

import pytest

from progressive.domain.awards.meter_payouts import MeterAmounts, MeterReset
from progressive.domain.awards.settlement import settle_claims
from progressive.domain.games.blackjack_x import Result
from progressive.domain.games.claims import Claim, in_payment_order
from progressive.domain.ids import BetId, MeterId
from progressive.domain.money import microcents
from progressive.domain.options import AwardRounding, PaymentOrder
from progressive.domain.rulebook.paytable import ForOne, PayLine, Pays, ToOne
from tests.support.hands import an_offer

BLAZING = {
    paytable: {line.id: line for line in an_offer("nj-blazing-7s", "blazing7", paytable).lines}
    for paytable in ("1", "2", "3")
}


def a_claim(
    line: PayLine | None = None,
    *,
    seat: int = 1,
    stake_cents: int = 500,
    result: Result | None = None,
    given_back_cents: int = 0,
) -> Claim:
    """A win on that line, or a lost bet."""
    return Claim(
        seat=seat,
        bet=BetId("blazing7"),
        stake_cents=stake_cents,
        line=line,
        result=result or ("lose" if line is None else "win"),
        given_back_cents=given_back_cents,
    )


def meters(*, reset: int = 0, **dollars: int) -> dict[MeterId, MeterAmounts]:
    """Meters by name; all amounts in dollars."""
    return {
        MeterId(name): MeterAmounts(primary=microcents(amount * 100), reset=microcents(reset * 100))
        for name, amount in dollars.items()
    }


def funded(dollars: int = 2_000) -> dict[MeterId, MeterReset]:
    """What the house puts on each meter at a reset."""
    names = ("progressive", "mega", "major", "minor")
    return {MeterId(name): MeterReset(reset_cents=dollars * 100) for name in names}


def paid_by_seat(
    paytable: str,
    hands: dict[int, str],
    given: dict[MeterId, MeterAmounts],
    order: PaymentOrder = "counter_clockwise",
    *,
    reset: int = 2_000,
) -> dict[int, int]:
    """What each seat is paid for its line, in cents."""
    claims = [a_claim(BLAZING[paytable][line], seat=seat) for seat, line in hands.items()]
    settled, _ = settle_claims(in_payment_order(claims, order), given, funded(reset), order=order)
    return {each.claim.seat: each.pay_cents for each in settled}


# --- fixed pays -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paytable", "line", "pay_cents"),
    [
        # 2.28(c): "for 1" at $5
        ("1", "three_7_any", 100_000),
        ("1", "two_7", 12_500),
        ("1", "one_7", 1_000),
        ("2", "three_7_color", 250_000),
        ("2", "three_7_mixed", 100_000),
        ("2", "two_7", 12_500),
        ("2", "one_7", 1_000),
        ("3", "three_7_mixed", 100_000),
        ("3", "two_7", 12_500),
        ("3", "one_7", 1_000),
    ],
)
def test_for_one_has_the_stake_in_it(paytable: str, line: str, pay_cents: int) -> None:
    ((settled,), _) = settle_claims(
        [a_claim(BLAZING[paytable][line])], {}, {}, order="counter_clockwise"
    )
    assert (settled.kind, settled.pay_cents) == ("fixed", pay_cents)
    assert (settled.stake_returned_cents, settled.collected_cents) == (0, 500)
    assert settled.taking is None


@pytest.mark.parametrize(
    ("pays", "stake_cents", "pay_cents"),
    [
        (ToOne(to=250), 500, 125_000),
        (ToOne(to=1), 500, 500),
        # 3:2 on an odd cent: to the nearest, half up.
        (ToOne(to=3, per=2), 500, 750),
        (ToOne(to=3, per=2), 1, 2),
        (ToOne(to=3, per=2), 501, 752),
        (ToOne(to=1, per=3), 4, 1),
        (ToOne(to=1, per=3), 5, 2),
    ],
)
def test_to_one_gives_the_stake_back_on_top(pays: ToOne, stake_cents: int, pay_cents: int) -> None:
    claim = a_claim(PayLine(id="x", pays=pays), stake_cents=stake_cents)
    ((settled,), _) = settle_claims([claim], {}, {}, order="counter_clockwise")
    assert (settled.kind, settled.pay_cents) == ("fixed", pay_cents)
    assert (settled.stake_returned_cents, settled.collected_cents) == (stake_cents, 0)


@pytest.mark.parametrize("pays", [ForOne(for_one=25), ToOne(to=3)])
def test_push_gives_the_stake_back_and_pays_nothing(pays: Pays) -> None:
    claim = a_claim(PayLine(id="x", pays=pays), result="push")
    ((settled,), _) = settle_claims([claim], {}, {}, order="clockwise")
    assert (settled.kind, settled.pay_cents, settled.stake_returned_cents) == ("none", 0, 500)


@pytest.mark.parametrize("given_back_cents", [0, 250])
def test_lost_stake_is_collected_but_for_what_a_surrender_keeps(given_back_cents: int) -> None:
    ((settled,), _) = settle_claims(
        [a_claim(given_back_cents=given_back_cents)], {}, {}, order="clockwise"
    )
    assert (settled.kind, settled.pay_cents) == ("none", 0)
    assert settled.stake_returned_cents == given_back_cents
    assert settled.collected_cents == 500 - given_back_cents


# --- meter pays -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paytable", "line", "meter", "pay_cents"),
    [
        # 2.28(c): 100 percent and 10 percent of the meter that the row names
        ("1", "three_7_suited", "progressive", 1_000_000),
        ("1", "three_7_color", "progressive", 100_000),
        ("2", "three_7_diamonds", "progressive", 1_000_000),
        ("2", "three_7_suited_other", "progressive", 100_000),
        ("3", "three_7_diamonds", "mega", 5_000_000),
        ("3", "three_7_suited_other", "major", 1_500_000),
        ("3", "three_7_color", "minor", 300_000),
    ],
)
@pytest.mark.parametrize("stake_cents", [100, 500])
def test_meter_line_pays_the_meter_whatever_the_stake(
    paytable: str, line: str, meter: str, pay_cents: int, stake_cents: int
) -> None:
    given = meters(progressive=10_000, mega=50_000, major=15_000, minor=3_000)
    claim = a_claim(BLAZING[paytable][line], stake_cents=stake_cents)
    ((settled,), after) = settle_claims([claim], given, funded(), order="counter_clockwise")
    assert (settled.kind, settled.pay_cents) == ("meter", pay_cents)
    assert (settled.stake_returned_cents, settled.collected_cents) == (0, stake_cents)
    assert settled.taking is not None
    assert after[MeterId(meter)] == settled.taking.after
    for other in set(given) - {meter}:
        assert after[other] == given[other]


ONE_METER = meters(progressive=10_000, reset=500)


@pytest.mark.parametrize("seats", list(permutations((1, 4, 7), 2)))
def test_of_two_winners_the_one_farther_right_is_paid_first(seats: tuple[int, int]) -> None:
    # 2.28(h); the other finds the reset amount, 2.28(i).
    paid = paid_by_seat("1", dict.fromkeys(seats, "three_7_suited"), ONE_METER)
    assert paid == {max(seats): 1_000_000, min(seats): 250_000}


@pytest.mark.parametrize("seats", list(permutations((2, 3, 6))))
def test_three_winners_are_paid_from_right_to_left(seats: tuple[int, ...]) -> None:
    hands = dict.fromkeys(seats, "three_7_suited")
    assert paid_by_seat("1", hands, ONE_METER) == {6: 1_000_000, 3: 250_000, 2: 200_000}
    shared = paid_by_seat("1", hands, ONE_METER, "equal_share")
    assert shared == {6: 333_333, 3: 333_333, 2: 333_333}
    clockwise = paid_by_seat("1", hands, ONE_METER, "clockwise")
    assert clockwise == {2: 1_000_000, 3: 250_000, 6: 200_000}


@pytest.mark.parametrize(
    ("hands", "paid"),
    [
        # Ten percent before the whole, and after it.
        ({5: "three_7_color", 2: "three_7_suited"}, {5: 100_000, 2: 900_000}),
        ({5: "three_7_suited", 2: "three_7_color"}, {5: 1_000_000, 2: 25_000}),
        (
            {7: "three_7_color", 5: "three_7_suited", 2: "three_7_color"},
            {7: 100_000, 5: 900_000, 2: 25_000},
        ),
        # 10 percent three times over: each of what is left.
        (dict.fromkeys((1, 2, 3), "three_7_color"), {3: 100_000, 2: 90_000, 1: 81_000}),
    ],
)
def test_ten_percent_and_the_whole_come_off_one_meter(
    hands: dict[int, str], paid: dict[int, int]
) -> None:
    assert paid_by_seat("1", hands, ONE_METER) == paid


def test_meters_are_left_as_the_last_winner_leaves_them() -> None:
    claims = [a_claim(BLAZING["1"]["three_7_color"], seat=seat) for seat in (6, 2)]
    _, after = settle_claims(claims, ONE_METER, funded(), order="counter_clockwise")
    assert after == meters(progressive=8_100, reset=500)


def test_mega_of_nothing_hit_twice_pays_the_second_nothing() -> None:
    # 2.28(i), (h): the hand is not graded down to a row that would pay more.
    given = meters(mega=50_000, major=15_000, minor=3_000)
    claims = [a_claim(BLAZING["3"]["three_7_diamonds"], seat=seat) for seat in (6, 2)]
    settled, after = settle_claims(claims, given, funded(0), order="counter_clockwise")
    assert [(each.kind, each.pay_cents) for each in settled] == [("meter", 5_000_000), ("meter", 0)]
    assert after[MeterId("mega")].primary == 0
    assert after[MeterId("major")] == given[MeterId("major")]


def test_equal_shares_are_of_each_meter_by_itself() -> None:
    given = meters(mega=50_000, major=15_000, minor=3_000)
    hands = {
        7: "three_7_diamonds",
        6: "three_7_color",
        5: "three_7_diamonds",
        4: "two_7",
        1: "three_7_color",
    }
    assert paid_by_seat("3", hands, given, "equal_share", reset=0) == {
        7: 2_500_000,
        6: 150_000,
        5: 2_500_000,
        4: 12_500,
        1: 150_000,
    }


@pytest.mark.parametrize(("rounding", "cents"), [("nearest", 11), ("down", 10), ("up", 11)])
def test_rounding_reaches_the_share(rounding: AwardRounding, cents: int) -> None:
    given = {MeterId("progressive"): MeterAmounts(primary=microcents(105))}
    ((settled,), _) = settle_claims(
        [a_claim(BLAZING["1"]["three_7_color"])],
        given,
        funded(),
        order="counter_clockwise",
        rounding=rounding,
    )
    assert settled.pay_cents == cents


def test_given_meters_are_left_alone() -> None:
    given = dict(ONE_METER)
    settle_claims(
        [a_claim(BLAZING["1"]["three_7_suited"])], given, funded(), order="counter_clockwise"
    )
    assert given == ONE_METER
