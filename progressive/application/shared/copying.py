"""What the log has and this node's disk lacks is copied, entry by entry; each must follow.

The bytes and their chain stay as they are. Nothing is ever copied the other way here: where the
disk has more than the log, people decide which counts.
"""

from collections import deque
from typing import Final

from progressive.application.journal.ports import JournalEnd
from progressive.application.link.ports import Store
from progressive.application.shared.ports import CopiesDifferError, LogEnd, LogEntry, SharedLog
from progressive.domain.ids import LinkId

RUNS_MAX: Final = 64


class Runs:
    """Under which epoch copied records were written: the journal itself does not say it, and a win
    that two nodes show must be the same win to a sign that changes from one to the other."""

    def __init__(self) -> None:
        self._runs: deque[tuple[int, int]] = deque(maxlen=RUNS_MAX)
        """The first record of each, oldest first."""

    def add(self, entry: LogEntry) -> None:
        """An entry was copied."""
        if not self._runs or self._runs[-1][1] != entry.epoch:
            self._runs.append((entry.first_seq, entry.epoch))

    def epoch_of(self, seq: int) -> int | None:
        """None where it was not copied by this process, or long ago."""
        for first_seq, epoch in reversed(self._runs):
            if first_seq <= seq:
                return epoch
        return None


class LinkCopy:
    """A link's journal on this node's disk, while another node writes it."""

    def __init__(
        self, shared: SharedLog, local: Store, link: LinkId, *, runs: Runs | None = None
    ) -> None:
        """`runs`: who wrote what is copied, for whoever wants to know."""
        self._shared = shared
        self._local = local
        self._link = link
        self._runs = Runs() if runs is None else runs
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
        self._runs.add(entry)
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
