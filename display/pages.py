"""Serves the sign page and its files. Knows names and headers, never an amount."""

import hashlib
import html
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from aiohttp import web

WEB_FOLDER: Final = Path(__file__).parent / "web"

# The whole set: a name that is not listed is not served, so no path from outside reaches the disk.
ASSET_TYPES: Final = {
    "sign.css": "text/css",
    "sign.js": "text/javascript",
    "board.js": "text/javascript",
    "stream.js": "text/javascript",
    "frames.js": "text/javascript",
    "money.js": "text/javascript",
    "showing.js": "text/javascript",
    "wins.js": "text/javascript",
}

# Ticks come at least every 2 seconds: two may be lost before the amounts are called old.
STALE_AFTER_MS: Final = 5_000

# Nothing from another host and nothing inline: an injected name can at worst be odd text.
PAGE_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


class SignView(NamedTuple):
    """What the page must know before its first frame."""

    sign: str
    link: str
    floor_name: str
    currency: str
    link_name: str


class Asset(NamedTuple):
    """One file of the page, read at start."""

    body: bytes
    content_type: str
    etag: str


def load_assets() -> dict[str, Asset]:
    """Read every listed file once; a missing one stops the start, not a sign at midnight."""
    assets = {}
    for name, content_type in ASSET_TYPES.items():
        body = (WEB_FOLDER / name).read_bytes()
        assets[name] = Asset(body, content_type, hashlib.sha256(body).hexdigest()[:32])
    return assets


def render_sign(page: Template, view: SignView, *, stale_after_ms: int) -> str:
    """Fill the page in. Every value is escaped, for text and for quoted attributes alike."""
    values = {name: html.escape(value, quote=True) for name, value in view._asdict().items()}
    return page.substitute(values, stale_ms=str(stale_after_ms))


def sign_routes(
    find_sign: Callable[[str], SignView | None], *, stale_after_ms: int = STALE_AFTER_MS
) -> list[web.AbstractRouteDef]:
    """Routes for `/sign/{sign}` and `/assets/{name}`; `find_sign` answers None if unknown."""
    page = Template((WEB_FOLDER / "sign.html").read_text(encoding="utf-8"))
    assets = load_assets()

    async def show_sign(request: web.Request) -> web.Response:
        view = find_sign(request.match_info["sign"])
        if view is None:
            return web.Response(status=404, text="There is no such sign.\n", headers=PAGE_HEADERS)
        text = render_sign(page, view, stale_after_ms=stale_after_ms)
        return web.Response(text=text, content_type="text/html", headers=PAGE_HEADERS)

    async def show_asset(request: web.Request) -> web.Response:
        asset = assets.get(request.match_info["name"])
        if asset is None:
            return web.Response(status=404, text="There is no such file.\n", headers=PAGE_HEADERS)
        known = {tag.value for tag in request.if_none_match or ()}
        if asset.etag in known or "*" in known:
            response = web.Response(status=304)
        else:
            response = web.Response(
                body=asset.body, content_type=asset.content_type, charset="utf-8"
            )
        response.etag = asset.etag
        # A sign runs for months: after an upgrade its next load must not mix old and new files.
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    return [web.get("/sign/{sign}", show_sign), web.get("/assets/{name}", show_asset)]
