"""Every address of the service, and what stands before all of them. Opens and decides nothing."""

from typing import Final

from aiohttp import web
from msgspec import Struct
from prometheus_client import CollectorRegistry

from display.pages import sign_routes
from progressive.adapters.clock import SystemClock
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.link.ports import Store
from progressive.application.link.purge import Purges
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.awards.corrections import CorrectionPages
from progressive.entry.awards.http import AwardPages
from progressive.entry.awards.purge import PurgePages
from progressive.entry.awards.retirement import RetirementPages
from progressive.entry.awards.rounds import RoundPages
from progressive.entry.awards.sheets import SheetPages
from progressive.entry.http.error_pages import ErrorPages
from progressive.entry.http.errors import errors_as_json
from progressive.entry.http.home import HomePages
from progressive.entry.http.links import Links
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.public import PublicPages
from progressive.entry.http.security_headers import security_headers
from progressive.entry.people.reception import Reception
from progressive.entry.pit.pit import Pit
from progressive.entry.signs.signs import Signs
from progressive.entry.table.page import TablePages
from progressive.entry.table.panels import Panels
from progressive.entry.table.socket import TableSockets
from progressive.live.entrance.entrance import Entrance

BODY_BYTES_MAX: Final = 64 * 1024
"""Of an HTTP request; no message of ours comes near it."""


class Served(Struct, frozen=True):
    """What the pages and sockets of a floor are about."""

    rules: FloorRules
    store: Store
    purges: Purges
    workers: dict[LinkId, LinkWorker]
    drivers: TableDrivers
    registry: CollectorRegistry
    reception: Reception
    entrance: Entrance
    tables: TableSockets
    panels: Panels
    signs: Signs
    pit: Pit


def application(served: Served, *, tls: bool, notice: str) -> web.Application:
    """The web application; `notice` is what every page says above all else."""
    rules, workers, store = served.rules, served.workers, served.store
    door, changes = served.reception.door, served.reception.changes
    shell = PageShell(rules, door, notice=notice)
    app = web.Application(
        middlewares=[
            ErrorPages(shell, door).negotiate,
            errors_as_json,
            served.entrance.in_turn,
            door.guard,
        ],
        client_max_size=BODY_BYTES_MAX,
    )
    app.on_response_prepare.append(security_headers(tls=tls))
    app.add_routes(served.reception.routes())
    public = PublicPages(workers, served.drivers, served.registry, store, door, SystemClock())
    app.add_routes(public.routes())
    links = Links(workers)
    app.add_routes(AwardPages(links, door, changes).routes())
    app.add_routes(RoundPages(links, changes).routes())
    app.add_routes(CorrectionPages(links, door, changes).routes())
    app.add_routes(RetirementPages(links, changes).routes())
    app.add_routes(PurgePages(links, changes, served.purges).routes())
    app.add_routes(SheetPages(links, store, door, shell).routes())
    app.add_routes(HomePages(rules, shell).routes())
    app.add_routes(served.pit.routes(links, shell))
    app.add_routes(TablePages(rules, shell).routes())
    app.router.add_get("/v1/tables/{table}/socket", served.tables.handle)
    app.router.add_get("/v1/tables/{table}/panel", served.panels.handle)
    app.add_routes(served.signs.routes(shell))
    app.add_routes(sign_routes(served.signs.card, admits=served.signs.admission.admits))
    return app
