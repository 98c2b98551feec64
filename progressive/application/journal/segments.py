"""The closed part of a journal: what a segment is, and what its index knows.

The open part of a link's journal lies in its store. What is older lies in segments: files that are
written once, of one gaming day each or of a limited size. The store holds one `Segment` for each;
its `prev` and `head` are the chain's ends, so a segment that was changed, swapped or left out does
not follow its neighbours. An index finds a record by number, by time, by the table that sent it
and by what people did, without reading the records before it.
"""

from typing import Final

import msgspec
from msgspec import Struct

from progressive.application.journal.record import GENESIS, JournalBrokenError, hash_record
from progressive.domain.ids import LinkId

INDEX_VERSION: Final = 1
BLOCK_RECORDS: Final = 256
"""Records that are compressed together: what has to be inflated to read one of them."""
TABLE_PLACE_EVERY: Final = 32
"""One in so many messages of a table has its place in the index; those between are near it."""

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
"""Types of records that every index lists from the first one of the journal on: terms, and what
decides how the rest is to be read. They are few, whatever the age."""

TABLE_MESSAGES: Final = frozenset(
    {"wagers_registered", "settled_early", "round_settled", "round_voided"}
)
CHECKPOINT: Final = "checkpointed"
"""Neither a table's message nor an act: it only vouches for a snapshot."""


class FileSum(Struct, frozen=True):
    """A file that never changes: its length and the SHA-256 of its bytes."""

    bytes: int
    sha256: str


class Segment(Struct, frozen=True, kw_only=True):
    """What the store holds of a closed segment."""

    link: LinkId
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
    """The link's state after its last record, where it was cut at a snapshot: the `checkpointed`
    record that follows vouches for it."""
    purged: str | None = None
    """When its records were removed, as two people decided; their place in the chain stays."""

    @property
    def name(self) -> str:
        """What its files are called, without their endings."""
        return f"{self.number:06}-{self.day}"

    @property
    def bytes(self) -> int:
        """What its records take on the disk; nothing once they were purged."""
        return 0 if self.purged is not None else self.records.bytes


def refused_as_next(segment: Segment, before: Segment | None, *, last: bytes | None) -> str | None:
    """Why a store may not adopt a segment after the one before; None: it may.

    `last` is the record that the open part holds under the number of the segment's last one.
    """
    number, last_seq, head = (
        (before.number, before.last_seq, before.head) if before else (0, 0, GENESIS)
    )
    if (segment.number, segment.first_seq) != (number + 1, last_seq + 1):
        return f"segment {number + 1} from record {last_seq + 1:,} on is the next"
    if segment.prev != head:
        return f"its first record does not follow record {last_seq:,}"
    if segment.last_seq < segment.first_seq or segment.purged is not None:
        return "it holds no record"
    if last is None:
        return f"the open part does not hold record {segment.last_seq:,}"
    if hash_record(last) != segment.head:
        return f"record {segment.last_seq:,} is another one in the open part"
    return None


class Block(Struct, frozen=True, array_like=True):
    """Records that were compressed together."""

    first_seq: int
    offset: int
    bytes: int
    epoch: int
    """Who wrote them: a block never spans two epochs."""
    first_at: str


class ActPlace(Struct, frozen=True, array_like=True):
    """A record that is no table's message and no checkpoint: people's acts, terms, guards."""

    seq: int
    type: str
    about: tuple[str, ...] = ()
    """Awards and corrections that it concerns."""


class TablePlaces(Struct, frozen=True, array_like=True):
    """Where the messages of one table are."""

    last_table_seq: int
    """The newest message of the table up to the end of the segment, in this segment or before."""
    places: tuple[tuple[int, int], ...] = ()
    """Its number and the record's, for the first message in the segment and for one in every
    `TABLE_PLACE_EVERY` after it."""


class Landmark(Struct, frozen=True, array_like=True):
    """A record that every later index still names."""

    seq: int
    type: str


class SegmentIndex(Struct, frozen=True, kw_only=True):
    """The index of one segment, as it lies beside it."""

    version: int
    link: LinkId
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


_index_encoder = msgspec.json.Encoder()
_index_decoder = msgspec.json.Decoder(SegmentIndex)


def encode_index(index: SegmentIndex) -> bytes:
    """The bytes of the index file: one JSON object."""
    return _index_encoder.encode(index) + b"\n"


def decode_index(body: bytes) -> SegmentIndex:
    """An index again; raises JournalBrokenError where the bytes are none."""
    try:
        index = _index_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JournalBrokenError(f"the index is unreadable: {error}") from None
    if index.version != INDEX_VERSION:
        raise JournalBrokenError(
            f"the index is of version {index.version}, this program knows {INDEX_VERSION}"
        )
    return index
