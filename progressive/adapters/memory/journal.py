"""The reference store: what the port means, in the fewest lines. Tests and simulation use it."""

from collections.abc import AsyncIterator, Collection, Sequence

from msgspec import Struct, structs

from progressive.application.journal.finding import (
    acts_among,
    finding,
    last_until,
    message_among,
    stretch,
)
from progressive.application.journal.ports import JournalEnd, StoreConflictError, StoredSnapshot
from progressive.application.journal.record import GENESIS
from progressive.application.journal.segments import Segment, refused_as_next
from progressive.application.link.ports import OpenedLink
from progressive.domain.ids import LinkId, TableId


class _Journal(Struct):
    epoch: int = 0
    head: str = GENESIS
    records: list[bytes] = []
    snapshots: dict[int, bytes] = {}
    segments: list[Segment] = []
    """Nothing moves: what they would hold is read from `records` all the same."""


class MemoryStore:
    """A journal per link, for as long as the process lives."""

    def __init__(self) -> None:
        self._journals: dict[LinkId, _Journal] = {}

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        """Take the link under a new epoch."""
        journal = self._journals.setdefault(link, _Journal())
        journal.epoch = max(journal.epoch, above_epoch) + 1
        return OpenedLink(epoch=journal.epoch, seq=len(journal.records), head=journal.head)

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        """Append all or none."""
        journal = self._fenced(link, epoch)
        if len(journal.records) != expected_seq:
            raise StoreConflictError(
                f"{link} ends at record {len(journal.records)}, not {expected_seq}"
            )
        journal.records.extend(records)
        journal.head = head

    async def check(self) -> None:
        """Nothing can be taken away from it."""

    async def links(self) -> Sequence[LinkId]:
        """Every link that has a record."""
        return sorted([link for link, journal in self._journals.items() if journal.records])

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends now."""
        journal = self._journals.get(link, _Journal())
        return JournalEnd(len(journal.records), journal.head)

    async def segments(self, link: LinkId) -> Sequence[Segment]:
        """Those that were adopted."""
        journal = self._journals.get(link)
        return list(journal.segments) if journal else []

    async def confirm_segments(self, segments: Sequence[Segment]) -> None:
        """There are no files."""

    async def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        """All records after a sequence, in one chunk."""
        if journal := self._journals.get(link):
            yield stretch(journal.records, 1, after_seq=after_seq, until_seq=until_seq)

    async def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """All records before a sequence, newest first, in one chunk."""
        if journal := self._journals.get(link):
            yield journal.records[: before_seq - 1][::-1]

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record."""
        journal = self._journals.get(link)
        return journal.records[seq - 1] if journal and 1 <= seq <= len(journal.records) else None

    async def last_record_until(self, link: LinkId, at: str, *, last_seq: int) -> bytes | None:
        """The last record at or before a time."""
        records = self._records(link)
        last = min(last_seq, len(records))
        return last_until(at, first=1, last=last, record=lambda seq: records[seq - 1])

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        """The record of a table's message."""
        older = self._records(link)[: before_seq - 1]
        return message_among(reversed(older), table, table_seq)

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        """Acts of a stretch."""
        records = stretch(self._records(link), 1, after_seq=after_seq, until_seq=until_seq)
        return acts_among(records, types=types, about_any=about)

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        """Numbers of records of some types."""
        found = await self.acts(link, after_seq=after_seq, until_seq=until_seq, types=types)
        return [finding(stored).seq for stored in found]

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Keep a state."""
        self._fenced(link, epoch).snapshots[seq] = body

    async def load_snapshot(
        self, link: LinkId, *, until_seq: int | None = None
    ) -> StoredSnapshot | None:
        """The newest state."""
        seqs = [seq for seq in await self.snapshots(link) if until_seq is None or seq <= until_seq]
        return StoredSnapshot(seqs[-1], self._journals[link].snapshots[seqs[-1]]) if seqs else None

    async def snapshots(self, link: LinkId) -> Sequence[int]:
        """The records after which a state was saved."""
        journal = self._journals.get(link)
        return sorted(journal.snapshots) if journal else []

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        """Enter the next one."""
        journal = self._fenced(segment.link, epoch)
        before = journal.segments[-1] if journal.segments else None
        last = await self.record(segment.link, segment.last_seq)
        if why := refused_as_next(segment, before, last=last):
            raise StoreConflictError(f"segment {segment.number} cannot be adopted: {why}")
        journal.segments.append(segment)

    async def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        """No record lies twice."""
        pieces: tuple[int, ...] = ()
        for compared in pieces:
            yield compared

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        """Only snapshots lie twice."""
        if segments := await self.segments(link):
            for seq in (await self.snapshots(link))[:-1]:
                if seq < segments[-1].last_seq:
                    del self._journals[link].snapshots[seq]
        return False

    async def mark_purged(self, link: LinkId, *, epoch: int, until_number: int, at: str) -> None:
        """Mark them."""
        journal = self._fenced(link, epoch)
        journal.segments = [
            structs.replace(each, purged=each.purged or at) if each.number <= until_number else each
            for each in journal.segments
        ]

    async def remove_purged(self, link: LinkId) -> int:
        """There are no files."""
        return 0

    async def close(self) -> None:
        """Nothing to let go of."""

    def _records(self, link: LinkId) -> list[bytes]:
        journal = self._journals.get(link)
        return journal.records if journal else []

    def _fenced(self, link: LinkId, epoch: int) -> _Journal:
        journal = self._journals.get(link)
        if journal is None or journal.epoch != epoch:
            newest = journal.epoch if journal else 0
            raise StoreConflictError(f"{link} is at epoch {newest}, not {epoch}")
        return journal
