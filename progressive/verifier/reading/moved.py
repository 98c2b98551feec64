"""Batches that lie in the journal's file and in a closed segment too.

The service removes them from its file a little later, from the first one on. Until then both say
the same, record for record, and whatever is still there leads without a gap to the open part.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NoReturn

from progressive.verifier.findings import FindingError, Problem, shown
from progressive.verifier.reading.ports import SegmentSource
from progressive.verifier.reading.segment_rows import SegmentRows
from progressive.verifier.report import StoredBatch


class MovedBatches:
    """Those of one link; raises FindingError at the first record that is another one."""

    def __init__(self, rows: SegmentRows, source: SegmentSource) -> None:
        self._rows = rows
        self._source = source
        self._next_seq: int | None = None
        """The record that must come next in this look; None: any may, as some were removed."""
        self._moved: tuple[int, Iterator[tuple[int, bytes]]] = 0, iter(())

    def begin_look(self) -> None:
        """Another moment: the service may have removed some meanwhile."""
        self._next_seq = None

    def end(self) -> None:
        """Behind the last of them there is no gap."""
        if self._next_seq is not None and self._next_seq <= self._rows.last_seq:
            _miss(self._next_seq)

    def rest_of(self, batch: StoredBatch, *, audited_seq: int) -> StoredBatch | None:
        """Compare a batch that begins in a segment; what is left of it behind the segments."""
        first, last, body, seam = batch.first_seq, batch.last_seq, batch.body, self._rows.last_seq
        segment = self._rows.holding(first) if isinstance(first, int) else None
        if not isinstance(first, int) or segment is None:
            # Before the first record.
            _find(1, f"the batch from {shown(first)} to {shown(last)} is none")
        if not isinstance(body, bytes) or not isinstance(last, int):
            _find(first, f"the batch from {first} to {shown(last)} is none")
        lines = body.split(b"\n")
        if lines.pop() or len(lines) != last - first + 1 or not lines:
            _find(first, f"the batch from {first} to {last} is torn")
        if segment.purged is not None:
            _find(first, f"lies in the journal file, though segment {segment.number} is purged")
        if self._next_seq is not None and first > self._next_seq:
            _miss(self._next_seq)
        if self._next_seq is not None and first < self._next_seq:
            _find(first, "stands in two batches of the journal file")
        self._next_seq = last + 1
        for seq, line in enumerate(lines[: seam - first + 1], first):
            if (batch.epoch, line) != self._moved_record(seq):
                _find(seq, "is another one in the journal file than in its segment")
        rest = lines[seam - first + 1 :]
        if not rest or last <= audited_seq:
            return None
        return StoredBatch(seam + 1, last, batch.epoch, b"".join([line + b"\n" for line in rest]))

    def _moved_record(self, seq: int) -> tuple[int, bytes] | None:
        """A record as its segment holds it; in order they are read once."""
        at, records = self._moved
        if at != seq:
            first = self._rows.holding(seq)
            later = [] if first is None else self._rows.segments[first.number - 1 :]
            stretches = [
                self._source.stretch(segment, max(seq, segment.first_seq)) for segment in later
            ]
            records = chain.from_iterable(stretches)
        self._moved = seq + 1, records
        return next(records, None)


def _miss(seq: int) -> NoReturn:
    _find(seq, "missing in the journal file, which holds records before and behind it")


def _find(seq: int, message: str) -> NoReturn:
    raise FindingError(Problem(seq, None, None, message))
