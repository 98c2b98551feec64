"""What anyone may ask over HTTP: health, metrics, links and their displayed meters."""

import re
from collections.abc import Coroutine
from typing import Any, Final, Protocol

from aiohttp import web
from msgspec import Struct
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from progressive.application.clock import Clock
from progressive.application.finance.meters import full_meters
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.journal.history import (
    MetersThen,
    TermsIndex,
    meters_after,
    meters_at,
)
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.times import as_journal_time
from progressive.application.link.worker import LinkWorker
from progressive.application.people.rate_limits import address_key
from progressive.application.seals.note import VerifierKey
from progressive.domain.ids import LinkId, TableId
from progressive.domain.people.roles import Act, may
from progressive.domain.rounding import floor_cents
from progressive.domain.state.ledger import PARKED
from progressive.domain.views import FullMeter, LinkView
from progressive.entry.http.errors import RefusedError, error
from progressive.entry.http.past import PAST_A_MINUTE, PastLimit, read_past, terms_of
from progressive.entry.people.door import Door
from progressive.entry.people.origins import address
from progressive.wire.codec import encode
from progressive.wire.links import BetSummary, LinkSummary, MeterSummary, TableSummary
from progressive.wire.meters import NamedMeter

STAFF_PAST_A_MINUTE: Final = 600
"""Those of one session, which strangers behind the same proxy do not use up."""
_SEQ: Final = re.compile(r"[0-9]{1,18}", re.ASCII)


class Sealed(Protocol):
    """What is said of seals here."""

    @property
    def key(self) -> VerifierKey | None:
        """What seals are checked with; None where nothing is sealed."""
        ...

    def size_of(self, link: LinkId) -> int:
        """Records that the newest seal covers."""
        ...


