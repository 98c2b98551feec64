"""Wires all that has to do with signs: their door, their keys, their log, their pages."""

import asyncio
import functools
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from aiohttp import web
from msgspec import structs

from progressive.adapters.sqlite.sign_log import SqliteSignLog
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.clock import Clock
from progressive.application.keys.ports import KeyCheck, KeyStore
from progressive.application.link.ports import Store
from progressive.application.link.worker import LinkWorker
from progressive.application.signs.desk import SignDesk, SignPlace
from progressive.application.signs.ports import RunningSignLog
from progressive.application.signs.reports import Glass
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import FloorRules, SignRules
from progressive.domain.views import LinkView
from progressive.entry.http.page_shell import PageShell
from progressive.entry.people.door import Door
from progressive.entry.pit.signs import FloorSigns
from progressive.entry.signs.admission import SignAdmission
from progressive.entry.signs.http import SignPages
from progressive.entry.signs.log import SignLogPages
from progressive.entry.signs.page import SignsPage
from progressive.entry.signs.posted_terms import PostedTerms
from progressive.live.hub import Hub
from progressive.live.sign_sockets import SignSockets
from progressive.runtime.series import Series, counter, gauge
from progressive.wire.feed import UNNAMED
from progressive.wire.feed_messages import Showing
from progressive.wire.signs import SignCard

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
PREVIEW: Final = "preview:"
"""No id holds a colon."""


