"""A journal in real files, cut into segments where a test says, and counted reading of it."""

from collections.abc import Sequence
from pathlib import Path

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.record import hash_record
from progressive.application.journal.segments import Block, Segment, SegmentIndex
from progressive.domain.ids import LinkId
from tests.support.archived import close_at

DAY = "2026-01-02"


class CountingFiles(SegmentFiles):
    """Counts the blocks that are inflated and the indexes that are read."""

    def __init__(self, data: Path) -> None:
        self.blocks_read = 0
        self.indexes_read = 0
        data.mkdir(exist_ok=True)
        super().__init__(data)

    def block(self, segment: Segment, block: Block) -> list[bytes]:
        self.blocks_read += 1
        return super().block(segment, block)

    def _read_index(self, segment: Segment) -> SegmentIndex:
        self.indexes_read += 1
        return super()._read_index(segment)


async def cut_journal(
    data: Path,
    link: LinkId,
    records: Sequence[bytes],
    cuts: Sequence[int],
    *,
    batch_records: int = 7,
) -> tuple[SqliteStore, CountingFiles]:
    """A store with these records; those up to the last cut lie in a segment for each cut."""
    store, files = SqliteStore(data), CountingFiles(data)
    store._files = files
    opened = await store.open_link(link)
    for at in range(0, len(records), batch_records):
        batch = records[at : at + batch_records]
        await store.append(
            link,
            epoch=opened.epoch,
            expected_seq=at,
            records=batch,
            head=hash_record(batch[-1]),
        )
    await close_segments(store, files, link, cuts, epoch=opened.epoch)
    return store, files


async def close_segments(
    store: SqliteStore, files: SegmentFiles, link: LinkId, cuts: Sequence[int], *, epoch: int
) -> None:
    """Move the records up to each cut into a segment of its own."""
    await close_at(store, files, link, cuts, epoch=epoch, day_of=lambda _: DAY)
