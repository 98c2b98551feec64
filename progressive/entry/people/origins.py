"""Where a request comes from: the page it was made by, the address it was sent from."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
UNKNOWN_ADDRESS: Final = "unknown"


class BadOriginError(ValueError):
    """A text that is no origin."""


class Origins:
    """The service's own origin, whatever name it was called by, and those listed besides."""

    def __init__(self, listed: Iterable[str] = ()) -> None:
        self._listed = frozenset(parse_origin(each) for each in listed)

    @property
    def any_secure(self) -> bool:
        """Whether people come by TLS that ends in front of the service."""
        return any(each.startswith("https://") for each in self._listed)

    def welcome(self, request: web.Request) -> bool:
        """Whether a page that may speak to this service made the request, as far as it says."""
        said = request.headers.get("Origin")
        if said is None:
            return True
        said = said.lower()
        return said == f"{request.scheme}://{request.host}".lower() or said in self._listed


def parse_origin(text: str) -> str:
    """An origin as browsers send it; raises BadOriginError."""
    try:
        parts = urlsplit(text)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise BadOriginError(f"{text!r} is no origin") from None
    if parts.scheme not in ("http", "https") or not named or text.count("/") != 2:
        raise BadOriginError(f"{text!r} is no origin: http://HOST[:PORT] or https://HOST[:PORT]")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise BadOriginError(f"{text!r} is no origin: a scheme, a host and a port, no more")
    return text.lower()


def changes_something(request: web.Request) -> bool:
    """Whether the method is one that changes things."""
    return request.method not in SAFE_METHODS


def opens_socket(request: web.Request) -> bool:
    """Whether this asks for a websocket, which no browser holds to its own origin."""
    return request.headers.get("Upgrade", "").lower() == "websocket"


def address(request: web.Request) -> str:
    """Whom the connection comes from; a proxy's clients all have the proxy's address."""
    return request.remote or UNKNOWN_ADDRESS
