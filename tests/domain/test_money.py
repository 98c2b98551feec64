"""money: exact, and one floor where money is shown."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.money import (
    CENTS_MAX,
    MICROCENTS_PER_CENT,
    PPM,
    exact_money_text,
    microcents,
    money_text,
)
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


@pytest.mark.parametrize(
    ("amount_cents", "currency", "text"),
    [
        (0, "USD", "$0.00"),
        (5, "USD", "$0.05"),
        (123_456_789, "USD", "$1,234,567.89"),
        (-7, "USD", "-$0.07"),
        (123_456, "GBP", "£1,234.56"),
        (123_456, "EUR", "EUR 1,234.56"),
        # Dollars and yen of others: their symbol alone would be a guess.
        (123_456, "CAD", "CAD 1,234.56"),
        (123_456, "JPY", "JPY 1,234.56"),
        (-123_456, "XTS", "-XTS 1,234.56"),
        (123_456, "", "1,234.56"),
    ],
)
def test_amount_names_its_currency(amount_cents: int, currency: str, text: str) -> None:
    assert money_text(amount_cents, currency) == text


@pytest.mark.parametrize(
    ("amount_microcents", "text"),
    [
        (microcents(123_456), "$1,234.56"),
        (microcents(123_456) + 1, "$1,234.56000001"),
        (microcents(123_456) + 432_100, "$1,234.564321"),
        (999_999, "$0.00999999"),
        (-1, "-$0.00000001"),
        (microcents(100), "$1.00"),
    ],
)
def test_fraction_of_a_cent_is_written_out(amount_microcents: int, text: str) -> None:
    assert exact_money_text(amount_microcents, "USD") == text


@given(st.integers(-(10**17), 10**17))
def test_exact_text_loses_nothing(amount_microcents: int) -> None:
    text = exact_money_text(amount_microcents, "").replace(",", "")
    assert Decimal(text) * 100 * MICROCENTS_PER_CENT == amount_microcents
