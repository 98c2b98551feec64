"""COLD. Reads a journal into a fold, and goes on where a reading was interrupted."""

from typing import Final

from progressive.application.finance.book.fold import Fold
from progressive.application.journal.ports import JournalReader, StoreUnavailableError
from progressive.application.journal.reading import reading
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId

TRIES: Final = 3
"""A service that is started or stopped meanwhile moves the file under its reader: look again."""


async def fold_until(reader: JournalReader, link: LinkId, fold: Fold, last_seq: int) -> None:
    """Feed the records after the fold's last one, up to `last_seq`, and finish.

    Raises StoreError, and JournalBrokenError where a record is missing or does not follow.
    """
    closing = fold.book.closing
    for tried in range(1, TRIES + 1):
        read = reader.read(link, after_seq=closing.seq, until_seq=last_seq)
        try:
            async with reading(read) as chunks:
                async for chunk in chunks:
                    fold.feed(chunk)
        except StoreUnavailableError:
            if tried == TRIES:
                raise
            continue
        break
    fold.finish()
    if closing.seq < last_seq:
        raise JournalBrokenError(f"record {closing.seq + 1} is missing")
