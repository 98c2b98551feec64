"""Looking forward in stretches: every record once, a little at first, never too much."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.application.journal.segments import FileSum, Segment
from progressive.application.journal.stretches import RECORDS_MAX, SEGMENTS_MAX, forward
from progressive.domain.ids import LinkId

NOTHING = FileSum(0, "")


def segments(*ends: int) -> list[Segment]:
    return [
        Segment(
            link=LinkId("main"),
            number=number,
            day="2026-01-02",
            first_seq=before + 1,
            last_seq=end,
            first_at="",
            last_at="",
            prev="",
            head="",
            records=NOTHING,
            index=NOTHING,
        )
        for number, (before, end) in enumerate(pairwise((0, *ends)), start=1)
    ]


@pytest.mark.parametrize(
    ("ends", "after", "last", "expected"),
    [
        ((), 5, 5, []),
        ((), 5, 9, [(5, 9)]),
        ((), 0, 9_000, [(0, 2_000), (2_000, 6_000), (6_000, 9_000)]),
        # From within a segment to its end; then one, two, four segments at a time.
        ((10, 20, 30, 40, 50), 5, 55, [(5, 10), (10, 30), (30, 50), (50, 55)]),
        # It begins behind all segments.
        ((10, 20), 20, 25, [(20, 25)]),
        # What is asked for ends within a segment, or with one.
        ((10, 20, 30), 12, 15, [(12, 15)]),
        ((10, 20), 3, 20, [(3, 10), (10, 20)]),
        # Nothing is asked for, within a segment.
        ((2,), 1, 1, []),
    ],
)
def test_stretches_end_where_segments_end(
    ends: tuple[int, ...], after: int, last: int, expected: list[tuple[int, int]]
) -> None:
    assert list(forward(segments(*ends), after_seq=after, last_seq=last)) == expected


@given(
    st.lists(st.integers(min_value=1, max_value=500), max_size=200),
    st.integers(min_value=0, max_value=100_000),
    st.integers(min_value=0, max_value=400_000),
)
def test_together_they_hold_every_record_once(sizes: list[int], after: int, more: int) -> None:
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    last = after + more
    found = list(forward(segments(*ends), after_seq=after, last_seq=last))
    assert [begin for begin, _ in found] == [after, *[end for _, end in found]][: len(found)]
    assert (found[-1][1] if found else after) == last
    for begin, end in found:
        assert begin < end
        assert len([each for each in ends if begin < each <= end]) <= SEGMENTS_MAX
        assert end - begin <= max(RECORDS_MAX, SEGMENTS_MAX * 500)
