"""Times of the clock as people read them, by the floor's wall clock."""

from zoneinfo import ZoneInfo

from progressive.domain.time_text import on_the_wall, with_wall_times

NEW_YORK = ZoneInfo("America/New_York")


def test_a_time_is_told_to_the_minute() -> None:
    assert on_the_wall("2026-10-31T10:00:59.999999Z", NEW_YORK) == "2026-10-31 06:00"


def test_a_time_that_comes_twice_says_which() -> None:
    assert on_the_wall("2026-11-01T05:30:00.000000Z", NEW_YORK) == "2026-11-01 01:30 EDT"
    assert on_the_wall("2026-11-01T06:30:00.000000Z", NEW_YORK) == "2026-11-01 01:30 EST"


def test_all_times_of_a_sentence() -> None:
    text = "said 2026-10-31T10:00:00.000000Z, expected 2026-10-31T11:00:00Z"
    assert with_wall_times(text, NEW_YORK) == "said 2026-10-31 06:00, expected 2026-10-31 07:00"
