"""Wires the pit console: what it looks at, its socket, its alarms and its page."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.watch import DaySight, GuardSight
from progressive.application.link.worker import LinkWorker
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rulebook.rules import FloorRules
from progressive.entry.http.links import Links
from progressive.entry.http.page_shell import PageShell
from progressive.entry.people.reception import Reception
from progressive.entry.pit.alarms import AlarmPages
from progressive.entry.pit.floor import PitFloor
from progressive.entry.pit.hub import PitHub
from progressive.entry.pit.page import PitPages
from progressive.entry.pit.signs import FloorSigns
from progressive.entry.pit.socket import PitSockets
from progressive.runtime.series import Series, gauge

DISK_LOW_BYTES: Final = 1024 * 2**20
"""Less free than this is an alarm: days of play, but not of holidays."""


class Pit:
    """The pit's view of the floor."""

    def __init__(
        self,
        rules: FloorRules,
        *,
        workers: Mapping[LinkId, LinkWorker],
        signs: FloorSigns,
        connected: Callable[[], Collection[TableId]],
        reception: Reception,
        happenings: Happenings,
        clock: Clock,
        data: Path,
        disk_low_bytes: int,
        guard: Callable[[], GuardSight],
        days: Callable[[], Sequence[DaySight]] = tuple,
    ) -> None:
        self._reception = reception
        self._clock = clock
        self.floor = PitFloor(
            rules,
            workers=workers,
            signs=signs,
            connected=connected,
            act_log=reception.store,
            accounts=reception.store,
            happenings=happenings,
            clock=clock,
            data=data,
            disk_low_bytes=disk_low_bytes,
            guard=guard,
            days=days,
        )
        self.hub = PitHub(self.floor, clock)
        self._sockets = PitSockets(self.hub, reception.door)

    def routes(self, links: Links, shell: PageShell) -> list[web.AbstractRouteDef]:
        """The socket, the alarms, the page."""
        door, changes = self._reception.door, self._reception.changes
        alarms = AlarmPages(self.floor, self.hub, links, door, changes, self._clock)
        return [*self._sockets.routes(), *alarms.routes(), *PitPages(shell).routes()]

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            gauge(
                "progressive_consoles_connected",
                "Pit consoles with a live socket",
                lambda: [((), self.hub.viewers)],
            )
        ]

    async def start(self) -> None:
        """Begin to look."""
        await self.hub.start()
        self._sockets.start()

    async def close(self) -> None:
        """Send the consoles away."""
        await self.hub.stop()
        await self._sockets.close()
