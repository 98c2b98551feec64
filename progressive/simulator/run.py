"""A whole run: the tables are chosen, play side by side, and the link is read a last time."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random

from msgspec import Struct

from progressive.simulator.bookkeeping import Mismatch, dollars
from progressive.simulator.connection import TableConnection
from progressive.simulator.desk import Findings, LinkDesk, Totals
from progressive.simulator.player import NotAdmittedError, Orders, Player
from progressive.simulator.public_floor import PublicFloor, UnreadableFloorError, read_floor


class Result(Struct, frozen=True):
    """How a run went."""

    tables: int
    totals: Totals
    first_mismatches: Sequence[Mismatch]
    seconds: float
    others_play: bool
    """Then the meters are checked only as far as others cannot have moved them."""

    def line(self) -> str:
        """The totals in one line."""
        t = self.totals
        others = "; others play too, so meters are only bounded" if self.others_play else ""
        return (
            f"simulated {self.tables:,} tables, {t.rounds:,} rounds ({t.voided:,} voided), "
            f"{t.wagers:,} wagers, {dollars(t.wagered_cents)} in {self.seconds:.1f} s "
            f"({t.messages:,} messages){others}: {t.reconnects:,} reconnects, "
            f"{t.repeats:,} repeats, {t.refusals:,} refusals as expected, "
            f"{t.mismatches:,} {'mismatch' if t.mismatches == 1 else 'mismatches'}"
        )


class Simulation:
    """Some tables of a floor, for one run."""

    def __init__(
        self,
        url: str,
        floor: PublicFloor,
        *,
        keys: Mapping[str, str],
        orders: Orders,
        seed: int,
        on_mismatch: Callable[[Mismatch], None] | None = None,
    ) -> None:
        """`floor` must be read before the first message; `keys` names the tables that play."""
        self._url = url
        self._stop = asyncio.Event()
        self._findings = Findings(on_mismatch)
        self._desks: dict[str, LinkDesk] = {}
        self._players: list[Player] = []
        for link in floor.links:
            own = [table for table in link.tables if table.id in keys]
            if not own:
                continue
            desk = LinkDesk(link.book(own_tables=[table.id for table in own]), self._findings)
            self._desks[link.id] = desk
            for table in own:
                player = Player(
                    TableConnection(url, table.id, keys[table.id]),
                    desk,
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
        began = time.monotonic()
        try:
            async with asyncio.TaskGroup() as group:
                for player in self._players:
                    group.create_task(player.play())
        except ExceptionGroup as several:
            # The first says it all: the others were stopped because of it, or say the same.
            if (refused := several.subgroup(NotAdmittedError)) is None:
                raise
            raise _first(refused) from None
        seconds = time.monotonic() - began
        await self._read_once_more()
        return Result(
            tables=len(self._players),
            totals=self._findings.totals,
            first_mismatches=self._findings.first,
            seconds=seconds,
            others_play=self._others_play,
        )

    async def _read_once_more(self) -> None:
        """What is published in the end must be what the answers added up to."""
        try:
            floor = await read_floor(self._url)
        except UnreadableFloorError as error:
            self._findings.add(Mismatch("the service", None, "a last reading", str(error)))
            return
        for link in floor.links:
            if (desk := self._desks.get(link.id)) is not None:
                desk.finish(seq=link.seq, cents=link.cents)


def _first(group: ExceptionGroup[NotAdmittedError]) -> Exception:
    first: Exception = group
    while isinstance(first, ExceptionGroup):
        first = first.exceptions[0]
    return first
