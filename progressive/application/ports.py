"""What the use cases need from the world, and what each port promises.

A store only keeps bytes in order. All that it must know of them is how many there are.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct

from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, WinView


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


class OpenedLink(Struct, frozen=True):
    """A link as its store holds it, opened for writing under a new epoch."""

    epoch: int
    seq: int
    head: str
    """Hash of the last record, as the store kept it beside the journal."""


class StoredSnapshot(Struct, frozen=True):
    """A saved state and the record it follows."""

    seq: int
    body: bytes


class Store(Protocol):
    """A journal per link: append only, in order, durable."""

    async def open_link(self, link: LinkId) -> OpenedLink:
        """Take the link for writing: a new epoch, higher than any before it.

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

    def read(self, link: LinkId, *, after_seq: int = 0) -> AsyncIterator[Sequence[bytes]]:
        """The records after a sequence, gap-free and in order, in chunks of some size."""
        ...

    def read_back(self, link: LinkId, *, before_seq: int) -> AsyncIterator[Sequence[bytes]]:
        """The records before a sequence, gap-free and newest first, in chunks of some size."""
        ...

    async def save_snapshot(self, link: LinkId, *, epoch: int, seq: int, body: bytes) -> None:
        """Keep a state beside the journal; older ones may be dropped."""
        ...

    async def load_snapshot(self, link: LinkId) -> StoredSnapshot | None:
        """The newest saved state."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go."""
        ...


class Clock(Protocol):
    """Time, so that tests can turn it."""

    def now(self) -> str:
        """Wall-clock time, RFC 3339 UTC with microseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
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
