"""What a data directory has ever committed, remembered outside the journal file: the port.

A journal cannot show by itself that its end is missing. So the newest durable record of each link
is remembered beside it (`remembering`), and a start compares the two (`guard`).
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from progressive.application.journal.ports import StoreError
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId
from progressive.domain.signatures import Signature


class MemoryUnreadableError(StoreError):
    """What was remembered of a link is there, and cannot be read."""


class CommittedMark(Struct, frozen=True):
    """The newest record of a link that is known to be durable."""

    link: LinkId
    place: JournalPlace
    times_hold_from: int = 0
    """The first record written by a version whose times never go back; 0: not known."""
    retired: bool = False
    """Whether the link was closed for good: its journal is missed no more."""
    sealed_size: int = 0
    """So many records were sealed: seals that are gone are missed."""


class FirstAcceptance(Struct, frozen=True):
    """One person has accepted a loss; a second one of another department must agree.

    Stored beside the marks: there may be no journal to write it into.
    """

    link: LinkId
    remembered: JournalPlace | None
    found_seq: int
    found_head: str
    by: Signature
    reason: str
    at: str


class Memory(Protocol):
    """Durable when a call returns. Never on the way of a wager."""

    async def recall(self, link: LinkId) -> CommittedMark | None:
        """The link's mark; None where there is none. Raises MemoryUnreadableError."""
        ...

    async def remember(self, mark: CommittedMark, *, instead: bool = False) -> None:
        """A newer mark of the link. An older one is ignored, unless it is to stand `instead` of
        what is remembered. Raises MemoryUnreadableError, StoreUnavailableError.
        """
        ...

    async def marks(self) -> Mapping[LinkId, CommittedMark | None]:
        """Every link that is remembered; None where its mark is unreadable.

        Raises MemoryUnreadableError where they cannot be listed.
        """
        ...

    async def acceptance(self, link: LinkId) -> FirstAcceptance | None:
        """Who has accepted a loss of this link first. Raises MemoryUnreadableError."""
        ...

    async def keep_acceptance(self, acceptance: FirstAcceptance) -> None:
        """Somebody has accepted a loss; it replaces an older acceptance."""
        ...

    async def drop_acceptance(self, link: LinkId) -> None:
        """The loss was accepted by two, or is none."""
        ...
