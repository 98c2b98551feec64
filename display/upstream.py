"""One upstream, a service or another relay: which links and signs it has, and a feed for each."""

import asyncio
import logging
import random
from collections.abc import Callable
from typing import Final

import aiohttp

from display.catalogue import Catalogue, decode_cards, decode_links, is_complete
from display.client import BadAnswerError, Client
from display.feed_client import FeedClient, Listener
from progressive.common.backoff import Backoff
from progressive.runtime.client_tls import unreachable_in_words
from progressive.wire.codec import UNDECODABLE

log = logging.getLogger(__name__)

REFRESH_SECONDS: Final = 5.0


class Upstream:
    """Where amounts come from."""

    def __init__(
        self,
        base: str,
        client: Client,
        catalogue: Catalogue,
        listener_for: Callable[[str], Listener],
    ) -> None:
        self.base = base
        self._client = client
        self._catalogue = catalogue
        self._listener_for = listener_for
        self._again = asyncio.Event()
        self._learning: asyncio.Task[None] | None = None
        self._reading: dict[str, asyncio.Task[None]] = {}
        self.feeds: dict[str, FeedClient] = {}
        self.takes_reports = False
        """An older one knows no signs, and would close the feed of a relay that speaks of them."""

    def start(self) -> None:
        """Begin to ask and to read."""
        self._learning = asyncio.create_task(self._learn_forever())

    async def stop(self) -> None:
        """Let go of it."""
        tasks = [*self._reading.values(), *([] if self._learning is None else [self._learning])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def ask_again(self) -> None:
        """It was away: links and signs may be others now."""
        self._again.set()

    async def _learn_forever(self) -> None:
        backoff = Backoff(random.SystemRandom().random)
        answered = True
        while True:
            self._again.clear()
            try:
                await self._learn()
                backoff.reset()
                pause_seconds, answered = REFRESH_SECONDS, True
            except (aiohttp.ClientError, OSError, TimeoutError, *UNDECODABLE) as error:
                if answered:
                    why = unreachable_in_words(error)
                    log.warning("upstream away", extra={"upstream": self.base, "why": why})
                pause_seconds, answered = backoff.next_seconds(), False
            except Exception:
                log.exception("asking upstream failed", extra={"upstream": self.base})
                pause_seconds = REFRESH_SECONDS
            try:
                async with asyncio.timeout(pause_seconds):
                    await self._again.wait()
            except TimeoutError:
                continue

    async def _learn(self) -> None:
        answer = await self._client.get(self.base, "/v1/links")
        if answer.status != 200:
            raise BadAnswerError(f"/v1/links answered {answer.status}")
        links = decode_links(answer.body)
        if not links:
            # A relay that has heard nothing itself: it will know more in a moment.
            raise BadAnswerError("it knows no links yet")
        # First: whoever finds a link here finds its signs too.
        signs_answered = await self._learn_signs()
        self._catalogue.learn_links(self.base, links, complete=is_complete(answer.body))
        for link in links.keys() - self._reading.keys():
            self.feeds[link] = FeedClient(self._client, self.base, link, self._listener_for(link))
            self._reading[link] = asyncio.create_task(self.feeds[link].run())
        for link in self._reading.keys() - links.keys():
            # Not on that floor any more. What it showed ages, and whoever has it goes on.
            del self.feeds[link]
            self._reading.pop(link).cancel()
        if not signs_answered:
            # Amounts do not wait for it.
            raise BadAnswerError("/v1/signs was not answered")

    async def _learn_signs(self) -> bool:
        try:
            answer = await self._client.get(self.base, "/v1/signs")
            cards = decode_cards(answer.body) if answer.status == 200 else {}
        except (aiohttp.ClientError, OSError, TimeoutError, *UNDECODABLE):
            return False
        if answer.status not in (200, 404):
            return False
        self._catalogue.learn_cards(self.base, cards)
        self.takes_reports = answer.status == 200
        return True
