"""What the log has and this node's disk lacks is copied, entry by entry; each must follow.

The bytes and their chain stay as they are. Nothing is ever copied the other way here: where the
disk has more than the log, people decide which counts.
"""

from progressive.application.journal.ports import JournalEnd
from progressive.application.link.ports import Store
from progressive.application.shared.ports import CopiesDifferError, LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId


class LinkCopy:
    """A link's journal on this node's disk, while another node writes it."""

    def __init__(self, shared: SharedLog, local: Store, link: LinkId) -> None:
        self._shared = shared
        self._local = local
        self._link = link
        self._written_under = 0
        """Epoch of the newest entry that was copied."""
        self.epoch = 0
        """Under which the disk is open. As on the node that wrote the records, or above: where the
        disk was opened before under the same one."""

    async def copy_until(self, end: LogEnd) -> None:
        """Bring the copy to the log's end. Raises CopiesDifferError where it does not lead there.

        The leader may append meanwhile: then the copy may end behind `end`.
        """
        link = self._link
        here = await self._local.journal_end(link)
        if here.seq > end.seq:
            raise CopiesDifferError(
                f"this node's disk holds {here.seq:,} records of {link}, and the shared log "
                f"{end.seq:,}: the log has lost {here.seq - end.seq:,} of them"
            )
        if here.seq == end.seq and here.head != end.head:
            raise CopiesDifferError(
                f"record {here.seq:,} of {link} is another one on this node's disk than in the log"
            )
        if here.seq == end.seq:
            return
        async for entry in self._shared.read(link, after_seq=here.seq):
            _check_follows(link, here, entry)
            await self._copy(entry)
            here = JournalEnd(entry.last_seq, entry.head)
        if here.seq < end.seq:
            raise CopiesDifferError(
                f"the log of {link} names {end.seq:,} as its last record, and its entries end at "
                f"{here.seq:,}"
            )

    async def save_snapshot(self, *, seq: int, body: bytes) -> None:
        """Keep a state beside the copy; only once something was copied."""
        await self._local.save_snapshot(self._link, epoch=self.epoch, seq=seq, body=body)

    async def _copy(self, entry: LogEntry) -> None:
        if entry.epoch > self._written_under:
            opened = await self._local.open_link(self._link, above_epoch=entry.epoch - 1)
            self._written_under, self.epoch = entry.epoch, opened.epoch
        await self._local.append(
            self._link,
            epoch=self.epoch,
            expected_seq=entry.first_seq - 1,
            records=entry.records,
            head=entry.head,
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
