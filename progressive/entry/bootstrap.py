"""The only place that wires objects together: rules, store, writers, hubs, sockets, pages.

What has to do with people, with signs and with the pit is wired in `reception`, `signs` and `pit`,
what runs in the background in `upkeep`, addresses in `routes`. Nothing is decided here: who is
shown what is in `publishing`, a series stands beside its number.
"""

import asyncio
import contextlib
import functools
import sqlite3
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

from aiohttp import web
from msgspec import Struct, structs

from progressive import __version__
from progressive.adapters.clock import SystemClock
from progressive.adapters.data_directory import DirectoryLock
from progressive.adapters.operating_user import operating_user
from progressive.adapters.telemetry import PrometheusTelemetry
from progressive.application.clock import Clock
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.journal.ports import StoreError
from progressive.application.link.absent import absent_links
from progressive.application.link.guard import LinkGuard
from progressive.application.link.memory import Memory
from progressive.application.link.ports import Store
from progressive.application.link.purge import Purges
from progressive.application.link.worker import LinkWorker
from progressive.application.people.ports import PeopleStore
from progressive.application.shared.leases import Leases
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.floor_record import floor_record
from progressive.domain.rulebook.rules import FloorRules, LinkRules
from progressive.domain.views import LinkView
from progressive.entry.archives import PastSettings
from progressive.entry.finance.cage import brings_file
from progressive.entry.finance.finance import Finance, FinanceSettings
from progressive.entry.http.link_series import link_series
from progressive.entry.http.tls import tls_context
from progressive.entry.node_stores import NodeKeys, open_people
from progressive.entry.people.origins import machine_names
from progressive.entry.people.reception import Doorway, Reception
from progressive.entry.pit.pit import DISK_LOW_BYTES, Pit
from progressive.entry.publishing import FloorPublisher
from progressive.entry.routes import Served, application
from progressive.entry.seals import Seals, SealSettings
from progressive.entry.signs.signs import Signs
from progressive.entry.stores import (
    KEEPS_NOTHING,
    NOTHING_IS_KEPT,
    kind_of,
    open_memory,
    open_store,
)
from progressive.entry.table.panels import Panels
from progressive.entry.table.socket import TableSockets
from progressive.entry.upkeep import Upkeep
from progressive.live.entrance.entrance import Entrance
from progressive.live.hub import Hub
from progressive.runtime.garbage import spare_the_collector
from progressive.runtime.listening import Listening, listening
from progressive.runtime.open_files import raise_file_limit
from progressive.runtime.series import build_info, expose
from progressive.wire.feed import FeedEncoding


