"""Signs over HTTP: what they look like, what is posted on them, and who may speak for them."""

from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256

from aiohttp import web

from progressive.application.keys.ports import KeyStore
from progressive.application.people.act_log import Outcome
from progressive.domain.ids import LinkId
from progressive.domain.people.roles import Act
from progressive.entry.http.errors import error
from progressive.entry.http.links import answered
from progressive.entry.people.door import Door
from progressive.entry.signs.admission import SignAdmission
from progressive.entry.signs.posted_terms import PostedTerms
from progressive.wire.codec import encode
from progressive.wire.signs import SignCard, SignCards


class SignPages:
    """`/v1/signs` and `/v1/links/{link}/posted`."""

    def __init__(
        self,
        cards: Mapping[str, Callable[[], SignCard]],
        posted: PostedTerms,
        *,
        keys: KeyStore,
        admission: SignAdmission,
        door: Door,
        on_new_key: Callable[[], Awaitable[None]],
    ) -> None:
        self._cards = cards
        self._posted = posted
        self._keys = keys
        self._admission = admission
        self._door = door
        self._on_new_key = on_new_key

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these live at."""
        return [
            web.get("/v1/signs", self.signs),
            web.get("/v1/links/{link}/posted", self.posted),
            web.post("/v1/signs/{sign}/admission", self.admit),
            web.post("/v1/relays/{relay}/admission", self.admit_relay),
            web.post("/v1/signs/{sign}/key", self.issue_key),
            web.delete("/v1/signs/{sign}/key", self.remove_key),
        ]

    async def signs(self, request: web.Request) -> web.Response:
        """GET /v1/signs."""
        cards = SignCards([card() for card in self._cards.values()])
        return _unless_known(request, encode(cards))

    async def posted(self, request: web.Request) -> web.Response:
        """GET /v1/links/{link}/posted."""
        link = request.match_info["link"]
        posted = await self._posted.of(LinkId(link))
        if posted is None:
            return error(404, "UNKNOWN_LINK", f"no link {link!r}")
        return _unless_known(request, encode(posted))

    async def admit(self, request: web.Request) -> web.Response:
        """POST /v1/signs/{sign}/admission: whether a key fits, asked by a relay for its sign."""
        sign = request.match_info["sign"]
        if sign not in self._cards:
            return _no_such_sign(sign)
        if not await self._admission.admits(request, sign):
            return error(401, "BAD_SIGN_KEY", f"this is not the key of sign {sign}")
        return web.Response(status=204)

    async def admit_relay(self, request: web.Request) -> web.Response:
        """POST /v1/relays/{relay}/admission: whether a relay may report, asked by one above it."""
        relay = request.match_info["relay"]
        standing = await self._admission.relay_standing(request, relay)
        if standing == "refused":
            return error(401, "BAD_RELAY_KEY", "this relay needs its key")
        if standing == "keyed":
            return web.Response(status=204)
        return answered({"relay": relay, "standing": standing})

    async def issue_key(self, request: web.Request) -> web.Response:
        """POST /v1/signs/{sign}/key: a new key, shown this once.

        No `Idempotency-Key` counts here: to answer the same again, the key would have to be kept.
        """
        person = await self._door.require(request, Act.MANAGE_SIGN_KEYS)
        sign = request.match_info["sign"]
        if sign not in self._cards:
            return _no_such_sign(sign)
        key = await self._keys.issue(sign)
        await self._record(request, person.name, sign, "issued")
        await self._on_new_key()
        return answered({"sign": sign, "key": key, "path": f"/sign/{sign}?key={key}"})

    async def remove_key(self, request: web.Request) -> web.Response:
        """DELETE /v1/signs/{sign}/key: the sign is anybody's again."""
        person = await self._door.require(request, Act.MANAGE_SIGN_KEYS)
        sign = request.match_info["sign"]
        if sign not in self._cards:
            return _no_such_sign(sign)
        if not await self._keys.remove(sign):
            return error(404, "NO_SIGN_KEY", f"sign {sign} has no key")
        await self._record(request, person.name, sign, "removed")
        await self._on_new_key()
        return answered({"sign": sign})

    async def _record(self, request: web.Request, who: str, sign: str, key: str) -> None:
        await self._door.record(
            request,
            Act.MANAGE_SIGN_KEYS,
            Outcome.DONE,
            who=who,
            details={"sign": sign, "key": key},
        )


def _no_such_sign(sign: str) -> web.Response:
    return error(404, "UNKNOWN_SIGN", f"no sign {sign[:64]!r}")


def _unless_known(request: web.Request, body: bytes) -> web.Response:
    """The same again costs a line: relays and signs ask every half minute."""
    etag = sha256(body).hexdigest()[:32]
    known = {tag.value for tag in request.if_none_match or ()}
    if etag in known or "*" in known:
        response = web.Response(status=304)
    else:
        response = web.json_response(body=body)
    response.etag = etag
    response.headers["Cache-Control"] = "no-cache"
    return response
