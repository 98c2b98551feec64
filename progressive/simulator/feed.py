"""Reads a link's sign feed, as a sign does: keeps what it says last, and has its wins checked."""

import asyncio
import itertools
import ssl
from collections.abc import Callable, Sequence
from typing import Final

import aiohttp
import msgspec
from aiohttp import WSMsgType

from progressive.simulator.bookkeeping import Mismatch
from progressive.simulator.wins import WinWatch, Won
from progressive.wire.feed_messages import Snapshot, StateChanged, Tick, Update, Win

RECONNECT_SECONDS: Final = 0.5
SILENT_SECONDS: Final = 5.0
"""A feed ticks every second: one that hangs is left for that of the next node."""

FeedMessage = Snapshot | Update | Win | StateChanged | Tick

_decoder: Final[msgspec.json.Decoder[FeedMessage]] = msgspec.json.Decoder(FeedMessage)


class FeedReader:
    """The newest meters of one link, and its last win."""

    def __init__(
        self,
        nodes: Sequence[str],
        link: str,
        watch: WinWatch,
        report: Callable[[list[Mismatch]], None],
        *,
        tls: ssl.SSLContext | bool = True,
    ) -> None:
        """`tls`: whose certificates are trusted."""
        self.link: Final = link
        self._tls = tls
        self._nodes = itertools.cycle(nodes)
        self._watch = watch
        self._report = report
        self._names: dict[str, str] = {}
        self.cents: dict[str, int] = {}
        self.last_win: Win | None = None
        self.seq = 0
        """The record that is shown."""
        self.state = "unknown"
        self.has_read = asyncio.Event()
        self._ticked = asyncio.Event()

    def amounts(self) -> list[tuple[str, int]]:
        """Names and amounts, in the feed's order."""
        return [(self.name(meter), cents) for meter, cents in self.cents.items()]

    def name(self, meter: str) -> str:
        """A meter's name for people."""
        return self._names.get(meter, meter)

    async def wait_tick(self) -> None:
        """Until the feed has said all that it had to say: a tick comes behind it."""
        self._ticked.clear()
        await self._ticked.wait()

    async def read_forever(self) -> None:
        """Until cancelled; a lost connection is opened again."""
        connector = aiohttp.TCPConnector(ssl=self._tls)
        async with aiohttp.ClientSession(connector=connector) as session:
            while True:
                address = f"{next(self._nodes)}/v1/links/{self.link}/feed"
                try:
                    async with session.ws_connect(address, decode_text=False) as socket:
                        await self._read(socket)
                # A TimeoutError is an OSError.
                except (aiohttp.ClientError, OSError):
                    self.state = "unreachable"
                except msgspec.DecodeError as error:
                    self.state = "unreachable"
                    wrong = Mismatch(f"the feed of {self.link}", None, "a message", str(error))
                    self._report([wrong])
                self._watch.disconnected()
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse[bool]) -> None:
        while True:
            message = await socket.receive(timeout=SILENT_SECONDS)
            if message.type is not WSMsgType.TEXT:
                return
            if found := self._take(_decoder.decode(message.data)):
                self._report(found)

    def _take(self, message: FeedMessage) -> list[Mismatch]:
        """Enter a message; what is wrong by it."""
        match message:
            case Snapshot():
                self._names = {meter.id: meter.name for meter in message.meters}
                self.cents = {meter.id: meter.cents for meter in message.meters}
                self.state, self.seq = message.state, message.seq
                self.has_read.set()
                return self._watch.connected(message.seq, [_won(win) for win in message.wins])
            case Update():
                self.seq = message.seq
                self.cents.update({meter.id: meter.cents for meter in message.meters})
                return self._watch.moved(message.seq)
            case Win():
                self.last_win = message
                return self._watch.shown(_won(message))
            case StateChanged():
                self.state = message.state
            case Tick():
                self.seq = message.seq
                self._ticked.set()
                return self._watch.moved(message.seq)
        return []


def _won(win: Win) -> Won:
    return Won(
        award=win.award,
        seq=win.seq,
        table=win.table,
        seat=win.seat,
        meter=win.meter,
        line=win.line,
        amount_cents=win.amount_cents,
        next_cents=win.next_cents,
    )
