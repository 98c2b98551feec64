"""All connected panels: the door they come in by, and what each table's panels are shown.

A table's whole state goes to its panels when something about that table changed; the meters, which
every table of the link moves, go out on their own a few times a second.
"""

import asyncio
import logging
from functools import partial
from typing import Final

from aiohttp import web

from progressive.application.clock import Clock
from progressive.application.floor.table_drivers import TableDrivers
from progressive.application.link.ports import Telemetry
from progressive.application.link.worker import LinkWorker
from progressive.application.people.refused_claims import RefusedClaims
from progressive.domain.ids import LinkId, TableId
from progressive.domain.people.roles import Act
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.views import LinkView
from progressive.entry.http.errors import RefusedError
from progressive.entry.people.door import Door
from progressive.entry.people.origins import address
from progressive.entry.table.panel_socket import SUBPROTOCOL, PanelSocket, close_of
from progressive.entry.table.panel_views import panel_state
from progressive.live.frame_socket import FrameSocket, Heartbeat
from progressive.live.slices import in_slices
from progressive.runtime.series import Series, gauge
from progressive.wire import close_codes
from progressive.wire.codec import encode
from progressive.wire.meters import MeterCents
from progressive.wire.panel_messages import PanelMeters, PanelState

log = logging.getLogger(__name__)

SHOW_SECONDS: Final = 0.25
"""How long what others do to the link may take to reach a panel; its own answers never wait."""
TABLES_A_SLICE: Final = 16
"""Tables whose panels are shown a change before others get a turn on the loop."""
BEAT_SECONDS: Final = 1.0
PING_AFTER_BEATS: Final = 2
DEAD_AFTER_BEATS: Final = 6


class _TablePanels:
    """The panels of one table, and what they were last shown."""

    def __init__(self, worker: LinkWorker) -> None:
        self.worker = worker
        self.sockets: set[PanelSocket] = set()
        self.answers: list[tuple[PanelSocket, bytes]] = []
        self.shown: PanelState | None = None


