"""money: exact, and one floor where money is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.money import CENTS_MAX, MICROCENTS_PER_CENT, PPM, microcents
from progressive.domain.rounding import floor_cents

cents = st.integers(min_value=0, max_value=CENTS_MAX)


@pytest.mark.parametrize(
    ("amount_microcents", "shown_cents"),
    [
        (0, 0),
        (1, 0),
        (999_999, 0),
        (1_000_000, 1),
        (1_000_001, 1),
        (1_999_999, 1),
        # A floor, also below zero: never a cent more than there is.
        (-1, -1),
    ],
)
def test_sign_shows_whole_cents_never_more_than_there_is(
    amount_microcents: int, shown_cents: int
) -> None:
    assert floor_cents(amount_microcents) == shown_cents


@given(cents)
def test_cents_survive_the_way_to_the_meter_and_back(amount_cents: int) -> None:
    assert floor_cents(microcents(amount_cents)) == amount_cents


def test_largest_amount_fits_the_64_bits_of_other_tools() -> None:
    assert microcents(CENTS_MAX) < 2**63
    assert MICROCENTS_PER_CENT == PPM
