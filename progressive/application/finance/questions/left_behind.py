"""Which days with play stay outside the closes for ever, where a later day is closed first.

The first day that is closed may be any. Days before it are never closed: whoever prepares it should
know how many those are.
"""

from typing import Final

from msgspec import Struct

from progressive.application.finance.days import LinkDays, days_between
from progressive.application.journal.export import oldest_seq
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.reading import reading
from progressive.domain.ids import LinkId

_PLAY: Final = b'"type":"wagers_registered"'


class LeftBehind(Struct, frozen=True):
    """The days from the first one with play to the one before a day, none of them closed."""

    first_day: str
    days: int


async def left_behind(
    reader: JournalReader, link: LinkId, day: str, *, until_seq: int
) -> LeftBehind | None:
    """None where nobody played before a day. `until_seq`: the last record before it.

    Raises StoreError, JournalBrokenError and DayRefusedError.
    """
    oldest = await oldest_seq(reader, link)
    if until_seq < oldest:
        return None
    # Play begins soon after a journal does: what is read is a chunk or two.
    async with reading(reader.read(link, after_seq=oldest - 1, until_seq=until_seq)) as chunks:
        async for chunk in chunks:
            for stored in chunk:
                if _PLAY in stored:
                    first = (await LinkDays.load(reader, link)).day_of(finding(stored).at)
                    return LeftBehind(first, len(days_between(first, day)) - 1)
    return None
