"""Questions that have no answer are refused with a line that says what can be asked."""

import asyncio
from pathlib import Path

import pytest

from progressive.application.finance.questions.asking import Question, answer
from progressive.application.finance.refusals import FinanceRefusedError
from tests.support.asked import around
from tests.support.finance_days import NOT_OVER_AT


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kind": "profits", "day": "2026-10-30"}, "unknown report 'profits'"),
        ({"kind": "wagers"}, "give one of: a day, a range of days"),
        ({"kind": "wagers", "day": "2026-10-30", "month": "2026-10"}, "give one of"),
        ({"kind": "wagers", "day": "30.10.2026"}, "'30.10.2026' is not a day like 2026-11-17"),
        ({"kind": "wagers", "day": "2026-02-30"}, "'2026-02-30' is not a day"),
        ({"kind": "wagers", "day": "20261030"}, "'20261030' is not a day"),
        ({"kind": "wagers", "from_day": "2026-10-30"}, "both its first and its last day"),
        (
            {"kind": "wagers", "from_day": "2026-10-31", "to_day": "2026-10-30"},
            "2026-10-30 is before 2026-10-31",
        ),
        ({"kind": "wagers", "month": "2026-13"}, "'2026-13' is not a month"),
        ({"kind": "wagers", "month": "2026-10-01"}, "is not a month"),
        ({"kind": "wagers", "day": "2026-10-29"}, "before the first record: .* on 2026-10-30"),
        ({"kind": "wagers", "month": "2026-09"}, "before the first record"),
        ({"kind": "wagers", "day": "2026-11-04"}, "has not begun: today is gaming day 2026-11-03"),
        ({"kind": "wagers", "month": "2026-12"}, "has not begun"),
        (
            {"kind": "wagers", "from_day": "2026-11-01", "to_day": "2026-11-04"},
            "2026-11-04 has not begun",
        ),
        (
            {"kind": "wagers", "from_day": "1900-01-01", "to_day": "2026-11-01"},
            "more than 3660 days",
        ),
        (
            {"kind": "wagers", "day": "2026-10-30", "link": "high"},
            "no link 'high' .there are: main",
        ),
        ({"kind": "wagers", "day": "2026-10-30", "table": "BJ-09"}, "no table 'BJ-09' .* BJ-01"),
        (
            {"kind": "reconciliation", "day": "2026-10-30", "table": "BJ-01"},
            "cannot be asked for one table: .*these can: wagers, awards",
        ),
    ],
)
def test_refused(data: Path, asked: dict[str, str], said: str) -> None:
    with pytest.raises(FinanceRefusedError, match=said):
        asyncio.run(answer(Question(**asked), around(data, now=NOT_OVER_AT)))


def test_a_month_is_its_days_so_far(data: Path) -> None:
    october = asyncio.run(
        answer(Question(kind="rollforward", month="2026-10"), around(data, now=NOT_OVER_AT))
    )
    assert (october.from_day, october.to_day) == ("2026-10-30", "2026-10-31")
    november = asyncio.run(
        answer(Question(kind="rollforward", month="2026-11"), around(data, now=NOT_OVER_AT))
    )
    assert (november.from_day, november.to_day) == ("2026-11-01", "2026-11-03")
    assert october.totals["closing_cents"] == november.totals["opening_cents"]


def test_an_empty_data_directory_has_no_links(tmp_path: Path) -> None:
    with pytest.raises(FinanceRefusedError, match="there is no journal"):
        asyncio.run(
            answer(Question(kind="wagers", day="2026-10-30"), around(tmp_path, now=NOT_OVER_AT))
        )
