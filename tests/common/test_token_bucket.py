"""The token bucket on its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.common.token_bucket import TokenBucket


def taken(bucket: TokenBucket, tries: int) -> int:
    return sum(bucket.take() for _ in range(tries))


def test_a_new_bucket_is_full_and_no_more() -> None:
    assert taken(TokenBucket(5), 100) == 5


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0, 0), (11.999, 0), (12.0, 1), (59.999, 4), (60.0, 5), (6000.0, 5)],
)
def test_time_fills_an_empty_bucket_up_to_its_size(seconds: float, expected: int) -> None:
    bucket = TokenBucket(5, a_second=1 / 12, now=1000.0)
    taken(bucket, 5)
    bucket.fill_until(1000.0 + seconds)
    assert taken(bucket, 100) == expected


def test_parts_of_a_token_add_up() -> None:
    bucket = TokenBucket(1, a_second=1)
    assert bucket.take()
    for quarter in (0.25, 0.5, 0.75):
        bucket.fill_until(quarter)
        assert not bucket.take()
    bucket.fill_until(1.0)
    assert bucket.take()


def test_a_bucket_filled_by_hand_does_not_know_the_time() -> None:
    bucket = TokenBucket(2)
    taken(bucket, 2)
    bucket.fill_until(1e12)
    assert not bucket.take()
    bucket.fill(1)
    assert taken(bucket, 2) == 1


def test_a_refused_try_costs_nothing() -> None:
    bucket = TokenBucket(1, a_second=1)
    assert taken(bucket, 1000) == 1
    bucket.fill_until(1.0)
    assert bucket.take()


def test_a_debt_is_paid_before_anything_is_given() -> None:
    bucket = TokenBucket(4)
    bucket.tokens -= 7
    bucket.fill(3)
    assert not bucket.take()
    bucket.fill(2)
    assert taken(bucket, 3) == 2


@given(
    size=st.integers(1, 50),
    a_second=st.floats(0, 100),
    steps=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), max_size=30),
)
def test_never_more_than_the_start_and_what_time_gave(
    size: int, a_second: float, steps: list[tuple[int, int]]
) -> None:
    bucket = TokenBucket(size, a_second=a_second)
    now = given_out = 0
    for seconds, tries in steps:
        now += seconds
        bucket.fill_until(now)
        given_out += taken(bucket, tries)
        assert 0 <= bucket.tokens <= size
        assert given_out <= size + now * a_second + 1e-6
