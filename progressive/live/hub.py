"""HOT. Fan-out of one link's newest values to its signs.

Updates are coalesced: one encoding and one frame for all, at most ten a second. A sign that reads
slowly skips updates; wins and changes of state are never skipped. Whoever falls too far behind is
dropped, and finds everything in the snapshot when it comes back. Nobody waits for a sign.

Whatever goes to all signs goes out in chunks, a chunk in each turn of the event loop, and one after
the other: so each sign gets announcements in their order, and never an older value behind a newer.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from progressive.live.frames import text_frame

UPDATE_SECONDS: Final = 0.1
TICK_SECONDS: Final = 1.0
SKIP_BYTES: Final = 16 * 1024
"""A sign with this much unsent gets no updates until it has read them."""
DROP_BYTES: Final = 256 * 1024
"""A sign with this much unsent is dropped."""
BEHIND_TICKS_MAX: Final = 15
"""Ticks that a sign may stay behind before it is dropped."""
FAN_OUT_CHUNK: Final = 256
"""Signs written to before others get a turn on the loop."""

V = TypeVar("V")
Viewed = TypeVar("Viewed", contravariant=True)


class Encoding(Protocol[Viewed]):
    """How a view becomes messages; each is encoded once, however many read it."""

    def snapshot(self, view: Viewed, after: tuple[int, int] | None = None) -> bytes:
        """All a sign needs on connecting; `after` is the place it has seen already."""
        ...

    def update(self, view: Viewed) -> bytes:
        """The newest values."""
        ...

    def tick(self, view: Viewed) -> bytes:
        """A sign of life."""
        ...


class Outbox:
    """One connection: what it has yet to read is bounded."""

    __slots__ = ("behind_ticks", "showing_seq", "sign", "skipped", "transport")

    def __init__(self, transport: asyncio.WriteTransport, sign: str) -> None:
        self.transport = transport
        self.sign = sign
        self.skipped = False
        self.behind_ticks = 0
        self.showing_seq = 0


class _Round:
    """Something on its way to every sign that was there when it began."""

    __slots__ = ("done", "signs", "write")

    def __init__(self, signs: list[Outbox], write: Callable[[Outbox], None]) -> None:
        self.signs = signs
        self.write = write
        self.done = 0


class Hub(Generic[V]):
    """The signs of one link.

    Not `paced`, it has no rhythm of its own: values go out at once and it ticks when it is told
    to. So a relay passes on what it hears, as it hears it.
    """

    def __init__(
        self,
        view: V,
        encoding: Encoding[V],
        *,
        paced: bool = True,
        on_flushed: Callable[[float], None] | None = None,
    ) -> None:
        self._view = view
        self._encoding = encoding
        self._paced = paced
        self._on_flushed = on_flushed
        # In the order they came: a dict, because walking a set jumps all over the memory.
        self._outboxes: dict[Outbox, None] = {}
        self._dirty_since: float | None = None
        self._dirty = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._rounds: deque[_Round] = deque()
        """Under way, the oldest first; each is written to the end before the next one begins."""
        self.dropped = 0

    @property
    def outboxes(self) -> frozenset[Outbox]:
        """Who is connected now."""
        return frozenset(self._outboxes)

    def start(self) -> None:
        """Begin to flush and tick."""
        self._tasks = [asyncio.create_task(self._flush_forever())]
        if self._paced:
            self._tasks.append(asyncio.create_task(self._tick_forever()))

    async def stop(self) -> None:
        """Send what is left, then stop."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        while self._rounds:
            self._write_chunk()
        if self._dirty_since is not None:
            await self.flush()

    def join(
        self,
        transport: asyncio.WriteTransport,
        sign: str,
        after: tuple[int, int] | None = None,
    ) -> Outbox:
        """A sign is here: the snapshot at once, then whatever comes."""
        outbox = Outbox(transport, sign)
        transport.write(text_frame(self._encoding.snapshot(self._view, after)))
        self._outboxes[outbox] = None
        return outbox

    def leave(self, outbox: Outbox) -> None:
        """A sign is gone."""
        self._outboxes.pop(outbox, None)

    def publish(self, view: V) -> None:
        """Newer values. Costs next to nothing: encoding waits for the next flush."""
        self._view = view
        if self._dirty_since is None:
            self._dirty_since = asyncio.get_running_loop().time()
            self._dirty.set()

    def keep(self, view: V) -> None:
        """What signs that join from now on are told; those that are here know it already."""
        self._view = view

    def announce(self, *payloads: bytes) -> None:
        """Something no sign may miss. It goes out at once, behind the values that led to it.

        What is announced together is one write to each sign.
        """
        frame = b"".join(map(text_frame, payloads))
        if self._dirty_since is not None:
            frame = text_frame(self._encoding.update(self._view)) + frame

        def write(outbox: Outbox) -> None:
            if outbox.transport.get_write_buffer_size() > DROP_BYTES:
                self._drop(outbox)
            elif not outbox.transport.is_closing():
                outbox.transport.write(frame)

        self._begin_round(write)

    def _begin_round(self, write: Callable[[Outbox], None]) -> None:
        """Its first chunk at once, where nothing else is under way."""
        self._rounds.append(_Round(list(self._outboxes), write))
        if len(self._rounds) == 1:
            self._write_on()

    def _write_on(self) -> None:
        if self._rounds:
            self._write_chunk()
        if self._rounds:
            asyncio.get_running_loop().call_soon(self._write_on)

    def _write_chunk(self) -> None:
        under_way = self._rounds[0]
        begin, end = under_way.done, under_way.done + FAN_OUT_CHUNK
        for outbox in under_way.signs[begin:end]:
            # Others had their turn meanwhile: some are gone.
            if outbox in self._outboxes:
                under_way.write(outbox)
        under_way.done = end
        if end >= len(under_way.signs):
            self._rounds.popleft()

    async def _flush_forever(self) -> None:
        while True:
            await self._dirty.wait()
            await self.flush()
            if self._paced:
                await asyncio.sleep(UPDATE_SECONDS)

    async def flush(self) -> None:
        """Write the newest values to every sign that keeps up."""
        began = self._dirty_since
        self._dirty_since = None
        self._dirty.clear()
        view = self._view
        frame = text_frame(self._encoding.update(view))
        signs = list(self._outboxes)
        try:
            for start in range(0, len(signs), FAN_OUT_CHUNK):
                chunk = signs[start : start + FAN_OUT_CHUNK]
                if start:
                    await asyncio.sleep(0)
                while self._rounds:  # noqa: ASYNC110 - a few turns of the loop, no time
                    # Announced before these values: it goes first.
                    await asyncio.sleep(0)
                # Others had their turn: some are gone, and an announcement may have brought
                # newer values to those still to come. They must not see older ones now.
                chunk = [outbox for outbox in chunk if outbox in self._outboxes]
                if view is not self._view:
                    view = self._view
                    frame = text_frame(self._encoding.update(view))
                self._write_update(chunk, frame)
        except asyncio.CancelledError:
            # Stopped half-way: the last flush begins anew.
            self._dirty_since = began or asyncio.get_running_loop().time()
            raise
        if began is not None and self._on_flushed is not None:
            self._on_flushed(asyncio.get_running_loop().time() - began)

    @staticmethod
    def _write_update(signs: Sequence[Outbox], frame: bytes) -> None:
        for outbox in signs:
            transport = outbox.transport
            if transport.get_write_buffer_size() > SKIP_BYTES:
                outbox.skipped = True
            elif not transport.is_closing():
                # uvloop raises for a connection that is gone and whose handler has yet to notice:
                # nobody else would be served.
                transport.write(frame)

    async def _tick_forever(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self.tick()

    def tick(self) -> None:
        """A sign of life to everyone; who has caught up gets what it skipped."""
        view = self._view
        tick = text_frame(self._encoding.tick(view))
        update: bytes | None = None

        def write(outbox: Outbox) -> None:
            nonlocal update
            if outbox.transport.get_write_buffer_size() > SKIP_BYTES:
                outbox.behind_ticks += 1
                outbox.skipped = True
                if outbox.behind_ticks > BEHIND_TICKS_MAX:
                    self._drop(outbox)
                return
            outbox.behind_ticks = 0
            if outbox.transport.is_closing():
                return
            if outbox.skipped:
                # It has caught up: the newest values, which it may have missed for good.
                outbox.skipped = False
                update = update or text_frame(self._encoding.update(view))
                outbox.transport.write(update)
            outbox.transport.write(tick)

        self._begin_round(write)

    def _drop(self, outbox: Outbox) -> None:
        self.dropped += 1
        self._outboxes.pop(outbox, None)
        outbox.transport.abort()
