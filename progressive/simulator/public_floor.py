"""What anyone can read of a floor: `GET /v1/links`."""

import asyncio
import ssl
from collections.abc import Iterable, Sequence
from typing import Final

import aiohttp
import msgspec
from msgspec import Struct, structs

from progressive.domain.money import CENTS_MAX
from progressive.runtime.client_tls import unreachable_in_words
from progressive.simulator.bookkeeping import LinkBook
from progressive.simulator.meter_track import MeterTerms
from progressive.simulator.wins import WinWatch
from progressive.wire.meters import NamedMeter

READ_SECONDS: Final = 10.0


class PublicTable(Struct, frozen=True):
    """A table of a link."""

    id: str
    seats: int
    connected: bool


class PublicMeter(Struct, frozen=True):
    """A meter's terms."""

    id: str
    name: str
    rate_ppm: int
    limit_cents: int | None = None


class PublicBet(Struct, frozen=True):
    """A bet's terms."""

    id: str
    wager_cents: int | None
    meters: list[PublicMeter]


class PublicLink(Struct, frozen=True):
    """A link, read at one moment."""

    id: str
    name: str
    state: str
    reason: str | None
    seq: int
    meters: list[NamedMeter]
    bets: list[PublicBet]
    tables: list[PublicTable]
    currency: str = ""
    """Empty where a service of an older version does not say."""

    def book(self, *, own_tables: Iterable[str], people_act: bool = False) -> LinkBook:
        """Our own count from this moment on."""
        own = set(own_tables)
        book = LinkBook(self._terms(), seq=self.seq, cents=self.cents)
        book.others_write = any(t.connected and t.id not in own for t in self.tables)
        book.people_act = people_act
        return book

    def win_watch(self, *, own_tables: Iterable[str]) -> WinWatch:
        """The signs from this moment on."""
        return WinWatch(since_seq=self.seq, own_tables=own_tables, currency=self.currency)

    @property
    def cents(self) -> list[int]:
        """The displayed meters, in the order of every message."""
        return [meter.cents for meter in self.meters]

    def _terms(self) -> list[MeterTerms]:
        seats = max((table.seats for table in self.tables), default=0)
        return [
            MeterTerms(
                id=meter.id,
                bet=bet.id,
                rate_ppm=meter.rate_ppm,
                limit_cents=meter.limit_cents or 0,
                # A full layout, put on the meter or given back.
                reach_microcents=seats * (bet.wager_cents or CENTS_MAX) * meter.rate_ppm,
                currency=self.currency,
            )
            for bet in self.bets
            for meter in bet.meters
        ]


class PublicFloor(Struct, frozen=True):
    """All links."""

    links: list[PublicLink]

    @property
    def currency(self) -> str:
        """One for the whole floor; empty where no link says it."""
        return next((link.currency for link in self.links), "")


class UnreadableFloorError(Exception):
    """There is no service there, or none that speaks like one."""


async def read_floor(nodes: Sequence[str], *, tls: ssl.SSLContext | bool = True) -> PublicFloor:
    """Ask all nodes; of each link, what the one with the most records says.

    Raises UnreadableFloorError where none answers. `tls`: whose certificates are trusted.
    """
    answers = await asyncio.gather(
        *[_read_node(node, tls=tls) for node in nodes], return_exceptions=True
    )
    floors = [answer for answer in answers if isinstance(answer, PublicFloor)]
    if not floors:
        raise next(answer for answer in answers if isinstance(answer, BaseException))
    newest: dict[str, PublicLink] = {}
    connected: set[str] = set()
    for link in [link for floor in floors for link in floor.links]:
        # Only the leader knows which tables are connected.
        connected |= {table.id for table in link.tables if table.connected}
        if link.id not in newest or link.seq > newest[link.id].seq:
            newest[link.id] = link
    return PublicFloor([_with_connected(link, connected) for link in newest.values()])


def _with_connected(link: PublicLink, connected: set[str]) -> PublicLink:
    tables = [structs.replace(table, connected=table.id in connected) for table in link.tables]
    return structs.replace(link, tables=tables)


async def _read_node(url: str, *, tls: ssl.SSLContext | bool) -> PublicFloor:
    timeout = aiohttp.ClientTimeout(total=READ_SECONDS)
    connector = aiohttp.TCPConnector(ssl=tls)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, connector=connector) as session,
            session.get(f"{url}/v1/links") as response,
        ):
            if response.status != 200:
                raise UnreadableFloorError(f"{url}/v1/links answers {response.status}")
            return msgspec.json.decode(await response.read(), type=PublicFloor)
    except TimeoutError:
        raise UnreadableFloorError(
            f"{url} did not answer within {READ_SECONDS:.0f} seconds"
        ) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        if isinstance(error, msgspec.DecodeError):
            raise UnreadableFloorError(f"{url} is not a progressive service: {error}") from None
        raise UnreadableFloorError(
            f"{url} cannot be reached: {unreachable_in_words(error)}"
        ) from None
