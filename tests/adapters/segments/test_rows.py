"""The rows of segments as a reader holds them: each follows the one before, or says why not."""

import pytest
from msgspec import structs

from progressive.adapters.segments.rows import SegmentRows
from progressive.application.journal.ports import StoreCorruptError
from progressive.application.journal.segments import FileSum, Segment
from progressive.domain.ids import LinkId

SUM = FileSum(1, "0" * 64)


def a_row(number: int) -> Segment:
    """A hundred records each."""
    return Segment(
        link=LinkId("main"),
        number=number,
        day="2026-01-02",
        first_seq=100 * number - 99,
        last_seq=100 * number,
        first_at="2026-01-02T03:04:05.000000Z",
        last_at="2026-01-02T03:04:06.000000Z",
        prev="0" * 64,
        head="0" * 64,
        records=SUM,
        index=SUM,
    )


ROWS = [a_row(number) for number in range(1, 8)]


@pytest.mark.parametrize("held", [0, 5])
def test_a_segment_that_stands_there_twice_is_said_to(held: int) -> None:
    """Also where the second one bears another number, or the first one was known before."""
    known = SegmentRows().followed_by(ROWS[:held])
    for again in (ROWS[4], structs.replace(ROWS[4], number=6)):
        with pytest.raises(
            StoreCorruptError,
            match=r"^main: segment 5 from record 401 on stands there twice, the second time in the "
            r"place of segment 6 from record 501 on$",
        ):
            known.followed_by([*ROWS[held:5], again, *ROWS[6:]])


def test_a_segment_that_is_missing_is_named_with_the_one_that_stands_there() -> None:
    with pytest.raises(
        StoreCorruptError,
        match="segment 6 from record 501 on is missing: segment 7 from record 601 on stands there",
    ):
        SegmentRows().followed_by([*ROWS[:5], *ROWS[6:]])


def test_the_last_purged_segment_is_known() -> None:
    purged = [structs.replace(each, purged="2033-01-01T00:00:00.000000Z") for each in ROWS[:2]]
    rows = SegmentRows().followed_by([*purged, *ROWS[2:]])
    assert rows.last_purged == purged[1]
    assert rows.purged_seq == 200
    assert SegmentRows(ROWS).last_purged is None
