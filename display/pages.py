"""Serves the sign page and its files. Knows names and headers, never an amount."""

import html
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from aiohttp import web

from display.assets import asset_routes, kit_routes

WEB_FOLDER: Final = Path(__file__).parent / "web"

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


def render_sign(page: Template, view: SignView, *, stale_after_ms: int) -> str:
    """Fill the page in. Every value is escaped, for text and for quoted attributes alike."""
    values = {name: html.escape(value, quote=True) for name, value in view._asdict().items()}
    return page.substitute(values, stale_ms=str(stale_after_ms))


def sign_routes(
    find_sign: Callable[[str], SignView | None], *, stale_after_ms: int = STALE_AFTER_MS
) -> list[web.AbstractRouteDef]:
    """Routes for `/sign/{sign}` and its files; `find_sign` answers None if unknown."""
    page = Template((WEB_FOLDER / "sign.html").read_text(encoding="utf-8"))

    async def show_sign(request: web.Request) -> web.Response:
        view = find_sign(request.match_info["sign"])
        if view is None:
            return web.Response(status=404, text="There is no such sign.\n", headers=PAGE_HEADERS)
        text = render_sign(page, view, stale_after_ms=stale_after_ms)
        return web.Response(text=text, content_type="text/html", headers=PAGE_HEADERS)

    return [
        web.get("/sign/{sign}", show_sign),
        *asset_routes("/assets", WEB_FOLDER),
        *kit_routes(),
    ]
