"""Reading a journal: the port, and what can go wrong with any store.

Whoever only reads (replay, history, old answers, sheets, a standby) needs no more than a
`JournalReader`, and can take nothing from the writer by it.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from typing import ClassVar, Protocol

from msgspec import Struct

from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId, TableId


class StoreError(Exception):
    """A store could not do what was asked."""


class StoreUnavailableError(StoreError):
    """Broken surroundings: disk full, I/O error, no connection.

    After a failed append its fate is unknown: open the link again and read what is there.
    """


class StoreConflictError(StoreError):
    """Someone else has written: the epoch or the sequence is not the expected one."""


class StoreCorruptError(StoreError):
    """What is stored is not what was written."""

    may_pass: ClassVar[bool] = False
    """Whether it may be gone when somebody looks again."""


class StoreLostError(StoreCorruptError):
    """What was committed is no longer where it is looked for: the file is gone, or another one
    lies in its place. Nothing that the store says from then on counts as durable.
    """


class StorePurgedError(StoreError):
    """The records that were asked for were removed, as two people decided. Nothing is damaged."""

    def __init__(self, message: str, *, last_seq: int) -> None:
        super().__init__(message)
        self.last_seq = last_seq
        """The last one of the removed records; those behind it are there."""


class StoredSnapshot(Struct, frozen=True):
    """A saved state and the record it follows."""

    seq: int
    body: bytes


class JournalEnd(Struct, frozen=True):
    """Where a journal ends, as the store holds it beside the records."""

    seq: int
    head: str
    """Hash of the last record."""


class JournalReader(Protocol):
    """The journals of a store, and the states saved beside them. Reading changes nothing."""

    async def links(self) -> Sequence[LinkId]:
        """Every link that has at least one record, sorted; what a floor file names is not asked."""
        ...

    async def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the link's journal ends now; record 0 where there is none."""
        ...

    async def segments(self, link: LinkId) -> Sequence[Segment]:
        """The closed segments of the link's journal, oldest first. Nothing of them is read."""
        ...

    async def confirm_segments(self, segments: Sequence[Segment]) -> None:
        """Hold the files of these segments, oldest first, against what the store holds of them.

        All are to be there and as long as they were; the newest, up to a limit of bytes, are read
        and must be the very bytes. Raises StoreCorruptError where one is not.
        """
        ...

    def read(
        self, link: LinkId, *, after_seq: int = 0, until_seq: int | None = None
    ) -> AsyncIterator[Sequence[bytes]]:
        """The records after a sequence, gap-free and in order, in chunks of some size.

        Across the seam: from closed segments and from the open part, each record once.
        """
        ...

    def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """The records before a sequence, gap-free and newest first, in chunks of some size."""
        ...

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record, by its sequence: a look-up, however long the journal is."""
        ...

    async def last_record_until(self, link: LinkId, at: str, *, last_seq: int) -> bytes | None:
        """The last record at or before a time, among the first `last_seq`; None: all are later.

        A look-up. Where a clock was set back in an old journal, a time was there twice: then it is
        a record at or before it whose next one stands after it.
        """
        ...

    async def message(
        self, link: LinkId, table: TableId, table_seq: int, *, before_seq: int
    ) -> bytes | None:
        """The record that a table's message led to, before some record; a look-up."""
        ...

    async def acts(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int,
        types: Collection[str] = (),
        about: Collection[str] = (),
    ) -> Sequence[bytes]:
        """Records that are neither a table's message nor a checkpoint, oldest first.

        Only those of some types, or about some awards or corrections, where these are given. Where
        all types are `LANDMARKS` it is a look-up, however long the stretch.
        """
        ...

    async def landmarks(
        self, link: LinkId, *, after_seq: int, until_seq: int, types: Collection[str]
    ) -> Sequence[int]:
        """Numbers of the records of some types of `LANDMARKS` in a stretch, in order.

        A look-up that reads none of these records; some of them may have been purged.
        """
        ...

    async def load_snapshot(
        self, link: LinkId, *, until_seq: int | None = None
    ) -> StoredSnapshot | None:
        """The newest saved state; or the newest of those after a record up to `until_seq`."""
        ...

    async def snapshots(self, link: LinkId) -> Sequence[int]:
        """The records after which a state was saved and is still here, oldest first."""
        ...
