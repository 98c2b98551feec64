"""The servers under test, one process each: `python -m tests.bench.servers NAME FOLDER`.

Prints its port. `echo` and `send-str` are what aiohttp does by itself; the others are the real
service or the real hub.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import WSMsgType, web
from msgspec import structs

from progressive.adapters.clock import SystemClock
from progressive.adapters.config_toml import load_floor, shipped_config
from progressive.application import link_worker
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rules import FloorRules, TableRules
from progressive.domain.views import LinkView, MeterView
from progressive.entry.bootstrap import running, spare_the_collector
from progressive.entry.event_loop import run
from progressive.live.hub import Hub
from progressive.live.sign_sockets import SignSockets
from progressive.wire.feed import FeedEncoding

TABLES = 1000
SERVER_CORE = 0


def bench_floor() -> FloorRules:
    """The demo floor's link with a thousand tables."""
    floor = load_floor(shipped_config() / "floor.toml").rules
    (link,) = floor.links
    tables = tuple(
        TableRules(id=TableId(f"T{number}"), link=link.id, seats=7) for number in range(TABLES)
    )
    return structs.replace(floor, links=(structs.replace(link, tables=tables),))


async def serve_service(folder: Path) -> None:
    async with running(bench_floor(), data=folder, host="127.0.0.1", port=0) as service:
        _say(int(service.url.rpartition(":")[2]))
        await asyncio.Event().wait()


async def serve_echo(folder: Path) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse(compress=False)
        await ws.prepare(request)
        async for message in ws:
            if message.type is WSMsgType.TEXT:
                await ws.send_str(message.data)
        return ws

    app = web.Application()
    app.router.add_get("/v1/tables/{table}/socket", echo)
    await _serve_app(app)


async def serve_send_str(folder: Path) -> None:
    sockets: list[web.WebSocketResponse] = []
    encoding = FeedEncoding(SystemClock().now)

    async def feed(request: web.Request) -> web.StreamResponse:
        ws = web.WebSocketResponse(compress=False)
        await ws.prepare(request)
        sockets.append(ws)
        async for _ in ws:
            pass
        return ws

    async def broadcast(request: web.Request) -> web.StreamResponse:
        async for view in _views(request):
            text = encoding.update(view).decode()
            for ws in sockets:
                await ws.send_str(text)
        return web.Response()

    await _serve_app(_feed_app(feed, broadcast))


async def serve_hub(folder: Path) -> None:
    hub = Hub(_view_now(), FeedEncoding(SystemClock().now))

    async def broadcast(request: web.Request) -> web.StreamResponse:
        async for view in _views(request):
            hub.publish(view)
            await hub.flush()
        return web.Response()

    signs = SignSockets(lambda _: hub)
    await _serve_app(_feed_app(signs.handle, broadcast))


def _feed_app(feed: object, broadcast: object) -> web.Application:
    app = web.Application()
    app.router.add_get("/v1/links/{link}/feed", feed)  # type: ignore[arg-type]
    app.router.add_get("/broadcast", broadcast)  # type: ignore[arg-type]
    return app


async def _views(request: web.Request) -> AsyncIterator[LinkView]:
    """As many new views as asked for: one after the other, or at a pace."""
    pause_seconds = int(request.query.get("pause_ms", 0)) / 1000
    for _ in range(int(request.query["count"])):
        yield _view_now()
        await asyncio.sleep(pause_seconds)


def _view_now() -> LinkView:
    """A view whose seq is the time it was made, so that the load can tell how old it is."""
    return LinkView(
        link=LinkId("main"),
        epoch=1,
        seq=time.monotonic_ns(),
        at="2026-01-01T00:00:00.000000Z",
        state="live",
        reason=None,
        meters=(
            MeterView("mega", "Mega", 12_345_678),
            MeterView("major", "Major", 1_234_567),
            MeterView("minor", "Minor", 345_678),
        ),
    )


async def _serve_app(app: web.Application) -> None:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    spare_the_collector()
    _say(runner.addresses[0][1])
    await asyncio.Event().wait()


def _say(port: int) -> None:
    print(port, flush=True)


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    os.sched_setaffinity(0, {SERVER_CORE})
    if name == "one-commit-a-message":
        link_worker.BATCH_MAX = 1  # type: ignore[misc]
        name = "service"
    run(
        {
            "service": serve_service,
            "winners": serve_service,
            "echo": serve_echo,
            "send-str": serve_send_str,
            "hub": serve_hub,
        }[name](folder)
    )


if __name__ == "__main__":
    main()
