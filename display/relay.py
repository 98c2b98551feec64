"""A relay: one or more upstreams' feeds in, the same feed out to any number of signs and relays."""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from typing import Final

from display.admission import Admission
from display.catalogue import Catalogue
from display.client import Client
from display.link_relay import LinkRelay
from display.posted import PostedTerms
from display.reports import Reports
from display.settings import Settings
from display.upstream import Upstream
from progressive.live.hub import Hub
from progressive.live.sign_sockets import SignSockets
from progressive.wire.codec import encode_showings
from progressive.wire.feed import LinkView
from progressive.wire.feed_messages import SignReport

log = logging.getLogger(__name__)

REPORT_SECONDS: Final = 1.0


class Relay:
    """Everything between the upstreams and the door."""

    def __init__(self, settings: Settings) -> None:
        self._client = Client(settings)
        self.catalogue = Catalogue(settings.upstreams)
        self.links: dict[str, LinkRelay] = {}
        self._order = settings.upstreams
        self.upstreams = {
            base: Upstream(base, self._client, self.catalogue, self._link)
            for base in settings.upstreams
        }
        self.posted = PostedTerms(self._client, self.catalogue.upstreams_of, time.monotonic)
        self.admission = Admission(
            self._client, settings.upstreams, self.catalogue.card, time.monotonic
        )
        self.reports = Reports(time.monotonic)
        self.signs: SignSockets[LinkView] = SignSockets(
            self.find_hub,
            self.reports.note,
            self.admission.admits,
            admits_relay=self.admission.relay_standing,
        )
        self._reporting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to listen upstream; nobody has to be there yet."""
        self.signs.start()
        for upstream in self.upstreams.values():
            upstream.start()
        self._reporting = asyncio.create_task(self._report_forever())

    async def stop(self) -> None:
        """Send what is left, then send everyone away."""
        if self._reporting is not None:
            self._reporting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reporting
        await asyncio.gather(*[upstream.stop() for upstream in self.upstreams.values()])
        await asyncio.gather(*[link.stop() for link in self.links.values()])
        await self.signs.close()
        await self._client.close()

    def _link(self, link: str) -> LinkRelay:
        if link not in self.links:
            self.links[link] = LinkRelay(link, self._order, self._connected)
        return self.links[link]

    def find_hub(self, link: str) -> Hub[LinkView] | None:
        """A link's readers; None for a link of which nothing has been heard."""
        relayed = self.links.get(link)
        return None if relayed is None else relayed.hub

    def _connected(self, upstream: str) -> None:
        self.upstreams[upstream].ask_again()
        self.posted.forget_age()

    # --- what the signs show ------------------------------------------------------------------

    async def _report_forever(self) -> None:
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            try:
                await self._report_all()
            except Exception:
                log.exception("reports of signs not passed on")

    async def _report_all(self) -> None:
        by_link: dict[str, list[SignReport]] = defaultdict(list)
        for report in self.reports.due(self._is_heard):
            if (card := self.catalogue.card(report.sign)) is not None:
                by_link[card.link].append(report)
        for link, reports in by_link.items():
            await self._report(link, reports)

    def _is_heard(self, sign: str) -> bool:
        card = self.catalogue.card(sign)
        return card is not None and self._reported_to(card.link) is not None

    def _reported_to(self, link: str) -> Upstream | None:
        """One of them: the service must not hear the same report twice."""
        for upstream in self.upstreams.values():
            feed = upstream.feeds.get(link)
            if upstream.takes_reports and feed is not None and feed.takes_reports:
                return upstream
        return None

    async def _report(self, link: str, reports: list[SignReport]) -> None:
        for frame in encode_showings(reports):
            if (upstream := self._reported_to(link)) is not None:
                await upstream.feeds[link].send(frame)
