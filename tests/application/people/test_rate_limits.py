import pytest

from progressive.application.people.rate_limits import RateLimit, address_key
from tests.support.fake_clock import FakeClock


def taken(limit: RateLimit, key: str, tries: int) -> int:
    return sum(limit.take(key) for _ in range(tries))


def test_so_many_a_minute_for_each_key() -> None:
    limit = RateLimit(FakeClock(), per_minute=10)
    assert taken(limit, "a", 15) == 10
    assert taken(limit, "b", 15) == 10


def test_tries_come_back_with_time_but_never_more_than_a_minutes() -> None:
    clock = FakeClock()
    limit = RateLimit(clock, per_minute=10)
    taken(limit, "a", 10)
    clock.advance(30)
    assert taken(limit, "a", 10) == 5
    clock.advance(3600)
    assert taken(limit, "a", 20) == 10


def test_a_good_try_does_not_count() -> None:
    limit = RateLimit(FakeClock(), per_minute=1)
    for _ in range(3):
        assert limit.take("a")
        limit.give_back("a")
    limit.give_back("never seen")
    limit.give_back("a")
    assert taken(limit, "a", 5) == 1


def test_the_number_of_keys_is_bounded() -> None:
    limit = RateLimit(FakeClock(), per_minute=1, keys_max=2)
    for key in ("a", "b", "a", "c"):
        limit.take(key)
    assert set(limit._buckets) == {"a", "c"}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("2001:db8:1:2::1", "2001:0db8:0001:0002"),
        ("fe80::1%eth0", "fe80:0000:0000:0000"),
        ("unknown", "unknown"),
    ],
)
def test_whom_an_address_belongs_to(address: str, expected: str) -> None:
    assert address_key(address) == expected
