"""Posted terms, passed on from upstream: asked for when somebody wants them, kept when it is away.

They are what a floor file says, not amounts: a copy that is some seconds old is as good.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

import aiohttp
from msgspec import Struct

from display.client import Client

log = logging.getLogger(__name__)

FRESH_SECONDS: Final = 30.0


class Posted(Struct):
    """The terms of one link."""

    body: bytes
    etag: str | None
    read_at: float
    upstream: str


class PostedTerms:
    """The terms of all links."""

    def __init__(
        self,
        client: Client,
        upstreams_of: Callable[[str], Sequence[str]],
        monotonic: Callable[[], float],
    ) -> None:
        self._client = client
        self._upstreams_of = upstreams_of
        self._monotonic = monotonic
        self._known: dict[str, Posted] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    def forget_age(self) -> None:
        """An upstream is back, maybe with other terms: whoever asks next is told the newest."""
        for posted in self._known.values():
            posted.read_at = -FRESH_SECONDS

    async def of(self, link: str) -> Posted | None:
        """What is posted for a link; None where nobody has told us."""
        upstreams = self._upstreams_of(link)
        if not upstreams:
            return None
        async with self._asking.setdefault(link, asyncio.Lock()):
            known = self._known.get(link)
            if known is not None and self._monotonic() - known.read_at < FRESH_SECONDS:
                return known
            for upstream in upstreams:
                if await self._ask(upstream, link):
                    break
            return self._known.get(link)

    async def _ask(self, upstream: str, link: str) -> bool:
        known = self._known.get(link)
        etag = known.etag if known is not None and known.upstream == upstream else None
        try:
            answer = await self._client.get(upstream, f"/v1/links/{link}/posted", etag=etag)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            log.debug("posted terms not read", extra={"upstream": upstream, "why": str(error)})
            return False
        if answer.status == 304 and known is not None:
            known.read_at = self._monotonic()
            return True
        if answer.status != 200:
            return False
        self._known[link] = Posted(answer.body, answer.etag, self._monotonic(), upstream)
        return True
