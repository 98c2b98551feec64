"""Theoretical hold against the exact odds, and its variance against plain enumeration."""

from fractions import Fraction

import pytest

from progressive.application.finance.reports.theory import theory_of
from progressive.application.finance.reports.whole_cents import steps_in_cents
from progressive.domain.odds.meter_shares import chances_by_share
from progressive.domain.rulebook.paytable import ForOne
from tests.support.awards import one_meter
from tests.support.builders import a_buster, a_link
from tests.support.finance_days import finance_link


def test_what_is_kept_is_what_lines_and_meters_leave() -> None:
    terms = one_meter().terms
    (bet,) = terms.bets
    theory = theory_of(terms, bet)
    assert theory is not None
    chances = chances_by_share(terms, bet.meters[0].id)
    assert theory.hits == {("progressive", share): chance for share, chance in chances.items()}
    # 20 percent go to the meter and 1 percent to its reset meter; $2,000 at every whole hit.
    assert theory.extra_cents == 200_000 * chances[100]
    fixed = {line.id: line.pays.for_one for line in bet.lines if isinstance(line.pays, ForOne)}
    assert set(fixed.values()) == {200, 25, 2}
    assert 0 < theory.kept < Fraction(79, 100)


def test_variance_of_wagers_alike_is_that_of_one_times_their_number() -> None:
    terms = one_meter().terms
    theory = theory_of(terms, terms.bets[0])
    assert theory is not None
    one = theory.variance(1, 500, 500 * 500)
    assert theory.variance(7, 3_500, 7 * 500 * 500) == 7 * one
    # By definition: the mean of squares less the square of the mean, of what one wager costs.
    mean = 500 * (1 - theory.kept - Fraction(21, 100)) + theory.extra_cents
    assert one > 0
    assert theory.win_cents(1, 500) == 500 - 105 - mean


def test_a_bet_without_meters_keeps_its_house_edge() -> None:
    terms = a_link(bets=(a_buster(),)).terms
    theory = theory_of(terms, terms.bets[0])
    assert theory is not None
    assert theory.hits == {}
    assert Fraction(1, 100) < theory.kept < Fraction(1, 5)


def test_theory_knows_both_bets_of_the_five_days() -> None:
    terms = finance_link().terms
    assert all(theory_of(terms, bet) is not None for bet in terms.bets)


@pytest.mark.parametrize(
    ("opening", "steps", "expected"),
    [
        (0, [1_500_000, -500_000], [1, 0]),
        (999_999, [1, 999_999, 1], [1, 0, 1]),
        (1_999_999, [-1_999_998, 500_000], [-1, 0]),
        (300_000, [-700_000 + 700_000], [0]),
    ],
)
def test_steps_in_cents_sum_to_the_difference_of_the_floors(
    opening: int, steps: list[int], expected: list[int]
) -> None:
    found = steps_in_cents(opening, steps)
    assert found == expected
    assert sum(found) == (opening + sum(steps)) // 10**6 - opening // 10**6
