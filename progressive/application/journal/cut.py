"""Where the open part of a journal is cut: which records go into the next segment. Pure."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.journal.record import GENESIS
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId

SEGMENT_RECORDS: Final = 100_000
"""Open records that make a segment due before its day is over: what a start reads stays small."""
SEGMENT_RECORDS_MAX: Final = 120_000
"""As far as a cut may be, so that a snapshot lies in reach: one is made every 50,000 records."""


class Cut(Struct, frozen=True, kw_only=True):
    """Which records the next segment of a link holds."""

    link: LinkId
    day: str
    """Gaming day of its first record."""
    last_seq: int
    previous: Segment | None = None
    """The segment before it; None: it is the first of the journal."""

    @property
    def number(self) -> int:
        """From 1, without gaps."""
        return 1 if self.previous is None else self.previous.number + 1

    @property
    def first_seq(self) -> int:
        """Its first record."""
        return 1 if self.previous is None else self.previous.last_seq + 1

    @property
    def prev(self) -> str:
        """Hash of the record before its first."""
        return GENESIS if self.previous is None else self.previous.head

    @property
    def name(self) -> str:
        """What its files are called, without their endings; as `Segment.name`."""
        return f"{self.number:06}-{self.day}"


class CutLimits(Struct, frozen=True):
    """How large a segment becomes before its day is over."""

    records: int = SEGMENT_RECORDS
    records_max: int = SEGMENT_RECORDS_MAX


class OpenPart(Struct, frozen=True, kw_only=True):
    """What is known of the records that no segment holds."""

    first_seq: int
    last_seq: int
    snapshots: Sequence[int]
    """After which records a state was saved, oldest first."""
    day_last_seq: int | None
    """The last record of the gaming day that its first one belongs to; None: it is not over."""

    @property
    def records(self) -> int:
        """How many there are."""
        return max(0, self.last_seq - self.first_seq + 1)


def next_cut(part: OpenPart, limits: CutLimits = CutLimits()) -> int | None:  # noqa: B008 - frozen
    """The last record of the segment that is due; None: none is.

    A start replays from the newest snapshot, which must not come to lie within a segment: nothing
    is cut beyond it. The cut is at a snapshot where one is in reach, so that the segment ends with
    a state; an older version kept one only, and its journals are cut anywhere.
    """
    day_last = part.day_last_seq
    due = day_last is not None or part.records >= limits.records
    if not due or not part.snapshots or part.snapshots[-1] < part.first_seq:
        return None
    furthest = min(part.snapshots[-1], part.first_seq - 1 + limits.records_max)
    if day_last is not None:
        furthest = min(furthest, day_last)
    at = bisect_right(part.snapshots, furthest) - 1
    if at >= 0 and part.snapshots[at] >= part.first_seq:
        return part.snapshots[at]
    return min(furthest, part.first_seq - 1 + limits.records)
