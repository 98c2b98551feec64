"""What finance needs of its surroundings: stored day books, and what left no record."""

from collections.abc import Sequence
from typing import Protocol

from progressive.domain.happenings import HappenedThen
from progressive.domain.ids import LinkId


class BookCache(Protocol):
    """Day books as bytes. A cache: what is lost or damaged is folded again."""

    def load(self, link: LinkId, day: str) -> bytes | None:
        """A stored book; None where there is none that can be read."""
        ...

    def save(self, link: LinkId, day: str, stored: bytes) -> None:
        """Store a book in the place of an older one; where that is not possible, do nothing."""
        ...

    def days(self, link: LinkId) -> Sequence[str]:
        """The days that have a stored book, oldest first."""
        ...


class HappeningsReader(Protocol):
    """What happened and left no record in a journal: refusals, outages, alarms."""

    def read(self, from_at: str, to_at: str, link: LinkId | None = None) -> HappenedThen:
        """What overlaps a range of time, of one link and of the whole service.

        Blocks, and raises nothing: what cannot be read is among the problems.
        """
        ...


class NoCache:
    """Nothing is stored: every book is folded from its records."""

    def load(self, link: LinkId, day: str) -> bytes | None:
        """None."""
        return None

    def save(self, link: LinkId, day: str, stored: bytes) -> None:
        """Nothing."""

    def days(self, link: LinkId) -> Sequence[str]:
        """None."""
        return ()
