"""Where a journal is cut: a gaming day or a limited size, and never beyond the newest snapshot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.application.journal.cut import CutLimits, OpenPart, next_cut


def part(
    *,
    first: int = 1,
    last: int = 10_000,
    snapshots: tuple[int, ...] = (),
    day_last: int | None = None,
) -> OpenPart:
    return OpenPart(first_seq=first, last_seq=last, snapshots=snapshots, day_last_seq=day_last)


@pytest.mark.parametrize(
    ("open_part", "cut"),
    [
        # Nothing is due: the day goes on, and it is not large.
        (part(last=99_999, snapshots=(50_000,)), None),
        # It is large: the snapshot next to 120,000.
        (part(last=100_000, snapshots=(50_000, 99_990)), 99_990),
        (part(last=100_400, snapshots=(50_000, 100_300)), 100_300),
        (part(last=170_000, snapshots=(50_000, 100_100, 150_200)), 100_100),
        (part(first=1_001, last=170_000, snapshots=(50_000, 121_000, 121_001)), 121_000),
        # The newest snapshot is far behind: what follows it stays open.
        (part(last=160_000, snapshots=(50_000,)), 50_000),
        # The day is over: its last record, at the snapshot of its turn.
        (part(last=900, snapshots=(300, 800), day_last=800), 800),
        # A snapshot of the next day does not count for this one.
        (part(last=900, snapshots=(300, 850), day_last=800), 300),
        # What a crash left behind the last snapshot of a day is cut where the day ends.
        (part(first=301, last=900, snapshots=(850,), day_last=800), 800),
        # A day is over and its turn has no snapshot yet: no start replays from nothing.
        (part(first=301, last=900, snapshots=(300,), day_last=800), None),
        (part(last=900, day_last=800), None),
        # A long day that is over.
        (part(last=300_000, snapshots=(50_000, 100_100, 250_000), day_last=250_000), 100_100),
        # Several days behind: one after the other.
        (part(last=9_000, snapshots=(100, 200, 300), day_last=100), 100),
        (part(first=101, last=9_000, snapshots=(100, 200, 300), day_last=200), 200),
        # Data of an older version, with the newest snapshot only.
        (part(last=4_000_000, snapshots=(3_990_000,)), 100_000),
        (part(last=4_000_000, snapshots=(3_990_000,), day_last=3_000), 3_000),
        (part(last=4_000_000, snapshots=(3_990_000,), day_last=200_000), 100_000),
        (part(first=3_900_001, last=4_000_000, snapshots=(3_990_000,)), 3_990_000),
        # An idle link: one checkpoint, and the snapshot before it.
        (part(first=801, last=801, snapshots=(800,), day_last=801), None),
        (part(first=1, last=0), None),
    ],
)
def test_cut(open_part: OpenPart, cut: int | None) -> None:
    assert next_cut(open_part) == cut


@given(
    first=st.integers(1, 50),
    length=st.integers(0, 400),
    snapshots=st.sets(st.integers(1, 450)),
    day=st.integers(0, 400) | st.none(),
)
def test_every_cut_is_within_its_bounds(
    first: int, length: int, snapshots: set[int], day: int | None
) -> None:
    last = first + length - 1
    within = tuple(sorted(seq for seq in snapshots if seq <= last))
    day_last = None if day is None or not length else min(last, first + day)
    limits = CutLimits(records=100, records_max=120)
    cut = next_cut(part(first=first, last=last, snapshots=within, day_last=day_last), limits)
    if cut is None:
        return
    assert first <= cut <= min(last, within[-1], first - 1 + limits.records_max)
    assert day_last is None or cut <= day_last
    assert cut in within or not [
        seq for seq in within if first <= seq <= min(day_last or last, first - 1 + 120)
    ]
