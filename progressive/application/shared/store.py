"""A journal on several machines: appended to a shared log first, then to this node's own disk.

The log decides who may write; the disk holds all of it and is what everybody here reads: replay,
segments, seals, reports, backups. An answer is given when both have a batch. So what was answered
is on the leader's disk also where the log loses its end, and a link whose log has lost records
does not open (`CopiesDifferError`): nothing is forgotten silently, and the chain never forks.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Final

from progressive.application.journal.ports import (
    JournalEnd,
    StoreConflictError,
    StoredSnapshot,
    StoreUnavailableError,
)
from progressive.application.journal.segments import Segment
from progressive.application.link.ports import Leading, LedElsewhereError, OpenedLink, Store
from progressive.application.shared.copying import LinkCopy, Runs
from progressive.application.shared.ports import LEASE_SECONDS, LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId, TableId

HOLDER_BYTES: Final = 16
COPIES_WANTED: Final = 2


class SharedStore:
    """Implements `Store` and `Standby` over a shared log and a store of this node's own."""

    def __init__(self, shared: SharedLog, local: Store, *, copies: int = COPIES_WANTED) -> None:
        """`copies`: on so many disks a record is before the log may drop it."""
        self._shared = shared
        self._local = local
        self._copies_wanted = copies
        self._ends: dict[LinkId, LogEnd] = {}
        """Of the links that this node writes: where their log ends, for all it knows."""
        self._said_at: dict[LinkId, float] = {}
        """When this node said last that it leads a link: monotonic, before the log was asked."""
        self._runs: dict[LinkId, Runs] = {}
        self._copies: dict[LinkId, LinkCopy] = {}
        """Of the links that another node writes."""

    # --- writing ------------------------------------------------------------------------------

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        """Take the link in the log, copy what this node lacks, then open the copy."""
        self._ends.pop(link, None)
        # Before anything is taken: a node that cannot lead must not keep others from it.
        await self._copy(link).copy_until(await self._shared.end(link))
        holder, said_at = secrets.token_hex(HOLDER_BYTES), _now()
        end = await self._shared.open(link, holder=holder, above_epoch=above_epoch)
        try:
            opened = await self._opened(link, end)
        except BaseException:
            with contextlib.suppress(StoreUnavailableError):
                await self._shared.release(link, holder=holder)
            raise
        self._said_at[link] = said_at
        return opened

    async def _opened(self, link: LinkId, end: LogEnd) -> OpenedLink:
        # Nobody else appends any more: what the log holds now is all there is.
        await self._copy(link).copy_until(end)
        opened = await self._local.open_link(link, above_epoch=end.epoch - 1)
        if opened.epoch > end.epoch:
            # A log that lost its end, and with it the newest epochs: those of the disk count too.
            above = opened.epoch - 1
            end = await self._shared.open(link, holder=end.holder, above_epoch=above)
        if (end.epoch, end.seq, end.head) != (opened.epoch, opened.seq, opened.head):
            raise StoreConflictError(f"another process has opened {link} meanwhile")
        # What others append later is copied under epochs of theirs.
        del self._copies[link]
        self._ends[link] = end
        return opened

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        """HOT. To the log, where the fence is, then to the disk."""
        if not records:
            return
        end = self._ends.get(link)
        if end is None or (end.epoch, end.seq) != (epoch, expected_seq):
            where = "is not open here" if end is None else f"is at {end.epoch}, {end.seq}"
            raise StoreConflictError(f"{link} {where}; not at {epoch}, {expected_seq}")
        last_seq = expected_seq + len(records)
        entry = LogEntry(epoch, end.head, last_seq, head, tuple(records))
        # Until both have it nothing follows it: after a failure the link is opened again.
        del self._ends[link]
        await self._append_to_log(link, end, entry)
        await self._local.append(
            link, epoch=epoch, expected_seq=expected_seq, records=records, head=head
        )
        self._ends[link] = LogEnd(epoch, end.holder, last_seq, head)

    async def _append_to_log(self, link: LinkId, end: LogEnd, entry: LogEntry) -> None:
        try:
            await self._shared.append(link, before=end, entry=entry)
        except StoreConflictError:
            # Nothing was stored. Where another node leads, this one stands by from now on.
            leader = await self._shared.leader(link)
            if leader is not None and leader != self._shared.url:
                raise LedElsewhereError(link, leader) from None
            await self._check_not_shorter(link, end)
            raise

    async def _check_not_shorter(self, link: LinkId, end: LogEnd) -> None:
        """A log only grows. Raises CopiesDifferError where it lacks what it once acknowledged."""
        now = await self._shared.end(link)
        if now.seq < end.seq:
            await self._copy(link).copy_until(now)

    async def check(self) -> None:
        """Of the disk; the log's server is looked at when it is opened, and every minute."""
        await self._local.check()

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """On this node's disk: the chain confirms it, and every node makes its own."""
        await self._local.save_snapshot(link, epoch=epoch, seq=seq, body=body)

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        """On this node's disk. The same records cut at the same place give the same bytes."""
        await self._local.adopt_segment(segment, epoch=epoch)

    def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        """Of this node's disk."""
        return self._local.compare_moved(link)

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        """Of this node's disk."""
        return await self._local.trim(link, batches_max=batches_max)

    async def mark_purged(self, link: LinkId, *, epoch: int, until_number: int, at: str) -> None:
        """On this node's disk."""
        await self._local.mark_purged(link, epoch=epoch, until_number=until_number, at=at)

    async def remove_purged(self, link: LinkId) -> int:
        """From this node's disk."""
        return await self._local.remove_purged(link)

    async def close(self) -> None:
        """Let go of all leases, close both."""
        await self.release()
        await self._shared.close()
        await self._local.close()

    # --- leading ------------------------------------------------------------------------------

    @property
    def led(self) -> Sequence[LinkId]:
        """The links that this node leads, for all it knows."""
        return list(self._ends)

    async def renew(self, link: LinkId) -> str | None:
        """Keep a lease; None: it is this node's, else the URL of who leads now.

        Raises CopiesDifferError where the log has lost records: nobody wagers, and it is known.
        """
        end, said_at = self._ends.get(link), _now()
        if end is None:
            return None
        if not await self._shared.renew(link, epoch=end.epoch, holder=end.holder):
            self._said_at.pop(link, None)
            return await self._shared.leader(link) or "another node"
        self._said_at[link] = said_at
        # A server that was promoted without the newest records knows this writer all the same.
        await self._check_not_shorter(link, end)
        return None

    async def report_copy(self, link: LinkId) -> None:
        """Say up to where this node's disk has the journal; the leader then drops from the log
        what lies in a closed segment here, and on as many disks as are wanted."""
        here = await self._local.journal_end(link)
        await self._shared.report_copy(link, seq=here.seq)
        end = self._ends.get(link)
        segments = await self._local.segments(link)
        copies = sorted((await self._shared.copies(link)).values(), reverse=True)
        if end is None or not segments or len(copies) < self._copies_wanted:
            return
        until_seq = min(segments[-1].last_seq, copies[self._copies_wanted - 1])
        await self._shared.trim(link, epoch=end.epoch, holder=end.holder, until_seq=until_seq)

    async def check_log(self) -> str:
        """What a failure of the log's server could lose. Raises UnsafeLogError."""
        return await self._shared.check()

    async def release(self) -> None:
        """Let go of all leases: nothing is appended any more."""
        while self._ends:
            link, end = self._ends.popitem()
            with contextlib.suppress(StoreUnavailableError):
                await self._shared.release(link, holder=end.holder)

    # --- standing by --------------------------------------------------------------------------

    async def follow(self, link: LinkId) -> Leading:
        """Who leads is asked first: what a leader appended before it let go is then copied too."""
        leader = await self._shared.leader(link)
        end = await self._shared.end(link)
        await self._copy(link).copy_until(end)
        return Leading(leader, end.epoch, end.seq)

    def epoch_of(self, link: LinkId, seq: int) -> int | None:
        """As the log said when it was copied."""
        return self._runs[link].epoch_of(seq) if link in self._runs else None

    def holds(self, link: LinkId) -> bool:
        """By this machine's clock, which runs while the process hangs."""
        said_at = self._said_at.get(link)
        return said_at is not None and _now() - said_at < LEASE_SECONDS

    async def save_followed_snapshot(self, link: LinkId, *, seq: int, body: bytes) -> None:
        """Beside the copy, as the leader keeps one beside its own."""
        await self._copy(link).save_snapshot(seq=seq, body=body)

    def _copy(self, link: LinkId) -> LinkCopy:
        if link not in self._copies:
            runs = self._runs.setdefault(link, Runs())
            self._copies[link] = LinkCopy(self._shared, self._local, link, runs=runs)
        return self._copies[link]

    # --- reading: this node's disk has all of it -------------------------------------------------

    async def links(self) -> Sequence[LinkId]:
        """Those of the disk: a link that only the log has is copied when it is opened."""
        return await self._local.links()

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the copy ends."""
        return await self._local.journal_end(link)

    async def segments(self, link: LinkId) -> Sequence[Segment]:
        """Of the disk."""
        return await self._local.segments(link)

    async def confirm_segments(self, segments: Sequence[Segment]) -> None:
        """Of the disk."""
        await self._local.confirm_segments(segments)

    def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        """From the disk."""
        return self._local.read(link, after_seq=after_seq, until_seq=until_seq)

    def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """From the disk."""
        return self._local.read_back(link, before_seq=before_seq)

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """From the disk."""
        return await self._local.record(link, seq)

    async def last_record_until(self, link: LinkId, at: str, *, last_seq: int) -> bytes | None:
        """From the disk."""
        return await self._local.last_record_until(link, at, last_seq=last_seq)

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        """From the disk."""
        return await self._local.message(link, table, table_seq, before_seq=before_seq)

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        """From the disk."""
        return await self._local.acts(
            link, after_seq=after_seq, until_seq=until_seq, types=types, about=about
        )

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        """From the disk."""
        return await self._local.landmarks(
            link, after_seq=after_seq, until_seq=until_seq, types=types
        )

    async def load_snapshot(
        self, link: LinkId, *, until_seq: int | None = None
    ) -> StoredSnapshot | None:
        """From the disk."""
        return await self._local.load_snapshot(link, until_seq=until_seq)

    async def snapshots(self, link: LinkId) -> Sequence[int]:
        """Of the disk."""
        return await self._local.snapshots(link)


def _now() -> float:
    return asyncio.get_running_loop().time()
