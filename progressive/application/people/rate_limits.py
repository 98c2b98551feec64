"""How often somebody may try: a bucket of tokens for each address or name.

In memory and bounded: a restart forgets, which is what the lock-out in the store is for.
"""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from typing import Final

from progressive.application.clock import Clock
from progressive.common.token_bucket import TokenBucket

KEYS_MAX: Final = 10_000
"""Buckets held at once; beyond it the one longest unused is forgotten."""


class RateLimit:
    """So many tries a minute for each key, all at once if need be."""

    def __init__(self, clock: Clock, *, per_minute: int, keys_max: int = KEYS_MAX) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._keys_max = keys_max
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, key: str) -> bool:
        """Whether there was a try left; it is used up."""
        now = self._clock.monotonic()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = TokenBucket(self._per_minute, a_second=self._per_minute / 60, now=now)
            self._buckets[key] = bucket
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._keys_max:
            self._buckets.popitem(last=False)
        bucket.fill_until(now)
        return bucket.take()

    def give_back(self, key: str) -> None:
        """That try was a good one and does not count."""
        if (bucket := self._buckets.get(key)) is not None:
            bucket.fill(1)


def address_key(address: str) -> str:
    """Whom an address belongs to: a subscriber has 2^64 addresses of IPv6, but one network."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return parsed.exploded[:19]
