"""Rows of segments that do not follow one another: each damage has a message of its own."""

import pytest
from msgspec import structs

from progressive.application.journal.confirming import ClosedPart, closed_part
from progressive.application.journal.record import GENESIS, JournalBrokenError
from progressive.application.journal.segments import FileSum, Segment
from progressive.domain.ids import LinkId

MAIN = LinkId("main")
HEADS = [GENESIS, "a" * 64, "b" * 64, "c" * 64]


def a_row(number: int) -> Segment:
    return Segment(
        link=MAIN,
        number=number,
        day="2026-11-17",
        first_seq=number * 100 - 99,
        last_seq=number * 100,
        first_at="2026-11-17T06:00:00.000000Z",
        last_at="2026-11-17T07:00:00.000000Z",
        prev=HEADS[number - 1],
        head=HEADS[number],
        records=FileSum(10, "d" * 64),
        index=FileSum(10, "e" * 64),
    )


ROWS = [a_row(1), a_row(2), a_row(3)]


def edited(place: int, **changes: object) -> list[Segment]:
    return [structs.replace(row, **changes) if row.number == place else row for row in ROWS]


def test_rows_that_follow_lead_to_the_first_open_record() -> None:
    closed = closed_part(MAIN, ROWS)
    assert (closed.last_seq, closed.head) == (300, HEADS[3])
    assert [row.number for row in closed.after(100)] == [2, 3]
    assert [closed.head_at(seq) for seq in (0, 100, 150, 300)] == [
        GENESIS,
        HEADS[1],
        None,
        HEADS[3],
    ]


def test_journal_without_segments_is_open_from_its_first_record() -> None:
    assert (closed_part(MAIN, []).last_seq, ClosedPart().head) == (0, GENESIS)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (ROWS[1:], "row of segment 1 of main is missing: that of segment 2 .*records 101 to 200"),
        ([ROWS[0], ROWS[2]], "row of segment 2 of main is missing: that of segment 3"),
        ([*ROWS[:2], ROWS[1], ROWS[2]], "row of segment 2 of main stands there twice"),
        (edited(2, number=1), "row of segment 1 of main stands there twice"),
        (edited(2, link=LinkId("side")), "row of segment 2 is of the link side, not of main"),
        (edited(2, first_seq=102), "segment 2 .* does not begin with record 101"),
        (edited(2, last_seq=199), "segment 3 .* does not begin with record 200"),
        (edited(2, last_seq=100), "segment 2 .* does not begin with record 101"),
        (edited(2, prev="f" * 64), "segment 2 .* does not follow record 100"),
        (edited(2, head="f" * 64), "segment 3 .* does not follow record 200"),
        (edited(1, prev="f" * 64), "segment 1 .* does not follow record 0"),
    ],
)
def test_row_that_does_not_follow_is_named(rows: list[Segment], says: str) -> None:
    with pytest.raises(JournalBrokenError, match=says):
        closed_part(MAIN, rows)
