"""A gaming day is closed by two people once everything agrees; what comes late is stated again."""

import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from progressive.application.link.batch import ActReceipt
from progressive.domain.acts import ApproveCorrection, ApproveVoid, ProposeCorrection, ProposeVoid
from progressive.domain.finance_acts import CloseDay, EnterFinance
from progressive.domain.finance_events import (
    BankBalance,
    DayClosed,
    DayPrepared,
    Explanation,
    Returned,
)
from progressive.domain.ids import CorrectionId, MeterId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal, Rejection
from tests.support.asked import asked
from tests.support.award_journals import ADA, FAY, SID, SUE
from tests.support.builders import BJ1, a_lock, a_settle, wagers
from tests.support.closed_days import PAT, REX, Office, run
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile, Row

LATER = "2026-11-20T00:00:00.000000Z"


@pytest.fixture
def office(shelf: FinanceShelf, tmp_path: Path) -> Office:
    shelf.copy_to(tmp_path / "data")
    return Office(tmp_path / "data")


async def close_all(office: Office) -> None:
    for day in DAYS:
        await office.closed(day)


@pytest.fixture(scope="module")
def closed(shelf: FinanceShelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All five days closed."""
    directory = tmp_path_factory.mktemp("closed") / "data"
    shelf.copy_to(directory)
    run(Office(directory), close_all)
    return directory


@pytest.fixture(scope="module")
def restated(shelf: FinanceShelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed day with a late correction and a late void, stated again."""
    directory = tmp_path_factory.mktemp("restated") / "data"
    shelf.copy_to(directory)

    async def late(office: Office) -> None:
        await close_all(office)
        meter = MeterId("progressive")
        legs = (CorrectionLeg(meter, "primary", 4_000_000),)
        proposed = await office.done(ProposeCorrection(FAY, "four cents", legs, "2026-10-31"))
        correction = CorrectionId(f"main.{proposed.journal_seq}")
        await office.done(ApproveCorrection(correction, ADA))
        owed = next(iter((await office.state()).awards))
        await office.done(ProposeVoid(owed, SUE, "the shoe was wrong"))
        await office.done(ApproveVoid(owed, SID))
        for day in ("2026-10-31", "2026-11-01"):
            receipt = await office.closed(day, note="booked late")
            assert isinstance(receipt.event, DayClosed)
            assert receipt.event.number == 1
            assert receipt.event.late

    run(Office(directory), late)
    return directory


def test_each_day_is_closed_and_the_verifier_agrees(closed: Path) -> None:
    report = JournalFile(closed).verified()
    assert report.problem is None, report.problem
    for day in DAYS:
        assert asked(closed, "reconciliation", day, now=LATER).closed, day


def test_a_day_without_play_has_the_same_positions_at_both_ends(closed: Path) -> None:
    (event,) = [each for each in closes(closed) if each["day"] == "2026-11-02"]
    totals = event["totals"]
    assert totals["opening"] == totals["closing"]
    assert (totals["rounds"], totals["last_seq"]) == (0, totals["first_seq"] - 1)


def test_positions_follow_each_other_and_sum_to_zero(closed: Path) -> None:
    events = closes(closed)
    assert len(events) == len(DAYS)
    for before, after in pairwise(events):
        assert before["totals"]["closing"] == after["totals"]["opening"]
        assert before["totals"]["ends"] == after["totals"]["begins"]
    for event in events:
        assert sum(amount for _, amount in event["totals"]["closing"]) == 0


def closes(directory: Path) -> list[Row]:
    events = [record["event"] for record in JournalFile(directory).records()]
    return [event for event in events if event["type"] == "day_closed"]


def test_what_is_wrong_with_a_day_keeps_it_open(office: Office) -> None:
    async def steps(office: Office) -> None:
        first = await office.status("2026-10-30")
        assert first.state == "open"
        by_name = {check.check: check for check in first.checks}
        assert by_name["meters"].state == "agrees"
        assert by_name["meters"].difference_microcents == 0
        assert by_name["wagers"].state == by_name["wins"].state == "agrees"
        assert by_name["cage"].state == "open"
        assert "no file of the cage" in by_name["cage"].findings[0].what
        refused = await office.prepared("2026-10-30")
        assert isinstance(refused, Refusal)
        assert refused.code is Rejection.WRONG_STATUS
        await office.explain("2026-10-30")
        assert (await office.status("2026-10-30")).state == "ready"
        assert isinstance(await office.prepared("2026-10-30"), ActReceipt)
        assert (await office.status("2026-10-30")).state == "prepared"

    run(office, steps)


@pytest.mark.parametrize(("hours", "kind"), [(None, "day closed late"), (8_784, "day closed")])
def test_late_is_what_the_recorded_floor_calls_late(
    office: Office, hours: int | None, kind: str
) -> None:
    async def steps(office: Office) -> None:
        await office.closed("2026-10-30")

    run(office, steps)
    journal = JournalFile(office.directory)

    def allow(records: list[Row]) -> None:
        for record in records:
            floor = record["event"].get("floor")
            if floor is not None:
                floor["close_within_hours"] = hours
                if hours is None:
                    # As older programs wrote it.
                    del floor["close_within_hours"]

    journal.forge(allow)
    report = asked(office.directory, "exceptions", DAYS[0], "2026-11-07", now=office.clock.now())
    (found,) = [each for each in report.rows if str(each["kind"]).startswith("day closed")]
    assert found["kind"] == kind


def test_days_close_in_their_order(office: Office) -> None:
    async def steps(office: Office) -> None:
        await office.closed("2026-10-31")
        await office.explain("2026-11-02")
        refused = await office.prepared("2026-11-02")
        assert isinstance(refused, Refusal)
        assert "close 2026-11-01 first" in refused.message
        assert (await office.status("2026-11-02")).keeps_open[0].startswith("2026-11-01 is")
        await office.explain("2026-10-30")
        refused = await office.prepared("2026-10-30")
        assert isinstance(refused, Refusal)
        assert "first closed day is 2026-10-31" in refused.message

    run(office, steps)


def test_it_takes_two_people_and_the_preparation_that_was_reviewed(office: Office) -> None:
    async def steps(office: Office) -> None:
        day = "2026-10-30"
        await office.explain(day)
        receipt = await office.prepared(day)
        assert isinstance(receipt, ActReceipt)
        alone = await office.perform(CloseDay(day=day, prepared_seq=receipt.journal_seq, by=PAT))
        assert isinstance(alone, Refusal)
        assert alone.code is Rejection.SAME_PERSON
        other = await office.perform(CloseDay(day=day, prepared_seq=7, by=REX))
        assert isinstance(other, Refusal)
        assert "prepared again" in other.message
        # What is entered now was not there when it was prepared.
        await office.enter(day, Returned(reason="the count of the drop is missing"), by=REX)
        gone = await office.perform(CloseDay(day=day, prepared_seq=receipt.journal_seq, by=REX))
        assert isinstance(gone, Refusal)
        assert "is not prepared" in gone.message

    run(office, steps)


def test_a_running_day_and_an_open_round_cannot_be_prepared(office: Office) -> None:
    async def steps(office: Office) -> None:
        running = "2026-11-07"
        await office.pit.play(BJ1, a_lock(9, round="late", wagers=wagers(1)))
        status = await office.status(running)
        assert status.state == "running"
        await office.explain(running)
        refused = await office.prepared(running)
        assert isinstance(refused, Refusal)
        assert "not over" in refused.message
        office.clock.advance(2 * 86_400)
        status = await office.status(running)
        assert status.keeps_open == ("Rounds: A round of the day is still open at BJ-01.",)
        refused = await office.prepared(running)
        assert isinstance(refused, Refusal)
        assert "round late is open at BJ-01" in refused.message
        await office.pit.play(BJ1, a_settle(10, round="late"))
        assert (await office.status(running)).state == "ready"

    run(office, steps)


def test_a_closed_day_takes_no_entry(office: Office) -> None:
    async def steps(office: Office) -> None:
        await office.closed("2026-10-30")
        entry = Explanation(check="cage", item="", text="found the file")
        for late in (entry, BankBalance(cents=1)):
            refused = await office.perform(EnterFinance(day="2026-10-30", entry=late, by=PAT))
            assert isinstance(refused, Refusal)
            assert "is closed" in refused.message
        nothing = await office.prepared("2026-10-30", note="again")
        assert isinstance(nothing, Refusal)
        assert "nothing was booked" in nothing.message

    run(office, steps)


def test_late_bookings_are_stated_again_and_the_day_stays_as_it_was(
    closed: Path, restated: Path
) -> None:
    report = JournalFile(restated).verified()
    assert report.problem is None, report.problem
    original = {event["day"]: event for event in closes(closed)}
    again = [event for event in closes(restated) if event["number"]]
    assert [event["day"] for event in again] == ["2026-10-31", "2026-11-01"]
    for event in again:
        assert event["totals"] == original[event["day"]]["totals"]
    (correction,) = again[0]["late"]
    assert correction[1:] == ["correction", correction[2], "progressive", "primary", 4_000_000]
    assert {item[1] for item in again[1]["late"]} == {"void"}


# --- forged closes: each is found by the verifier, though the chain fits ------------------------


def last_close(records: list[Row], day: str, number: int = 0) -> Row:
    return next(
        record["event"]
        for record in reversed(records)
        if record["event"]["type"] == "day_closed"
        and (record["event"]["day"], record["event"]["number"]) == (day, number)
    )


def preparation(records: list[Row], close: Row) -> Row:
    event: Row = records[close["prepared_seq"] - 1]["event"]
    assert event["type"] == "day_prepared"
    return event


def in_totals(change: Callable[[Row], None]) -> Callable[[list[Row]], None]:
    """The same in the preparation and the close: only the records themselves speak against it."""

    def forge(records: list[Row]) -> None:
        close = last_close(records, "2026-10-31")
        for event in (preparation(records, close), close):
            change(event["totals"])

    return forge


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every number in a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from places(inner, (*path, place))
    elif isinstance(value, int):
        yield path


def test_any_number_of_the_totals_that_is_off_by_one_is_found(closed: Path, tmp_path: Path) -> None:
    records = JournalFile(closed).records()
    paths = list(places(last_close(records, "2026-10-31")["totals"]))
    assert len(paths) > 30
    for number, path in enumerate(paths):

        def bump(totals: Row, path: tuple[Any, ...] = path) -> None:
            holder: Any = totals
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] += 1

        journal = copied(closed, tmp_path / str(number))
        journal.forge(in_totals(bump))
        problem = journal.verified().problem
        assert problem is not None, path
        assert "2026-10-31" in problem.message, problem


