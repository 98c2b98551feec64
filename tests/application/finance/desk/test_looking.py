"""How the days of a link stand: which one should be closed, and whether all adds up."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.desk.asked import LinkSight
from progressive.application.finance.desk.looking import Looking, due_day
from progressive.application.finance.desk.ready_days import ReadyDays
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.asking import Surroundings
from progressive.application.finance.questions.ports import NoCache
from progressive.domain.ids import LinkId
from progressive.domain.state.days import Days
from progressive.domain.time_text import later
from tests.support.finance_days import NOT_OVER_AT, FinanceShelf
from tests.support.journals import Row

MAIN = LinkId("main")


def looking(directory: Path, *, close_within_hours: int = 24) -> Looking:
    reader = SqliteJournalReader(directory, unchanged=True)
    books = WarmBooks(reader, NoCache())

    def around(now: str) -> Surroundings:
        return Surroundings(reader=reader, now=now, program="tests", cache=books)

    ready = ReadyDays(reader)
    return Looking(reader, books, around, ready=ready, close_within_hours=close_within_hours)


async def looked(directory: Path, now: str = NOT_OVER_AT, *, hours: int = 24) -> LinkSight:
    return await looking(directory, close_within_hours=hours).look(MAIN, now)


@pytest.mark.parametrize(
    ("last_closed", "today", "expected"),
    [
        ("", "2026-11-03", "2026-11-01"),
        ("", "2026-03-02", "2026-02-28"),
        ("", "2026-01-02", "2026-01-01"),
        ("", "2026-01-01", None),
        ("2026-11-01", "2026-11-03", "2026-11-02"),
        ("2026-10-15", "2026-11-03", "2026-10-16"),
        ("2026-11-02", "2026-11-03", None),
        ("2026-11-03", "2026-11-03", None),
    ],
)
def test_the_oldest_day_behind_the_last_closed_one_is_due(
    last_closed: str, today: str, expected: str | None
) -> None:
    days = Days(first=last_closed, last=last_closed)
    yesterday = (date.fromisoformat(today) - timedelta(days=1)).isoformat()
    due = due_day(days, today, late_before=yesterday, first_day="2026-01-01")
    assert due == expected


@pytest.mark.parametrize(
    ("now", "hours", "due"),
    [
        # Friday ended at 10:00 in UTC on Saturday; Saturday has 25 hours.
        ("2026-10-31T12:00:00.000000Z", 24, "2026-10-30"),
        ("2026-11-01T09:59:59.999999Z", 24, "2026-10-30"),
        ("2026-11-01T11:00:00.000000Z", 24, "2026-10-30"),
        ("2026-11-02T10:59:59.999999Z", 24, "2026-10-30"),
        ("2026-11-02T11:00:00.000000Z", 24, "2026-10-31"),
        ("2026-11-02T10:59:59.999999Z", 72, "2026-10-30"),
        ("2026-11-03T20:00:00.000000Z", 1, "2026-11-02"),
        ("2026-11-03T20:00:00.000000Z", 24, "2026-11-01"),
        ("2026-11-03T20:00:00.000000Z", 8_784, "2026-10-30"),
    ],
)
async def test_where_none_was_ever_closed_the_newest_late_day_is_due(
    shelf: FinanceShelf, now: str, hours: int, due: str
) -> None:
    sight = await looked(shelf.directory, now, hours=hours)
    assert sight.due_day == due
    late = later(sight.due_since, seconds=hours * 3_600) <= now
    assert late is (now > "2026-11-01T10" and hours < 72)


async def test_when_a_day_ended_is_told_by_the_floors_clock(shelf: FinanceShelf) -> None:
    sight = await looked(shelf.directory)
    assert (sight.due_since, sight.due_ended) == (
        *("2026-11-02T11:00:00.000000Z",),
        "2026-11-02 06:00",
    )


async def test_on_the_first_day_of_a_journal_nothing_is_due(shelf: FinanceShelf) -> None:
    sight = await looked(shelf.directory, "2026-10-30T13:00:00.000000Z")
    assert (sight.due_day, sight.due_since) == ("", "")


async def test_a_changed_amount_is_said_with_its_day(shelf: FinanceShelf, tmp_path: Path) -> None:
    """The chain was made to fit again: only the amounts contradict each other."""
    journal = shelf.copy_to(tmp_path / "forged")
    journal.forge(_one_cent_more)
    sight = await looked(tmp_path / "forged")
    assert sight.difference == "the reconciliation of 2026-11-03 does not come to zero"
    assert sight.difference_microcents > 0


def _one_cent_more(records: list[Row]) -> None:
    (last,) = [each for each in records if each["event"]["type"] == "round_settled"][-1:]
    event: dict[str, Any] = last["event"]
    event["meters"][0] += 1_000_000


async def test_a_broken_chain_is_said(shelf: FinanceShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "broken")
    lines = journal.lines()
    lines[-3] = lines[-3].replace(b'"prev":"', b'"prev":"0', 1)
    journal.store(lines)
    assert "the journal cannot be followed" in (await looked(tmp_path / "broken")).difference


async def test_a_day_that_is_over_is_reconciled_once(
    shelf: FinanceShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    look = looking(shelf.directory)
    from progressive.application.finance.desk import looking as module

    plain = module.context_for

    async def context_for(question: Any, around: Surroundings) -> Any:  # noqa: ANN401
        asked.append(question.day)
        return await plain(question, around)

    monkeypatch.setattr(module, "context_for", context_for)
    for _ in range(3):
        await look.look(MAIN, NOT_OVER_AT)
    assert asked == ["2026-11-01", "2026-11-02", "2026-11-03"]
