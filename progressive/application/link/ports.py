"""What the writer of a link needs: a store to append to, and somewhere to report.

A store only keeps bytes in order. All that it must know of them is how many there are.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from progressive.application.journal.ports import JournalReader
from progressive.domain.ids import LinkId
from progressive.domain.views import LinkView, WinView


class OpenedLink(Struct, frozen=True):
    """A link as its store holds it, opened for writing under a new epoch."""

    epoch: int
    seq: int
    head: str
    """Hash of the last record, as the store kept it beside the journal."""


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
        """Keep a state beside the journal; older ones may be dropped."""
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
