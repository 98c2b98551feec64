"""Who may speak for a sign: anybody, until a key was issued for it; then whoever shows that key.

A relay, which speaks for many, needs a key of its own, unless the floor file allows others.

Amounts are no secret, and the feed without a sign's name stays open. What a key protects is the
sign's own word: that what is reported as its glass is its glass.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from progressive.application.journal.ports import StoreError
from progressive.application.keys.ports import KeyCheck, KeyWatch
from progressive.live.relay_desk import RelayStanding

log = logging.getLogger(__name__)

COOKIE_PREFIX: Final = "sign-"


class SignAdmission:
    """Looks at keys. Whether a sign has one is known from the last look, once a second."""

    def __init__(self, keys: KeyWatch, relays: KeyCheck, *, anonymous_relays: bool) -> None:
        self._keys = keys
        self._relays = relays
        self._anonymous_relays = anonymous_relays
        self._versions: Mapping[str, object] = {}
        self._looked = False
        # One look after another: an older one that ends later must not undo a newer one.
        self._looking = asyncio.Lock()
        self.problem: str | None = None
        """What is wrong with the keys; None while all is well."""
        self.refused = 0
        """Who came without the key, since the start."""

    def keyed(self, sign: str) -> bool:
        """Whether it is spoken for only by who shows its key."""
        return sign in self._versions

    async def look(self) -> set[str]:
        """The signs whose key is another one than at the last look.

        Whoever speaks for them must show it again. That is also what becomes of one who slipped in
        between the issue of a first key and this look.
        """
        async with self._looking:
            self._looked = True
            try:
                found = await self._keys.versions()
            except StoreError as error:
                # What was known still holds: a sign must not become anybody's because its key
                # cannot be read.
                self._note(f"the keys of signs cannot be read: {error}")
                return set()
            missing = ", ".join(sorted(self._keys.missing))
            self._note(f"keys of signs are gone but were not removed: {missing}" if missing else "")
            before, self._versions = self._versions, found
        return {sign for sign, version in found.items() if before.get(sign) != version}

    def _note(self, why: str) -> None:
        if why and why != self.problem:
            log.error("sign keys are in disorder", extra={"why": why})
        self.problem = why or None

    async def admits(self, request: web.Request, sign: str) -> bool:
        """Whether who asks may speak for the sign; a relay with a key may for any."""
        if not self._looked:
            await self.look()
        if not self.keyed(sign) or await self._fits(request, sign):
            return True
        self.refused += 1
        return False

    async def relay_standing(self, request: web.Request, relay: str | None = None) -> RelayStanding:
        """Whether a relay may report at all: `relay`, or the one that the request names."""
        shown = _bearer(request)
        name = request.query.get("relay", "") if relay is None else relay
        if shown and await self._relays.fits(name, shown):
            return "keyed"
        if self._anonymous_relays:
            return "anonymous"
        self.refused += 1
        return "refused"

    async def _fits(self, request: web.Request, sign: str) -> bool:
        shown = _bearer(request)
        relay = request.query.get("relay")
        if relay and shown and await self._relays.fits(relay, shown):
            return True
        key = shown or request.cookies.get(f"{COOKIE_PREFIX}{sign}")
        return bool(key) and await self._keys.fits(sign, str(key))


def _bearer(request: web.Request) -> str:
    """The key in `Authorization: Bearer KEY`; empty where there is none."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""
