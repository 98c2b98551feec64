"""`wagers` counts the lock-outs that were refused for their chip count, where the log knows all."""

from pathlib import Path

import pytest

from progressive.adapters.happenings import FileHappenings
from progressive.application.finance.report import Report
from progressive.application.finance.reports.count_mismatches import BESIDE, NOT_KNOWN
from progressive.domain.happenings import HappeningLine, Noted
from tests.support.asked import asked, row, rows
from tests.support.finance_days import DAYS, NOT_OVER_AT
from tests.support.happened import after

FRIDAY, SATURDAY, SUNDAY = DAYS[:3]
BEGINS = "2026-10-30T10:00:00.000000Z"
"""06:00 in New York on Friday; a round of Blazing 7's and of Buster is played at 08:00."""
AT_8 = 2 * 3_600
HOUR_8, HOUR_9 = "2026-10-30 08:00 -04:00", "2026-10-30 09:00 -04:00"
DAY_SECONDS = 86_400
MISMATCH = {"kind": "CHIP_COUNT_MISMATCH", "about": "BJ-01", "link": "main"}


class Beside:
    """A log of happenings that goes with the days."""

    def __init__(self, data: Path, folder: Path) -> None:
        self._data = data
        self.log = FileHappenings(folder)

    def alive(self, *spans: tuple[int, int]) -> None:
        """A sign of life every two minutes between seconds from the beginning on."""
        self.log.append(
            [
                HappeningLine(at=after(seconds, BEGINS), what=Noted.ALIVE)
                for since, until in spans
                for seconds in range(since, until + 1, 120)
            ]
        )

    def write(self, seconds: float, what: Noted, **fields: object) -> None:
        at = after(seconds, BEGINS)
        self.log.append([HappeningLine(at=at, what=what, **fields)])  # type: ignore[arg-type]

    def report(self, *days: str, **more: str) -> Report:
        return asked(self._data, "wagers", *days, now=NOT_OVER_AT, happenings=self.log, **more)


@pytest.fixture
def beside(data: Path, tmp_path: Path) -> Beside:
    return Beside(data, tmp_path)


def test_refusals_stand_at_their_table_in_their_hour(beside: Beside) -> None:
    beside.alive((0, AT_8))
    beside.write(AT_8 + 60, Noted.REFUSED, **MISMATCH)
    beside.write(AT_8 + 120, Noted.REFUSED, times=2, **MISMATCH)
    beside.write(AT_8 + 130, Noted.REFUSED, **MISMATCH | {"kind": "BAD_CARD"})
    beside.write(AT_8 + 140, Noted.REFUSED, **MISMATCH | {"link": "high"})
    beside.write(AT_8 + 150, Noted.REFUSED, times=4, **MISMATCH | {"about": "BJ-02"})
    beside.alive((AT_8 + 240, DAY_SECONDS))
    report = beside.report(FRIDAY)
    counts = {
        (each["hour"], each["table"], each["bet"]): each["count_mismatches"]
        for each in report.rows
        if each["hour"] == HOUR_8
    }
    assert counts == {
        (HOUR_8, "BJ-01", "blazing7"): 3,
        # Of a bet without meters no chips are counted.
        (HOUR_8, "BJ-01", "buster"): None,
        (HOUR_8, "BJ-02", "blazing7"): 4,
        (HOUR_8, "BJ-03", "blazing7"): 0,
    }
    assert report.totals["count_mismatches"] == 7
    assert BESIDE in report.notes
    one = beside.report(FRIDAY, table="BJ-02")
    assert one.totals["count_mismatches"] == 4
    assert {each["table"] for each in one.rows} == {"BJ-02"}


def test_a_table_of_which_every_lock_out_was_refused_has_a_row(beside: Beside) -> None:
    beside.alive((0, AT_8 + 3_600))
    beside.write(AT_8 + 3_700, Noted.REFUSED, times=5, **MISMATCH)
    beside.alive((AT_8 + 3_720, DAY_SECONDS))
    report = beside.report(FRIDAY)
    found = row(report, hour=HOUR_9, table="BJ-01")
    assert (found["bet"], found["count_mismatches"], found["wagers"]) == ("blazing7", 5, 0)
    assert (found["first_seq"], found["last_seq"]) == (None, None)
    # It brings no money and no round of its own.
    plain = asked(beside._data, "wagers", FRIDAY, now=NOT_OVER_AT).totals
    assert report.totals == {**plain, "count_mismatches": 5}


