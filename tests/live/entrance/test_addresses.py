"""What an address may do before its strangers have to wait."""

import pytest

from progressive.live.entrance.addresses import Addresses, address_of
from progressive.live.entrance.limits import ADDRESSES_MAX, CLAIMS_AT_ONCE, Limits


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


LIMITS = Limits(requests_a_second=10, requests_at_once=5, slowed_a_second=1, slowed_seconds=60)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_addresses(host: str, address: str) -> None:
    assert address_of(host) == address


def test_requests_beyond_the_burst_wait_their_time(clock: Clock) -> None:
    addresses = Addresses(LIMITS, clock)
    waits = [addresses.wait_seconds("a", most=10) for _ in range(8)]
    assert waits == pytest.approx([0, 0, 0, 0, 0, 0.1, 0.2, 0.3])
    assert addresses.wait_seconds("b", most=10) == 0
    assert addresses.wait_seconds("a", most=0.2) is None


def test_few_offences_are_forgiven_and_more_slow_the_address_for_a_while(clock: Clock) -> None:
    addresses = Addresses(LIMITS, clock)
    for _ in range(3):
        addresses.note_offence("a")
    assert addresses.slowed == 0
    addresses.note_offence("a")
    assert addresses.slowed == 1
    assert [addresses.wait_seconds("a", most=10) for _ in range(3)] == [0, 1, 2]
    clock.now += 61
    assert addresses.slowed == 0
    assert addresses.wait_seconds("a", most=10) == 0


def test_wrong_keys_of_an_address_are_no_longer_looked_at_first(clock: Clock) -> None:
    addresses = Addresses(LIMITS, clock)
    for _ in range(int(CLAIMS_AT_ONCE)):
        assert addresses.believes("a")
        addresses.note_claim("a")
    assert not addresses.believes("a")
    assert addresses.believes("b")


def test_only_so_many_addresses_are_remembered(clock: Clock) -> None:
    addresses = Addresses(LIMITS, clock)
    for _ in range(4):
        addresses.note_offence("a")
    for number in range(ADDRESSES_MAX):
        addresses.believes(str(number))
    assert addresses.slowed == 0
