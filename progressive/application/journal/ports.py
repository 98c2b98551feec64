"""Reading a journal: the port, and what can go wrong with any store.

Whoever only reads (replay, history, old answers, sheets, a standby) needs no more than a
`JournalReader`, and can take nothing from the writer by it.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

from progressive.domain.ids import LinkId


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


class StoreLostError(StoreCorruptError):
    """What was committed is no longer where it is looked for: the file is gone, or another one
    lies in its place. Nothing that the store says from then on counts as durable.
    """


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

    def read(self, link: LinkId, *, after_seq: int = 0) -> AsyncIterator[Sequence[bytes]]:
        """The records after a sequence, gap-free and in order, in chunks of some size."""
        ...

    def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """The records before a sequence, gap-free and newest first, in chunks of some size."""
        ...

    async def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record, by its sequence: a look-up, however long the journal is."""
        ...

    async def records_with(
        self, link: LinkId, text: bytes, *, after_seq: int, until_seq: int
    ) -> Sequence[bytes]:
        """The records of a stretch that hold some text, oldest first. The store searches."""
        ...

    async def load_snapshot(self, link: LinkId) -> StoredSnapshot | None:
        """The newest saved state."""
        ...
