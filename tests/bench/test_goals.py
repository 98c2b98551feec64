"""A goal is called reached only when it is."""

import pytest

from tests.bench.goals import Goal


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (Goal("a / b", 1.4, 1.4), "a / b: 1.40 (goal 1.4: reached)"),
        (Goal("a / b", 1.39, 1.4), "a / b: 1.39 (goal 1.4: MISSED)"),
        (Goal("p99", 250, 250, at_most=True, unit=" ms"), "reached"),
        (Goal("p99", 251, 250, at_most=True, unit=" ms"), "(goal at most 250 ms: MISSED)"),
        (Goal("a / b", None, 0.7), "a / b: not available here"),
        (Goal("a / b", 0.93, 0.95, noise=0.9), "within the noise of 0.90"),
        (Goal("a / b", 0.89, 0.95, noise=0.9), "MISSED"),
        (Goal("a / b", 0.96, 0.95, noise=0.9), "reached"),
    ],
)
def test_verdict(goal: Goal, told: str) -> None:
    assert told in str(goal)
