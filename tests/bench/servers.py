"""The servers under test, one process each: `python -m tests.bench.servers NAME FOLDER [STORE]`.

Prints its port. `echo` is what aiohttp does by itself; the others are the real service.
"""

import asyncio
import sys
from pathlib import Path

from aiohttp import WSMsgType, web
from msgspec import structs

from progressive.adapters.config.floor import load_floor, shipped_config
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.application.link import batch as link_batch
from progressive.domain.ids import TableId
from progressive.domain.rulebook.rules import FloorRules, TableRules
from progressive.entry.bootstrap import running
from progressive.entry.seals import SealSettings
from progressive.runtime.event_loop import run
from progressive.runtime.garbage import spare_the_collector

TABLES = 1000
BACKLOG = 1024


def bench_floor() -> FloorRules:
    """The demo floor's link with a thousand tables."""
    floor = load_floor(shipped_config() / "floor.toml").rules
    (link,) = floor.links
    tables = tuple(
        TableRules(id=TableId(f"T{number}"), link=link.id, seats=7) for number in range(TABLES)
    )
    return structs.replace(floor, links=(structs.replace(link, tables=tables),))


async def serve_service(folder: Path, store: str, *, sealed: bool = False) -> None:
    """`sealed`: every second, sixty times as often as a floor does."""
    seals = SealSettings()
    if sealed:
        # Beside the data: a key in it is refused.
        key = folder / "seal-key"
        folder /= "data"
        write_key(key, new_signer("bench"))
        seals = SealSettings(key=key, period_seconds=1.0)
    async with running(
        bench_floor(), data=folder, host="127.0.0.1", port=0, store=store, seals=seals
    ) as service:
        say(int(service.url.rpartition(":")[2]))
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
    await serve_app(app)


async def serve_app(app: web.Application) -> None:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=BACKLOG)
    await site.start()
    spare_the_collector()
    say(runner.addresses[0][1])
    await asyncio.Event().wait()


def say(port: int) -> None:
    print(port, flush=True)


def main() -> None:
    name, folder, *store = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
    if name == "one-commit-a-message":
        link_batch.BATCH_MAX = 1  # type: ignore[misc]
    service = serve_service(folder, store[0] if store else "sqlite", sealed=name == "sealed")
    run(serve_echo(folder) if name == "echo" else service)


if __name__ == "__main__":
    main()
