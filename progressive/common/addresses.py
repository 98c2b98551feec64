"""PURE. Addresses of upstreams: as configured, and as an upstream that is not the leader gives."""

from typing import Final
from urllib.parse import urljoin, urlsplit

_PLAIN: Final = {"http": "http", "ws": "http", "https": "https", "wss": "https"}


class BadAddressError(ValueError):
    """Not the address of a service or a relay."""


def base_of(text: str) -> str:
    """`http(s)://HOST[:PORT][/PREFIX]` of any address below it; ws and wss mean the same."""
    try:
        parts = urlsplit(text.strip())
        scheme, host, port = _PLAIN.get(parts.scheme), parts.hostname, parts.port
    except ValueError as error:
        raise BadAddressError(f"{text!r} is not an address: {error}") from None
    if scheme is None or not host:
        raise BadAddressError(f"{text!r} is not http(s)://HOST:PORT")
    if parts.username is not None or parts.password is not None:
        raise BadAddressError("an address with a password in it is not taken")
    if not all(" " < sign < "\x7f" for sign in host):
        raise BadAddressError(f"{text!r} does not name a host")
    shown = f"[{host}]" if ":" in host else host
    prefix = f"{parts.path}/".partition("/v1/")[0].rstrip("/")
    return f"{scheme}://{shown}{'' if port is None else f':{port}'}{prefix}"


def elsewhere(said: str, *, by: str) -> str | None:
    """Where an upstream sends its readers, or None where they had better not go.

    From a safe connection nobody is led to one that anyone on the way can read and change.
    """
    try:
        base = base_of(urljoin(f"{by}/", said.strip()) if said.strip() else "")
    except ValueError:
        return None
    if by.startswith("https:") and not base.startswith("https:"):
        return None
    return base


def origin_of(base: str) -> str:
    """Scheme, host and port alone."""
    return "/".join(base.split("/")[:3])