class Panels:
    """The panels of a floor."""

    def __init__(
        self,
        workers: dict[TableId, LinkWorker],
        door: Door,
        clock: Clock,
        telemetry: Telemetry,
        claims: RefusedClaims,
        drivers: TableDrivers,
    ) -> None:
        self._workers = workers
        self._door = door
        self._clock = clock
        self._telemetry = telemetry
        self._claims = claims
        self._drivers = drivers
        self._at: dict[LinkId, dict[TableId, _TablePanels]] = {}
        self._due: dict[LinkId, asyncio.TimerHandle] = {}
        self._heartbeat = Heartbeat(
            beat_seconds=BEAT_SECONDS, ping_after=PING_AFTER_BEATS, dead_after=DEAD_AFTER_BEATS
        )

    @property
    def connected(self) -> int:
        """How many there are now."""
        return sum(len(at.sockets) for tables in self._at.values() for at in tables.values())

    def series(self) -> list[Series]:
        """Read when somebody asks."""
        return [
            gauge(
                "progressive_panels_connected",
                "Dealers' panels with a live socket",
                lambda: [((), self.connected)],
            )
        ]

    def start(self) -> None:
        """Begin to watch who is still there."""
        self._heartbeat.start()

    async def close(self) -> None:
        """Send everyone away; they come back when the service does."""
        await self._heartbeat.stop()
        for due in self._due.values():
            due.cancel()
        self._due.clear()
        await asyncio.gather(
            *[
                panel.ws.close(code=close_codes.GOING_AWAY, message=b"the service stops")
                for tables in self._at.values()
                for at in tables.values()
                for panel in list(at.sockets)
            ]
        )

    # --- coming in ---------------------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """GET /v1/tables/{table}/panel."""
        table = TableId(request.match_info["table"])
        worker = self._workers.get(table)
        if worker is None:
            return await _turn_away(request, close_codes.UNKNOWN_TABLE, "unknown table")
        try:
            person = await self._door.require(request, Act.SIGN_ON_TABLE)
        except RefusedError as refused:
            return await _turn_away(request, *close_of(refused))
        if worker.leader is not None:
            return await _turn_away(request, close_codes.NOT_LEADER, worker.leader)
        if worker.may_be_behind:
            return await _turn_away(request, close_codes.TRY_AGAIN_LATER, close_codes.NOBODY_LEADS)
        if not self._drivers.panel_takes(table):
            why = "the table's controller is connected, or too many panels are"
            return await _turn_away(request, close_codes.ALREADY_CONNECTED, why)
        panel = PanelSocket(
            request,
            table,
            worker,
            person,
            door=self._door,
            clock=self._clock,
            on_answer=self._answer,
            on_refused=partial(self._note_refusal, table, address(request)),
        )
        try:
            await panel.ws.prepare(request)
            await panel.sign_on_if_free()
            await self._serve(panel)
        finally:
            self._drivers.panel_leaves(table)
        return panel.ws

    async def _serve(self, panel: PanelSocket) -> None:
        tables = self._at.setdefault(panel.worker.rules.id, {})
        at = tables.setdefault(panel.table, _TablePanels(panel.worker))
        at.sockets.add(panel)
        self._heartbeat.watch(panel.ws)
        try:
            panel.welcome()
            # All of them: one more panel is a change that the others show.
            at.shown = None
            self._show(panel.table, at)
            await panel.run()
        finally:
            self._heartbeat.forget(panel.ws)
            at.sockets.discard(panel)
            if at.sockets:
                self._show_soon(panel.worker.rules.id)
            else:
                tables.pop(panel.table, None)

    def _note_refusal(self, table: TableId, where: str, seq: int | None, why: Refusal) -> None:
        worker = self._workers[table]
        dealer = None if worker.state is None else worker.state.dealers.get(table)
        if why.code is Rejection.BAD_MESSAGE and seq is None:
            # The link's writer counts what gets as far as it.
            self._telemetry.refused(worker.rules.id, why.code)
        self._claims.note(table, where, dealer, seq, why)

    # --- showing -----------------------------------------------------------------------------

    def publish(self, view: LinkView) -> None:
        """The link moved. Called for every batch: it only takes note."""
        if self._at.get(view.link):
            self._show_soon(view.link)

    def tell_state(self, view: LinkView) -> None:
        """The link went out of service or came back: that does not wait."""
        if view.leader is not None:
            for at in self._at.get(view.link, {}).values():
                for panel in at.sockets:
                    panel.close_soon(close_codes.NOT_LEADER, view.leader)
            return
        self._show_link(view.link)

    def _answer(self, panel: PanelSocket, payload: bytes) -> None:
        """An answer goes out behind the state it led to, once the writer has shown that state."""
        at = self._at[panel.worker.rules.id].get(panel.table)
        if at is None:
            return
        if not at.answers:
            asyncio.get_running_loop().call_soon(self._flush, panel.table, at)
        at.answers.append((panel, payload))

    def _flush(self, table: TableId, at: _TablePanels) -> None:
        self._show(table, at)
        answers, at.answers = at.answers, []
        for panel, payload in answers:
            panel.write(payload)

    def _show_soon(self, link: LinkId) -> None:
        if link not in self._due:
            loop = asyncio.get_running_loop()
            self._due[link] = loop.call_later(SHOW_SECONDS, self._show_link, link)

    def _show_link(self, link: LinkId) -> None:
        if (due := self._due.pop(link, None)) is not None:
            due.cancel()
        shown = list(self._at.get(link, {}).items())
        in_slices(shown, self._show_if_there, size=TABLES_A_SLICE)

    def _show_if_there(self, of_table: tuple[TableId, _TablePanels]) -> None:
        table, at = of_table
        if at.sockets:
            self._show(table, at)

    def _show(self, table: TableId, at: _TablePanels) -> None:
        """The whole state where the table changed; otherwise the meters, where they did."""
        now = panel_state(at.worker, table, panels=self._drivers.panels(table))
        before, at.shown = at.shown, now
        if now == before:
            return
        payload = encode(now)
        if before is not None and _all_but_meters(now) == _all_but_meters(before):
            meters = [MeterCents(meter.id, meter.cents) for meter in now.meters]
            payload = encode(PanelMeters(at.worker.view.seq, meters))
        for panel in at.sockets:
            panel.write(payload)


def _all_but_meters(state: PanelState) -> tuple[object, ...]:
    return tuple(getattr(state, name) for name in state.__struct_fields__ if name != "meters")


async def _turn_away(request: web.Request, code: int, reason: str) -> web.WebSocketResponse:
    """A close code can only be read after the handshake, so there is one."""
    ws = FrameSocket(lambda _: None, protocols=(SUBPROTOCOL,))
    await ws.prepare(request)
    await ws.close(code=code, message=reason.encode()[:120])
    return ws
