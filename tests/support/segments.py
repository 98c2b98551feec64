"""Closed segments for tests: the real writer's files, adopted by a store."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.index_builder import Cut
from progressive.adapters.segments.writer import write_segment
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import hash_record
from progressive.application.journal.segments import Segment
from progressive.application.link.ports import Store
from progressive.domain.ids import LinkId
from tests.support.chains import CHAIN_LINK, a_chain, in_batches

CHAIN = a_chain(3_000, acts=(5, 700, 2_990))
CUTS = (600, 1_400, 2_000, 2_800)


@asynccontextmanager
async def an_archived_store(data: Path) -> AsyncIterator[SqliteStore]:
    """`CHAIN`, all but 200 of its records in four segments, under epoch 1."""
    store = SqliteStore(data)
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN, epoch=1, batch=50)
    for last_seq in CUTS:
        await archive(store, data, CHAIN, last_seq=last_seq, epoch=1)
    await trim_all(store)
    try:
        yield store
    finally:
        await store.close()


async def all_of(reader: JournalReader, after_seq: int = 0) -> list[bytes]:
    """The records of the chain behind one of them."""
    chunks = reader.read(CHAIN_LINK, after_seq=after_seq)
    return [record async for chunk in chunks for record in chunk]


async def append_all(
    store: Store,
    records: Sequence[bytes],
    *,
    epoch: int,
    batch: int,
    after: int = 0,
    link: LinkId = CHAIN_LINK,
) -> None:
    """A chain as so many batches."""
    for place in range(0, len(records), batch):
        part = records[place : place + batch]
        await store.append(
            link,
            epoch=epoch,
            expected_seq=after + place,
            records=part,
            head=hash_record(part[-1]),
        )


async def written_segment(
    store: Store,
    data: Path,
    records: Sequence[bytes],
    *,
    last_seq: int,
    link: LinkId = CHAIN_LINK,
) -> Segment:
    """The files of the next segment. `records`: the journal from its first one on."""
    segments = await store.segments(link)
    previous = segments[-1] if segments else None
    first_seq = previous.last_seq + 1 if previous else 1
    cut = Cut(
        link=link,
        day=finding(records[first_seq - 1]).at[:10],
        last_seq=last_seq,
        previous=previous,
    )
    return write_segment(SegmentFiles(data), cut, in_batches(records[first_seq - 1 :], 97))


async def archive(
    store: Store, data: Path, records: Sequence[bytes], *, last_seq: int, epoch: int
) -> Segment:
    """The next segment, written and adopted; its batches still lie in the store."""
    segment = await written_segment(store, data, records, last_seq=last_seq)
    await store.adopt_segment(segment, epoch=epoch)
    return segment


async def trim_all(store: Store, link: LinkId = CHAIN_LINK, *, batches_max: int = 8) -> int:
    """Slice by slice; how many it took."""
    slices = 1
    while await store.trim(link, batches_max=batches_max):
        slices += 1
    return slices
