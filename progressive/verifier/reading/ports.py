"""What a walk through a journal needs of a store: short looks at its file, and files of segments.

Nothing that comes from there is trusted. A look is one moment; between two looks the service goes
on, and may move records from its file into segments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from progressive.verifier.reading.segments import FileSum, Segment
from progressive.verifier.report import StoredBatch, StoredLink

SegmentPart = Literal["records", "index", "state"]


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment as the store keeps it. Any value may be any."""

    number: object
    last_seq: object
    body: object


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLook:
    """A link in the journal's own file, at one moment."""

    stored: StoredLink
    segments: Sequence[SegmentRow]
    snapshots: Sequence[object]
    """The records after which a state was saved."""
    batches: Sequence[StoredBatch]
    """Some of them, in order."""
    complete: bool
    """Whether no further batch follows these."""


class LiveJournal(Protocol):
    """One link in the journal's own file."""

    def look(self, *, after: object) -> LiveLook:
        """The link as it is now, with some batches: those that begin after a record. None: all."""
        ...

    def snapshot(self, seq: int) -> object:
        """A saved state; None where it is not there any more."""
        ...

    def record(self, seq: int) -> bytes | None:
        """One record; None where it is not there any more."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """Records that were compressed together, as they lie in a file."""

    offset: int
    size: int
    body: bytes
    trouble: str | None = None
    """Why it cannot be inflated any further than `body`. Nothing follows it."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A small file, read whole and inflated where it was compressed."""

    sum: FileSum
    body: bytes
    trouble: str | None = None


class SegmentSource(Protocol):
    """The files of segments. All raise StoreCorruptError where one is missing."""

    def shown(self, segment: Segment, part: SegmentPart) -> str:
        """How a message names a file."""
        ...

    def members(self, segment: Segment) -> Iterator[Member]:
        """The records, from the first byte of the file to the last."""
        ...

    def sum(self, segment: Segment) -> FileSum:
        """Of the records' file."""
        ...

    def index(self, segment: Segment) -> ReadFile:
        """The index as it lies there."""
        ...

    def state(self, segment: Segment) -> ReadFile:
        """The state after the last record."""
        ...

    def first_record(self, segment: Segment) -> bytes | None:
        """The first line of the records; None where there is none."""
        ...

    def stretch(self, segment: Segment, first_seq: int) -> Iterator[tuple[int, bytes]]:
        """Who wrote each record (the epoch), and the record, from one on; of a proved segment."""
        ...
