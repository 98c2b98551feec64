"""A whole run: tables play side by side, a sign looks on, and the link is read a last time."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from progressive.client.connection import TableConnection
from progressive.domain.money import money_text
from progressive.simulator.bookkeeping import Mismatch
from progressive.simulator.desk import Findings, LinkDesk, Totals
from progressive.simulator.feed import FeedReader
from progressive.simulator.player import NotAdmittedError, Orders, Player
from progressive.simulator.public_floor import PublicFloor, UnreadableFloorError, read_floor

FEED_SECONDS: Final = 10.0
"""How long a sign waits for its first word, and for the last."""

LOOK_SECONDS: Final = 0.1


class Result(Struct, frozen=True):
    """How a run went."""

    tables: int
    totals: Totals
    first_mismatches: Sequence[Mismatch]
    seconds: float
    others_play: bool
    """Then the meters are checked only as far as others cannot have moved them."""
    currency: str = ""

    def line(self) -> str:
        """The totals in one line."""
        t = self.totals
        wagered, awarded = (
            money_text(cents, self.currency) for cents in (t.wagered_cents, t.awarded_cents)
        )
        others = "; others play too, so meters are only bounded" if self.others_play else ""
        if t.jumps:
            others += f"; {_counted(t.jumps, 'jump')} of meters by records of others"
        return (
            f"simulated {self.tables:,} tables, {t.rounds:,} rounds ({t.voided:,} voided), "
            f"{t.wagers:,} wagers, {wagered}, {_counted(t.awards, 'award')}, "
            f"{awarded} ({t.meters_won:,} from meters) in {self.seconds:.1f} s "
            f"({t.messages:,} messages){others}: {t.reconnects:,} reconnects, "
            f"{t.repeats:,} repeats, {t.refusals:,} refusals as expected, "
            f"{_counted(t.mismatches, 'mismatch', 'mismatches')}"
        )


class Simulation:
    """Some tables of a floor, for one run."""

    def __init__(
        self,
        nodes: Sequence[str],
        floor: PublicFloor,
        *,
        keys: Mapping[str, str],
        orders: Orders,
        seed: int,
        on_mismatch: Callable[[Mismatch], None] | None = None,
        tls: ssl.SSLContext | bool = True,
    ) -> None:
        """`nodes`: the addresses of all that have this floor. `floor` must be read before the first
        message; `keys` names the tables that play; `tls` says whose certificates are trusted."""
        self._nodes = nodes
        self._tls = tls
        self.currency = floor.currency
        self._stop = asyncio.Event()
        self._findings = Findings(on_mismatch)
        self._desks: dict[str, LinkDesk] = {}
        self._players: list[Player] = []
        self.feeds: list[FeedReader] = []
        for link in floor.links:
            own = [table for table in link.tables if table.id in keys]
            if not own:
                continue
            names = [table.id for table in own]
            desk = LinkDesk(
                link.book(own_tables=names, people_act=orders.people_act),
                link.win_watch(own_tables=names),
                self._findings,
            )
            self._desks[link.id] = desk
            self.feeds.append(FeedReader(nodes, link.id, desk.wins, desk.report, tls=tls))
            for table in own:
                player = Player(
                    TableConnection(table.id, keys[table.id], tls=tls),
                    desk,
                    nodes=nodes,
                    table=table.id,
                    seats=table.seats,
                    # Each table has its own seed: what one does never depends on another's speed.
                    random=Random(f"{seed}/{table.id}"),  # noqa: S311 (play, not secrets)
                    orders=orders,
                    stop=self._stop,
                )
                self._players.append(player)
        self._others_play = any(desk.book.others_write for desk in self._desks.values())

    @property
    def totals(self) -> Totals:
        """What has been done so far."""
        return self._findings.totals

    def stop(self) -> None:
        """Let every table finish its round, and end."""
        self._stop.set()

    async def run(self) -> Result:
        """Play until all rounds are done; raises NotAdmittedError where a table never got in."""
        reading = [asyncio.create_task(feed.read_forever()) for feed in self.feeds]
        try:
            await self._feeds_speak()
            began = time.monotonic()
            await self._play()
            seconds = time.monotonic() - began
            await self._feeds_fall_silent()
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)
        await self._read_once_more()
        return Result(
            tables=len(self._players),
            totals=self._findings.totals,
            first_mismatches=self._findings.first,
            seconds=seconds,
            others_play=self._others_play,
            currency=self.currency,
        )

    async def _play(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for player in self._players:
                    group.create_task(player.play())
        except ExceptionGroup as several:
            # The first says it all: the others were stopped because of it, or say the same.
            if (refused := several.subgroup(NotAdmittedError)) is None:
                raise
            raise _first(refused) from None

    async def _feeds_speak(self) -> None:
        """A sign is there before the first wager: nothing can be won behind its back."""
        for feed in self.feeds:
            try:
                async with asyncio.timeout(FEED_SECONDS):
                    await feed.has_read.wait()
            except TimeoutError:
                came = f"none within {FEED_SECONDS:.0f} seconds"
                self._findings.add(Mismatch(f"the feed of {feed.link}", None, "a snapshot", came))

    async def _feeds_fall_silent(self) -> None:
        """Wins that are under way may still arrive; what comes behind a tick never will.

        Of a standby that tick is the one that has come as far as the answers.
        """
        for feed in self.feeds:
            desk = self._desks[feed.link]
            if desk.wins.awaits:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(FEED_SECONDS):
                        await feed.wait_tick()
                        while feed.seq < desk.last_seq:
                            await feed.wait_tick()

    async def _read_once_more(self) -> None:
        """What is published in the end must be what the answers added up to."""
        try:
            floor = await self._last_floor()
        except UnreadableFloorError as error:
            self._findings.add(Mismatch("the service", None, "a last reading", str(error)))
            return
        for link in floor.links:
            if (desk := self._desks.get(link.id)) is not None:
                desk.finish(seq=link.seq, cents=link.cents)

    async def _last_floor(self) -> PublicFloor:
        """Of several nodes one that has all that was answered: standbys come after the leader."""
        give_up_at = time.monotonic() + FEED_SECONDS
        while True:
            floor = await read_floor(self._nodes, tls=self._tls)
            seqs = {link.id: link.seq for link in floor.links}
            behind = any(seqs.get(link, 0) < desk.last_seq for link, desk in self._desks.items())
            if len(self._nodes) == 1 or not behind or time.monotonic() >= give_up_at:
                return floor
            await asyncio.sleep(LOOK_SECONDS)


def _counted(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _first(group: ExceptionGroup[NotAdmittedError]) -> Exception:
    first: Exception = group
    while isinstance(first, ExceptionGroup):
        first = first.exceptions[0]
    return first
