"""What the writer of a link needs: a store to append to, and somewhere to report.

A store only keeps bytes in order. All that it must know of them is how many there are.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

from progressive.application.journal.ports import JournalReader, StoreUnavailableError
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, WinView


class OpenedLink(Struct, frozen=True):
    """A link as its store holds it, opened for writing under a new epoch."""

    epoch: int
    seq: int
    head: str
    """Hash of the last record, as the store kept it beside the journal."""


class LedElsewhereError(StoreUnavailableError):
    """Another node writes the link. It may be had once that one lets go, or is gone."""

    def __init__(self, link: LinkId, leader: str) -> None:
        super().__init__(f"{link} is led by {leader}")
        self.leader = leader
        """Its URL."""


class Leading(Struct, frozen=True):
    """Who writes a link."""

    leader: str | None
    """URL of the node; None where nobody does, so that anybody may."""
    epoch: int
    seq: int
    """The last record that was written, and copied."""


class Standby(Protocol):
    """Following a link that another node writes. A store of one machine has none."""

    async def follow(self, link: LinkId) -> Leading:
        """Copy what was appended meanwhile; it can be read when this returns.

        Raises StoreUnavailableError, and StoreCorruptError where this node's copy is another one.
        """
        ...

    def epoch_of(self, link: LinkId, seq: int) -> int | None:
        """Under which epoch a record was written that was copied here; None where it was not."""
        ...

    def holds(self, link: LinkId) -> bool:
        """Whether no other node can lead yet: this one has said that it does, a short while ago."""
        ...

    async def save_followed_snapshot(self, link: LinkId, *, seq: int, body: bytes) -> None:
        """Keep the state after a record that was followed."""
        ...


class Store(JournalReader, Protocol):
    """A journal per link: append only, in order, durable."""

    async def open_link(self, link: LinkId, *, above_epoch: int = 0) -> OpenedLink:
        """Take the link for writing: a new epoch, higher than any before it and than `above_epoch`.

        Whoever held an older epoch can append no more. Raises StoreCorruptError where the stored
        bytes are damaged.
        """
        ...

    async def append(
        self, link: LinkId, *, epoch: int, expected_seq: int, records: Sequence[bytes], head: str
    ) -> None:
        """Append the records after `expected_seq`, all or none; durable when it returns.

        A record is a line: it holds no newline.
        `head` is the hash of the last of them. Raises StoreConflictError and keeps nothing when
        the epoch is not the newest or the journal does not end at `expected_seq`.
        """
        ...

    async def check(self) -> None:
        """Raise StoreLostError where what was committed is not where the next start would look."""
        ...

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Keep a state beside the journal; older ones may be dropped once they lie in a segment."""
        ...

    async def adopt_segment(self, segment: Segment, *, epoch: int) -> None:
        """From now on the segment's records are read from its files; durable when it returns.

        It follows the link's last segment, number by number and hash by hash, and its last record
        is one that the open part holds with that very hash. Raises StoreConflictError otherwise,
        or where the epoch is not the newest, and keeps nothing.
        """
        ...

    def compare_moved(self, link: LinkId) -> AsyncIterator[int]:
        """Hold what `trim` would remove against the segments, which are not inflated for it; how
        many records were compared, a piece at a time.

        They follow one another to the end of the newest segment, number by number and hash by hash,
        and were written by whom their segment says. Nothing is changed, and appends do not wait.
        Raises JournalBrokenError or StoreCorruptError at the first record that does not fit.
        """
        ...

    async def trim(self, link: LinkId, *, batches_max: int) -> bool:
        """Remove a few batches, and snapshots, that segments hold; whether some are left.

        A little at a time: appends have their turn in between. What is not yet removed is read
        from the segment all the same.
        """
        ...

    async def mark_purged(self, link: LinkId, *, epoch: int, until_number: int, at: str) -> None:
        """Mark the segments up to a number as purged, those that are not yet; durable.

        Their records can be read no more, their index and state can. Raises StoreConflictError
        where the epoch is not the newest.
        """
        ...

    async def remove_purged(self, link: LinkId) -> int:
        """Remove what is still there of the records of segments that are marked; how many."""
        ...

    async def close(self) -> None:
        """Flush and close."""
        ...


class Publisher(Protocol):
    """Where the writer leaves the newest view; it never waits for whoever looks at it."""

    def publish(self, view: LinkView) -> None:
        """A newer view of the link."""
        ...

    def announce(self, link: LinkId, wins: Sequence[WinView]) -> None:
        """Meters were won: nobody may miss it."""
        ...


class Telemetry(Protocol):
    """What the writer tells about its work, once a batch."""

    def committed(
        self, link: LinkId, *, records: int, wagers: int, rounds: int, append_seconds: float
    ) -> None:
        """A batch is durable."""
        ...

    def refused(self, link: LinkId, code: str) -> None:
        """A message was refused."""
        ...

    def append_failed(self, link: LinkId) -> None:
        """A batch could not be kept."""
        ...
