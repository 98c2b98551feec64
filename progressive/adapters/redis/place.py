"""Where the log is, as `--store` says it: a Redis URL and how many replicas must have a record."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec import Struct

SCHEMES: Final = ("redis", "rediss")
PREFIX: Final = "progressive"
COPIES: Final = 2
AT_MOST: Final = 16
"""Replicas, and copies."""


class BadPlaceError(ValueError):
    """The URL cannot be used; the message says why."""


class RedisPlace(Struct, frozen=True):
    """A server, and what is asked of it."""

    url: str
    """For the client library: without what is ours."""
    replicas: int
    """So many replicas must have a record before it is answered."""
    prefix: str
    """Of all keys: several houses may share a server."""
    copies: int = COPIES
    """On so many nodes' disks a record is before it leaves the server."""

    @property
    def shown(self) -> str:
        """Without the password."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))


def redis_place(url: str) -> RedisPlace:
    """`redis://HOST:PORT/DB?replicas=N&copies=N&prefix=NAME`; raises BadPlaceError."""
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise BadPlaceError(f"{parts.scheme}: is not a Redis URL (redis://HOST:PORT/DB)")
    if not parts.hostname:
        raise BadPlaceError("a Redis URL names a host: redis://HOST:PORT/DB")
    try:
        # Only looking at it finds out whether it is a number.
        _ = parts.port
    except ValueError:
        raise BadPlaceError("the port of the Redis URL is not a number") from None
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    replicas = _number(options, "replicas", 0)
    copies = _number(options, "copies", COPIES, least=1)
    prefix = options.pop("prefix", PREFIX)
    if not prefix or set(prefix) & set("{}: *?[]\\"):
        raise BadPlaceError(f"prefix {prefix!r} cannot begin a key")
    if options:
        raise BadPlaceError(
            f"unknown option {next(iter(options))!r} in the Redis URL (replicas, copies, prefix)"
        )
    plain = urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(options), ""))
    return RedisPlace(url=plain, replicas=replicas, prefix=prefix, copies=copies)


def _number(options: dict[str, str], name: str, otherwise: int, *, least: int = 0) -> int:
    text = options.pop(name, str(otherwise))
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= AT_MOST:
        raise BadPlaceError(f"{name}={text} is not a number from {least} to {AT_MOST}")
    return int(text)
