"""A store whose surroundings break when told to. Wraps any other store.

Faults are asked for by the count of calls, so that a test can name the very moment:

    store = FaultyStore(MemoryStore())
    store.fail_append(2, kept=True)   # the second append takes effect, then reports a failure
    store.fail_reads()                # until `heal()`
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence

from progressive.application.journal.ports import (
    JournalEnd,
    StoredSnapshot,
    StoreUnavailableError,
)
from progressive.application.journal.segments import Segment
from progressive.application.link.ports import OpenedLink, Store
from progressive.domain.ids import LinkId, TableId


class FaultyStore:
    """`application.ports.Store` that fails on demand and counts what was asked of it."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.appends = 0
        """Appends asked for, those that failed too."""
        self.batch_sizes: list[int] = []
        """Records of each append that reported success."""
        self.opens = 0
        self.snapshots_saved = 0
        self.compared = 0
        """Comparisons that were begun."""
        self.gate: asyncio.Event | None = None
        """While set to an unset event, appends wait before they take effect."""
        self.waiting = asyncio.Event()
        """Set once an append waits at the gate."""
        self._failing_appends: dict[int, bool] = {}
        self._every_append_fails: bool | None = None
        self._opens_fail = False
        self._reads_fail = False
        self._snapshots_fail = False

    # --- faults to order ---------------------------------------------------------------------

    def fail_append(self, number: int, *, kept: bool) -> None:
        """The n-th append from now on (1 is the next) fails, before or after it took effect."""
        self._failing_appends[self.appends + number] = kept

    def fail_every_append(self, *, kept: bool = False) -> None:
        self._every_append_fails = kept

    def fail_opens(self) -> None:
        self._opens_fail = True

    def fail_reads(self) -> None:
        self._reads_fail = True

    def fail_snapshots(self) -> None:
        self._snapshots_fail = True

    def heal(self) -> None:
        """Everything works again."""
        self._failing_appends.clear()
        self._every_append_fails = None
        self._opens_fail = self._reads_fail = self._snapshots_fail = False

    # --- Store -------------------------------------------------------------------------------

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        self.opens += 1
        if self._opens_fail:
            raise StoreUnavailableError("no route to disk")
        return await self.inner.open_link(link, above_epoch=above_epoch)

    async def check(self) -> None:
        await self.inner.check()

    async def links(self) -> Sequence[LinkId]:
        return await self.inner.links()

    async def journal_end(self, link: LinkId) -> JournalEnd:
        return await self.inner.journal_end(link)

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        self.appends += 1
        kept = self._failing_appends.pop(self.appends, self._every_append_fails)
        if self.gate is not None:
            self.waiting.set()
            await self.gate.wait()
        if kept is not False:
            await self.inner.append(
                link, epoch=epoch, expected_seq=expected_seq, records=records, head=head
            )
        if kept is not None:
            raise StoreUnavailableError("disk full")
        self.batch_sizes.append(len(records))

    async def segments(self, link: LinkId) -> Sequence[Segment]:
        return await self.inner.segments(link)

    async def confirm_segments(self, segments: Sequence[Segment]) -> None:
        await self.inner.confirm_segments(segments)

    async def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        async for records in self.inner.read(link, after_seq=after_seq, until_seq=until_seq):
            yield records

    async def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        async for records in self.inner.read_back(link, before_seq=before_seq):
            yield records

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        return await self.inner.record(link, seq)

    async def last_record_until(self, link: LinkId, at: str, *, last_seq: int) -> bytes | None:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        return await self.inner.last_record_until(link, at, last_seq=last_seq)

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        return await self.inner.message(link, table, table_seq, before_seq=before_seq)

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        return await self.inner.acts(
            link, after_seq=after_seq, until_seq=until_seq, types=types, about=about
        )

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        return await self.inner.landmarks(
            link, after_seq=after_seq, until_seq=until_seq, types=types
        )

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        if self._snapshots_fail:
            raise StoreUnavailableError("no room for a snapshot")
        await self.inner.save_snapshot(link, epoch=epoch, seq=seq, body=body)
        self.snapshots_saved += 1

    async def load_snapshot(
        self, link: LinkId, *, until_seq: int | None = None
    ) -> StoredSnapshot | None:
        return await self.inner.load_snapshot(link, until_seq=until_seq)

    async def snapshots(self, link: LinkId) -> Sequence[int]:
        return await self.inner.snapshots(link)

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        await self.inner.adopt_segment(segment, epoch=epoch)

    async def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        self.compared += 1
        if self._reads_fail:
            raise StoreUnavailableError("unreadable for now")
        async for compared in self.inner.compare_moved(link):
            yield compared

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        return await self.inner.trim(link, batches_max=batches_max)

    async def mark_purged(self, link: LinkId, *, epoch: int, until_number: int, at: str) -> None:
        await self.inner.mark_purged(link, epoch=epoch, until_number=until_number, at=at)

    async def remove_purged(self, link: LinkId) -> int:
        return await self.inner.remove_purged(link)

    async def close(self) -> None:
        await self.inner.close()
