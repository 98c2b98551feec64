"""COLD. How far to look at a time, for whoever looks forward through a journal until it is enough.

What is looked for mostly stands near where the search begins; where it does not, each stretch is
longer than the one before, up to a limit: whoever has left is noticed between two of them.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from progressive.application.journal.segments import Segment

SEGMENTS_MAX: Final = 32
"""Segments in one stretch: as many indexes are opened for it, half of what a store holds."""
RECORDS_FIRST: Final = 2_000
"""Records of the open part in the first stretch: some seconds of a busy floor."""
RECORDS_MAX: Final = 50_000
"""Records of the open part in one stretch: the open part has no index and is looked through."""


def forward(
    segments: Sequence[Segment], *, after_seq: int, last_seq: int
) -> Iterator[tuple[int, int]]:
    """Stretches (after one record, until another) that together reach from one to the last.

    In closed segments they end where a segment ends.
    """
    ends = [
        min(each.last_seq, last_seq)
        for each in segments
        if min(each.last_seq, last_seq) > after_seq and each.first_seq <= last_seq
    ]
    step = 1
    while ends:
        until = ends[:step][-1]
        yield after_seq, until
        after_seq = until
        ends = ends[step:]
        step = min(2 * step, SEGMENTS_MAX)
    records = RECORDS_FIRST
    while after_seq < last_seq:
        until = min(after_seq + records, last_seq)
        yield after_seq, until
        after_seq = until
        records = min(2 * records, RECORDS_MAX)
