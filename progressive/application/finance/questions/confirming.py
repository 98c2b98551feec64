"""The records behind stored books, held against the chain without folding them.

Closed segments are read as bytes: their hashes are those that the journal's rows name, and the rows
follow one another. That takes a tenth of a second for millions of records. Of the open part every
record is hashed: a quarter of a second for 100,000.
"""

from collections.abc import Sequence

from progressive.application.journal.confirming import ClosedPart, closed_part
from progressive.application.journal.ports import JournalEnd, JournalReader
from progressive.application.journal.reading import reading
from progressive.application.journal.record import ChainCheck, JournalBrokenError, decode_place
from progressive.domain.ids import LinkId


async def confirm_records(
    reader: JournalReader, link: LinkId, stretches: Sequence[tuple[JournalEnd, JournalEnd]]
) -> None:
    """Each stretch of records is the one between its two ends.

    `stretches`: in order; the hash of the record before each and of its last one are known. Raises
    StoreError, and JournalBrokenError with the first record that does not follow.
    """
    if not stretches:
        return
    closed = closed_part(link, await reader.segments(link))
    first, last = stretches[0][0].seq, stretches[-1][1].seq
    held = [
        each
        for each in closed.segments
        if each.purged is None and each.last_seq > first and each.first_seq <= last
    ]
    await reader.confirm_segments(held)
    for before, until in stretches:
        await _confirm_ends(reader, link, before)
        if until.seq > closed.last_seq:
            await _confirm_open(reader, link, closed, before, until)


async def _confirm_ends(reader: JournalReader, link: LinkId, before: JournalEnd) -> None:
    """The first record names the hash that the book begins with."""
    seq = before.seq + 1
    stored = await reader.record(link, seq)
    if stored is None or decode_place(stored, seq=seq).prev != before.head:
        raise JournalBrokenError(f"record {seq} does not follow record {before.seq}")


async def _confirm_open(
    reader: JournalReader, link: LinkId, closed: ClosedPart, before: JournalEnd, until: JournalEnd
) -> None:
    """Its records that lie in no segment, one by one."""
    chain = ChainCheck(seq=before.seq, head=before.head)
    if closed.last_seq > before.seq:
        chain = ChainCheck(seq=closed.last_seq, head=closed.head)
    read = reader.read(link, after_seq=chain.seq, until_seq=until.seq)
    async with reading(read) as chunks:
        async for chunk in chunks:
            chain.feed_all(chunk)
    if (chain.seq, chain.head) != (until.seq, until.head):
        raise JournalBrokenError(f"record {until.seq} is not the one that the day book ends with")