class PublicPages:
    """Handlers over the links of this process."""

    def __init__(
        self,
        workers: dict[LinkId, LinkWorker],
        drivers: TableDrivers,
        registry: CollectorRegistry,
        journal: JournalReader,
        door: Door,
        clock: Clock,
        *,
        seals: Sealed,
        version: str,
    ) -> None:
        self._version = version
        self._workers = workers
        self._seals = seals
        self._journal = journal
        self._door = door
        self._drivers = drivers
        self._registry = registry
        self._past = PastLimit(clock, per_minute=PAST_A_MINUTE)
        self._staff_past = PastLimit(clock, per_minute=STAFF_PAST_A_MINUTE)
        self._terms: dict[LinkId, TermsIndex] = {}

    def routes(self) -> list[web.AbstractRouteDef]:
        """The addresses these pages live at."""
        return [
            web.get("/healthz", self.healthz),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.metrics),
            web.get("/v1/version", self.version),
            web.get("/v1/links", self.links),
            web.get("/v1/links/{link}/meters", self.meters),
        ]

    async def healthz(self, request: web.Request) -> web.Response:
        """The process is alive and its loop turns."""
        # A kiosk's own waiting page asks before it leaves for the sign: nothing here is secret.
        headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
        return web.json_response(body=encode({"status": "alive"}), headers=headers)

    async def readyz(self, request: web.Request) -> web.Response:
        """Every link may take wagers; otherwise which one may not, and why.

        One that has left the floor file and is retired is not waited for.
        """
        states = {
            link: {
                "state": worker.view.state,
                "reason": worker.view.reason,
                "leader": worker.leader,
            }
            for link, worker in self._workers.items()
        }
        ready = all(
            (worker.view.state == "live" and not worker.may_be_behind) or worker.has_left
            for worker in self._workers.values()
        )
        body = {"status": "ready" if ready else "not ready", "links": states}
        return web.json_response(body=encode(body), status=200 if ready else 503)

    async def metrics(self, request: web.Request) -> web.Response:
        """Prometheus text."""
        return web.Response(
            body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    async def version(self, request: web.Request) -> web.Response:
        """GET /v1/version: what runs here, and whether its journals are sealed."""
        key = self._seals.key
        body = {
            "version": self._version,
            "sealed": key is not None,
            "seal_key": None if key is None else key.text,
        }
        return web.json_response(body=encode(body))

    async def links(self, request: web.Request) -> web.Response:
        """GET /v1/links."""
        summaries = [self._summary(worker) for worker in self._workers.values()]
        return web.json_response(body=encode({"links": summaries}))

    async def meters(self, request: web.Request) -> web.Response:
        """GET /v1/links/{link}/meters: one consistent read of the displayed meters."""
        worker = self._workers.get(LinkId(request.match_info["link"]))
        if worker is None:
            return error(404, "UNKNOWN_LINK", f"no link {request.match_info['link']!r}")
        view = worker.view
        if "at" in request.query or "seq" in request.query:
            return await self._meters_then(request, worker)
        body = {
            "link": view.link,
            "epoch": view.epoch,
            "seq": view.seq,
            "at": view.at,
            "state": view.state,
            "reason": view.reason,
            "meters": await self._meters_for(request, worker),
        }
        return web.json_response(body=encode(body))

    async def _meters_for(
        self, request: web.Request, worker: LinkWorker
    ) -> list[NamedMeter] | list[FullMeter]:
        """What is on display for anyone; all of it for those who may see it.

        An invalid session gets 401; a valid one without the role gets the public meters.
        """
        if not self._door.shows_session(request) or worker.state is None:
            return _named(worker.view)
        session = await self._door.session(request, Act.VIEW_HIDDEN_METERS)
        if not may(session.person.role, Act.VIEW_HIDDEN_METERS):
            return _named(worker.view)
        return full_meters(worker.state)

    async def _meters_then(self, request: web.Request, worker: LinkWorker) -> web.Response:
        """The displayed meters as they stood at a time, or after a record. Anybody may ask: few at
        once, not often.

        Whoever is signed in has an allowance of their own; an invalid session gets 401.
        """
        asked = _Asked.of(request)
        limit, asker = self._past, address_key(address(request))
        if self._door.shows_session(request):
            session = await self._door.session(request, Act.VIEW_HIDDEN_METERS)
            limit, asker = self._staff_past, session.token_sha256
        with limit.question_of(asker):
            return await self._read_then(request, worker, asked)

    async def _read_then(
        self, request: web.Request, worker: LinkWorker, asked: "_Asked"
    ) -> web.Response:
        view = worker.view
        terms = terms_of(worker, self._journal, self._terms)

        def question() -> Coroutine[Any, Any, MetersThen | None]:
            if asked.seq is not None:
                return meters_after(
                    self._journal, view.link, seq=asked.seq, last_seq=view.seq, terms=terms
                )
            return meters_at(self._journal, view.link, at=asked.at, last_seq=view.seq, terms=terms)

        then = await read_past(request, worker, question)
        if then is None:
            return error(404, "NO_RECORD", asked.nothing)
        body = {
            "link": view.link,
            "epoch": view.epoch,
            "seq": then.seq,
            "at": then.at,
            "meters": [
                NamedMeter(meter.id, meter.name, floor_cents(amount))
                for meter, amount in zip(then.meters, then.microcents, strict=True)
            ],
        }
        return web.json_response(body=encode(body))

    def _summary(self, worker: LinkWorker) -> LinkSummary:
        view, rules, state = worker.view, worker.rules, worker.state
        retirement = None if state is None else state.retirement
        return LinkSummary(
            id=rules.id,
            name=rules.name,
            state=view.state,
            reason=view.reason,
            epoch=view.epoch,
            seq=view.seq,
            at=view.at,
            meters=_named(view),
            bets=[
                BetSummary(
                    bet.id,
                    bet.game,
                    bet.paytable,
                    bet.wager_cents,
                    [
                        MeterSummary(meter.id, meter.name, meter.rate_ppm, meter.limit_cents)
                        for meter in bet.meters
                    ],
                )
                for bet in rules.terms.bets
            ],
            tables=[
                TableSummary(
                    table.id, table.seats, connected=self._drivers.driven(TableId(table.id))
                )
                for table in rules.tables
            ],
            currency=rules.currency,
            retires_at=None if retirement is None else retirement.not_before,
            sealed_seq=self._seals.size_of(rules.id),
            parked_cents=0 if state is None else floor_cents(state.balances.get(PARKED, 0)),
            node=worker.duty,
            leader=worker.leader,
        )


class _Asked(Struct, frozen=True):
    """Which moment of the past: a time in the journal's form, or a record."""

    at: str
    seq: int | None
    nothing: str
    """What to say where there is no such record."""

    @classmethod
    def of(cls, request: web.Request) -> "_Asked":
        """As the request has it; raises RefusedError."""
        at, seq = request.query.get("at"), request.query.get("seq")
        if at is None and seq is not None:
            if not _SEQ.fullmatch(seq):
                message = f"seq: {seq[:64]!r} is not the number of a record"
                raise RefusedError(400, "BAD_SEQ", message)
            return cls("", int(seq), f"there is no record {seq}")
        if at is None or seq is not None:
            raise RefusedError(400, "BAD_SEQ", "give a time (at) or a record (seq), not both")
        journal_time = as_journal_time(at)
        if journal_time is None:
            message = f"{at!r} is no RFC 3339 time with its offset"
            raise RefusedError(400, "BAD_TIME", message)
        return cls(journal_time, None, f"the journal begins after {at}")


def _named(view: LinkView) -> list[NamedMeter]:
    return [NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters]
