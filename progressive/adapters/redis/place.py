"""Where the log is, as `--store` says it: a Redis URL and how many replicas must have a record.

Passwords come from the environment, or stand in the URL; nothing here prints one.
"""

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from msgspec import Struct

TLS: Final = "rediss"
SENTINEL: Final = "+sentinel"
SCHEMES: Final = ("redis", TLS, f"redis{SENTINEL}", f"{TLS}{SENTINEL}")
PREFIX: Final = "progressive"
COPIES: Final = 2
AT_MOST: Final = 16
"""Replicas, and copies."""
DATABASES_MAX: Final = 99
SENTINEL_PORT: Final = 26379

LOG_IN_VARIABLES: Final = ("PROGRESSIVE_REDIS_USER", "PROGRESSIVE_REDIS_PASSWORD")
SENTINEL_VARIABLES: Final = ("PROGRESSIVE_SENTINEL_USER", "PROGRESSIVE_SENTINEL_PASSWORD")


class BadPlaceError(ValueError):
    """The URL cannot be used; the message says why."""


class LogIn(Struct, frozen=True):
    """Who logs in; None: whoever needs no password."""

    user: str | None = None
    password: str | None = None

    def __repr__(self) -> str:
        return "LogIn()"


class RedisPlace(Struct, frozen=True):
    """A server, and what is asked of it."""

    url: str
    """For the client library: without what is ours. With Sentinels: where they are, to be shown."""
    replicas: int
    """So many replicas must have a record before it is answered."""
    prefix: str
    """Of all keys: several houses may share a server."""
    copies: int = COPIES
    """On so many nodes' disks a record is before it leaves the server."""
    log_in: LogIn = LogIn()
    """To the server; what stands in `url` counts before it."""
    ca: str | None = None
    """File with the CA that signed the servers' certificates; None: one that the system knows."""
    sentinels: tuple[tuple[str, int], ...] = ()
    """Who knows the primary; empty: it is the server of the URL."""
    service: str = ""
    """What the Sentinels call the primary and its replicas."""
    sentinel_log_in: LogIn = LogIn()
    db: int = 0
    """With Sentinels; without, it stands in the URL."""

    def __repr__(self) -> str:
        return f"RedisPlace({self.shown})"

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted, to Sentinels too."""
        return self.url.startswith(TLS)

    @property
    def shown(self) -> str:
        """Without the password."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))


def redis_place(url: str, environment: Mapping[str, str] = os.environ) -> RedisPlace:
    """`redis://HOST:PORT/DB?replicas=N&copies=N&prefix=NAME`, or
    `redis+sentinel://HOST:PORT,HOST:PORT,HOST:PORT/SERVICE?db=N`, with the same.

    Raises BadPlaceError.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise BadPlaceError(f"{parts.scheme}: is not a Redis URL (redis://HOST:PORT/DB)")
    by_sentinel = parts.scheme.endswith(SENTINEL)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    replicas = _number(options, "replicas", 0)
    copies = _number(options, "copies", COPIES, least=1)
    prefix = options.pop("prefix", PREFIX)
    if not prefix or set(prefix) & set("{}: *?[]\\"):
        raise BadPlaceError(f"prefix {prefix!r} cannot begin a key")
    ca = options.pop("ca", None)
    if ca is not None and not parts.scheme.startswith(TLS):
        raise BadPlaceError("ca= belongs to a URL that begins with rediss: only there is TLS")
    # Without Sentinels the database is the URL's path.
    db = _number(options, "db", 0, most=DATABASES_MAX) if by_sentinel else 0
    if options:
        known = "replicas, copies, prefix, ca" + (", db" if by_sentinel else "")
        raise BadPlaceError(f"unknown option {next(iter(options))!r} in the Redis URL ({known})")
    log_in = LogIn(*map(environment.get, LOG_IN_VARIABLES))
    plain = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    if not by_sentinel:
        _address(parts.netloc.rpartition("@")[2], "redis://HOST:PORT/DB")
        return RedisPlace(
            url=plain, replicas=replicas, prefix=prefix, copies=copies, log_in=log_in, ca=ca
        )
    return RedisPlace(
        url=plain,
        replicas=replicas,
        prefix=prefix,
        copies=copies,
        log_in=_log_in(parts) or log_in,
        ca=ca,
        sentinels=_sentinels(parts.netloc.rpartition("@")[2]),
        service=_service(parts.path),
        sentinel_log_in=LogIn(*map(environment.get, SENTINEL_VARIABLES)),
        db=db,
    )


def _log_in(parts: SplitResult) -> LogIn | None:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return LogIn(unquote(user) or None, unquote(password)) if password else None


def _sentinels(hosts: str) -> tuple[tuple[str, int], ...]:
    example = "redis+sentinel://HOST:PORT,HOST:PORT,HOST:PORT/SERVICE"
    found = [_address(each, example) for each in hosts.split(",")]
    return tuple((host, SENTINEL_PORT if port is None else port) for host, port in found)


def _service(path: str) -> str:
    service = unquote(path.removeprefix("/"))
    if not service or "/" in service:
        raise BadPlaceError(
            "a Sentinel URL ends with the name of the service: redis+sentinel://HOST:PORT/SERVICE"
        )
    return service


def _address(text: str, example: str) -> tuple[str, int | None]:
    parts = urlsplit(f"//{text}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadPlaceError("the port of the Redis URL is not a number") from None
    if not host:
        raise BadPlaceError(f"a Redis URL names a host: {example}")
    return host, port


def _number(
    options: dict[str, str], name: str, otherwise: int, *, least: int = 0, most: int = AT_MOST
) -> int:
    text = options.pop(name, str(otherwise))
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise BadPlaceError(f"{name}={text} is not a number from {least} to {most}")
    return int(text)
