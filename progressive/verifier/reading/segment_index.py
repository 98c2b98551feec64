"""The index of a segment, worked out again from its records while they are walked.

A second reading, like all of the audit: it shares no code with the writer of indexes. What goes on
from segment to segment (landmarks, the newest message of each table) is carried along.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.reading.segments import (
    LANDMARKS,
    TABLE_PLACE_EVERY,
    ActPlace,
    Block,
    FileSum,
    Landmark,
    Segment,
    SegmentIndex,
    TablePlaces,
)
from progressive.verifier.record import Record
from progressive.verifier.recorded.award_events import AwardVoided, RoundValidated
from progressive.verifier.recorded.guard_events import SegmentsPurged
from progressive.verifier.recorded.table_events import (
    Checkpointed,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    WagersRegistered,
)

_MESSAGES: Final = frozenset({WagersRegistered, SettledEarly, RoundSettled, RoundVoided})


class _Table:
    """One table within a segment."""

    __slots__ = ("last_table_seq", "messages", "places")

    def __init__(self, last_table_seq: int = 0) -> None:
        self.last_table_seq = last_table_seq
        self.messages = 0
        self.places: list[tuple[int, int]] = []


class IndexAudit:
    """What the indexes of a link must say; one object walks all segments of the link."""

    def __init__(self) -> None:
        self.first_at: str | None = None
        self.last_at = ""
        self._landmarks: list[Landmark] = []
        self._tables: dict[str, _Table] = {}
        self._acts: list[ActPlace] = []
        self._blocks: list[Block] = []
        self._block_at: str | None = None
        self.purges: list[Record] = []
        """What the records say of purges."""

    def begin(self) -> None:
        """A segment begins."""
        self.first_at = self._block_at = None
        self._acts, self._blocks = [], []
        for table in self._tables.values():
            table.messages, table.places = 0, []

    def feed(self, record: Record) -> None:
        """The next record of the segment."""
        at = record.at
        self.last_at = at
        if self._block_at is None:
            self._block_at = at
            if self.first_at is None:
                self.first_at = at
        event: Any = record.event
        kind = type(event)
        if kind in _MESSAGES:
            table = self._tables.get(event.table)
            if table is None:
                table = self._tables[event.table] = _Table()
            table.last_table_seq = event.table_seq
            if not table.messages % TABLE_PLACE_EVERY:
                table.places.append((event.table_seq, record.seq))
            table.messages += 1
        elif kind is not Checkpointed:
            name = kind.TYPE
            self._acts.append(ActPlace(record.seq, name, _about(event)))
            if name in LANDMARKS:
                self._landmarks.append(Landmark(record.seq, name))
                if kind is SegmentsPurged:
                    self.purges.append(record)

    def end_block(self, *, first_seq: int, offset: int, size: int, epoch: int) -> None:
        """The records since the block before were compressed together, and lie there."""
        self._blocks.append(Block(first_seq, offset, size, epoch, self._block_at or ""))
        self._block_at = None

    def check(self, index: SegmentIndex, segment: Segment, records: FileSum) -> None:
        """Raise at the first entry of an index that is not what the records say."""
        _check_head(index, segment)
        if index.records != records:
            raise _differs("length and SHA-256 of the records", index.records, records)
        _check_each("block", index.blocks, self._blocks)
        _check_each("act", index.acts, self._acts)
        _check_each("landmark", index.landmarks, self._landmarks)
        _check_tables(
            index.tables,
            {
                name: TablePlaces(table.last_table_seq, tuple(table.places))
                for name, table in self._tables.items()
            },
        )

    # --- in the middle ----------------------------------------------------------------------------

    def go_on_from(self, index: SegmentIndex) -> None:
        """The segment before was walked by somebody else, who has proved this index."""
        self._landmarks = list(index.landmarks)
        self._tables = {name: _Table(of.last_table_seq) for name, of in index.tables.items()}

    # --- where records were purged -----------------------------------------------------------

    def pass_over(self, index: SegmentIndex, segment: Segment) -> None:
        """A segment without records: its index is held against those before it, and taken over."""
        _check_head(index, segment)
        if index.records != segment.records:
            raise _differs("length and SHA-256 of the records", index.records, segment.records)
        _check_each("block", index.blocks, list(_plausible_blocks(index)))
        for before, act in zip((None, *index.acts), index.acts, strict=False):
            least = index.first_seq if before is None else before.seq + 1
            if not least <= act.seq <= index.last_seq:
                raise DiscrepancyError(f"the index: act of record {act.seq} does not lie there")
        self._landmarks += [
            Landmark(act.seq, act.type) for act in index.acts if act.type in LANDMARKS
        ]
        _check_each("landmark", index.landmarks, self._landmarks)
        for name, table in self._tables.items():
            now = index.tables.get(name)
            if now is None or now.last_table_seq < table.last_table_seq:
                raise _differs(f"table {shown(name)}", now, table.last_table_seq)
        self._tables = {name: _Table(of.last_table_seq) for name, of in index.tables.items()}

    @property
    def landmarks(self) -> tuple[Landmark, ...]:
        """All so far."""
        return tuple(self._landmarks)

    def check_tables(self, newest: Mapping[str, int]) -> None:
        """Raise unless the tables stand where a state says that they do."""
        stored = {name: table.last_table_seq for name, table in self._tables.items()}
        for name in [*newest, *stored]:
            if stored.get(name) != newest.get(name):
                raise _differs(f"table {shown(name)}", stored.get(name), newest.get(name))


def _check_head(index: SegmentIndex, segment: Segment) -> None:
    """What index and row both say of the segment. The row has been held against the records."""
    for what in (
        *("link", "number", "day", "first_seq", "last_seq"),
        *("first_at", "last_at", "prev", "head"),
    ):
        if (stored := getattr(index, what)) != (expected := getattr(segment, what)):
            raise _differs(what, stored, expected)


def _plausible_blocks(index: SegmentIndex) -> Iterator[Block]:
    """Blocks that lie behind each other and fill the file; the rest cannot be known any more."""
    offset, seq, epoch = 0, index.first_seq, 1
    for place, block in enumerate(index.blocks):
        if place == 0:
            first_at = index.first_at
        else:
            first_at, seq = block.first_at, max(block.first_seq, seq + 1)
        size = block.bytes if place + 1 < len(index.blocks) else index.records.bytes - offset
        epoch = max(epoch, block.epoch)
        yield Block(min(seq, index.last_seq), offset, size, epoch, first_at)
        offset += size


def _check_each(what: str, stored: tuple[Any, ...], expected: list[Any]) -> None:
    if list(stored) == expected:
        return
    for place in range(max(len(stored), len(expected))):
        was = stored[place] if place < len(stored) else None
        ought = expected[place] if place < len(expected) else None
        if was != ought:
            raise _differs(f"{what} {place + 1}", was, ought)


def _check_tables(stored: Mapping[str, TablePlaces], expected: Mapping[str, TablePlaces]) -> None:
    if stored == expected:
        return
    for name in [*expected, *stored]:
        was, ought = stored.get(name), expected.get(name)
        if was == ought:
            continue
        of = f"table {shown(name)}"
        if was is None or ought is None or was.last_table_seq != ought.last_table_seq:
            newest = [None if each is None else each.last_table_seq for each in (was, ought)]
            raise _differs(f"{of}, its newest message", *newest)
        _check_each(f"{of}, place", was.places, list(ought.places))


def _about(event: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever people do
    """Awards and corrections that an act concerns."""
    if isinstance(event, RoundValidated):
        return tuple(event.awards)
    if isinstance(event, AwardVoided):
        return (event.award, *[change.award for change in event.changes])
    for name in ("award", "correction"):
        if isinstance(one := getattr(event, name, None), str):
            return (one,)
    return ()


def _differs(what: str, stored: object, expected: object) -> DiscrepancyError:
    return DiscrepancyError(
        f"the index, {what}: stored {_told(stored)}, recomputed {_told(expected)}"
    )


def _told(entry: object) -> str:
    if entry is None:
        return "nothing"
    fields: tuple[str, ...] | None = getattr(entry, "_fields", None)
    if fields is None:
        fields = getattr(entry, "__slots__", None)
    if fields is None:
        return shown(entry)
    return shown(", ".join([f"{name} {getattr(entry, name)}" for name in fields]))
