"""Who may speak for a sign that has a key: a relay asks upstream, and remembers a yes."""

import hashlib
import logging
from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from display.client import ANSWER_SECONDS, Client
from progressive.wire.signs import SignCard

log = logging.getLogger(__name__)

YES_SECONDS: Final = 600.0
YESES_MAX: Final = 10_000
ASKING_MAX: Final = 32
"""Questions under way at once: who tries keys here must not keep the service busy."""


class Admission:
    """The keeper of the relay's door."""

    def __init__(
        self,
        client: Client,
        upstreams: tuple[str, ...],
        find_card: Callable[[str], SignCard | None],
        monotonic: Callable[[], float],
    ) -> None:
        self._client = client
        self._upstreams = upstreams
        self._find_card = find_card
        self._monotonic = monotonic
        self._yes: dict[tuple[str, str, bytes], float] = {}
        """Until when; the key itself is not kept."""
        self._asking = 0

    async def admits(self, request: web.Request, sign: str) -> bool:
        """Whether who asks may speak for the sign. Raises HTTP 503 where nobody can tell."""
        card = self._find_card(sign)
        if card is None or not card.keyed:
            return True
        key = _bearer(request) or request.cookies.get(f"sign-{sign}")
        if not key:
            return False
        relay = request.query.get("relay", "")
        asked = (sign, relay, hashlib.sha256(key.encode("utf-8", "replace")).digest())
        if self._yes.get(asked, 0.0) > self._monotonic():
            return True
        if self._asking >= ASKING_MAX:
            raise _nobody_can_tell()
        self._asking += 1
        try:
            answer = await self._ask(sign, relay, key)
        finally:
            self._asking -= 1
        if answer:
            if len(self._yes) >= YESES_MAX:
                self._yes.clear()
            self._yes[asked] = self._monotonic() + YES_SECONDS
        return answer

    async def _ask(self, sign: str, relay: str, key: str) -> bool:
        query = f"?{urlencode({'relay': relay})}" if relay else ""
        for upstream in self._upstreams:
            try:
                async with self._client.session.post(
                    f"{upstream}/v1/signs/{sign}/admission{query}",
                    headers={"Authorization": f"Bearer {key}"},
                    timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS),
                ) as response:
                    if response.status in (204, 401):
                        return response.status == 204
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
                log.debug("admission not asked", extra={"upstream": upstream, "why": str(error)})
        raise _nobody_can_tell()


def _nobody_can_tell() -> web.HTTPServiceUnavailable:
    return web.HTTPServiceUnavailable(
        text="Nobody can tell now whether this key is right.\n", headers={"Retry-After": "5"}
    )


def _bearer(request: web.Request) -> str | None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None
