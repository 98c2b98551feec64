"""Headers that every answer carries, so that no page can forget them."""

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

# Nothing from another host and nothing inline. `connect-src 'self'` covers this host's sockets.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
HSTS: Final = "max-age=31536000"


def security_headers(*, tls: bool) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """For `Application.on_response_prepare`. A page may be stricter, none is laxer by accident."""
    defaults = {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if tls:
        defaults["Strict-Transport-Security"] = HSTS

    async def add(request: web.Request, response: web.StreamResponse) -> None:
        for name, value in defaults.items():
            response.headers.setdefault(name, value)
        if request.path.startswith("/v1/"):
            # Amounts grow and sessions end: nothing of it is worth keeping.
            response.headers.setdefault("Cache-Control", "no-store")

    return add
