"""The feed's client: connects, listens, comes back, and tells the service what the sign shows."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import msgspec

from display.led.backoff import Backoff
from display.led.reading import Reading
from progressive.wire import close_codes
from progressive.wire.codec import FRAME_BYTES_MAX
from progressive.wire.messages import Showing

log = logging.getLogger(__name__)

SILENCE_SECONDS: Final = 6.0
"""Ticks come at least every two seconds: a connection this silent is dead, whatever TCP says."""
CONNECT_SECONDS: Final = 5.0
LEADER_HOPS_MAX: Final = 4
REPORT_SECONDS: Final = 1.1
"""A little over the second that is agreed, so that two reports do not arrive within one."""
PRESENCE_SECONDS: Final = 5.0
SNAPSHOT_BYTES_MAX: Final = 4 * FRAME_BYTES_MAX

_SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


class Feed(NamedTuple):
    """Where the amounts come from, and whom this sign speaks for."""

    upstream: str
    link: str
    sign: str | None = None
    key: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """What shows that it may speak for the sign."""
        return {} if self.key is None else {"Authorization": f"Bearer {self.key}"}


def base_url(text: str) -> str | None:
    """The address of a service or relay, or None for what is none."""
    try:
        parts = urlsplit(text)
        known = parts.scheme in _SCHEMES and parts.hostname is not None and parts.port != 0
    except ValueError:
        return None
    return f"{_SCHEMES[parts.scheme]}://{parts.netloc}{parts.path}".rstrip("/") if known else None


class FeedClient:
    """One link's feed, for as long as it runs."""

    def __init__(
        self,
        feed: Feed,
        reading: Reading,
        *,
        clock: Callable[[], float],
        on_news: Callable[[], None],
        showing: Callable[[], Showing | None],
    ) -> None:
        self._feed = feed
        self._reading = reading
        self._clock = clock
        self._on_news = on_news
        self._showing = showing

    async def run(self) -> None:
        """Until cancelled."""
        backoff = Backoff()
        url, hops = self._feed.upstream, 0
        async with aiohttp.ClientSession() as session:
            while True:
                leader = None
                try:
                    leader = await self._listen(session, url, backoff)
                except (aiohttp.ClientError, OSError) as error:
                    log.warning("feed %s is lost: %s", url, str(error) or type(error).__name__)
                if leader is not None and hops < LEADER_HOPS_MAX:
                    url, hops = leader, hops + 1
                    continue
                url, hops = self._feed.upstream, 0
                await asyncio.sleep(backoff.next_seconds())

    async def _listen(
        self, session: aiohttp.ClientSession, url: str, backoff: Backoff
    ) -> str | None:
        """Until the connection ends; the leader's address, if it said that it is none."""
        epoch, seq = self._reading.place
        query = {"epoch": str(epoch), "seq": str(seq)} if self._reading.view is not None else {}
        if self._feed.sign is not None:
            query["sign"] = self._feed.sign
        async with asyncio.timeout(CONNECT_SECONDS):
            socket = await session.ws_connect(
                f"{url}/v1/links/{self._feed.link}/feed",
                params=query,
                headers=self._feed.headers,
                max_msg_size=SNAPSHOT_BYTES_MAX,
            )
        async with socket:
            log.info("feed %s is open", url)
            reporting = asyncio.create_task(self._report(socket))
            try:
                return await self._hear(socket, backoff)
            finally:
                reporting.cancel()
                await asyncio.gather(reporting, return_exceptions=True)

    async def _hear(
        self, socket: "aiohttp.ClientWebSocketResponse[bool]", backoff: Backoff
    ) -> str | None:
        while True:
            message = await socket.receive(timeout=SILENCE_SECONDS)
            if message.type is not aiohttp.WSMsgType.TEXT:
                log.warning("feed closed: %s %s", socket.close_code, message.extra or "")
                if socket.close_code == close_codes.NOT_LEADER:
                    return base_url(message.extra or "")
                return None
            good = self._reading.hear(message.data, self._clock())
            self._on_news()
            if not good:
                return None
            if self._reading.view is not None:
                backoff.reset()

    async def _report(self, socket: "aiohttp.ClientWebSocketResponse[bool]") -> None:
        """What is on the glass: when it has changed, and now and then to show presence."""
        if self._feed.sign is None:
            return
        last: Showing | None = None
        last_at = -PRESENCE_SECONDS
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            showing = self._showing()
            now = asyncio.get_running_loop().time()
            if showing is None or (showing == last and now - last_at < PRESENCE_SECONDS):
                continue
            last, last_at = showing, now
            await socket.send_str(msgspec.json.encode(showing).decode())
