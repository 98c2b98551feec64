"""Who may speak for a sign that has a key, and which relay below may report: asked upstream.

A yes is remembered.
"""

import hashlib
import logging
from collections.abc import Callable
from typing import Final
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from display.client import ANSWER_SECONDS, Client
from progressive.live.relay_desk import RelayStanding
from progressive.wire.feed import is_id
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
        answer = await self._ask(sign, relay, key)
        if answer:
            self._remember(asked)
        return answer

    async def relay_standing(self, request: web.Request, relay: str | None = None) -> RelayStanding:
        """Whether a relay below may report for signs: `relay`, or the one the request names.

        Where nobody can tell it is let in like one without a key: amounts must not end with the
        service's absence, and its reports go nowhere meanwhile.
        """
        relay = request.query.get("relay", "") if relay is None else relay
        key = _bearer(request) or ""
        if not is_id(relay):
            return "refused"
        asked = ("", relay, hashlib.sha256(key.encode("utf-8", "replace")).digest())
        if self._yes.get(asked, 0.0) > self._monotonic():
            return "keyed"
        if self._asking >= ASKING_MAX:
            return "anonymous"
        status = await self._ask_for_relay(relay, key)
        if status == 401:
            return "refused"
        if status == 204:
            self._remember(asked)
        return "keyed" if status == 204 else "anonymous"

    def _remember(self, asked: tuple[str, str, bytes]) -> None:
        if len(self._yes) >= YESES_MAX:
            self._yes.clear()
        self._yes[asked] = self._monotonic() + YES_SECONDS

    async def _ask(self, sign: str, relay: str, key: str) -> bool:
        query = f"?{urlencode({'relay': relay})}" if relay else ""
        status = await self._post(f"/v1/signs/{sign}/admission{query}", key, (204, 401))
        if status is None:
            raise _nobody_can_tell()
        return status == 204

    async def _ask_for_relay(self, relay: str, key: str) -> int | None:
        # An older upstream has no such address: there, relays need no key.
        return await self._post(f"/v1/relays/{relay}/admission", key, (200, 204, 401, 404))

    async def _post(self, path: str, key: str, answers: tuple[int, ...]) -> int | None:
        """The first of these answers that an upstream gives; None where none does."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._asking += 1
        try:
            for upstream in self._upstreams:
                try:
                    async with self._client.session.post(
                        f"{upstream}{path}",
                        headers=headers,
                        timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS),
                    ) as response:
                        if response.status in answers:
                            return response.status
                except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
                    about = {"upstream": upstream, "why": str(error)}
                    log.debug("admission not asked", extra=about)
        finally:
            self._asking -= 1
        return None


def _nobody_can_tell() -> web.HTTPServiceUnavailable:
    return web.HTTPServiceUnavailable(
        text="Nobody can tell now whether this key is right.\n", headers={"Retry-After": "5"}
    )


def _bearer(request: web.Request) -> str | None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else None
