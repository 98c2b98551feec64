"""What the log has and this node's disk lacks is copied, entry by entry; each must follow.

The bytes and their chain stay as they are. Nothing is ever copied the other way here: where the
disk has more than the log, people decide which counts.
"""

from progressive.application.journal.ports import JournalEnd
from progressive.application.link.ports import Store
from progressive.application.shared.ports import CopiesDifferError, LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId


async def copy_missing(shared: SharedLog, local: Store, link: LinkId, end: LogEnd) -> None:
    """Bring the copy to the log's end. Raises CopiesDifferError where it does not lead there."""
    here = await local.journal_end(link)
    if here.seq > end.seq:
        raise CopiesDifferError(
            f"this node's disk holds {here.seq:,} records of {link}, and the shared log "
            f"{end.seq:,}: the log has lost {here.seq - end.seq:,} that were committed"
        )
    if here.seq == end.seq:
        if here.head != end.head:
            raise CopiesDifferError(
                f"record {here.seq:,} of {link} is another one on this node's disk than in the log"
            )
        return
    written_under = epoch = 0
    async for entry in shared.read(link, after_seq=here.seq):
        _check_follows(link, here, entry)
        if entry.epoch > written_under:
            # As on the node that wrote them; a disk that was opened in vain meanwhile is ahead.
            written_under = entry.epoch
            epoch = (await local.open_link(link, above_epoch=written_under - 1)).epoch
        await local.append(
            link,
            epoch=epoch,
            expected_seq=here.seq,
            records=entry.records,
            head=entry.head,
        )
        here = JournalEnd(entry.last_seq, entry.head)
    if (here.seq, here.head) != (end.seq, end.head):
        raise CopiesDifferError(
            f"the log of {link} names {end.seq:,} as its last record, and its entries end at "
            f"{here.seq:,}"
        )


def _check_follows(link: LinkId, here: JournalEnd, entry: LogEntry) -> None:
    if entry.first_seq > here.seq + 1:
        raise CopiesDifferError(
            f"the shared log of {link} begins with record {entry.first_seq:,}, and this node's "
            f"disk ends with {here.seq:,}: restore a newer backup here first"
        )
    if entry.first_seq <= here.seq or entry.prev != here.head:
        raise CopiesDifferError(
            f"record {entry.first_seq:,} in the log of {link} does not follow record "
            f"{here.seq:,} on this node's disk"
        )
