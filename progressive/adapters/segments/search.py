"""COLD. Finds records in closed segments: rows, then an index, then the few blocks that matter.

Synchronous, for threads: a block at a time is inflated, and between two of them whoever has asked
may have gone.
"""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from progressive.adapters.segments.files import INDEX, RECORDS, SegmentFiles
from progressive.adapters.segments.rows import SegmentRows
from progressive.application.journal.finding import (
    acts_among,
    finding,
    message_among,
    stretch,
)
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.purged import gone
from progressive.application.journal.record import JournalBrokenError
from progressive.application.journal.segments import (
    BLOCK_RECORDS,
    LANDMARKS,
    Block,
    Segment,
    SegmentIndex,
)
from progressive.domain.ids import TableId


class StoppedError(Exception):
    """Whoever asked has gone."""


class SegmentSearch:
    """One question about the closed part of a journal."""

    def __init__(
        self,
        files: SegmentFiles,
        rows: SegmentRows,
        stop: threading.Event,
        *,
        newest_rows: Callable[[], SegmentRows],
    ) -> None:
        """`newest_rows`: as they are now, where `rows` may be of a moment before."""
        self._files = files
        self._rows = rows
        self._stop = stop
        self._newest_rows = newest_rows

    def record(self, seq: int) -> bytes:
        """One record."""
        segment = self._rows.holding(seq)
        return self._records_of(segment, [seq])[0]

    def stretch(self, *, after_seq: int, until_seq: int | None) -> Iterator[Sequence[bytes]]:
        """Records in order, a block at a time."""
        for segment in self._rows.between(after_seq, until_seq):
            for block in _blocks_between(self._index(segment), after_seq, until_seq):
                records = self._block(segment, block)
                yield stretch(records, block.first_seq, after_seq=after_seq, until_seq=until_seq)

    def stretch_back(self, *, before_seq: int) -> Iterator[Sequence[bytes]]:
        """Records newest first, a block at a time."""
        for segment in reversed(self._rows.between(0, before_seq - 1)):
            for block in reversed(_blocks_between(self._index(segment), 0, before_seq - 1)):
                records = self._block(segment, block)
                yield records[: before_seq - block.first_seq][::-1]

    def last_until(self, at: str, *, last_seq: int) -> bytes | None:
        """The last record at or before a time; None where all are later.

        Halving keeps to it at every step that the left neighbour is not later and the right one
        is: so it is found, too, among times that went back.
        """
        segments = self._rows.between(0, last_seq)
        place = bisect_right(segments, at, key=lambda each: each.first_at)
        if not place:
            return None
        segment = segments[place - 1]
        blocks = _blocks_between(self._index(segment), 0, last_seq)
        block = blocks[bisect_right(blocks, at, key=lambda each: each.first_at) - 1]
        records = stretch(
            self._block(segment, block), block.first_seq, after_seq=0, until_seq=last_seq
        )
        with self._readable(segment):
            place = bisect_right(records, at, key=lambda each: finding(each).at)
        if not place:
            raise self._not_as_indexed(segment, f"record {block.first_seq:,} has another time")
        return records[place - 1]

    def last_number(self, table: TableId) -> int:
        """The newest message of a table in all segments; 0 where there is none."""
        segments = self._rows.segments
        return self._last_number(segments[-1], table) if segments else 0

    def message(self, table: TableId, table_seq: int) -> bytes | None:
        """The record of a message whose number is at most `last_number`."""
        segments = self._rows.segments
        segment = segments[
            bisect_left(segments, table_seq, key=lambda each: self._last_number(each, table))
        ]
        index = self._index(segment)
        of_table = index.tables[table]
        after = bisect_right(of_table.places, table_seq, key=lambda each: each[0])
        if not after:
            return None
        # The two places around it, the end of the segment being one.
        places = (*of_table.places, (of_table.last_table_seq + 1, segment.last_seq + 1))
        (number, first), (next_number, after_last) = places[after - 1], places[after]
        # A table plays at an even pace, more or less: it is near where it would be then.
        near = first + (after_last - first) * (table_seq - number) // (next_number - number)
        blocks = _blocks_between(index, first - 1, after_last - 1)
        for block in sorted(
            blocks, key=lambda each: abs(each.first_seq + BLOCK_RECORDS // 2 - near)
        ):
            records = self._block(segment, block)
            with self._readable(segment):
                if found := message_among(records, table, table_seq):
                    return found
        return None

    def acts(
        self, *, after_seq: int, until_seq: int, types: Collection[str], about: Collection[str]
    ) -> list[bytes]:
        """Acts, found in the indexes."""
        segments = self._rows.between(after_seq, until_seq)
        found: list[bytes] = []
        for segment, seqs in self._places_of_acts(segments, types, about):
            held = [seq for seq in seqs if after_seq < seq <= until_seq]
            records = self._records_of(segment, held)
            with self._readable(segment):
                found += acts_among(records, types=types, about_any=about)
        return found

    def landmarks(self, *, after_seq: int, until_seq: int, types: Collection[str]) -> list[int]:
        """Numbers of landmarks of some types in a stretch: its last index names them all."""
        segments = self._rows.between(after_seq, until_seq)
        named = self._index(segments[-1]).landmarks if segments and types else ()
        return [
            each.seq for each in named if each.type in types and after_seq < each.seq <= until_seq
        ]

    def _places_of_acts(
        self, segments: Sequence[Segment], types: Collection[str], about: Collection[str]
    ) -> Iterator[tuple[Segment, Sequence[int]]]:
        if segments and types and LANDMARKS.issuperset(types):
            # The last index names them all.
            seqs = [each.seq for each in self._index(segments[-1]).landmarks if each.type in types]
            for segment in segments:
                first = bisect_left(seqs, segment.first_seq)
                if held := seqs[first : bisect_right(seqs, segment.last_seq)]:
                    yield segment, held
            return
        for segment in segments:
            yield (
                segment,
                [
                    act.seq
                    for act in self._index(segment).acts
                    if (not types or act.type in types)
                    and (not about or not set(about).isdisjoint(act.about))
                ],
            )

    # --- a segment -----------------------------------------------------------------------------

    def _records_of(self, segment: Segment, seqs: Sequence[int]) -> list[bytes]:
        """Some records, in order; of each block once."""
        blocks = self._index(segment).blocks if seqs else ()
        found: list[bytes] = []
        at: Block | None = None
        records: Sequence[bytes] = ()
        for seq in seqs:
            block = blocks[bisect_right(blocks, seq, key=_first_seq) - 1]
            if block is not at:
                at, records = block, self._block(segment, block)
            found.append(records[seq - block.first_seq])
        return found

    def _block(self, segment: Segment, block: Block) -> list[bytes]:
        self._check_stopped()
        _must_be_held(segment, self._rows)
        try:
            return self._files.block(segment, block)
        except StoreCorruptError:
            # Purged since its row was read: nothing is damaged.
            _must_be_held(segment, self._newest_rows())
            raise

    def _index(self, segment: Segment) -> SegmentIndex:
        self._check_stopped()
        return self._files.index(segment)

    def _last_number(self, segment: Segment, table: TableId) -> int:
        places = self._index(segment).tables.get(table)
        return places.last_table_seq if places else 0

    def _check_stopped(self) -> None:
        if self._stop.is_set():
            raise StoppedError

    def _not_as_indexed(self, segment: Segment, why: str) -> StoreCorruptError:
        return self._files.damaged(segment, INDEX, why)

    @contextmanager
    def _readable(self, segment: Segment) -> Iterator[None]:
        try:
            yield
        except JournalBrokenError as error:
            raise self._files.damaged(segment, RECORDS, str(error)) from None


def _must_be_held(segment: Segment, rows: SegmentRows) -> None:
    if segment.last_seq <= rows.last_seq and rows.holding(segment.last_seq).purged is not None:
        raise gone(rows.last_purged or segment)


def _blocks_between(index: SegmentIndex, after_seq: int, until_seq: int | None) -> Sequence[Block]:
    """The blocks that hold records of a stretch."""
    blocks = index.blocks
    first = max(0, bisect_right(blocks, after_seq + 1, key=_first_seq) - 1)
    if until_seq is None:
        return blocks[first:]
    return blocks[first : bisect_right(blocks, until_seq, key=_first_seq)]


def _first_seq(block: Block) -> int:
    return block.first_seq