class Signs:
    """The signs of a floor."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        workers: Mapping[LinkId, LinkWorker],
        hubs: Mapping[LinkId, Hub[LinkView]],
        store: Store,
        door: Door,
        clock: Clock,
        data: Path,
        keys: KeyStore,
        relays: KeyCheck,
    ) -> None:
        """`keys` of signs, and of relays."""
        self._rules = rules
        self._workers = workers
        self._hubs = hubs
        self.log: RunningSignLog = SqliteSignLog(
            data, days=rules.sign_log_days, max_bytes=rules.sign_log_max_mib * 2**20
        )
        self.admission = SignAdmission(keys, relays, anonymous_relays=rules.anonymous_relays)
        self.desk = SignDesk(_places(rules), self.log, clock, keyed=self.admission.keyed)
        self.floor = FloorSigns(
            rules,
            desk=self.desk,
            hubs=hubs,
            keyed=self.admission.keyed,
            log_problem=lambda: self.log.problem,
            keys_problem=lambda: self.admission.problem,
        )
        self.sockets = SignSockets(
            lambda link: hubs.get(LinkId(link)),
            self._heard,
            self.admission.admits,
            self._come_or_gone,
            self.admission.relay_standing,
        )
        self._names = {link.id: link.name for link in rules.links}
        self._cards: dict[str, Callable[[], SignCard]] = {
            sign.id: functools.partial(self._card, sign) for sign in rules.signs
        }
        self._pages = SignPages(
            self._cards,
            PostedTerms(rules, functools.partial(_retires_at, workers)),
            keys=keys,
            admission=self.admission,
            door=door,
            on_new_key=self._look_at_keys,
        )
        open_log = functools.partial(open_sign_log, data, beside_writer=True)
        self._log_pages = SignLogPages(open_log, store, workers, door)
        self._looking: list[asyncio.Task[None]] = []

    def routes(self, shell: PageShell) -> list[web.AbstractRouteDef]:
        """The feed, what is asked about signs, and the page."""
        return [
            *SignsPage(self._rules, self._cards, shell).routes(),
            web.get("/v1/links/{link}/feed", self.sockets.handle),
            *self._pages.routes(),
            *self._log_pages.routes(),
        ]

    def card(self, sign: str) -> SignCard | None:
        """A sign as the floor file has it; None where it does not.

        `preview:SIGN` looks like the sign and is nobody: what somebody tries out at a desk must
        not stand in the log as what the guests could read.
        """
        made = self._cards.get(sign.removeprefix(PREVIEW))
        if made is None:
            return None
        card = made()
        return structs.replace(card, id=UNNAMED, keyed=False) if sign.startswith(PREVIEW) else card

    async def start(self) -> None:
        """Begin to watch, and to write down; returns once it is known which signs have keys."""
        await self.admission.look()
        self.log.start()
        self.sockets.start()
        # Two tasks: keys that cannot be read for a while must not hide that a sign is gone.
        self._looking = [
            asyncio.create_task(self._look_at_signs()),
            asyncio.create_task(self._watch_keys()),
        ]

    async def close(self) -> None:
        """Send the signs away; what they said is kept."""
        await self.sockets.close()
        self.desk.close()
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)

    async def close_log(self) -> None:
        """Last of all: signs are still noted as gone while their sockets close."""
        await self.log.close()

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            gauge(
                "progressive_signs_connected",
                "Signs and relays with a live socket",
                lambda: [((link,), len(hub.outboxes)) for link, hub in self._hubs.items()],
                "link",
            ),
            counter(
                "progressive_signs_dropped",
                "Signs and relays dropped because they did not read",
                lambda: [((link,), hub.dropped) for link, hub in self._hubs.items()],
                "link",
            ),
            gauge(
                "progressive_signs_present",
                "Signs of the floor file that are there, behind relays too",
                lambda: [((link,), self.floor.present(link)) for link in self._workers],
                "link",
            ),
            gauge(
                "progressive_sign_lag_records",
                "Records between the journal and the sign furthest behind that reports",
                lambda: [
                    ((link,), self.floor.lag_records(link, worker.view.seq))
                    for link, worker in self._workers.items()
                ],
                "link",
            ),
            gauge(
                "progressive_sign_log_up",
                "1 while the sign log can be written",
                lambda: [((), self.log.problem is None)],
            ),
            counter(
                "progressive_sign_log_entries",
                "Entries written to the sign log",
                lambda: [((), self.log.kept)],
            ),
            counter(
                "progressive_sign_log_lost",
                "Entries dropped because the sign log could not be written, or was full",
                lambda: [((), self.log.lost)],
            ),
            counter(
                "progressive_sign_reports_refused",
                "Reports, arrivals and departures of signs that came too often to be stored",
                lambda: [((), self.desk.refused)],
            ),
            counter(
                "progressive_sign_key_refusals",
                "Times somebody came without the sign's key, or a relay without its own",
                lambda: [((), self.admission.refused)],
            ),
        ]

    def _heard(self, sign: str, showing: Showing, *, age_ms: int) -> None:
        self.desk.heard(
            sign,
            epoch=showing.epoch,
            seq=showing.seq,
            state=showing.state,
            glass=[Glass(meter.id, meter.cents) for meter in showing.meters],
            age_ms=age_ms,
        )

    def _come_or_gone(self, sign: str, come: bool) -> None:
        if come:
            self.desk.came(sign)
        else:
            self.desk.left(sign)

    def _card(self, sign: SignRules) -> SignCard:
        return SignCard(
            id=sign.id,
            name=sign.name or sign.id,
            link=sign.link,
            link_name=self._names[sign.link],
            floor_name=self._rules.name,
            currency=self._rules.currency,
            time_zone=self._rules.time_zone,
            layout=sign.layout,
            theme=sign.theme,
            language=sign.language,
            meters=list(sign.meters),
            bet=sign.bet,
            keyed=self.admission.keyed(sign.id),
        )

    async def _look_at_signs(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.desk.look()

    async def _watch_keys(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._look_at_keys()

    async def _look_at_keys(self) -> None:
        """A sign whose key was replaced is shown the door: it comes back with the new one."""
        for sign in await self.admission.look():
            log.info("a sign has a new key", extra={"sign": sign})
            for hub in self._hubs.values():
                for box in hub.outboxes:
                    if box.sign == sign:
                        box.transport.abort()


def _places(rules: FloorRules) -> dict[str, SignPlace]:
    meters = {
        link.id: frozenset[str](meter.id for meter in link.terms.meters) for link in rules.links
    }
    return {sign.id: SignPlace(sign.link, meters[sign.link]) for sign in rules.signs}


def _retires_at(workers: Mapping[LinkId, LinkWorker], link: LinkId) -> str | None:
    """When a link may end at the earliest, where somebody has proposed that."""
    state = workers[link].state
    return None if state is None or state.retirement is None else state.retirement.not_before
