"""A week of play, closed day by day by two people; every total is worked out a second time.

The play is that of `finance_week`. The service then runs on it: the cage's files are entered, the
findings explained, every day is prepared by one person and closed by another, and every report is
asked for. What the reports say is compared with a plain script that knows the exported lines alone.
"""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from progressive.entry.bootstrap import running
from progressive.entry.finance.finance import FinanceSettings
from tests.support.finance_week import (
    CLOSED_AT,
    DAYS,
    DOWN_SECONDS,
    FRIDAY,
    MONDAY,
    SATURDAY,
    STARTS,
    SUNDAY,
    THURSDAY,
    TUESDAY,
    WEDNESDAY,
    ZONE,
    Office,
    cage_files,
    week_rules,
    write_finance_week,
)
from tests.support.journals import JournalFile
from tests.support.service import ROOT, run_command
from tests.support.set_clock import SetClock
from tests.support.staff import working

pytestmark = pytest.mark.slow

KINDS: Final = (
    *("reconciliation", "wagers", "awards", "liability", "hold", "rollforward", "gl", "cage"),
    "exceptions",
)
SCRIPT: Final = ROOT / "tests" / "support" / "second_totals.py"
RANGES: Final = (*DAYS, "all")
Report = dict[str, Any]


class ClosedWeek(Struct):
    """The data directory, what the service printed, and what the script says."""

    data: Path
    reports: dict[tuple[str, str], Report]
    """By kind and range."""
    month: dict[str, Report]
    explained: dict[str, set[str]]
    second: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> ClosedWeek:
    data = tmp_path_factory.mktemp("week") / "data"
    data.mkdir()
    found = asyncio.run(_closed(data))
    found.second = _second(data)
    return found


async def _closed(data: Path) -> ClosedWeek:
    journal = await write_finance_week(data)
    clock = SetClock()
    clock.set_to(CLOSED_AT)
    async with (
        running(
            week_rules(), data=data, host="127.0.0.1", port=0, clock=clock,
            finance=FinanceSettings(rest=0),
        ) as service,
        working(service.url, data, clock=clock) as staff,
    ):  # fmt: skip
        office = Office(staff, cage_files(journal))
        for day in DAYS:
            await office.close(day)
        reports = {
            (kind, day): await office.report(kind, day=day) for kind in KINDS for day in DAYS
        }
        for kind in KINDS:
            reports[kind, "all"] = await office.report(kind, from_=DAYS[0], to=DAYS[-1])
        month = {kind: await office.report(kind, month="2026-10") for kind in KINDS}
    return ClosedWeek(data, reports, month, office.explained, {})


def _second(data: Path) -> dict[str, dict[str, Any]]:
    """What the plain script says to the lines as they are exported."""
    exported = run_command("export", "--data", data, "--link", "main")
    assert exported.returncode == 0, exported.stderr
    happenings = data / "happenings"
    told = subprocess.run(
        [sys.executable, SCRIPT, ZONE, STARTS, DAYS[0], DAYS[-1], happenings],
        input=exported.stdout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, dict[str, Any]] = json.loads(told.stdout)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("days", RANGES)
def test_the_totals_are_those_of_the_second_books(week: ClosedWeek, kind: str, days: str) -> None:
    report, second = week.reports[kind, days], week.second[days][kind]
    assert second
    assert {name: _total(report, name) for name in second} == second
    assert report["closed"] is True


def _total(report: Report, name: str) -> object:
    """A total of the report, or what its rows come to."""
    rows = report["rows"]
    match name:
        case "statuses":
            return dict(Counter(row["status"] for row in rows))
        case "kinds":
            return dict(Counter(row["kind"] for row in rows))
        case "outages":
            outages = [row for row in rows if row["kind"] == "outage"]
            return [[row["at"], row["until"], row["seconds"]] for row in outages]
        case "accounts":
            balances: Counter[str] = Counter()
            for row in rows:
                balances[row["account_name"]] += row["debit_cents"] - row["credit_cents"]
            return {account: cents for account, cents in balances.items() if cents}
        case _:
            return report["totals"][name]


