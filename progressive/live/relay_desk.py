"""Where a relay hands in what the signs behind it show: each report counts if it may speak for it.

Whether it may is asked once in a while and not for every report; meanwhile the reports wait in
line, so that those of one sign stay in their order. Relays without a key, where there may be any,
share one allowance for each address that they come from.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Literal, Protocol

from aiohttp import web

from progressive.common.token_bucket import TokenBucket
from progressive.wire.feed_messages import Showing, Showings

Admits = Callable[[web.Request, str], Awaitable[bool]]
"""Whether whoever sent a request may speak for a sign. May raise an HTTP error instead."""

RelayStanding = Literal["keyed", "anonymous", "refused"]
"""A relay that has shown its key; one without that is let in all the same; one that is not."""
RelayAdmits = Callable[[web.Request], Awaitable[RelayStanding]]

ADMITTED_SECONDS: Final = 60.0
"""How long an answer holds: a key that was replaced stops counting after that."""
SIGNS_MAX: Final = 10_000
"""Signs behind one connection whose answers are remembered."""
WAITING_MAX: Final = 256
"""Messages in line; the oldest is let go of, newer reports of the same signs come anyway."""
ANONYMOUS_REPORTS_A_SECOND: Final = 5_000.0
ANONYMOUS_BURST: Final = 10_000.0
"""Reports of all relays without a key from one address: thousands of signs, once a second each."""
ADDRESSES_MAX: Final = 1_000
"""Addresses whose allowance is remembered."""


class OnShowing(Protocol):
    """Called with a sign's name, what it says it shows, and how long ago it did."""

    def __call__(self, sign: str, showing: Showing, *, age_ms: int) -> None:
        """Take note."""
        ...


class Allowances:
    """How many reports relays without a key may send, by the address they come from."""

    def __init__(self) -> None:
        self._by_address: dict[str, TokenBucket] = {}

    def of(self, address: str | None) -> TokenBucket:
        """The one that all connections from there share."""
        known = self._by_address.pop(address or "", None)
        if known is None:
            now = asyncio.get_running_loop().time()
            known = TokenBucket(ANONYMOUS_BURST, a_second=ANONYMOUS_REPORTS_A_SECOND, now=now)
        self._by_address[address or ""] = known
        if len(self._by_address) > ADDRESSES_MAX:
            del self._by_address[next(iter(self._by_address))]
        return known


class RelayDesk:
    """The reports of one relay's connection."""

    def __init__(
        self,
        request: web.Request,
        admits: Admits | None,
        on_showing: OnShowing | None,
        allowance: TokenBucket | None = None,
    ) -> None:
        """`allowance`: None where as many reports count as come, as from a relay with its key."""
        self._request = request
        self._admits = admits
        self._on_showing = on_showing
        self._allowance = allowance
        self._waiting: deque[Showings] = deque(maxlen=WAITING_MAX)
        self._admitted: dict[str, tuple[bool, float]] = {}
        self._working: asyncio.Task[None] | None = None

    def take(self, showings: Showings) -> bool:
        """What a relay says; whether it might say that much."""
        if self._allowance is not None:
            self._allowance.fill_until(asyncio.get_running_loop().time())
            if self._allowance.tokens < len(showings.reports):
                return False
            self._allowance.tokens -= len(showings.reports)
        self._waiting.append(showings)
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._work())
        return True

    async def close(self) -> None:
        """The relay is gone: what it said last still counts."""
        if self._working is not None:
            await asyncio.gather(self._working, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            for report in self._waiting.popleft().reports:
                if self._on_showing is not None and await self._speaks_for(report.sign):
                    self._on_showing(report.sign, report.showing, age_ms=report.age_ms)

    async def _speaks_for(self, sign: str) -> bool:
        if self._admits is None:
            return True
        now = asyncio.get_running_loop().time()
        known = self._admitted.get(sign)
        if known is not None and now < known[1]:
            return known[0]
        answer = False
        # Who cannot tell has not said yes; the next report asks again.
        with contextlib.suppress(web.HTTPException):
            answer = await self._admits(self._request, sign)
            if len(self._admitted) >= SIGNS_MAX:
                self._admitted.clear()
            self._admitted[sign] = (answer, now + ADMITTED_SECONDS)
        return answer
