"""What joining needs of a store: the open part of its journals, seen at one moment.

Synchronous, for threads. Any store that can show segments and records in one consistent view can
have closed segments beside it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from progressive.application.journal.ports import JournalEnd, StoredSnapshot
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId


class MovedBatch(Struct, frozen=True):
    """A batch of the open part whose first record a segment holds too."""

    first_seq: int
    last_seq: int
    epoch: int
    records: Sequence[bytes]


class LiveView(Protocol):
    """One moment: all answers are of the same, so that nothing moves across the seam meanwhile."""

    def links(self) -> Sequence[LinkId]:
        """Every link that has a record, sorted."""
        ...

    def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends."""
        ...

    def newest_segment(self, link: LinkId) -> int:
        """Number of the newest closed segment, 0 where there is none; as cheap as can be."""
        ...

    def segments(self, link: LinkId, *, after_number: int = 0) -> Sequence[Segment]:
        """The closed segments behind a number, oldest first."""
        ...

    def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record of the open part."""
        ...

    def stretch(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int | None = None,
        texts: Collection[bytes] = (),
    ) -> Iterator[list[bytes]]:
        """Records in order, in chunks. With texts: some that hold none may be left out, none that
        holds one is, and no more is looked through than is asked for."""
        ...

    def stretch_back(
        self, link: LinkId, *, before_seq: int, after_seq: int
    ) -> Iterator[list[bytes]]:
        """The same, newest first."""
        ...

    def moved(self, link: LinkId, *, after_seq: int, until_seq: int) -> Iterator[MovedBatch]:
        """The batches that begin in a stretch, in order. Raises StoreCorruptError at the first
        that does not hold as many records as it should."""
        ...

    def load_snapshot(self, link: LinkId, *, until_seq: int | None = None) -> StoredSnapshot | None:
        """The newest saved state; or the newest of those after a record up to `until_seq`."""
        ...

    def snapshots(self, link: LinkId) -> Sequence[int]:
        """The records after which a state was saved, oldest first."""
        ...


class LivePart(Protocol):
    """The open part of all journals of a store."""

    def view(self, stopped: Callable[[], bool]) -> AbstractContextManager[LiveView]:
        """A view, for as long as the block lasts; what `stopped` tells ends a long search."""
        ...
