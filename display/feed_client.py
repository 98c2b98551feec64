"""One feed of one upstream, for as long as the relay runs: resumes, backs off, follows the leader.

Whatever happens here, what is shown is for the mirror to decide.
"""

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Final, Protocol
from urllib.parse import urlencode

import aiohttp
from aiohttp import ClientWebSocketResponse, WSMsgType

from display.client import HOPS_MAX, Client, ElsewhereError
from progressive.common.addresses import elsewhere
from progressive.common.backoff import Backoff
from progressive.runtime.client_tls import unreachable_in_words
from progressive.wire import close_codes
from progressive.wire.codec import decode_feed
from progressive.wire.feed import Place
from progressive.wire.feed_messages import FeedMessage, Snapshot, Tick, Update

log = logging.getLogger(__name__)

CONNECT_SECONDS: Final = 6.0
SILENT_SECONDS: Final = 6.0
"""Without a frame for so long a connection is taken for dead, whatever TCP says."""
SEND_SECONDS: Final = 2.0
FRAME_BYTES_MAX: Final = 1024 * 1024


class Listener(Protocol):
    """Who the feed is read for."""

    @property
    def place(self) -> Place | None:
        """What it has seen already: what came after that is told again. None: only what is new."""
        ...

    def hear(self, upstream: str, message: FeedMessage) -> None:
        """A message."""
        ...

    def lost(self, upstream: str) -> None:
        """The feed broke off."""
        ...

    def connected(self, upstream: str) -> None:
        """A good snapshot has come."""
        ...


class FeedClient:
    """Reads `link` of `upstream`."""

    def __init__(
        self,
        client: Client,
        upstream: str,
        link: str,
        listener: Listener,
        *,
        who: Mapping[str, str] | None = None,
    ) -> None:
        self._client = client
        self._who = {"relay": client.name} if who is None else who
        """How it names itself to the upstream: as a relay, unless told otherwise."""
        self._upstream = upstream
        self._link = link
        self._listener = listener
        self._backoff = Backoff(random.SystemRandom().random)
        self._address = upstream
        self._hops = 0
        self._socket: ClientWebSocketResponse[bool] | None = None
        self._why: str | None = None
        self._refused = False
        """Its name was: the next connection reads without one."""
        self.up = False
        self.takes_reports = False
        """Up, and by the name that reports are made in."""
        self.times_up = 0
        """Good snapshots that began a connection."""

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                await self._read()
                why = "closed"
            except ElsewhereError as error:
                if self._goes_on_to(error.said):
                    continue
                why = str(error)
            except TimeoutError:
                why = "silent"
            except (aiohttp.ClientError, OSError) as error:
                why = unreachable_in_words(error)
            except Exception:
                # A bug here must not end a feed for good without a word.
                log.exception("feed reader failed")
                why = "failed"
            self._note(why)
            self._address, self._hops = self._upstream, 0
            await asyncio.sleep(self._backoff.next_seconds())

    async def send(self, frame: bytes) -> None:
        """Say something upstream; where that does not work, the reading side will find out."""
        if self._socket is None or self._socket.closed:
            return
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await self._socket.send_str(frame.decode())
        except (ConnectionError, TimeoutError, aiohttp.ClientError):
            log.debug("could not report upstream", extra={"upstream": self._upstream})

    async def _read(self) -> None:
        """One connection. Amounts are for everybody: a relay whose name is refused for want of a
        key reads on without it, reports nothing, and tries its name again the next time."""
        named, self._refused = not self._refused, False
        async with asyncio.timeout(CONNECT_SECONDS):
            socket = await self._client.session.ws_connect(
                self._feed_address(named=named),
                headers=self._client.credentials(self._address),
                decode_text=False,
                max_msg_size=FRAME_BYTES_MAX,
                timeout=aiohttp.ClientWSTimeout(ws_close=1.0),
            )
        self._socket = socket
        try:
            while True:
                frame = await socket.receive(timeout=SILENT_SECONDS)
                if frame.type is WSMsgType.TEXT:
                    self._take(frame.data)
                    self.takes_reports = self.up and named
                elif frame.type is WSMsgType.CLOSE and frame.data == close_codes.NOT_LEADER:
                    raise ElsewhereError(frame.extra or "")
                elif frame.type is WSMsgType.CLOSE and frame.data == close_codes.BAD_KEY:
                    self._refuse(frame.extra or "")
                    return
                elif frame.type is not WSMsgType.BINARY:
                    return
        finally:
            self._socket = None
            self.up = self.takes_reports = False
            self._listener.lost(self._upstream)
            await socket.close()

    def _refuse(self, said: str) -> None:
        about = {"upstream": self._upstream, "link": self._link, "why": said}
        if "relay" in self._who:
            self._refused = True
            log.warning("not reported what signs show: upstream wants a key", extra=about)
        else:
            log.warning("upstream wants this sign's key", extra=about)

    def _feed_address(self, *, named: bool) -> str:
        query: dict[str, str | int] = {**self._who} if named else {}
        if (place := self._listener.place) is not None:
            query |= {"epoch": place[0], "seq": place[1]}
        return f"{self._address}/v1/links/{self._link}/feed?{urlencode(query)}"

    def _take(self, data: bytes) -> None:
        message = decode_feed(data)
        if message is None:
            return
        begins = isinstance(message, Snapshot) and message.link == self._link and not self.up
        if isinstance(message, Tick | Update):
            # It does more than to greet and send away: the next one may again send us on.
            self._hops = 0
            self._note("")
        self._listener.hear(self._upstream, message)
        if begins:
            self.up = True
            self.times_up += 1
            self._backoff.reset()
            self._listener.connected(self._upstream)

    def _goes_on_to(self, said: str) -> bool:
        """Whether to follow to where an upstream says the leader is."""
        there = elsewhere(said, by=self._address)
        if there is None or self._hops >= HOPS_MAX:
            return False
        self._hops += 1
        self._address = there
        return True

    def _note(self, why: str) -> None:
        """Once for every change: an upstream that stays away for a week is one line."""
        if why == self._why:
            return
        self._why = why
        about = {"upstream": self._upstream, "link": self._link}
        if why:
            log.warning("feed lost", extra={**about, "why": why})
        else:
            log.info("feed up", extra={**about, "address": self._address})
