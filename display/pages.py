"""Serves the sign page, its files and its service worker. Knows names, never an amount."""

import html
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from string import Template
from typing import Final

from aiohttp import web

from display.assets import KIT_FOLDER, asset_routes, kit_routes, load_assets, version_of
from progressive.wire.signs import SignCard

WEB_FOLDER: Final = Path(__file__).parent / "web"
SIGN_FOLDER: Final = WEB_FOLDER / "sign"
WORKER_PATH: Final = "/sign-worker.js"
SIGN_SCOPE: Final = "/sign/"
VERSION_HEADER: Final = "Sign-Version"
KIT_FILES: Final = ("money.js", "socket.js")
"""What the sign page takes from the kit; the rest of it belongs to the staff's pages."""

# Nothing from another host and nothing inline: an injected name can at worst be odd text.
PAGE_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}

FindSign = Callable[[str], SignCard | None]
Admits = Callable[[web.Request, str], Awaitable[bool]]
"""Whether a request may speak for a sign; see the door of the feed."""


class SignPages:
    """`/sign/{sign}` and the worker that lets a sign start while the network is dead."""

    def __init__(self, find_sign: FindSign, admits: Admits | None = None) -> None:
        self._find_sign = find_sign
        self._admits = admits
        self._page = Template((WEB_FOLDER / "sign.html").read_text(encoding="utf-8"))
        files = _files_of_the_page()
        worker = (WEB_FOLDER / "sign-worker.js").read_text(encoding="utf-8")
        everything = files | {"": self._page.template.encode(), WORKER_PATH: worker.encode()}
        self.version = version_of(everything)
        self._worker = worker.replace('"VERSION"', json.dumps(self.version)).replace(
            '["FILES"]', json.dumps(sorted(files))
        )

    def routes(self) -> list[web.AbstractRouteDef]:
        """Pages, worker and files."""
        return [
            web.get("/sign/{sign}", self._show),
            web.get(WORKER_PATH, self._send_worker),
            *asset_routes("/assets/sign", SIGN_FOLDER),
            *kit_routes(),
        ]

    async def _show(self, request: web.Request) -> web.Response:
        card = self._find_sign(request.match_info["sign"])
        if card is None:
            return web.Response(status=404, text="There is no such sign.\n", headers=PAGE_HEADERS)
        if "key" in request.query:
            raise _with_key_kept(request, card)
        if card.keyed and self._admits is not None and not await self._admits(request, card.id):
            return web.Response(status=401, text="This sign needs its key.\n", headers=PAGE_HEADERS)
        headers = {**PAGE_HEADERS, VERSION_HEADER: self.version}
        text = render_sign(self._page, card)
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _send_worker(self, _: web.Request) -> web.Response:
        headers = {
            # A worker fetches for its pages: it is held to the same rules as they are.
            **PAGE_HEADERS,
            "Service-Worker-Allowed": SIGN_SCOPE,
        }
        return web.Response(text=self._worker, content_type="text/javascript", headers=headers)


def sign_routes(find_sign: FindSign, *, admits: Admits | None = None) -> list[web.AbstractRouteDef]:
    """Routes for `/sign/{sign}` and its files; `find_sign` answers None if unknown.

    A sign with a key is shown only to whom `admits` lets in.
    """
    return SignPages(find_sign, admits).routes()


def render_sign(page: Template, card: SignCard) -> str:
    """Fill the page in. Every value is escaped, for text and for quoted attributes alike."""
    values = {
        "sign": card.id,
        "link": card.link,
        "link_name": card.link_name,
        "floor_name": card.floor_name,
        "currency": card.currency,
        "time_zone": card.time_zone,
        "layout": card.layout,
        "theme": card.theme,
        "language": card.language,
        "meters": ",".join(card.meters),
        "bet": card.bet or "",
    }
    return page.substitute({name: html.escape(value) for name, value in values.items()})


def _files_of_the_page() -> dict[str, bytes]:
    """Address to bytes of all that the page loads."""
    own = {f"/assets/sign/{name}": asset.body for name, asset in load_assets(SIGN_FOLDER).items()}
    kit = {f"/assets/kit/{name}": (KIT_FOLDER / name).read_bytes() for name in KIT_FILES}
    return own | kit


def _with_key_kept(request: web.Request, card: SignCard) -> web.HTTPFound:
    """Off to the plain address: a key must not stay in an address bar over a casino floor."""
    query = {name: value for name, value in request.query.items() if name != "key"}
    answer = web.HTTPFound(request.rel_url.with_query(query), headers=PAGE_HEADERS)
    answer.set_cookie(
        f"sign-{card.id}",
        request.query["key"],
        max_age=10 * 366 * 24 * 3600,
        httponly=True,
        samesite="Strict",
        secure=request.secure,
        path="/",
    )
    return answer
