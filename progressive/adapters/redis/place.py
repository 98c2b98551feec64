"""Where the log is, as `--store` says it: a Redis URL and how many replicas must have a record."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from msgspec import Struct

SCHEMES: Final = ("redis", "rediss")
PREFIX: Final = "progressive"
REPLICAS_MAX: Final = 16


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

    @property
    def shown(self) -> str:
        """Without the password."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))


def redis_place(url: str) -> RedisPlace:
    """`redis://HOST:PORT/DB?replicas=N&prefix=NAME`; raises BadPlaceError."""
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
    replicas = _replicas(options.pop("replicas", "0"))
    prefix = options.pop("prefix", PREFIX)
    if not prefix or set(prefix) & set("{}: *?[]\\"):
        raise BadPlaceError(f"prefix {prefix!r} cannot begin a key")
    if options:
        raise BadPlaceError(
            f"unknown option {next(iter(options))!r} in the Redis URL (replicas, prefix)"
        )
    plain = urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(options), ""))
    return RedisPlace(url=plain, replicas=replicas, prefix=prefix)


def _replicas(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > REPLICAS_MAX:
        raise BadPlaceError(f"replicas={text} is not a number up to {REPLICAS_MAX}")
    return int(text)
