"""The sign servers in Python, one process each: `python -m tests.bench.sign_servers NAME FOLDER`.

Prints its port. `hub` is the real one behind the real door; the others are what aiohttp and the
package `websockets` do by themselves. `GET /broadcast` has them send.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from progressive.adapters.clock import SystemClock
from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, MeterView
from progressive.live.hub import Hub
from progressive.live.sign_sockets import SignSockets
from progressive.runtime.event_loop import run
from progressive.runtime.garbage import spare_the_collector
from progressive.wire.feed import FeedEncoding
from tests.bench.servers import BACKLOG, say, serve_app
from tests.bench.sign_frames import SEQ_MARK

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

ENCODING = FeedEncoding(SystemClock().now)


async def serve_hub(folder: Path) -> None:
    """Neither ticks nor heartbeats: each server sends the same frames, and no others."""
    hub = Hub(a_view(), ENCODING)

    async def send(view: LinkView) -> None:
        hub.publish(view)
        await hub.flush()

    async def announce(request: web.Request) -> web.StreamResponse:
        hub.announce(*[ENCODING.update(a_view()) for _ in range(int(request.query["count"]))])
        return web.Response()

    async def behind(request: web.Request) -> web.StreamResponse:
        return web.Response(text=str(sum(outbox.skipped for outbox in hub.outboxes)))

    app = feed_app(SignSockets(lambda _: hub).handle, send)
    app.router.add_get("/announce", announce)
    app.router.add_get("/behind", behind)
    await serve_app(app)


async def serve_send_str(folder: Path) -> None:
    sockets: list[web.WebSocketResponse] = []

    async def feed(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse(compress=False)
        await ws.prepare(request)
        sockets.append(ws)
        async for _ in ws:
            pass
        return ws

    async def send(view: LinkView) -> None:
        text = ENCODING.update(view).decode()
        for ws in sockets:
            await ws.send_str(text)

    await serve_app(feed_app(feed, send))


async def serve_websockets(folder: Path) -> None:
    from websockets.asyncio.server import broadcast, serve

    signs: list[ServerConnection] = []
    sending: list[asyncio.Task[None]] = []

    async def feed(sign: "ServerConnection") -> None:
        signs.append(sign)
        await sign.wait_closed()

    async def send_all(count: int, pause_ms: int) -> None:
        async for view in views(count, pause_ms):
            broadcast(signs, ENCODING.update(view).decode())

    def answer(asking: "ServerConnection", request: "Request") -> "Response | None":
        asked = urlsplit(request.path)
        if asked.path != "/broadcast":
            return None
        wanted = dict(parse_qsl(asked.query))
        sending.append(asyncio.create_task(send_all(int(wanted["count"]), int(wanted["pause_ms"]))))
        return asking.respond(HTTPStatus.OK, "")

    async with serve(
        feed,
        "127.0.0.1",
        0,
        compression=None,
        ping_interval=None,
        process_request=answer,
        backlog=BACKLOG,
    ) as server:
        spare_the_collector()
        (listening,) = server.sockets
        say(listening.getsockname()[1])
        await asyncio.Event().wait()


def feed_app(feed: Handler, send: Callable[[LinkView], Awaitable[None]]) -> web.Application:
    async def broadcast(request: web.Request) -> web.StreamResponse:
        async for view in views(int(request.query["count"]), int(request.query["pause_ms"])):
            await send(view)
        return web.Response()

    app = web.Application()
    app.router.add_get("/v1/links/{link}/feed", feed)
    app.router.add_get("/broadcast", broadcast)
    return app


async def views(count: int, pause_ms: int) -> AsyncIterator[LinkView]:
    """As many new views as asked for: one after the other, or at a pace."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    for _ in range(count):
        yield a_view()
        due += pause_ms / 1000
        await asyncio.sleep(max(0.0, due - loop.time()) if pause_ms else 0)


def a_view(seq: int | None = None) -> LinkView:
    """A view whose seq is the time it was made, so that the load can tell how old it is."""
    return LinkView(
        link=LinkId("main"),
        epoch=1,
        seq=time.monotonic_ns() if seq is None else seq,
        at="2026-01-01T00:00:00.000000Z",
        state="live",
        reason=None,
        meters=(
            MeterView("mega", "Mega", 12_345_678),
            MeterView("major", "Major", 1_234_567),
            MeterView("minor", "Minor", 345_678),
        ),
    )


def update_template() -> bytes:
    """The very same update, for servers that are not written in Python."""
    seq = 10**18
    return ENCODING.update(a_view(seq)).replace(b"%d" % seq, SEQ_MARK)


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    serve = {"hub": serve_hub, "send-str": serve_send_str, "websockets": serve_websockets}[name]
    run(serve(folder))


if __name__ == "__main__":
    main()
