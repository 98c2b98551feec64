"""Whoever watches the steps of a write hears of each, for as long as it watches."""

import pytest

from progressive.common.steps import step, steps_watched


def test_steps_are_heard_in_order_until_the_block_is_left() -> None:
    heard: list[str] = []
    step("before")
    with steps_watched(heard.append):
        step("one")
        step("two")
    step("after")
    assert heard == ["one", "two"]


def test_a_watcher_that_fails_stops_the_work_and_is_forgotten() -> None:
    def fail(name: str) -> None:
        raise OSError(28, name)

    with pytest.raises(OSError, match="one"), steps_watched(fail):
        step("one")
    step("two")
