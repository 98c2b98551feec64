"""`exceptions` with what left no record: refusals, outages and alarms of a range of days."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from progressive.adapters.happenings import FileHappenings
from progressive.adapters.reports.render import render
from progressive.application.finance.report import Report
from progressive.application.finance.reports.kinds import KINDS
from progressive.application.finance.reports.not_recorded import NOT_KNOWN, SEVERE_ALARMS
from progressive.domain.alarms import AlarmKind
from progressive.domain.happenings import HappeningLine, Noted
from progressive.domain.rejections import Rejection
from tests.support.asked import asked, row, rows
from tests.support.finance_days import DAYS, NOT_OVER_AT
from tests.support.happened import after

FRIDAY, SATURDAY, SUNDAY = DAYS[:3]
BEGINS = {
    FRIDAY: "2026-10-30T10:00:00.000000Z",
    SATURDAY: "2026-10-31T10:00:00.000000Z",
    SUNDAY: "2026-11-01T11:00:00.000000Z",
}
"""06:00 in New York; Saturday has 25 hours."""
PRINTED = datetime(2026, 11, 4, tzinfo=UTC)
MISMATCH = {"kind": "CHIP_COUNT_MISMATCH", "about": "BJ-01", "link": "main"}
STALE = {"kind": "sign_stale", "about": "wall", "link": "main", "name": "s"}


class Beside:
    """A log of happenings that goes with the five days."""

    def __init__(self, data: Path, folder: Path) -> None:
        self._data = data
        self.log = FileHappenings(folder)
        self.write(FRIDAY, 0, Noted.STARTED)
        self._signs_of_life()

    def _signs_of_life(self) -> None:
        first = BEGINS[FRIDAY]
        times = [after(seconds, first) for seconds in range(60, 5 * 86_400, 60)]
        self.log.append([HappeningLine(at=at, what=Noted.ALIVE) for at in times])

    def write(self, day: str, seconds: float, what: Noted, **fields: object) -> None:
        at = after(seconds, BEGINS[day])
        self.log.append([HappeningLine(at=at, what=what, **fields)])  # type: ignore[arg-type]

    def report(self, *days: str, now: str = NOT_OVER_AT, **more: str) -> Report:
        return asked(self._data, "exceptions", *days, now=now, happenings=self.log, **more)


@pytest.fixture
def beside(data: Path, tmp_path: Path) -> Beside:
    return Beside(data, tmp_path)


def test_refusals_of_a_table_and_code_are_one_row_a_day(beside: Beside) -> None:
    beside.write(FRIDAY, 3_600, Noted.REFUSED, **MISMATCH)
    beside.write(FRIDAY, 3_660, Noted.REFUSED, times=4, **MISMATCH)
    beside.write(FRIDAY, 3_661, Noted.REFUSED, **MISMATCH | {"about": "BJ-02"})
    beside.write(SATURDAY, 30, Noted.REFUSED, **MISMATCH)
    beside.write(FRIDAY, 3_662, Noted.REFUSED, **MISMATCH | {"kind": "SEQ_GAP"})
    beside.write(FRIDAY, 3_663, Noted.REFUSED, link="high", kind="BAD_CARD", about="X")
    report = beside.report(FRIDAY, SATURDAY)
    first = row(report, kind="refused", object="BJ-01", code="CHIP_COUNT_MISMATCH", day=FRIDAY)
    assert (first["times"], first["at"], first["until"]) == (
        5,
        after(3_600, BEGINS[FRIDAY]),
        after(3_660, BEGINS[FRIDAY]),
    )
    assert first["severity"] == "notable"
    assert (first["seconds"], first["first_seq"], first["last_seq"]) == (None, None, None)
    assert row(report, kind="refused", day=SATURDAY)["times"] == 1
    assert row(report, code="SEQ_GAP")["severity"] == "routine"
    assert len(rows(report, kind="refused")) == 4
    assert "4 refused" in report.notes[-2]
    # A day is the same whether it is asked for alone or with others.
    assert rows(beside.report(FRIDAY), kind="refused") == rows(report, kind="refused")[:3]


def test_refusals_of_a_link_name_no_table(beside: Beside) -> None:
    beside.write(FRIDAY, 60, Noted.REFUSED, link="main", kind="LINK_INOPERABLE", times=900)
    found = row(beside.report(FRIDAY), kind="refused")
    assert (found["object"], found["detail"], found["times"]) == (None, "all tables", 900)


def test_a_refused_act_has_its_person(beside: Beside) -> None:
    beside.write(FRIDAY, 60, Noted.ACT_REFUSED, kind="WRONG_ROLE", about="view_report", who="Sue")
    found = row(beside.report(FRIDAY), kind="act refused")
    assert (found["who"], found["object"], found["code"]) == ("Sue", "view_report", "WRONG_ROLE")


@pytest.mark.parametrize(
    ("who", "act", "code", "severity"),
    [
        ("", "view_reports", "NO_SESSION", "routine"),
        ("Sue", "view_reports", "SESSION_EXPIRED", "routine"),
        ("Sue", "view_reports", "SESSION_ENDED", "routine"),
        ("Sue", "log_in", "BAD_PASSWORD", "routine"),
        ("", "request", "CROSS_SITE", "routine"),
        ("Sue", "view_reports", "WRONG_ROLE", "notable"),
        ("Sue", "close_day", "SAME_PERSON", "notable"),
        ("", "", "", "notable"),
    ],
)
def test_only_a_refusal_of_somebody_signed_in_asks_for_a_word(
    beside: Beside, who: str, act: str, code: str, severity: str
) -> None:
    beside.write(FRIDAY, 60, Noted.ACT_REFUSED, kind=code, about=act, who=who)
    assert row(beside.report(FRIDAY), kind="act refused")["severity"] == severity


def test_what_a_person_was_refused_is_told_once_each(beside: Beside) -> None:
    for number, report in enumerate(("gl", "hold", "gl", "tax", "cage", "wagers", "awards")):
        beside.write(
            FRIDAY, 60 * number, Noted.ACT_REFUSED,
            kind="WRONG_ROLE", about="view_reports", who="Sue", message=f"report {report}",
        )  # fmt: skip
    found = row(beside.report(FRIDAY), kind="act refused")
    asked_for = "report gl, report hold, report tax, report cage, report wagers and 1 more"
    assert (found["times"], found["detail"]) == (7, asked_for)


@pytest.mark.parametrize(("clean", "severity"), [(True, "notable"), (False, "severe")])
def test_an_outage_is_a_row_of_each_day_that_it_touches(
    beside: Beside, clean: bool, severity: str
) -> None:
    since = after(80_000, BEGINS[FRIDAY])
    beside.write(SATURDAY, 7_200, Noted.STARTED, since=since, clean=clean)
    for days in ((FRIDAY,), (SATURDAY,), (FRIDAY, SATURDAY)):
        found = row(beside.report(*days), kind="outage")
        assert (found["day"], found["at"], found["severity"]) == (FRIDAY, since, severity)
        assert (found["until"], found["seconds"]) == (
            after(7_200, BEGINS[SATURDAY]),
            86_400 - 80_000 + 7_200,
        )
    assert rows(beside.report(SUNDAY), kind="outage") == []


def test_an_alarm_has_its_beginning_end_and_length(beside: Beside) -> None:
    beside.write(FRIDAY, 600, Noted.RAISED, message="shows old amounts", **STALE)
    beside.write(FRIDAY, 690, Noted.ENDED, since=after(600, BEGINS[FRIDAY]), **STALE)
    found = row(beside.report(FRIDAY), kind="sign stale")
    assert (found["object"], found["seconds"], found["detail"]) == (
        *("wall", 90),
        "shows old amounts",
    )
    assert (found["code"], found["times"], found["severity"]) == (None, None, "notable")


def test_a_day_that_is_over_does_not_change_with_what_comes_after(beside: Beside) -> None:
    beside.write(FRIDAY, 600, Noted.RAISED, **STALE)
    before = beside.report(FRIDAY, now=BEGINS[SATURDAY])
    assert row(before, kind="sign stale")["until"] is None
    beside.write(SATURDAY, 60, Noted.ENDED, since=after(600, BEGINS[FRIDAY]), **STALE)
    beside.write(SATURDAY, 61, Noted.REFUSED, **MISMATCH)
    assert beside.report(FRIDAY) == before
    ended = row(beside.report(FRIDAY, SATURDAY), kind="sign stale")
    assert ended["seconds"] == 86_400 - 600 + 60


def test_the_same_files_give_the_same_bytes(beside: Beside, data: Path) -> None:
    beside.write(FRIDAY, 600, Noted.RAISED, message="=1+1", **STALE)
    for code in ("BAD_CARD", "WRONG_ROUND"):
        for table in ("BJ-02", "BJ-01"):
            beside.write(FRIDAY, 700, Noted.REFUSED, kind=code, about=table, link="main")
    again = Beside.__new__(Beside)
    again._data, again.log = data, beside.log
    for form in ("csv", "json", "table"):
        first, second = (
            render(each.report(FRIDAY, SATURDAY), form, PRINTED) for each in (beside, again)
        )
        assert first == second
    assert b"'=1+1" in render(beside.report(FRIDAY), "csv", PRINTED)


def test_rows_stand_in_the_order_of_time_and_records_in_that_of_the_journal(
    beside: Beside,
) -> None:
    beside.write(FRIDAY, 7_300, Noted.REFUSED, **MISMATCH)
    beside.write(SATURDAY, 7_300, Noted.REFUSED, **MISMATCH)
    report = beside.report(*DAYS)
    times = [str(each["at"]) for each in report.rows if each["at"]]
    assert times == sorted(times)
    numbers = [each["first_seq"] for each in report.rows if each["first_seq"]]
    assert len(numbers) > 10
    assert numbers == sorted(numbers)  # type: ignore[type-var]


def test_one_table_alone(beside: Beside) -> None:
    beside.write(FRIDAY, 60, Noted.REFUSED, **MISMATCH)
    beside.write(FRIDAY, 60, Noted.REFUSED, **MISMATCH | {"about": "BJ-02"})
    beside.write(FRIDAY, 60, Noted.MOMENT, kind="table_ahead", about="BJ-01", link="main")
    beside.write(FRIDAY, 60, Noted.RAISED, **STALE)
    report = beside.report(FRIDAY, table="BJ-01")
    assert {each["object"] for each in report.rows if not each["first_seq"]} == {"BJ-01"}
    assert {each["kind"] for each in report.rows if not each["first_seq"]} == {
        "refused",
        "table ahead",
    }


def test_it_says_where_rows_without_records_come_from(data: Path, beside: Beside) -> None:
    assert asked(data, "exceptions", FRIDAY, now=NOT_OVER_AT).notes[-1] == NOT_KNOWN
    assert "not sealed" in beside.report(FRIDAY, SATURDAY).notes[-1]
    beside.log.drop_before(SATURDAY)
    assert "begins at 2026-10-30 20:00:00 EDT" in beside.report(FRIDAY).notes[-1]


def test_a_log_that_is_empty_or_torn_is_said(data: Path, tmp_path: Path) -> None:
    log = FileHappenings(tmp_path)
    notes = asked(data, "exceptions", FRIDAY, now=NOT_OVER_AT, happenings=log).notes
    assert "That log is empty: refusals, outages and alarms are not known." in notes
    log.append([HappeningLine(at=BEGINS[FRIDAY], what=Noted.STARTED)])
    with (tmp_path / "happenings" / f"{FRIDAY}.jsonl").open("a") as file:
        file.write('{"at":"2026')
    notes = asked(data, "exceptions", FRIDAY, now=NOT_OVER_AT, happenings=log).notes
    assert notes[-1] == f"happenings/{FRIDAY}.jsonl: 1 line cannot be read."


def test_other_kinds_do_not_ask(data: Path) -> None:
    class Nobody:
        def read(self, *_: object) -> None:
            raise AssertionError

    nobody = Nobody()
    for kind in KINDS.keys() - {"exceptions", "wagers"}:
        asked(data, kind, FRIDAY, now=NOT_OVER_AT, happenings=nobody)  # type: ignore[arg-type]


def test_every_alarm_and_refusal_has_a_row(beside: Beside) -> None:
    for kind in AlarmKind:
        beside.write(FRIDAY, 60, Noted.MOMENT, kind=kind, about=f"of {kind}", times=2)
    for code in Rejection:
        beside.write(FRIDAY, 60, Noted.REFUSED, kind=code, about="BJ-01", link="main")
    report = beside.report(FRIDAY)
    for kind in AlarmKind:
        found = row(report, object=f"of {kind}")
        assert (found["kind"], found["times"]) == (kind.replace("_", " "), 2)
        expected = "severe" if kind in SEVERE_ALARMS else "notable"
        assert found["severity"] == ("routine" if kind is AlarmKind.LESSER_RULES else expected)
    for code in Rejection:
        assert row(report, code=str(code))["kind"] == "refused"
