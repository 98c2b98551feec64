"""COLD. Every record of a shared log against a journal on a disk, byte for byte. Reads only."""

from collections.abc import AsyncIterator

from msgspec import Struct

from progressive.application.journal.ports import JournalReader
from progressive.application.journal.reading import reading
from progressive.application.shared.ports import CopiesDifferError, SharedLog
from progressive.domain.ids import LinkId


class Compared(Struct, frozen=True):
    """How a log and a disk stand to each other; what both hold is the same."""

    first_seq: int
    """The first record that the log still holds; one behind its end where it holds none."""
    log_seq: int
    disk_seq: int

    @property
    def equal(self) -> bool:
        """Whether both end with the same record."""
        return self.log_seq == self.disk_seq


async def compared(shared: SharedLog, journal: JournalReader, link: LinkId) -> Compared:
    """Compare what both hold. Raises CopiesDifferError at the first record that is another one.

    A node may be behind the log while the leader writes; it is never ahead of it.
    """
    here = await journal.journal_end(link)
    begins = None
    async for entry in shared.read(link, after_seq=0):
        begins = entry.first_seq - 1
        break
    end = await shared.end(link)
    begins = end.seq if begins is None else begins
    if begins > here.seq:
        raise CopiesDifferError(
            f"the log of {link} begins with record {begins + 1:,}, the disk ends at {here.seq:,}"
        )
    seq, log = begins, _records(shared, link, begins)
    async with reading(journal.read(link, after_seq=begins, until_seq=end.seq)) as chunks:
        async for records in chunks:
            for stored in records:
                seq += 1
                if await anext(log, None) != stored:
                    raise CopiesDifferError(
                        f"record {seq:,} of {link} is another one on the disk than in the log"
                    )
    if here.seq == end.seq and here.head != end.head:
        raise CopiesDifferError(f"the log of {link} names another last record than the disk")
    return Compared(begins + 1, end.seq, here.seq)


async def check_equal(shared: SharedLog, journal: JournalReader, link: LinkId) -> int:
    """Raise CopiesDifferError unless both end with the same record; how many the disk has."""
    found = await compared(shared, journal, link)
    if not found.equal:
        raise CopiesDifferError(
            f"the log of {link} ends at record {found.log_seq:,}, the disk at {found.disk_seq:,}"
        )
    return found.disk_seq


async def _records(shared: SharedLog, link: LinkId, after_seq: int) -> AsyncIterator[bytes]:
    async for entry in shared.read(link, after_seq=after_seq):
        for stored in entry.records:
            yield stored