def test_longer_ranges_have_them_by_the_day(beside: Beside) -> None:
    first = "2026-10-30"
    beside.alive((0, 30 * DAY_SECONDS))
    beside.write(AT_8, Noted.REFUSED, **MISMATCH)
    beside.write(AT_8 + 9 * 3_600, Noted.REFUSED, times=2, **MISMATCH)
    now = "2026-11-07T12:00:00.000000Z"
    report = asked(beside._data, "wagers", first, "2026-11-06", now=now, happenings=beside.log)
    found = row(report, day=FRIDAY, table="BJ-01", bet="blazing7")
    assert (found["hour"], found["count_mismatches"]) == (None, 3)
    assert row(report, day=SUNDAY, table="BJ-01")["count_mismatches"] == 0


@pytest.mark.parametrize(
    ("spans", "more"),
    [
        # Nobody wrote anything between 08:01 and 08:30.
        ([(0, AT_8 + 60), (AT_8 + 1_800, DAY_SECONDS)], []),
        # The log begins within the hour.
        ([(AT_8 + 1_800, DAY_SECONDS)], []),
        # Nothing after it: the service may go on or not.
        ([(0, AT_8 + 1_800)], []),
        ([(0, DAY_SECONDS)], [{"what": Noted.LOST, "times": 3}]),
        # Of too many different ones in a minute: no table and no code is known.
        ([(0, DAY_SECONDS)], [{"what": Noted.REFUSED, "link": "main", "times": 3}]),
    ],
    ids=["silence", "begins", "ends", "lost", "nameless"],
)
def test_an_hour_that_is_not_wholly_known_is_empty(
    beside: Beside, spans: list[tuple[int, int]], more: list[dict[str, object]]
) -> None:
    beside.alive(*spans)
    for each in more:
        beside.write(AT_8 + 1_200, **each)  # type: ignore[arg-type]
    beside.write(AT_8 + 1_800, Noted.REFUSED, **MISMATCH)
    report = beside.report(FRIDAY)
    found = rows(report, hour=HOUR_8)
    assert found
    assert {each["count_mismatches"] for each in found} == {None}
    assert "count_mismatches" not in report.totals


def test_while_the_service_is_down_nothing_is_refused(beside: Beside) -> None:
    beside.alive((0, AT_8))
    since = after(AT_8, BEGINS)
    beside.write(AT_8 + 1_800, Noted.STARTED, since=since, clean=True)
    beside.alive((AT_8 + 1_800, DAY_SECONDS))
    found = row(beside.report(FRIDAY), hour=HOUR_8, table="BJ-01", bet="blazing7")
    assert found["count_mismatches"] == 0


def test_a_line_that_cannot_be_read_empties_its_hour_and_no_other(
    beside: Beside, tmp_path: Path
) -> None:
    beside.alive((0, AT_8 + 1_800))
    with (tmp_path / "happenings" / f"{FRIDAY}.jsonl").open("a") as file:
        file.write("a line of which nothing is left\n")
    beside.alive((AT_8 + 1_920, 3 * DAY_SECONDS))
    report = beside.report(FRIDAY, SATURDAY)
    assert {each["count_mismatches"] for each in rows(report, hour=HOUR_8)} == {None}
    assert {each["count_mismatches"] for each in rows(report, day=SATURDAY)} == {0}
    assert report.notes[-1] == f"happenings/{FRIDAY}.jsonl: 1 line cannot be read."


def test_without_a_log_it_says_that_nothing_is_known(data: Path, tmp_path: Path) -> None:
    plain = asked(data, "wagers", FRIDAY, now=NOT_OVER_AT)
    assert NOT_KNOWN in plain.notes
    empty = asked(data, "wagers", FRIDAY, now=NOT_OVER_AT, happenings=FileHappenings(tmp_path))
    assert "That log is empty: count mismatches are not known." in empty.notes
    for report in (plain, empty):
        assert {each["count_mismatches"] for each in report.rows} == {None}
        assert "count_mismatches" not in report.totals
