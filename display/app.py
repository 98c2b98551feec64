"""The relay over HTTP: the feed, the sign pages, a list of signs, and what machines ask for."""

import contextlib
import hashlib
from collections.abc import AsyncIterator
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from display.assets import asset_routes
from display.home.page import HOME_FOLDER, Floor, floor_of
from display.mirror import FRESH_MS
from display.pages import PAGE_HEADERS, sign_routes
from display.relay import Relay
from display.settings import Settings
from display.telemetry import registry_of
from display.templates import page_templates
from progressive.live.entrance.entrance import Entrance
from progressive.runtime.listening import listening
from progressive.runtime.open_files import raise_file_limit
from progressive.wire.codec import encode
from progressive.wire.feed import is_id
from progressive.wire.signs import SignCards

BODY_BYTES_MAX: Final = 64 * 1024
SHUTDOWN_SECONDS: Final = 2.0


class RelayPages:
    """Handlers over one relay."""

    def __init__(self, relay: Relay, entrance: Entrance) -> None:
        self._relay = relay
        self._entrance = entrance
        self._registry = registry_of(relay, entrance.series("relay"))
        self._home = page_templates(HOME_FOLDER).get_template("home.html")

    def application(self) -> web.Application:
        """All of it."""
        app = web.Application(middlewares=[self._entrance.in_turn], client_max_size=BODY_BYTES_MAX)
        app.on_response_prepare.append(_guard)
        app.add_routes(
            [
                web.get("/", self.home),
                web.get("/healthz", self.healthz),
                web.get("/readyz", self.readyz),
                web.get("/metrics", self.metrics),
                web.get("/v1/links", self.links),
                web.get("/v1/links/{link}/posted", self.posted),
                web.get("/v1/links/{link}/feed", self._relay.signs.handle),
                web.get("/v1/signs", self.signs),
                web.post("/v1/signs/{sign}/admission", self.admission),
                web.post("/v1/relays/{relay}/admission", self.relay_admission),
                *asset_routes("/assets/home", HOME_FOLDER),
                *sign_routes(self._relay.catalogue.card, admits=self._relay.admission.admits),
            ]
        )
        return app

    async def home(self, request: web.Request) -> web.Response:
        """GET /: the signs of this floor."""
        floor: Floor = floor_of(self._relay)
        text = self._home.render(floor=floor)
        return web.Response(text=text, content_type="text/html", headers=PAGE_HEADERS)

    async def healthz(self, request: web.Request) -> web.Response:
        """The process is alive and its loop turns."""
        return web.json_response(body=encode({"status": "alive"}))

    async def readyz(self, request: web.Request) -> web.Response:
        """Every link has a fresh word; otherwise which one has not, and why."""
        links = {
            link: {"ready": why is None, "reason": why}
            for link, relayed in self._relay.links.items()
            for why in [_not_fresh(None if relayed.hub is None else relayed.age_ms)]
        }
        reason = next((each["reason"] for each in links.values() if each["reason"]), None)
        if not links:
            reason = "no upstream has answered yet"
        status = "ready" if reason is None else "not ready"
        body = {"status": status, "reason": reason, "links": links}
        return web.json_response(body=encode(body), status=200 if reason is None else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        """Prometheus text."""
        return web.Response(
            body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    async def links(self, request: web.Request) -> web.Response:
        """GET /v1/links: as the service gives them, with the amounts that are shown here now.

        `complete` is false while a link may be missing: an upstream has not answered yet.
        """
        catalogue = self._relay.catalogue
        summaries = {
            link: catalogue.summary(relayed.mirror.view, age_ms=relayed.age_ms)
            for link, relayed in self._relay.links.items()
            if relayed.mirror.view is not None
        }
        body = {"links": list(summaries.values()), "complete": catalogue.is_complete(summaries)}
        return web.json_response(body=encode(body))

    async def signs(self, request: web.Request) -> web.Response:
        """GET /v1/signs."""
        return _kept(request, encode(SignCards(self._relay.catalogue.cards)))

    async def posted(self, request: web.Request) -> web.Response:
        """GET /v1/links/{link}/posted, passed on."""
        link = request.match_info["link"]
        posted = await self._relay.posted.of(link) if is_id(link) else None
        if posted is None:
            return _error(404, "UNKNOWN_LINK", "nobody has told this relay what is posted there")
        return _kept(request, posted.body)

    async def admission(self, request: web.Request) -> web.Response:
        """POST /v1/signs/{sign}/admission, for a relay further down."""
        sign = request.match_info["sign"]
        if is_id(sign) and await self._relay.admission.admits(request, sign):
            return web.Response(status=204)
        return _error(401, "BAD_KEY", "not this sign's key")

    async def relay_admission(self, request: web.Request) -> web.Response:
        """POST /v1/relays/{relay}/admission, for a relay further down."""
        relay = request.match_info["relay"]
        standing = await self._relay.admission.relay_standing(request, relay)
        if standing == "refused":
            return _error(401, "BAD_RELAY_KEY", "this relay needs its key")
        if standing == "keyed":
            return web.Response(status=204)
        return web.json_response(body=encode({"relay": relay, "standing": standing}))


def _not_fresh(age_ms: int | None) -> str | None:
    if age_ms is None:
        return "no upstream has given its amounts yet"
    return None if age_ms < FRESH_MS else f"no word from the service for {age_ms // 1000} s"


def _error(status: int, code: str, message: str) -> web.Response:
    body = encode({"error": {"code": code, "message": message}})
    return web.json_response(body=body, status=status)


def _kept(request: web.Request, body: bytes) -> web.Response:
    """What may be kept by who asks again whether it still holds."""
    etag = hashlib.sha256(body).hexdigest()[:32]
    known = {tag.value for tag in request.if_none_match or ()}
    response = (
        web.Response(status=304) if etag in known or "*" in known else web.json_response(body=body)
    )
    response.etag = etag
    response.headers["Cache-Control"] = "no-cache"
    return response


async def _guard(request: web.Request, response: web.StreamResponse) -> None:
    """Headers that no answer may lack."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    if request.path.startswith("/v1/"):
        response.headers.setdefault("Cache-Control", "no-store")


@contextlib.asynccontextmanager
async def running(settings: Settings, *, host: str, port: int) -> AsyncIterator[tuple[str, Relay]]:
    """The relay on an address, until the block is left; then everyone is sent away.

    Raises CannotListenError before anything was asked of an upstream.
    """
    async with listening(host, port) as taken:
        relay = Relay(settings)
        # A relay has no tables and no staff: everyone is a stranger.
        entrance = Entrance(raise_file_limit(), claims=lambda _: False)
        pages = RelayPages(relay, entrance)
        runner = web.AppRunner(
            pages.application(), access_log=None, shutdown_timeout=SHUTDOWN_SECONDS
        )
        await runner.setup()
        try:
            entrance.open(runner, taken.sockets)
            relay.start()
            yield taken.url(), relay
        finally:
            await entrance.close()
            await relay.stop()
            await runner.cleanup()
