"""The only place that wires objects together: rules, store, writers, hubs, sockets, pages.

What has to do with people is wired in `reception`, which knows nothing of meters.
"""

import asyncio
import contextlib
import functools
import gc
import logging
import ssl
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from aiohttp import web
from msgspec import Struct

from display.pages import sign_routes
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.telemetry import Gauge, PrometheusTelemetry
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import FloorRules
from progressive.domain.views import LinkView, WinView
from progressive.entry.awards.corrections import CorrectionPages
from progressive.entry.awards.http import AwardPages
from progressive.entry.awards.sheets import SheetPages
from progressive.entry.http.errors import errors_as_json
from progressive.entry.http.home import HomePages
from progressive.entry.http.links import Links
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.public import PublicPages
from progressive.entry.http.security_headers import security_headers
from progressive.entry.http.tls import tls_context
from progressive.entry.people.reception import Doorway, Reception
from progressive.entry.pit.pit import DISK_LOW_BYTES, Pit
from progressive.entry.signs.signs import Signs
from progressive.entry.table.page import TablePages
from progressive.entry.table.panels import Panels
from progressive.entry.table.socket import TableSockets
from progressive.live.hub import Hub
from progressive.runtime.listening import BACKLOG, Listening, listening
from progressive.wire.feed import FeedEncoding

log = logging.getLogger(__name__)

BODY_BYTES_MAX: Final = 64 * 1024
"""Of an HTTP request; no message of ours comes near it."""


class Floor:
    """A running floor: one writer, one hub per link, and the doors to them."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        store: Store,
        keys: TableKeys,
        data: Path,
        doorway: Doorway,
        disk_low_bytes: int,
    ) -> None:
        clock = SystemClock()
        self._store = store
        self.reception = Reception(data, doorway)
        links = [link.id for link in rules.links]
        self.telemetry = PrometheusTelemetry(links)
        self._encoding = FeedEncoding(clock.now)
        self._hubs: dict[LinkId, Hub[LinkView]] = {}
        self._shown: dict[LinkId, tuple[str, str | None]] = {}
        self.workers: dict[LinkId, LinkWorker] = {}
        for link in rules.links:
            worker = LinkWorker(
                link, store=store, clock=clock, publisher=self, telemetry=self.telemetry
            )
            self.workers[link.id] = worker
            self._hubs[link.id] = Hub(
                worker.view,
                self._encoding,
                on_flushed=functools.partial(self.telemetry.fed, link.id),
            )
        by_table = {
            table.id: self.workers[link.id] for link in rules.links for table in link.tables
        }
        drivers = TableDrivers()
        self.panels = Panels(
            by_table,
            self.reception.door,
            clock,
            self.telemetry,
            self.reception.claims,
            drivers,
        )
        self.tables = TableSockets(
            by_table,
            keys,
            self.telemetry,
            self.reception.claims,
            drivers,
            certified=doorway.tls is not None and doorway.tls.client_ca is not None,
        )
        self.signs = Signs(
            rules,
            workers=self.workers,
            hubs=self._hubs,
            store=store,
            door=self.reception.door,
            clock=clock,
            data=data,
        )
        self._pit = Pit(
            rules,
            workers=self.workers,
            signs=self.signs.floor,
            connected=lambda: drivers.tables,
            reception=self.reception,
            clock=clock,
            data=data,
            disk_low_bytes=disk_low_bytes,
        )
        self.telemetry.read_when_asked(self._gauges())
        self.telemetry.read_when_asked(self.reception.gauges())
        self.telemetry.read_when_asked(self.signs.gauges())
        self.app = self._application(rules, doorway)

    def publish(self, view: LinkView) -> None:
        """`Publisher`: the newest durable view goes to the signs, a new state to everyone."""
        hub = self._hubs[view.link]
        hub.publish(view)
        self._pit.hub.stir()
        self.panels.publish(view)
        state = (view.state, view.reason)
        if self._shown.get(view.link) != state:
            self._shown[view.link] = state
            hub.announce(self._encoding.state(view))
            if view.state == "live":
                # Whoever connected while nothing was known lacks the names of the meters.
                hub.announce(self._encoding.snapshot(view))
            self.tables.tell_state(view)
            self.panels.tell_state(view)

    def announce(self, link: LinkId, wins: Sequence[WinView]) -> None:
        """`Publisher`: a win is on every sign at once."""
        self._hubs[link].announce(*map(self._encoding.win, wins))

    async def start(self) -> None:
        """Recover every link; those that cannot be recovered start inoperable."""
        for hub in self._hubs.values():
            hub.start()
        self.tables.start()
        self.panels.start()
        self.signs.start()
        await asyncio.gather(*[worker.start() for worker in self.workers.values()])
        # Not before: a journal that is still being read is no alarm.
        self._pit.start()

    async def stop(self) -> None:
        """Keep and answer all that was sent, then send everyone away."""
        await asyncio.gather(*[worker.stop() for worker in self.workers.values()])
        await asyncio.gather(*[hub.stop() for hub in self._hubs.values()])
        await asyncio.gather(
            self.tables.close(), self.panels.close(), self.signs.close(), self._pit.close()
        )
        await self._store.close()
        await self.signs.close_log()

    def _application(self, rules: FloorRules, doorway: Doorway) -> web.Application:
        app = web.Application(
            middlewares=[errors_as_json, self.reception.door.guard],
            client_max_size=BODY_BYTES_MAX,
        )
        app.on_response_prepare.append(security_headers(tls=doorway.tls is not None))
        app.add_routes(self.reception.routes())
        public = PublicPages(
            self.workers,
            self.tables,
            self.telemetry.registry,
            self._store,
            self.reception.door,
        )
        app.add_routes(public.routes())
        links, door, changes = Links(self.workers), self.reception.door, self.reception.changes
        app.add_routes(AwardPages(links, door, changes).routes())
        app.add_routes(CorrectionPages(links, door, changes).routes())
        app.add_routes(SheetPages(links, self._store, door, rules).routes())
        shell = PageShell(rules, door)
        app.add_routes(HomePages(rules, shell).routes())
        app.add_routes(self._pit.routes(links, shell))
        app.add_routes(TablePages(rules, shell).routes())
        app.router.add_get("/v1/tables/{table}/socket", self.tables.handle)
        app.router.add_get("/v1/tables/{table}/panel", self.panels.handle)
        app.add_routes(self.signs.routes(shell))
        app.add_routes(sign_routes(self.signs.card, admits=self.signs.admission.admits))
        return app

    def _gauges(self) -> list[Gauge]:
        workers = self.workers.values()
        return [
            (
                "progressive_meter_cents",
                "Displayed meter, whole cents",
                ("link", "meter"),
                lambda: [
                    ((worker.rules.id, meter.id), meter.cents)
                    for worker in workers
                    for meter in worker.view.meters
                ],
            ),
            (
                "progressive_link_up",
                "1 while the link takes wagers",
                ("link",),
                lambda: [((w.rules.id,), float(w.view.state == "live")) for w in workers],
            ),
            (
                "progressive_queue_depth",
                "Messages waiting for the next batch",
                ("link",),
                lambda: [((w.rules.id,), w.queue_depth) for w in workers],
            ),
            (
                "progressive_journal_seq",
                "Last durable record",
                ("link",),
                lambda: [((w.rules.id,), w.view.seq) for w in workers],
            ),
            (
                "progressive_tables_connected",
                "Tables with a live socket",
                (),
                lambda: [((), len(self.tables.connected))],
            ),
            (
                "progressive_panels_connected",
                "Dealers' panels with a live socket",
                (),
                lambda: [((), self.panels.connected)],
            ),
            (
                "progressive_table_pauses",
                "Times a table sent too much and was made to wait",
                (),
                lambda: [((), self.tables.pauses)],
            ),
            (
                "progressive_signs_connected",
                "Signs with a live socket",
                ("link",),
                lambda: [((link,), len(hub.outboxes)) for link, hub in self._hubs.items()],
            ),
            (
                "progressive_signs_dropped",
                "Signs dropped because they did not read",
                ("link",),
                lambda: [((link,), hub.dropped) for link, hub in self._hubs.items()],
            ),
            (
                "progressive_consoles_connected",
                "Pit consoles with a live socket",
                (),
                lambda: [((), self._pit.hub.viewers)],
            ),
        ]


def spare_the_collector() -> None:
    """A tenth of the processor goes to the garbage collector of a busy service otherwise.

    What exists after the start lives as long as the process, and hardly anything made later forms
    cycles: look at the new objects now and then, at the old ones never.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


