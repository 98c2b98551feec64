"""Listening sockets, taken before anything else is opened.

A server that cannot have its address must not have touched its data: it takes the address first,
and accepts connections once the rest is ready. Who connects meanwhile waits in the backlog.
"""

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Final

from msgspec import Struct

from progressive.runtime.plain_errors import CannotRunError

BACKLOG: Final = 1024
"""Connections that the system holds until they are accepted: a floor that reconnects at once."""
PORT_TRIES: Final = 8
"""A free port of one address may be taken on another one: `localhost` often has two."""

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not listened on

_Target = tuple[int, int, int, tuple[object, ...]]


class CannotListenError(CannotRunError):
    """The address cannot be had; says which, why, and what to do."""


class Listening(Struct, frozen=True):
    """Sockets that the system queues connections for."""

    host: str
    """As asked for; where that means every address, the loopback one, which can be opened."""
    port: int
    sockets: tuple[socket.socket, ...]

    @property
    def everywhere(self) -> str | None:
        """`0.0.0.0:8080`, say, where every address of this machine is listened on."""
        for each in self.sockets:
            host, port = each.getsockname()[:2]
            if host in _LOOPBACK:
                return address_text(host, port)
        return None

    def url(self, scheme: str = "http") -> str:
        """An address that can be opened on this machine."""
        return f"{scheme}://{address_text(self.host, self.port)}"


@contextlib.asynccontextmanager
async def listening(host: str, port: int) -> AsyncIterator[Listening]:
    """Every address of a host on one port, until the block is left; raises CannotListenError."""
    targets = await _targets(host, port)
    sockets = _bound(targets, host, port)
    try:
        shown, number = sockets[0].getsockname()[:2]
        yield Listening(_LOOPBACK.get(shown, host), number, tuple(sockets))
    finally:
        _close(sockets)


def address_text(host: str, port: int) -> str:
    """`HOST:PORT`, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _targets(host: str, port: int) -> list[_Target]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    # A name with an empty or endless part cannot even be asked for.
    except (socket.gaierror, UnicodeError):
        raise CannotListenError(
            f"cannot listen on {address_text(host, port)}: unknown host (use --listen HOST:PORT)"
        ) from None
    # Each once, in the order of the resolver.
    return list(dict.fromkeys((family, kind, proto, at) for family, kind, proto, _, at in found))


def _bound(targets: Sequence[_Target], host: str, port: int) -> list[socket.socket]:
    """A listening socket for each target; all of them on the port that the first one gets."""
    for attempt in range(PORT_TRIES):
        sockets: list[socket.socket] = []
        missing: OSError | None = None
        try:
            for family, kind, proto, at in targets:
                number = sockets[0].getsockname()[1] if sockets else port
                try:
                    sockets.append(_listener(family, kind, proto, (at[0], number, *at[2:])))
                except OSError as error:
                    # A name may have addresses that this machine lacks: one is enough.
                    if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                        raise
                    missing = error
        except OSError as error:
            _close(sockets)
            picked = port == 0 and error.errno == errno.EADDRINUSE
            if picked and attempt < PORT_TRIES - 1:
                continue
            raise CannotListenError(_why(host, port, error)) from None
        if sockets:
            return sockets
        raise CannotListenError(_why(host, port, missing or OSError("no address"))) from None
    raise AssertionError("unreachable")


def _listener(family: int, kind: int, proto: int, at: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, kind, proto)
    try:
        made.setblocking(False)
        # A restart finds connections of the last run that are still closing.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(at)
        # With SO_REUSEADDR two may bind; only one may listen.
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def _why(host: str, port: int, error: OSError) -> str:
    address = address_text(host, port)
    match error.errno:
        case errno.EADDRINUSE:
            return f"{address} is in use (use --listen for another port)"
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            why = "this machine does not have that address (use --listen HOST:PORT)"
        case errno.EACCES | errno.EPERM:
            why = "no permission for this port (use --listen with a port from 1024 up)"
        case _:
            why = error.strerror or str(error)
    return f"cannot listen on {address}: {why}"


def _close(sockets: Sequence[socket.socket]) -> None:
    for each in sockets:
        each.close()
