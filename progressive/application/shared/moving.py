"""COLD. A link's journal is given to a shared log: what is not in closed segments, or what a log
lost and this node's disk has. Every record must follow the one before; the log is read back.
"""

import secrets
from collections.abc import Sequence
from typing import Final

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.reading import reading
from progressive.application.journal.record import GENESIS, ChainCheck, hash_record
from progressive.application.shared.comparing import check_equal
from progressive.application.shared.ports import CopiesDifferError, LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId

ENTRY_RECORDS: Final = 500
"""Given to the log at a time."""
_HOLDER_BYTES: Final = 16


async def begin_log(shared: SharedLog, journal: JournalReader, link: LinkId, *, epoch: int) -> int:
    """Let a journal go on in a log that does not know the link; how many records it was given.

    Closed segments stay where they are: a node that joins is given a backup of them first.
    Raises StoreConflictError where the log knows the link.
    """
    closed = await journal.segments(link)
    seam = (closed[-1].last_seq, closed[-1].head) if closed else (0, GENESIS)
    await shared.begin(link, LogEnd(epoch, "", *seam))
    return await give_missing(shared, journal, link, above_epoch=epoch)


async def give_missing(
    shared: SharedLog, journal: JournalReader, link: LinkId, *, above_epoch: int = 0
) -> int:
    """Append to the log what the journal has behind the log's end; how many records that were.

    Raises CopiesDifferError where the log's last record is not one of the journal's: then both
    have gone on from the same place, and none of them can be continued with the other.
    """
    here = await journal.journal_end(link)
    end = await shared.end(link)
    if end.seq > here.seq:
        raise CopiesDifferError(f"the log ends at record {end.seq:,}, and the disk at {here.seq:,}")
    await _check_prefix(journal, link, end)
    if end.seq == here.seq:
        return 0
    holder = secrets.token_hex(_HOLDER_BYTES)
    begun = last = await shared.open(link, holder=holder, above_epoch=above_epoch)
    try:
        chain = ChainCheck(seq=begun.seq, head=begun.head)
        async with reading(journal.read(link, after_seq=begun.seq)) as chunks:
            async for records in chunks:
                chain.feed_all(records)
                for start in range(0, len(records), ENTRY_RECORDS):
                    last = await _given(shared, link, last, records[start : start + ENTRY_RECORDS])
        await check_equal(shared, journal, link)
    finally:
        await shared.release(link, holder=holder)
    return last.seq - begun.seq


async def _given(
    shared: SharedLog, link: LinkId, before: LogEnd, records: Sequence[bytes]
) -> LogEnd:
    head, last_seq = hash_record(records[-1]), before.seq + len(records)
    entry = LogEntry(before.epoch, before.head, last_seq, head, tuple(records))
    await shared.append(link, before=before, entry=entry)
    return LogEnd(before.epoch, before.holder, last_seq, head)


async def _check_prefix(journal: JournalReader, link: LinkId, end: LogEnd) -> None:
    stored = None if end.seq == 0 else await journal.record(link, end.seq)
    head = GENESIS if stored is None else hash_record(stored)
    if head != end.head:
        raise CopiesDifferError(
            f"record {end.seq:,} of {link} is another one on this disk than in the log: both were "
            "gone on with. Keep both, and find out which of them tables and signs have seen"
        )