class Floor:
    """A running floor: one writer, one hub per link, and the doors to them."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        store: Store,
        store_name: str,
        memory: Memory,
        clock: SystemClock,
        people: PeopleStore,
        keys: NodeKeys,
        data: Path,
        doorway: Doorway,
        disk_low_bytes: int,
        past: PastSettings,
        seals: SealSettings,
        finance: FinanceSettings,
    ) -> None:
        self._store = store
        self._store_name = store_name
        self.keys = keys
        self._happenings = Happenings(
            clock, {table.id: link.id for link in rules.links for table in link.tables}
        )
        self.reception = Reception(
            people, doorway, clock, on_table_refused=self._happenings.table_refused
        )
        self.entrance = Entrance(
            raise_file_limit(),
            doorway.limits,
            claims=self.reception.door.claims,
            brings_file=brings_file,
        )
        self.telemetry = PrometheusTelemetry([link.id for link in rules.links])
        encoding = FeedEncoding(clock.now)
        self._publisher = FloorPublisher(encoding)
        self._hubs: dict[LinkId, Hub[LinkView]] = {}
        self.workers: dict[LinkId, LinkWorker] = {}
        floor_links = frozenset(link.id for link in rules.links if not link.absent)
        self.seals = Seals(
            [link.id for link in rules.links],
            data=data,
            settings=seals,
            keeps_nothing=store_name in KEEPS_NOTHING,
        )
        for link in rules.links:
            guard = LinkGuard(
                link.id, memory, floor_links=floor_links, seals=self.seals.check_of(link.id)
            )
            self._add_link(rules, link, clock, encoding, guard)
        self.leases = Leases(store, self.workers) if isinstance(store, SharedStore) else None
        self._purges = Purges(store, retention=rules.retention, clock=clock)
        self.upkeep = Upkeep(
            self.workers,
            store=store,
            memory=memory,
            purges=self._purges,
            happenings=self._happenings,
            retention=rules.retention,
            clock=clock,
            data=data,
            past=past,
            seals=self.seals,
            keeps_nothing=store_name in KEEPS_NOTHING,
        )
        self.finance = Finance(
            [link.id for link in rules.links],
            data=data,
            clock=clock,
            settings=finance,
            close_within_hours=rules.close_within_hours,
            keeps_nothing=store_name in KEEPS_NOTHING,
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
            keys.tables,
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
            keys=keys.signs,
            relays=keys.relays,
        )
        self._pit = Pit(
            rules,
            workers=self.workers,
            signs=self.signs.floor,
            connected=lambda: drivers.tables,
            reception=self.reception,
            happenings=self._happenings,
            clock=clock,
            data=data,
            disk_low_bytes=disk_low_bytes,
            guard=self.upkeep.sight,
            days=self.finance.days,
        )
        self._publish_to_all()
        self._expose_series()
        self.app = application(
            Served(
                rules=rules,
                store=store,
                seals=self.seals,
                purges=self._purges,
                workers=self.workers,
                drivers=drivers,
                registry=self.telemetry.registry,
                reception=self.reception,
                entrance=self.entrance,
                tables=self.tables,
                panels=self.panels,
                signs=self.signs,
                pit=self._pit,
                finance=self.finance,
                clock=clock,
            ),
            tls=doorway.tls is not None,
            notice=NOTHING_IS_KEPT if store_name in KEEPS_NOTHING else "",
        )

    async def start(self) -> None:
        """Recover every link; those that cannot be recovered start inoperable."""
        for hub in self._hubs.values():
            hub.start()
        self.tables.start()
        self.panels.start()
        await self.signs.start()
        await self.upkeep.recall()
        await asyncio.gather(*[worker.start() for worker in self.workers.values()])
        if self.leases is not None:
            self.leases.start()
        self.reception.start()
        self.upkeep.start()
        self.finance.start()
        # Not before: a journal that is still being read is no alarm.
        await self._pit.start()

    async def stop(self) -> None:
        """Keep and answer all that was sent, then send everyone away."""
        await self.finance.stop()
        await self.upkeep.stop()
        await asyncio.gather(*[worker.stop() for worker in self.workers.values()])
        if self.leases is not None:
            await self.leases.stop()
            await self.leases.release()
        await asyncio.gather(*[hub.stop() for hub in self._hubs.values()])
        await asyncio.gather(
            self.tables.close(), self.panels.close(), self.signs.close(), self._pit.close()
        )
        await self.upkeep.remember_the_end()
        await self._store.close()
        await self.signs.close_log()

    def _add_link(
        self,
        floor: FloorRules,
        link: LinkRules,
        clock: Clock,
        encoding: FeedEncoding,
        guard: LinkGuard,
    ) -> None:
        worker = LinkWorker(
            link,
            store=self._store,
            clock=clock,
            publisher=self._publisher,
            telemetry=self.telemetry,
            floor=floor_record(link, floor, program=__version__, started_by=operating_user()),
            guard=guard,
            nothing_kept=self._store_name in KEEPS_NOTHING,
            standby=self._store if isinstance(self._store, SharedStore) else None,
        )
        on_flushed = functools.partial(self.telemetry.fed, link.id)
        hub = Hub(worker.view, encoding, on_flushed=on_flushed)
        self.workers[link.id] = worker
        self._hubs[link.id] = hub
        self._publisher.add_hub(link.id, hub)

    def _publish_to_all(self) -> None:
        self._publisher.on_view(lambda _: self._pit.hub.stir())
        self._publisher.on_view(self.signs.desk.shown)
        self._publisher.on_view(self.panels.publish)
        self._publisher.on_state(self.tables.tell_state)
        self._publisher.on_state(self.panels.tell_state)
        self._publisher.on_state(self._happenings.link_state)
        # A link that this node has begun to lead: the witnesses say whether its journal is all.
        self._publisher.on_state(lambda _: self.seals.seal_soon())

    def _expose_series(self) -> None:
        expose(
            self.telemetry.registry,
            [
                build_info(
                    "progressive_build_info",
                    store=self._store_name,
                    sqlite=sqlite3.sqlite_version,
                ),
                *link_series(self.workers),
                *self.upkeep.series(),
                *self.tables.series(),
                *self.panels.series(),
                *self.reception.series(),
                *self.signs.series(),
                *self._pit.series(),
                *self.finance.series(),
                *self.entrance.series("progressive"),
            ],
        )


class Running(Struct, frozen=True):
    """A service that accepts traffic."""

    url: str
    """Can be opened on this machine, whatever is listened on."""
    floor: Floor
    everywhere: str | None = None
    """`0.0.0.0:8080`, say, where every address of this machine is listened on."""


@contextlib.asynccontextmanager
async def running(
    rules: FloorRules,
    *,
    data: Path,
    host: str,
    port: int,
    store: str = "sqlite",
    node_url: str | None = None,
    doorway: Doorway = Doorway(),  # noqa: B008 - frozen
    disk_low_bytes: int = DISK_LOW_BYTES,
    clock: SystemClock | None = None,
    past: PastSettings = PastSettings(),  # noqa: B008 - frozen
    seals: SealSettings = SealSettings(),  # noqa: B008 - frozen
    finance: FinanceSettings = FinanceSettings(),  # noqa: B008 - frozen
) -> AsyncIterator[Running]:
    """The whole service on an address, until the block is left; then everything is stored.

    `node_url`: where other nodes and tables find this one; None: the address itself.

    The address is taken before the data directory is created or opened: a start that fails leaves
    no funded journal behind. Raises CannotListenError for the address, DirectoryInUseError where
    another process works on the data directory, BadTlsError where the certificates cannot be used,
    BadSealKeyError where the key that seals cannot.
    """
    tls = None if doorway.tls is None else tls_context(doorway.tls)
    doorway = structs.replace(doorway, names=(*doorway.names, *machine_names(host)))
    async with listening(host, port) as taken:
        lock = DirectoryLock(data)
        try:
            url = _url(taken, tls)
            opened = open_store(store, data, url=node_url or url)
            memory = open_memory(store, data)
            keys = NodeKeys(store, data)
            floor = Floor(
                await _with_absent(rules, opened, memory),
                store=opened,
                store_name=kind_of(store),
                memory=memory,
                clock=SystemClock() if clock is None else clock,
                people=open_people(store, data),
                keys=keys,
                data=data,
                doorway=doorway,
                disk_low_bytes=disk_low_bytes,
                past=past,
                seals=seals,
                finance=finance,
            )
            runner = web.AppRunner(floor.app, access_log=None, shutdown_timeout=2.0)
            try:
                await runner.setup()
                await floor.start()
                spare_the_collector()
                floor.entrance.open(runner, taken.sockets, tls)
                yield Running(url=url, floor=floor, everywhere=taken.everywhere)
            finally:
                await floor.entrance.close()
                await floor.stop()
                await runner.cleanup()
                # Last: requests under way may still have something to record.
                await floor.reception.close()
                await keys.close()
        finally:
            lock.release()


async def _with_absent(rules: FloorRules, store: Store, memory: Memory) -> FloorRules:
    """The floor, and the links that only the journal knows: what they hold stays in sight."""
    try:
        absent = await absent_links(store, rules, memory)
    except StoreError:
        # Each link says by itself that the journal cannot be read.
        absent = ()
    return structs.replace(rules, links=(*rules.links, *absent))


def _url(taken: Listening, tls: ssl.SSLContext | None) -> str:
    return taken.url("http" if tls is None else "https")