def copied(source: Path, to: Path) -> JournalFile:
    shutil.copytree(source, to)
    return JournalFile(to)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (in_totals(lambda totals: totals.update(head="0" * 64)), "head"),
        (in_totals(lambda totals: totals.update(begins="2026-10-31T09:00:00.000000Z")), "begins"),
        (in_totals(lambda totals: totals["closing"].append(["hold", 1])), "twice"),
        (lambda records: last_close(records, "2026-10-31")["totals"].update(rounds=0), "totals"),
        (lambda records: last_close(records, "2026-10-31").update(before_seq=1), "before_seq"),
        (
            lambda records: last_close(records, "2026-10-31")["by"].__setitem__(
                1, {"name": "PAT", "department": "Audit"}
            ),
            "two people",
        ),
        (
            lambda records: last_close(records, "2026-10-31")["by"].__setitem__(
                0, {"name": "Max", "department": "Finance"}
            ),
            "not signed as it was prepared",
        ),
        (
            lambda records: preparation(records, last_close(records, "2026-10-31"))[
                "checks"
            ].__setitem__(0, ["meters", "open", "off"]),
            "is open",
        ),
        (lambda records: last_close(records, "2026-11-03").update(day="2026-11-04"), "prepared"),
    ],
)
def test_forged_close_is_found(
    closed: Path, tmp_path: Path, change: Callable[[list[Row]], None], message: str
) -> None:
    journal = copied(closed, tmp_path / "data")
    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert message in problem.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda event: event["totals"].update(rounds=event["totals"]["rounds"] + 1),
            "other totals",
        ),
        (lambda event: event["late"][0].__setitem__(5, 4_000_001), "late"),
        (lambda event: event["late"][0].__setitem__(0, 2), "late"),
        (lambda event: event.update(number=2), "number"),
        (lambda event: event.update(late=[]), "late"),
    ],
)
def test_forged_restatement_is_found(
    restated: Path, tmp_path: Path, change: Callable[[Row], None], message: str
) -> None:
    journal = copied(restated, tmp_path / "data")

    def forge(records: list[Row]) -> None:
        close = last_close(records, "2026-10-31", 1)
        change(preparation(records, close))
        change(close)

    journal.forge(forge)
    problem = journal.verified().problem
    assert problem is not None
    assert message in problem.message


def test_prepared_event_is_what_the_status_said(closed: Path) -> None:
    records = JournalFile(closed).records()
    event = preparation(records, last_close(records, DAYS[0]))
    assert [check[0] for check in event["checks"]] == [
        *("meters", "wagers", "wins", "documents", "rounds", "exceptions", "readings", "cage")
    ]
    assert all(check[1] != "open" for check in event["checks"])
    assert DayPrepared.__struct_config__.tag == event["type"]
