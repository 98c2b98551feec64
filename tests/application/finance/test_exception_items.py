"""Every exception has an item of its own on the checklist: one explanation answers one of them."""

import re
from pathlib import Path

import pytest

from progressive.adapters.happenings import FileHappenings
from progressive.application.finance.closing.checks import Check
from progressive.application.finance.closing.exception_items import exception_items
from progressive.application.finance.questions.day_status import day_status
from progressive.application.finance.report import Row
from progressive.domain.finance_events import Explanation
from progressive.domain.happenings import HappeningLine, Noted
from tests.support.asked import around
from tests.support.closed_days import Office, run
from tests.support.finance_days import FinanceShelf
from tests.support.happened import after

FRIDAY = "2026-10-30"
FLUSHED = after(3_600, "2026-10-30T10:00:00.000000Z")
"""Everything that was noted in a minute stands at the moment at which it was written."""
LATER = after(7_200, FLUSHED)


@pytest.fixture
def office(shelf: FinanceShelf, tmp_path: Path) -> Office:
    shelf.copy_to(tmp_path / "data")
    return Office(tmp_path / "data")


def refused(table: str, code: str, at: str = FLUSHED) -> HappeningLine:
    return HappeningLine(at=at, what=Noted.REFUSED, link="main", about=table, kind=code)


def not_allowed(who: str, act: str, code: str, at: str = FLUSHED) -> HappeningLine:
    return HappeningLine(at=at, what=Noted.ACT_REFUSED, who=who, about=act, kind=code)


TOGETHER = [
    *(refused(table, "CHIP_COUNT_MISMATCH") for table in ("BJ-01", "BJ-02", "BJ-03")),
    *(refused("BJ-01", code) for code in ("BAD_CARD", "WRONG_ROUND")),
    *(not_allowed(who, "close_day", "WRONG_ROLE") for who in ("Sue", "Ann")),
    not_allowed("Pat", "close_day", "SAME_PERSON"),
    not_allowed("Pat", "prepare_day", "DAY_STAYS_OPEN"),
]


async def exceptions(office: Office) -> Check:
    """As the checklist of Friday has them."""
    log = FileHappenings(office.directory)
    surroundings = around(office.directory, now=office.clock.now(), happenings=log)
    status = await day_status(surroundings, None, FRIDAY)
    return next(each for each in status.checks if each.check == "exceptions")


async def refusals(office: Office) -> set[str]:
    return {each.item for each in (await exceptions(office)).findings if "refused" in each.item}


async def explain(office: Office, item: str) -> None:
    entry = Explanation(check="exceptions", item=item, text="looked at")
    await office.enter(FRIDAY, entry)


def test_what_was_noted_at_one_moment_is_explained_one_by_one(office: Office) -> None:
    FileHappenings(office.directory).append(TOGETHER)

    async def steps(office: Office) -> None:
        before = await exceptions(office)
        beside = [each for each in before.findings if "refused" in each.item]
        assert len({each.item for each in beside}) == len(beside) == len(TOGETHER)
        assert await exceptions(office) == before
        await explain(office, beside[0].item)
        waiting = [each.item for each in (await exceptions(office)).findings if not each.explained]
        assert sorted(waiting) == sorted(
            each.item for each in before.findings if each.item != beside[0].item
        )

    run(office, steps)


def test_an_item_does_not_change_while_more_of_the_same_comes(office: Office) -> None:
    log = FileHappenings(office.directory)
    log.append(TOGETHER)

    async def steps(office: Office) -> None:
        before = await refusals(office)
        log.append([refused("BJ-01", "BAD_CARD", LATER), refused("BJ-09", "BAD_CARD", LATER)])
        assert await refusals(office) - before == {f"refused {LATER}, BJ-09, BAD_CARD"}
        assert before < await refusals(office)

    run(office, steps)


def test_an_older_explanation_counts_where_it_can_mean_one_exception_only(office: Office) -> None:
    log = FileHappenings(office.directory)
    log.append([*TOGETHER, refused("BJ-02", "BAD_CARD", LATER)])

    async def steps(office: Office) -> None:
        for at in (FLUSHED, LATER):
            await explain(office, f"refused {at}")
        explained = [each for each in (await exceptions(office)).findings if each.explained]
        assert [LATER in each.item for each in explained] == [True]

    run(office, steps)


def test_a_line_says_where_or_who_why_and_when_by_the_floors_clock(office: Office) -> None:
    FileHappenings(office.directory).append([*TOGETHER, TOGETHER[0]])

    async def steps(office: Office) -> None:
        with_times = re.compile(r"\dT\d\d:")
        lines = [each.what for each in (await exceptions(office)).findings]
        assert len(set(lines)) == len(lines)
        assert "refused, BJ-01, CHIP_COUNT_MISMATCH, 2 times, 2026-10-30 07:00" in lines
        assert "act refused, prepare_day, DAY_STAYS_OPEN, Pat, 2026-10-30 07:00" in lines
        assert not any(with_times.search(line) for line in lines)

    run(office, steps)


def a_row(**cells: str | int | None) -> Row:
    known = ("at", "kind", "object", "code", "who", "detail", "first_seq")
    return dict.fromkeys(known) | cells


def test_two_exceptions_of_one_record_are_two() -> None:
    alone = a_row(kind="round voided", first_seq=7)
    voided = a_row(kind="correction approved", first_seq=9)
    off = [a_row(kind="difference", first_seq=9, detail=each) for each in ("hold", "paid", "paid")]
    found = exception_items([alone, voided, *off])
    assert [each.item for each in found] == [
        "7",
        "9 correction approved",
        "9 difference, hold",
        "9 difference, paid",
        "9 difference, paid #2",
    ]
    assert [each.older for each in found] == ["7", "", "", "", ""]