class Running(Struct, frozen=True):
    """A service that accepts traffic."""

    url: str
    """Can be opened on this machine, whatever is listened on."""
    floor: Floor
    everywhere: str | None = None
    """`0.0.0.0:8080`, say, where every address of this machine is listened on."""


def open_store(spec: str, data: Path) -> Store:
    """`sqlite` stores a file in the data directory, `memory` nothing at all."""
    match spec:
        case "sqlite":
            return SqliteStore(data)
        case "memory":
            return MemoryStore()
        case _:
            raise ValueError(f"unknown store {spec!r} (use sqlite or memory)")


@contextlib.asynccontextmanager
async def running(
    rules: FloorRules,
    *,
    data: Path,
    host: str,
    port: int,
    store: str = "sqlite",
    doorway: Doorway = Doorway(),  # noqa: B008 - frozen
    disk_low_bytes: int = DISK_LOW_BYTES,
) -> AsyncIterator[Running]:
    """The whole service on an address, until the block is left; then everything is stored.

    The address is taken before the data directory is created or opened: a start that fails leaves
    no funded journal behind. Raises CannotListenError for the address, DirectoryInUseError where
    another process works on the data directory, BadTlsError where the certificates cannot be used.
    """
    tls = None if doorway.tls is None else tls_context(doorway.tls)
    async with listening(host, port) as taken:
        lock = DirectoryLock(data)
        try:
            floor = Floor(
                rules,
                store=open_store(store, data),
                keys=TableKeys(data),
                data=data,
                doorway=doorway,
                disk_low_bytes=disk_low_bytes,
            )
            runner = web.AppRunner(floor.app, access_log=None, shutdown_timeout=2.0)
            try:
                await runner.setup()
                await floor.start()
                spare_the_collector()
                sites = [
                    web.SockSite(runner, each, backlog=BACKLOG, ssl_context=tls)
                    for each in taken.sockets
                ]
                for site in sites:
                    await site.start()
                yield Running(url=_url(taken, tls), floor=floor, everywhere=taken.everywhere)
                for site in sites:
                    await site.stop()
            finally:
                await floor.stop()
                await runner.cleanup()
                # Last: requests under way may still have something to record.
                await floor.reception.close()
        finally:
            lock.release()


def _url(taken: Listening, tls: ssl.SSLContext | None) -> str:
    return taken.url("http" if tls is None else "https")
