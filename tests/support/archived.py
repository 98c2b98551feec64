"""Journals whose older part lies in closed segments: made by the real writer, adopted, trimmed."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.segments.writer import write_segment
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.open_part import OpenPartFile
from progressive.application.journal.cut import Cut
from progressive.application.journal.finding import finding
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId

DAYS = GamingDays.of("America/New_York", "06:00")
"""Those of the demo floor."""
TRIM_BATCHES = 1_000


def archive(
    data: Path,
    link: LinkId,
    *,
    without_state: frozenset[int] = frozenset(),
    trimmed: bool = True,
) -> list[Segment]:
    """Close a segment at every snapshot of a data directory that nobody has open."""
    return asyncio.run(_archive(data, link, without_state, trimmed))


async def _archive(
    data: Path, link: LinkId, without_state: frozenset[int], trimmed: bool
) -> list[Segment]:
    store = SqliteStore(data)
    try:
        opened = await store.open_link(link)
        return await close_at(
            store,
            SegmentFiles(data),
            link,
            await store.snapshots(link),
            epoch=opened.epoch,
            day_of=DAYS.day_of,
            without_state=without_state,
            trimmed=trimmed,
        )
    finally:
        await store.close()


async def close_at(
    store: SqliteStore,
    files: SegmentFiles,
    link: LinkId,
    cuts: Iterable[int],
    *,
    epoch: int,
    day_of: Callable[[str], str],
    without_state: frozenset[int] = frozenset(),
    trimmed: bool = True,
) -> list[Segment]:
    """Close a segment at each of these records, as archiving does; all segments of the link.

    `day_of`: the gaming day of a time. `without_state`: numbers of segments that get no state
    file, as in data of a version before. `trimmed`: whether the batches leave the journal file.
    """
    closed = list(await store.segments(link))
    part = OpenPartFile(files.folder.parent, link)
    try:
        for last_seq in cuts:
            previous = closed[-1] if closed else None
            first = await store.record(link, previous.last_seq + 1 if previous else 1)
            assert first is not None
            day = day_of(finding(first).at)
            cut = Cut(link=link, day=day, last_seq=last_seq, previous=previous)
            state = None if cut.number in without_state else part.state_after(last_seq)
            segment = write_segment(files, cut, part.batches(cut.first_seq), state=state)
            await store.adopt_segment(segment, epoch=epoch)
            closed.append(segment)
        while trimmed and await store.trim(link, batches_max=TRIM_BATCHES):
            pass
    finally:
        part.close()
    return closed
