"""Where a request comes from: the page it was made by, the address it was sent from."""

import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
UNKNOWN_ADDRESS: Final = "unknown"
LOCALHOST: Final = "localhost"


class BadOriginError(ValueError):
    """A text that is no origin."""


class Origins:
    """The service's own origins, by the names it knows itself by, and those listed besides.

    Not by any name that a request says: whoever owns a name can point it at this service, and a
    page of theirs would be its own (DNS rebinding). An address is nobody's to point.
    """

    def __init__(self, listed: Iterable[str] = (), *, names: Iterable[str] = ()) -> None:
        """`names`: those of this machine; `localhost` and its addresses need not be listed."""
        self._listed = frozenset(parse_origin(each) for each in listed)
        self._names = frozenset((LOCALHOST, *(name.lower() for name in names)))

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
        if said in self._listed:
            return True
        return said == f"{request.scheme}://{request.host}".lower() and self._is_own(request.host)

    def _is_own(self, host: str) -> bool:
        name = host_name(host)
        return name in self._names or is_address(name)


def host_name(host: str) -> str:
    """`NAME[:PORT]` without its port; an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def is_address(name: str) -> bool:
    """Whether this is an IP address and no name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def machine_names(listened_on: str) -> tuple[str, ...]:
    """The names that this machine and its listening address have; addresses need none."""
    own = socket.gethostname()
    names = {own, own.partition(".")[0], listened_on}
    return tuple(sorted(name for name in names if name and not is_address(name)))


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
