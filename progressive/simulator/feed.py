"""Reads a link's sign feed, as a sign does, and keeps what it says last."""

import asyncio
from typing import Final

import aiohttp
import msgspec
from aiohttp import WSMsgType
from msgspec import Struct

RECONNECT_SECONDS: Final = 0.5


class _FeedMeter(Struct, frozen=True):
    id: str
    cents: int
    name: str | None = None


class _FeedFrame(Struct, frozen=True):
    """Any frame of the feed: of what it does not carry, the last word stands."""

    meters: list[_FeedMeter] | None = None
    state: str | None = None


_decoder: Final = msgspec.json.Decoder(_FeedFrame)


class FeedReader:
    """The newest meters of one link."""

    def __init__(self, url: str, link: str) -> None:
        self.link: Final = link
        self._address = f"{url}/v1/links/{link}/feed"
        self._names: dict[str, str] = {}
        self.cents: dict[str, int] = {}
        self.state = "unknown"
        self.has_read = asyncio.Event()

    def amounts(self) -> list[tuple[str, int]]:
        """Names and amounts, in the feed's order."""
        return [(self._names.get(meter, meter), cents) for meter, cents in self.cents.items()]

    async def read_forever(self) -> None:
        """Until cancelled; a lost connection is opened again."""
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    async with session.ws_connect(self._address, decode_text=False) as socket:
                        await self._read(socket)
                except (aiohttp.ClientError, OSError, msgspec.DecodeError):
                    self.state = "unreachable"
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse[bool]) -> None:
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                self._take(_decoder.decode(message.data))

    def _take(self, frame: _FeedFrame) -> None:
        self.state = frame.state or self.state
        for meter in frame.meters or ():
            self.cents[meter.id] = meter.cents
            if meter.name is not None:
                self._names[meter.id] = meter.name
        if frame.meters is not None:
            self.has_read.set()
