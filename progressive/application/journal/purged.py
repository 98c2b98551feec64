"""What a journal says of its own purged part. Reads only."""

from msgspec import Struct

from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.journal.segments import Segment
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.ids import LinkId

PURGE = "segments_purged"
"""The type of its record."""


class Purge(Struct, frozen=True):
    """The newest purge of a link."""

    seq: int
    at: str
    event: SegmentsPurged


def gone(last: Segment) -> StorePurgedError:
    """What whoever asks for a purged record is told: `last` is the last segment that was purged,
    whichever the question met first, so that every question gets the same answer.
    """
    return StorePurgedError(
        f"{last.link}: the records up to {last.last_seq:,} ({last.last_at}) were purged at "
        f"{last.purged}",
        last_seq=last.last_seq,
    )


async def newest_purge(reader: JournalReader, link: LinkId) -> Purge | None:
    """The last record of a purge; a look-up. It is never one of the purged records itself."""
    end = await reader.journal_end(link)
    found = await reader.acts(link, after_seq=0, until_seq=end.seq, types=(PURGE,))
    if not found:
        return None
    record = decode_record(found[-1])
    if not isinstance(record.event, SegmentsPurged):
        raise JournalBrokenError(f"record {record.seq} is not a purge")
    return Purge(record.seq, record.at, record.event)


async def check_purged(reader: JournalReader, link: LinkId) -> None:
    """Raise JournalBrokenError where rows are marked as purged that no record speaks of.

    Whoever deletes a segment could otherwise call it purged.
    """
    segments = await reader.segments(link)
    marked = [each for each in segments if each.purged is not None]
    if not marked:
        return
    purge = await newest_purge(reader, link)
    until = 0 if purge is None else purge.event.last_number
    for segment, number in zip(marked, range(1, len(marked) + 1), strict=True):
        if segment.number != number or number > until:
            raise JournalBrokenError(
                f"segment {segment.number} is marked as purged, and no record says so"
            )
    if purge is not None:
        last = segments[until - 1]
        if (last.last_seq, last.head) != (purge.event.last_seq, purge.event.head):
            raise JournalBrokenError(
                f"segment {last.number} is not the one that record {purge.seq} purged"
            )
