"""Fan-out of the pit's board: a snapshot on joining, then what changes, four times a second.

What changed is encoded once for all who see the same. Whoever reads slowly gets no changes until it
has caught up, and then a snapshot; whoever does not read at all is dropped. Nobody waits for it.
"""

import asyncio
import contextlib
import logging
from typing import Final

from progressive.application.clock import Clock
from progressive.entry.pit.board import Board, change_between, snapshot_of
from progressive.entry.pit.floor import PitFloor
from progressive.live.frames import text_frame
from progressive.wire.codec import encode
from progressive.wire.pit import PitTick

log = logging.getLogger(__name__)

CHANGE_SECONDS: Final = 0.25
LOOK_SECONDS: Final = 1.0
FIRST_LOOK_SECONDS: Final = 2.0
SKIP_BYTES: Final = 128 * 1024
"""A console with this much unsent gets nothing until it has read it."""
BEHIND_LOOKS_MAX: Final = 15
"""Looks that a console may stay behind before it is dropped."""
VIEWERS_MAX: Final = 100


class Viewer:
    """One console."""

    __slots__ = ("behind_looks", "skipped", "transport", "watcher")

    def __init__(self, transport: asyncio.WriteTransport, *, watcher: bool) -> None:
        self.transport = transport
        self.watcher = watcher
        """Whether the act log is shown whole."""
        self.skipped = False
        self.behind_looks = 0


class PitHub:
    """All consoles."""

    def __init__(self, floor: PitFloor, clock: Clock) -> None:
        self._floor = floor
        self._clock = clock
        self._board: Board | None = None
        self._viewers: dict[Viewer, None] = {}
        self._dirty = asyncio.Event()
        self._looked = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.dropped = 0

    @property
    def full(self) -> bool:
        """Whether no further console is let in."""
        return len(self._viewers) >= VIEWERS_MAX

    @property
    def viewers(self) -> int:
        """Consoles connected now."""
        return len(self._viewers)

    async def start(self) -> None:
        """Begin to look and to report; returns after the first look, so that alarms are known.

        People's file may be slow or locked: nobody waits for it for long.
        """
        self._tasks = [
            asyncio.create_task(self._look_forever()),
            asyncio.create_task(self._tell_forever()),
        ]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST_LOOK_SECONDS):
                await self._looked.wait()

    async def stop(self) -> None:
        """Stop looking."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stir(self) -> None:
        """Something may have changed. Costs next to nothing: looking waits for the next turn."""
        self._dirty.set()

    def join(self, transport: asyncio.WriteTransport, *, watcher: bool) -> Viewer:
        """A console is here: the board at once, then whatever changes."""
        # The others are brought to the same moment, so that the next change fits all.
        self.tell()
        viewer = Viewer(transport, watcher=watcher)
        self._viewers[viewer] = None
        self._board = self._board or self._floor.board()
        self._write_snapshot(viewer, self._board)
        return viewer

    def leave(self, viewer: Viewer) -> None:
        """A console is gone."""
        self._viewers.pop(viewer, None)
        if not self._viewers:
            self._board = None

    async def _look_forever(self) -> None:
        while True:
            try:
                await self._floor.look()
            except Exception:
                # A bug in what is only looked at must not end the looking.
                log.exception("looking at the floor failed")
            self._looked.set()
            self.tell()
            self.tick()
            await asyncio.sleep(LOOK_SECONDS)

    async def _tell_forever(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            self.tell()
            await asyncio.sleep(CHANGE_SECONDS)

    def tell(self) -> None:
        """What changed since it was told last, to every console that keeps up."""
        before = self._board
        if before is None or not self._viewers:
            return
        after = self._floor.board()
        at = self._clock.now()
        self._board = after
        frames: dict[bool, bytes | None] = {}
        for viewer in list(self._viewers):
            if viewer.watcher not in frames:
                change = change_between(before, after, at, watcher=viewer.watcher)
                frames[viewer.watcher] = None if change is None else text_frame(encode(change))
            self._write(viewer, frames[viewer.watcher])

    def tick(self) -> None:
        """A sign of life. Who has caught up gets all it missed; who never reads is dropped."""
        frame = text_frame(encode(PitTick(self._clock.now())))
        for viewer in list(self._viewers):
            if viewer.transport.get_write_buffer_size() > SKIP_BYTES:
                viewer.behind_looks += 1
                if viewer.behind_looks > BEHIND_LOOKS_MAX:
                    self._drop(viewer)
            elif not viewer.transport.is_closing():
                viewer.behind_looks = 0
                if viewer.skipped and self._board is not None:
                    viewer.skipped = False
                    self._write_snapshot(viewer, self._board)
                viewer.transport.write(frame)

    def _write(self, viewer: Viewer, frame: bytes | None) -> None:
        if frame is None or viewer.skipped:
            return
        if viewer.transport.get_write_buffer_size() > SKIP_BYTES:
            # A change that was missed makes all later ones worthless: a snapshot follows.
            viewer.skipped = True
        elif not viewer.transport.is_closing():
            # uvloop raises for a connection that is gone and whose handler has yet to notice.
            viewer.transport.write(frame)

    def _write_snapshot(self, viewer: Viewer, board: Board) -> None:
        message = snapshot_of(board, self._clock.now(), watcher=viewer.watcher)
        viewer.transport.write(text_frame(encode(message)))

    def _drop(self, viewer: Viewer) -> None:
        self.dropped += 1
        self.leave(viewer)
        viewer.transport.abort()
