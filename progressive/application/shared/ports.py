"""The log that several nodes share: one writer at a time, and everybody reads.

It holds the records that are not yet on every node's disk, in order, and decides who may append. A
node's own disk holds the whole journal (`store`): whatever reads a journal reads there.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.domain.ids import LinkId

LEASE_SECONDS: Final = 3.0
"""Without a word of the leader for so long, another node may lead. For liveness only: what keeps
a late leader from writing is the fence."""


class UnsafeLogError(StoreUnavailableError):
    """The server's settings would lose what it has acknowledged: nothing is written to it."""


class CopiesDifferError(StoreCorruptError):
    """The log and this node's copy of the journal are not of the same journal, or the log lacks
    records that this node has: somebody must decide which of them counts."""


class LogEnd(Struct, frozen=True):
    """Where a link's log ends, and who may append to it."""

    epoch: int
    holder: str
    """A random name that a writer gives itself at every opening. An epoch alone is no fence: a
    failover that loses the end of the log may hand the same number out twice."""
    seq: int
    head: str
    """Hash of the last record."""


class LogEntry(Struct, frozen=True):
    """Records that were appended together."""

    epoch: int
    prev: str
    """Hash of the record before the first of them."""
    last_seq: int
    head: str
    """Hash of the last of them."""
    records: Sequence[bytes]

    @property
    def first_seq(self) -> int:
        """Number of the first of them."""
        return self.last_seq - len(self.records) + 1


class SharedLog(Protocol):
    """Journals as several nodes share them. Raises StoreUnavailableError where it does not answer.

    No call is sent twice by itself: what became of one without an answer is read, never assumed.
    """

    @property
    def url(self) -> str:
        """By which other nodes name this one, and tables find it."""
        ...

    async def check(self) -> str:
        """What a failure of the server could lose of what it acknowledged, in words.

        Raises UnsafeLogError where its settings would lose more than may be.
        """
        ...

    async def links(self) -> Sequence[LinkId]:
        """Every link that was ever opened, sorted."""
        ...

    async def end(self, link: LinkId) -> LogEnd:
        """Where the log ends now; epoch 0 where it was never opened."""
        ...

    async def open(self, link: LinkId, *, holder: str, above_epoch: int) -> LogEnd:
        """Take the link under a new epoch, above any before and `above_epoch`, and its lease.

        Whoever held it before can append no more. Raises LedElsewhereError where the lease is
        another node's, UnsafeLogError where the server would lose what it acknowledges.
        """
        ...

    async def begin(self, link: LinkId, end: LogEnd) -> None:
        """A journal that was written elsewhere up to here goes on in this log.

        Raises StoreConflictError where the link has one.
        """
        ...

    async def append(self, link: LinkId, *, before: LogEnd, entry: LogEntry) -> None:
        """HOT. Append behind `before`, as its holder; durable as configured when it returns.

        Raises StoreConflictError, and keeps nothing, where epoch, holder, number or hash of the
        log's end are not those of `before`.
        """
        ...

    async def renew(self, link: LinkId, *, epoch: int, holder: str) -> bool:
        """Keep the lease for a while longer; False where it is another's, or the epoch is."""
        ...

    async def release(self, link: LinkId, *, holder: str) -> None:
        """Let go of the lease, so that another node need not wait for its end."""
        ...

    async def leader(self, link: LinkId) -> str | None:
        """URL of the node that has the lease; None where nobody has."""
        ...

    def read(self, link: LinkId, *, after_seq: int) -> AsyncIterator[LogEntry]:
        """The entries whose last record is behind a number, in order."""
        ...

    async def report_copy(self, link: LinkId, *, seq: int) -> None:
        """This node's disk has the journal up to a record."""
        ...

    async def copies(self, link: LinkId) -> Mapping[str, int]:
        """Up to which record each node has said to have it, by the node's URL."""
        ...

    async def trim(self, link: LinkId, *, epoch: int, holder: str, until_seq: int) -> None:
        """Drop the entries that end at or before a record. Raises StoreConflictError where the
        link is another node's."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...
