"""The records of a day, and those beside it: its neighbours, and what finance stated about it.

The neighbours show that none is missing at the day's edges: numbers and hashes join, and their
times lie outside the day.
"""

import contextlib
from collections.abc import AsyncGenerator

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.stated.closed_days import STATED
from progressive.application.journal.export import oldest_seq, proved
from progressive.application.journal.ports import JournalEnd, JournalReader
from progressive.application.journal.record import (
    JournalBrokenError,
    decode_record,
    hash_record,
)
from progressive.domain.finance_events import DayClosed, DayPrepared, FinanceEntered
from progressive.domain.ids import LinkId


async def day_records(
    reader: JournalReader, link: LinkId, book: DayBook
) -> AsyncGenerator[list[bytes], None]:
    """All records of the book's day as they are stored, in pieces, proved by the chain.

    The very records that the book was folded from: raises JournalBrokenError where the last one is
    another by now, and StoreError.
    """
    last = book.closing.seq
    if not book.records:
        return
    end = JournalEnd(last, book.closing.head)
    pieces = proved(reader, link, first_seq=book.opening.seq + 1, end=end, last_seq=last)
    async with contextlib.aclosing(pieces):
        async for piece in pieces:
            yield piece


async def records_beside(
    reader: JournalReader, link: LinkId, book: DayBook, *, until_seq: int
) -> dict[int, bytes]:
    """By number: the record before the day and the one after it, where they are still there; and
    what finance entered, prepared and closed for it, up to a record."""
    found: dict[int, bytes] = {}
    oldest = await oldest_seq(reader, link)
    for seq in (book.opening.seq, book.closing.seq + 1):
        if oldest <= seq <= until_seq:
            found[seq] = await _record(reader, link, seq)
    if (before := found.get(book.opening.seq)) and hash_record(before) != book.opening.head:
        raise JournalBrokenError(f"record {book.opening.seq} is not the one before the day")
    stated = await reader.acts(link, after_seq=book.opening.seq, until_seq=until_seq, types=STATED)
    for stored in stated:
        record = decode_record(stored)
        event = record.event
        if isinstance(event, FinanceEntered | DayPrepared | DayClosed) and event.day == book.day:
            found[record.seq] = stored
    return dict(sorted(found.items()))


async def _record(reader: JournalReader, link: LinkId, seq: int) -> bytes:
    stored = await reader.record(link, seq)
    if stored is None:
        raise JournalBrokenError(f"record {seq} is missing")
    return stored
