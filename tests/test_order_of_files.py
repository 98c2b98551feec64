"""In which order the files of a whole run are handed to the workers."""

from itertools import groupby

import pytest

pytestmark = pytest.mark.slow


def marked(items: list[pytest.Item], marker: str) -> int:
    return sum(item.get_closest_marker(marker) is not None for item in items)


def test_files_with_most_browser_tests_run_first_then_those_with_most_slow_ones(
    request: pytest.FixtureRequest,
) -> None:
    files = [list(items) for _, items in groupby(request.session.items, lambda item: item.path)]
    # A file stays together: its tests share servers and browsers.
    assert len({items[0].path for items in files}) == len(files)
    ranks = [(marked(items, "browser"), marked(items, "slow")) for items in files]
    assert ranks == sorted(ranks, reverse=True)
