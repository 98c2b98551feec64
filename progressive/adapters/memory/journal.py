"""The reference store: what the port means, in the fewest lines. Tests and simulation use it."""

from collections.abc import AsyncIterator, Sequence

from msgspec import Struct

from progressive.application.journal.ports import JournalEnd, StoreConflictError, StoredSnapshot
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import OpenedLink
from progressive.domain.ids import LinkId


class _Journal(Struct):
    epoch: int = 0
    head: str = GENESIS
    records: list[bytes] = []
    snapshot: StoredSnapshot | None = None


class MemoryStore:
    """A journal per link, for as long as the process lives."""

    def __init__(self) -> None:
        self._journals: dict[LinkId, _Journal] = {}

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        """Take the link under a new epoch."""
        journal = self._journals.setdefault(link, _Journal())
        journal.epoch = max(journal.epoch, above_epoch) + 1
        return OpenedLink(epoch=journal.epoch, seq=len(journal.records), head=journal.head)

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        """Append all or none."""
        journal = self._fenced(link, epoch)
        if len(journal.records) != expected_seq:
            raise StoreConflictError(
                f"{link} ends at record {len(journal.records)}, not {expected_seq}"
            )
        journal.records.extend(records)
        journal.head = head

    async def check(self) -> None:
        """Nothing can be taken away from it."""

    async def links(self) -> Sequence[LinkId]:
        """Every link that has a record."""
        return sorted([link for link, journal in self._journals.items() if journal.records])

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends now."""
        journal = self._journals.get(link, _Journal())
        return JournalEnd(len(journal.records), journal.head)

    async def read(self, link: LinkId, *, after_seq: int = 0) -> AsyncIterator[Sequence[bytes]]:
        """All records after a sequence, in one chunk."""
        if journal := self._journals.get(link):
            yield journal.records[after_seq:]

    async def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """All records before a sequence, newest first, in one chunk."""
        if journal := self._journals.get(link):
            yield journal.records[: before_seq - 1][::-1]

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record."""
        journal = self._journals.get(link)
        return journal.records[seq - 1] if journal and 1 <= seq <= len(journal.records) else None

    async def records_with(
        self, link: LinkId, text: bytes, *, after_seq: int, until_seq: int
    ) -> Sequence[bytes]:
        """Those that hold some text."""
        journal = self._journals.get(link)
        stretch = journal.records[max(0, after_seq) : until_seq] if journal else []
        return [record for record in stretch if text in record]

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Keep the newest state."""
        self._fenced(link, epoch).snapshot = StoredSnapshot(seq=seq, body=body)

    async def load_snapshot(self, link: LinkId) -> StoredSnapshot | None:
        """The newest state."""
        journal = self._journals.get(link)
        return journal.snapshot if journal else None

    async def close(self) -> None:
        """Nothing to let go of."""

    def _fenced(self, link: LinkId, epoch: int) -> _Journal:
        journal = self._journals.get(link)
        if journal is None or journal.epoch != epoch:
            newest = journal.epoch if journal else 0
            raise StoreConflictError(f"{link} is at epoch {newest}, not {epoch}")
        return journal
