"""What is stored of a closed segment: the row in the journal file, and the index beside its files.

Only the forms stand here, as `docs/journal.md` has them, and how they are read. Nothing that comes
out of a file is trusted.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from progressive.verifier.chain import JournalBrokenError
from progressive.verifier.record import read_json
from progressive.verifier.recorded.decoder import UnreadableError, reader_of

INDEX_VERSION: Final = 1
TABLE_PLACE_EVERY: Final = 32
"""One in so many messages of a table has its place in the index."""
LANDMARKS: Final = frozenset(
    {
        "link_opened",
        "link_reopened",
        "floor_recorded",
        "terms_changed",
        "loss_accepted",
        "link_retired",
        "segments_purged",
    }
)
"""Types of records that every index lists from the first one of the journal on."""


@dataclass(frozen=True, slots=True)
class FileSum:
    """A file that never changes: its length and the SHA-256 of its bytes."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """What the journal file holds of a closed segment."""

    link: str
    number: int
    """From 1, without gaps."""
    day: str
    """Gaming day of its first record."""
    first_seq: int
    last_seq: int
    first_at: str
    last_at: str
    prev: str
    """Hash of the record before its first: `head` of the segment before."""
    head: str
    """Hash of its last record."""
    records: FileSum
    index: FileSum
    state: FileSum | None = None
    """The link's state after its last record, where it was kept: the next record confirms it."""
    purged: str | None = None
    """When its records were removed, as two people decided; their place in the chain stays."""

    @property
    def name(self) -> str:
        """What its files are called, without their endings."""
        return f"{self.number:06}-{self.day}"


class Block(NamedTuple):
    """Records that were compressed together."""

    first_seq: int
    offset: int
    bytes: int
    epoch: int
    """Who wrote them: a block never spans two epochs."""
    first_at: str


class ActPlace(NamedTuple):
    """A record that is no table's message and no checkpoint: people's acts, terms, guards."""

    seq: int
    type: str
    about: tuple[str, ...]
    """Awards and corrections that it concerns."""


class TablePlaces(NamedTuple):
    """Where the messages of one table are."""

    last_table_seq: int
    """The newest message of the table up to the end of the segment, in this segment or before."""
    places: tuple[tuple[int, int], ...]
    """Its number and the record's, for the first message in the segment and for one in every
    `TABLE_PLACE_EVERY` after it."""


class Landmark(NamedTuple):
    """A record that every later index still names."""

    seq: int
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentIndex:
    """The index of one segment, as it lies beside it."""

    version: int
    link: str
    number: int
    day: str
    first_seq: int
    last_seq: int
    first_at: str
    last_at: str
    prev: str
    head: str
    records: FileSum
    blocks: tuple[Block, ...]
    acts: tuple[ActPlace, ...]
    """Of this segment, in order."""
    landmarks: tuple[Landmark, ...]
    """Of the journal from its first record to the end of this segment."""
    tables: dict[str, TablePlaces]
    """Every table that has sent a message up to the end of this segment."""


_read_segment: Final = reader_of(Segment, exact=False)
_read_index: Final = reader_of(SegmentIndex, exact=False)


def decode_segment(body: object) -> Segment:
    """The row of a segment; raises UnreadableError where it is none."""
    # The service writes bytes, and opens no journal whose row is a text.
    if not isinstance(body, bytes):
        raise UnreadableError("it is not bytes")
    segment: Segment = _read_segment(read_json(body))
    return segment


def decode_index(body: bytes) -> SegmentIndex:
    """An index; raises JournalBrokenError where the bytes are none."""
    try:
        index: SegmentIndex = _read_index(read_json(body))
    except UnreadableError as error:
        raise JournalBrokenError(f"the index is unreadable: {error}") from None
    if index.version != INDEX_VERSION:
        raise JournalBrokenError(
            f"the index is of version {index.version}, this program knows {INDEX_VERSION}"
        )
    return index
