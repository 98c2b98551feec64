"""Every address of the service, and what stands before all of them. Opens and decides nothing."""

from typing import Final

from aiohttp import web
from msgspec import Struct
from prometheus_client import CollectorRegistry

from display.pages import sign_routes
from progressive import __version__
from progressive.adapters.clock import SystemClock
from progressive.application.clock import Clock
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.link.ports import Store
from progressive.application.link.purge import Purges
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.awards.corrections import CorrectionPages
from progressive.entry.awards.http import AwardPages
from progressive.entry.awards.proofs import ProofPages
from progressive.entry.awards.purge import PurgePages
from progressive.entry.awards.retirement import RetirementPages
from progressive.entry.awards.rounds import RoundPages
from progressive.entry.awards.sheets import SheetPages
from progressive.entry.finance.acts import DayActPages
from progressive.entry.finance.answers import Answers
from progressive.entry.finance.cage import CagePages
from progressive.entry.finance.days import DayPages
from progressive.entry.finance.finance import Finance
from progressive.entry.finance.page import FinancePage
from progressive.entry.finance.reports import ReportPages
from progressive.entry.http.error_pages import ErrorPages
from progressive.entry.http.errors import errors_as_json
from progressive.entry.http.home import HomePages
from progressive.entry.http.links import Links
from progressive.entry.http.page_shell import PageShell
from progressive.entry.http.public import PublicPages
from progressive.entry.http.seals import SealPages
from progressive.entry.http.security_headers import security_headers
from progressive.entry.people.reception import Reception
from progressive.entry.pit.pit import Pit
from progressive.entry.seals import Seals
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
    seals: Seals
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
    finance: Finance
    clock: Clock


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
    public = PublicPages(
        workers,
        served.drivers,
        served.registry,
        store,
        door,
        SystemClock(),
        seals=served.seals,
        version=__version__,
    )
    app.add_routes(public.routes())
    links = Links(workers)
    app.add_routes(AwardPages(links, door, changes).routes())
    app.add_routes(RoundPages(links, changes).routes())
    app.add_routes(CorrectionPages(links, door, changes).routes())
    app.add_routes(RetirementPages(links, changes).routes())
    app.add_routes(PurgePages(links, door, changes, served.purges).routes())
    seals = served.seals
    reading = seals.reading(store)
    app.add_routes(SealPages(links, reading, lambda: seals.key, SystemClock()).routes())
    proofs = ProofPages(
        links, store, reading, door, shell, seals_soon=lambda: seals.key is not None
    )
    app.add_routes(proofs.routes())
    app.add_routes(SheetPages(links, store, door, shell, proofs).routes())
    app.add_routes(HomePages(rules, shell).routes())
    app.add_routes(served.pit.routes(links, shell))
    answers = Answers(served.finance)
    app.add_routes(ReportPages(answers, links, door, served.clock).routes())
    app.add_routes(
        DayPages(answers, links, door, served.clock, keys=lambda: served.seals.public_keys).routes()
    )
    app.add_routes(DayActPages(answers, links, changes, served.clock).routes())
    app.add_routes(CagePages(answers, links, door, changes, served.clock).routes())
    app.add_routes(TablePages(rules, shell).routes())
    app.add_routes(FinancePage(shell).routes())
    app.router.add_get("/v1/tables/{table}/socket", served.tables.handle)
    app.router.add_get("/v1/tables/{table}/panel", served.panels.handle)
    app.add_routes(served.signs.routes(shell))
    app.add_routes(sign_routes(served.signs.card, admits=served.signs.admission.admits))
    return app