@pytest.mark.parametrize("kind", KINDS)
def test_every_sum_of_a_report_has_its_second(week: ClosedWeek, kind: str) -> None:
    """A column that is summed and that the script does not know would be compared with nothing."""
    # Of chance and of single bets, which `second_books` and the tests of theory look at.
    left_out = {"fixed_cents", "meter_awards_cents", "hits"} if kind == "hold" else set()
    summed = {column["id"] for column in week.reports[kind, "all"]["columns"] if column["total"]}
    seconded = week.second["all"][kind].keys()
    if kind == "liability":
        # Nothing is owed for longer than the week has days.
        left_out = {"age_8_30_cents", "age_31_90_cents", "age_over_90_cents"}
        assert not any(week.reports[kind, "all"]["totals"][name] for name in left_out)
    assert summed - left_out <= seconded


def test_the_month_is_the_week_that_it_has(week: ClosedWeek) -> None:
    """October's other days are before the first record."""
    for kind in KINDS:
        assert week.month[kind]["totals"] == week.reports[kind, "all"]["totals"], kind
        assert week.month[kind]["closed"] is True


def test_the_verifier_agrees_with_every_close(week: ClosedWeek) -> None:
    verified = JournalFile(week.data).verified()
    assert verified.problem is None, verified.problem
    closes = [
        record["event"]
        for record in JournalFile(week.data).records()
        if record["event"]["type"] == "day_closed"
    ]
    assert [event["day"] for event in closes] == [*DAYS]
    assert {tuple(by["name"] for by in event["by"]) for event in closes} == {("Pat", "Amy")}


def test_what_had_to_be_explained(week: ClosedWeek) -> None:
    """Refusals and outages wherever there were any; the cage where its file does not agree, or
    where there is none."""
    assert week.explained == {
        SUNDAY: {"exceptions"},
        MONDAY: {"cage"},
        TUESDAY: {"exceptions", "cage"},
        WEDNESDAY: {"exceptions", "cage"},
        THURSDAY: {"cage"},
        FRIDAY: {"exceptions"},
        SATURDAY: set(),
    }


def test_the_cages_file_has_every_kind_of_mismatch(week: ClosedWeek) -> None:
    found = {
        (row["document"], row["cage_ref"], row["status"])
        for row in week.reports["cage", THURSDAY]["rows"]
    }
    assert found == {
        ("main-P000005", "C-11", "matched"),
        ("main-P000006", "C-12", "amount differs"),
        ("main-P000007", "C-13", "matched"),
        ("main-P000007", "C-14", "twice"),
        ("main-P000008", None, "ours only"),
        ("main-P000009", "C-15", "day differs"),
        ("main-P000004", "C-16", "day differs"),
        ("SLOT-5", "C-17", "theirs only"),
        (None, "C-18", "theirs only"),
    }
    explained = [row for row in week.reports["cage", "all"]["rows"] if row["status"] != "matched"]
    # Where a day has no file, the day is explained and not each of its documents.
    assert {row["explained_by"] for row in explained if row["cage_ref"]} == {"Pat"}


def test_an_outage_stands_with_its_duration(week: ClosedWeek) -> None:
    def outages(day: str) -> list[tuple[int, str, str]]:
        rows = week.reports["exceptions", day]["rows"]
        return [
            (row["seconds"], row["severity"], row["detail"])
            for row in rows
            if row["kind"] == "outage"
        ]

    assert outages(TUESDAY) == [(40, "notable", "stopped")]
    assert outages(WEDNESDAY) == [(DOWN_SECONDS, "notable", "stopped")]
    ((seconds, severity, detail),) = outages(FRIDAY)
    # A crash has no last word: it began up to a minute later than the last sign of life.
    assert 95 <= seconds <= 95 + 60
    assert (severity, detail) == ("severe", "ended without a stop, up to a minute later")


def test_the_hour_that_comes_twice_is_two(week: ClosedWeek) -> None:
    hours = {row["hour"] for row in week.reports["wagers", SATURDAY]["rows"]}
    assert {"2026-11-01 01:00 -04:00", "2026-11-01 01:00 -05:00"} <= hours


def test_the_week_has_what_it_promises(week: ClosedWeek) -> None:
    types = Counter(record["event"]["type"] for record in JournalFile(week.data).records())
    for needed in ("round_voided", "award_voided", "correction_approved", "terms_changed"):
        assert types[needed], needed
    rows = week.reports["awards", "all"]["rows"]
    assert {row["share_percent"] for row in rows if row["meter"]} == {10, 100}
    # The void of Monday's first award worked out the second one again.
    second = next(row for row in rows if row["document"] == "main-P000002")
    assert second["amount_cents"] != second["made_cents"]
    assert week.reports["wagers", "all"]["totals"]["coupons"] == 2
    assert week.reports["wagers", "all"]["totals"]["count_mismatches"] == 3
