"""What is remembered of an address: how much it asks, what it claimed wrongly, its offences."""

import ipaddress
from collections import OrderedDict
from collections.abc import Callable

from progressive.common.token_bucket import TokenBucket
from progressive.live.entrance.limits import (
    ADDRESSES_MAX,
    CLAIMS_A_SECOND,
    CLAIMS_AT_ONCE,
    OFFENCES_A_SECOND,
    OFFENCES_FORGIVEN,
    Limits,
)


def address_of(host: str) -> str:
    """Whom a connection comes from. Whoever has an IPv6 address has 2^64 of them."""
    if ":" not in host:
        return host
    try:
        whole = ipaddress.IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    if whole.ipv4_mapped is not None:
        return str(whole.ipv4_mapped)
    return str(ipaddress.IPv6Network((whole, 64), strict=False))


class _Known:
    __slots__ = ("claims", "offences", "requests", "slowed", "slowed_until")

    def __init__(self, limits: Limits, now: float) -> None:
        self.requests = TokenBucket(
            limits.requests_at_once, a_second=limits.requests_a_second, now=now
        )
        self.slowed = TokenBucket(limits.slowed_a_second, a_second=limits.slowed_a_second, now=now)
        self.slowed_until = 0.0
        self.claims = TokenBucket(CLAIMS_AT_ONCE, a_second=CLAIMS_A_SECOND, now=now)
        self.offences = TokenBucket(OFFENCES_FORGIVEN, a_second=OFFENCES_A_SECOND, now=now)


class Addresses:
    """All addresses that were heard of lately."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        """The first one was quiet the longest."""

    def wait_seconds(self, address: str, *, most: float) -> float | None:
        """How long a request has to wait; None where that is longer than `most`."""
        known, now = self._of(address)
        slowed = now < known.slowed_until
        bucket = known.slowed if slowed else known.requests
        a_second = self._limits.slowed_a_second if slowed else self._limits.requests_a_second
        bucket.fill_until(now)
        wait = max(0.0, (1 - bucket.tokens) / a_second)
        if wait > most:
            return None
        # Below zero: those who wait already have taken the next ones.
        bucket.tokens -= 1
        return wait

    def believes(self, address: str) -> bool:
        """Whether who shows a key or a session is looked at before the strangers."""
        known, now = self._of(address)
        known.claims.fill_until(now)
        return known.claims.tokens >= 1

    def note_claim(self, address: str) -> None:
        """A key or a session was shown that nobody confirmed."""
        self._of(address)[0].claims.take()

    def note_offence(self, address: str) -> None:
        """A flood, or a request left unfinished."""
        known, now = self._of(address)
        known.offences.fill_until(now)
        if not known.offences.take():
            known.slowed_until = now + self._limits.slowed_seconds

    @property
    def slowed(self) -> int:
        """How many are slowed now."""
        now = self._clock()
        return sum(now < known.slowed_until for known in self._known.values())

    def _of(self, address: str) -> tuple[_Known, float]:
        now = self._clock()
        known = self._known.get(address)
        if known is None:
            while len(self._known) >= ADDRESSES_MAX:
                self._known.popitem(last=False)
            known = self._known[address] = _Known(self._limits, now)
        else:
            self._known.move_to_end(address)
        return known, now
