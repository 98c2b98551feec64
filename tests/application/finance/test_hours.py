"""Hours and shifts of gaming days: 24 of them, 23 in spring, 25 in autumn."""

import pytest

from progressive.application.finance.book.hours import Hours
from progressive.application.journal.gaming_day import GamingDays

NEW_YORK = GamingDays.of("America/New_York", "06:00")


@pytest.mark.parametrize(
    ("day", "hours"),
    [("2026-03-06", 24), ("2026-03-07", 23), ("2026-10-31", 25), ("2026-11-01", 24)],
)
def test_a_day_on_which_clocks_change_is_an_hour_shorter_or_longer(day: str, hours: int) -> None:
    counted = Hours(NEW_YORK.begins(day))
    assert counted.ends(hours - 1) == NEW_YORK.ends(day)
    assert counted.hour_of(NEW_YORK.ends(day)) == hours


def test_the_hour_that_comes_twice_is_two_hours_with_other_offsets() -> None:
    hours = Hours(NEW_YORK.begins("2026-10-31"))
    labels = [hours.label(hour, NEW_YORK) for hour in range(25)]
    assert labels[19:21] == ["2026-11-01 01:00 -04:00", "2026-11-01 01:00 -05:00"]
    assert len(set(labels)) == 25
    assert (labels[0], labels[24]) == ("2026-10-31 06:00 -04:00", "2026-11-01 05:00 -05:00")


def test_the_hour_that_is_skipped_has_no_label() -> None:
    hours = Hours(NEW_YORK.begins("2026-03-07"))
    labels = [hours.label(hour, NEW_YORK) for hour in range(23)]
    assert labels[19:22] == [
        "2026-03-08 01:00 -05:00",
        "2026-03-08 03:00 -04:00",
        "2026-03-08 04:00 -04:00",
    ]


@pytest.mark.parametrize(
    ("day", "shifts"),
    [("2026-11-02", [8, 8, 8]), ("2026-10-31", [8, 8, 9]), ("2026-03-07", [8, 8, 7])],
)
def test_three_shifts_by_the_wall_clock(day: str, shifts: list[int]) -> None:
    hours = Hours(NEW_YORK.begins(day))
    found = [hours.shift(hour, NEW_YORK) for hour in range(sum(shifts))]
    assert [found.count(shift) for shift in (1, 2, 3)] == shifts
    assert found == sorted(found)
