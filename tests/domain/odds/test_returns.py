"""Probabilities to money: the highest line only, stakes, shares of meters, the even amount."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.ids import MeterId
from progressive.domain.odds.engine import LOST, Hand
from progressive.domain.odds.returns import (
    LineOdds,
    break_even_cents,
    fixed_return,
    line_odds,
    meter_return,
)
from progressive.domain.rulebook.paytable import (
    ForOne,
    PayLine,
    Pays,
    Paytable,
    ShareOfMeter,
    ToOne,
)

POT = MeterId("pot")


def a_line(line_id: str, pays: Pays) -> PayLine:
    return PayLine(id=line_id, pays=pays)


def odds(pays: Pays, probability: str) -> LineOdds:
    return LineOdds(line=a_line("any", pays), probability=Fraction(probability))


def share(percent: int) -> ShareOfMeter:
    return ShareOfMeter(meter=POT, share_percent=percent)


PAYTABLE = Paytable(
    id="P",
    clause="",
    lines=(a_line("high", ForOne(for_one=9)), a_line("low", ForOne(for_one=2))),
)


def test_hand_counts_for_its_highest_line_only() -> None:
    chances = {
        Hand(("low", "high")): Fraction(1, 10),
        Hand(("low",)): Fraction(3, 10),
        LOST: Fraction(6, 10),
    }
    found = line_odds(PAYTABLE, chances, decided={"high", "low"})
    assert [(each.line.id, each.probability) for each in found] == [
        ("high", Fraction(1, 10)),
        ("low", Fraction(3, 10)),
    ]


def test_line_that_the_deal_does_not_decide_is_left_out() -> None:
    found = line_odds(PAYTABLE, {Hand(("low",)): Fraction(1)}, decided={"low"})
    assert [each.line.id for each in found] == ["low"]


def test_push_is_told_apart_from_the_win() -> None:
    chances = {Hand(("low",)): Fraction(1, 4), Hand(("low",), pushes=True): Fraction(1, 8)}
    high, low = line_odds(PAYTABLE, chances, decided={"high", "low"})
    assert (low.probability, low.push_probability) == (Fraction(1, 4), Fraction(1, 8))
    assert (high.probability, high.push_probability) == (0, None)
    assert fixed_return([high, low]) == 2 * Fraction(1, 4) + Fraction(1, 8)


@pytest.mark.parametrize(
    ("pays", "comes_back"),
    [
        (ForOne(for_one=25), "25"),  # "for 1": the stake is in it
        (ToOne(to=250), "251"),  # "to 1": the stake comes on top
        (ToOne(to=3, per=2), "5/2"),
        (share(100), "0"),  # no fixed part
    ],
)
def test_return_counts_all_that_reaches_the_player(pays: Pays, comes_back: str) -> None:
    assert fixed_return([odds(pays, "1/10")]) == Fraction(comes_back) / 10


def test_meter_comes_back_by_its_shares() -> None:
    lines = [odds(share(100), "1/1000"), odds(share(10), "1/100"), odds(ForOne(for_one=2), "1/5")]
    # 1/1000 of the whole and 1/100 of a tenth: on average 0.2 percent of the meter a wager.
    assert meter_return(lines, {POT: 100_000}, wager_cents=500) == Fraction(200, 500)
    assert meter_return(lines, {}, wager_cents=500) == 0
    # 60 percent of $5 is missing: $3, which is 0.2 percent of $1,500.
    assert break_even_cents(lines, POT, wager_cents=500) == 150_000


def test_break_even_is_rounded_up() -> None:
    lines = [odds(share(100), "3/1000")]
    assert break_even_cents(lines, POT, wager_cents=100) == 33_334


def test_meter_that_cannot_be_won_is_never_even() -> None:
    assert break_even_cents([odds(share(100), "0")], POT, wager_cents=100) is None
    assert break_even_cents([odds(ForOne(for_one=2), "1/5")], POT, wager_cents=100) is None


def test_bet_that_is_even_without_its_meter_needs_nothing_on_it() -> None:
    lines = [odds(share(100), "1/1000"), odds(ForOne(for_one=3), "1/2")]
    assert break_even_cents(lines, POT, wager_cents=100) == 0


@given(
    won=st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
    fixed=st.fractions(0, Fraction(1, 2)),
    wager_cents=st.integers(1, 10_000),
)
def test_break_even_is_the_least_amount_that_is_even(
    won: Fraction, fixed: Fraction, wager_cents: int
) -> None:
    lines = [odds(share(100), str(won)), odds(ForOne(for_one=1), str(fixed))]
    even = break_even_cents(lines, POT, wager_cents=wager_cents)
    assert even is not None

    def comes_back(cents: int) -> Fraction:
        return fixed_return(lines) + meter_return(lines, {POT: cents}, wager_cents=wager_cents)

    assert comes_back(even) >= 1 > comes_back(even - 1)
