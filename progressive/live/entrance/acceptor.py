"""Takes connections from listening sockets, one in a turn of the event loop, each behind a gate.

A connection is counted before its TLS handshake begins: one that never ends holds no more than any
other unfinished request.
"""

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Final, cast

from aiohttp import web

from progressive.live.entrance.addresses import address_of
from progressive.live.entrance.gate import Gate, GatedHandler, Keeper

NO_FILES_SECONDS: Final = 0.05
LINGER_SECONDS: Final = 2.0
"""For the rest of a body that nobody wants, so that its sender reads the answer."""
NO_ACCESS_LOG: Final = cast("logging.Logger", None)
"""aiohttp's own way to say that; its types do not know it."""
_OUT_OF_FILES: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Acceptor:
    """The listening sockets of one server."""

    def __init__(
        self, keeper: Keeper, *, take: Callable[[Gate], None], out_of_files: Callable[[], None]
    ) -> None:
        """`take` is given every connection at once, `out_of_files` called when none can be had."""
        self._keeper = keeper
        self._take = take
        self._out_of_files = out_of_files
        self._coming: set[asyncio.Task[None]] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._listeners: Sequence[socket.socket] = ()

    def open(
        self,
        runner: web.AppRunner,
        listeners: Sequence[socket.socket],
        tls: ssl.SSLContext | None,
    ) -> None:
        """Begin to accept, for a runner that is set up."""
        self._listeners = listeners
        self._tasks = [
            asyncio.create_task(self._accept_forever(runner, each, tls)) for each in listeners
        ]

    async def close(self) -> None:
        """Accept no more. Those who are in stay in."""
        for task in (*self._tasks, *self._coming):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._coming, return_exceptions=True)
        for each in self._listeners:
            each.close()

    async def _accept_forever(
        self, runner: web.AppRunner, listener: socket.socket, tls: ssl.SSLContext | None
    ) -> None:
        loop = asyncio.get_running_loop()
        server = runner.server
        if server is None:
            raise RuntimeError("the runner is not set up")
        while True:
            try:
                accepted, peer = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno in _OUT_OF_FILES:
                    self._out_of_files()
                    await asyncio.sleep(NO_FILES_SECONDS)
                continue
            handler = GatedHandler(
                server,
                loop=loop,
                access_log=NO_ACCESS_LOG,
                lingering_time=LINGER_SECONDS,
                keepalive_timeout=2 * self._keeper.limits.idle_seconds,
            )
            gate = Gate(self._keeper, address_of(str(peer[0]) if peer else ""), handler)
            self._take(gate)
            gate.coming = asyncio.create_task(self._let_in(gate, accepted, tls))
            self._coming.add(gate.coming)
            gate.coming.add_done_callback(self._coming.discard)

    async def _let_in(
        self, gate: Gate, accepted: socket.socket, tls: ssl.SSLContext | None
    ) -> None:
        loop = asyncio.get_running_loop()
        try:
            if tls is None:
                await loop.connect_accepted_socket(lambda: gate, accepted)
            else:
                head_seconds = self._keeper.limits.head_seconds
                await loop.connect_accepted_socket(
                    lambda: gate,
                    accepted,
                    ssl=tls,
                    ssl_handshake_timeout=head_seconds,
                    ssl_shutdown_timeout=head_seconds,
                )
        except (OSError, TimeoutError):
            # TLS that fails, or never ends; a peer that has left already.
            gate.leave()
        except asyncio.CancelledError:
            gate.leave()
            raise
