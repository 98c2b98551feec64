"""The last gaming days of a link that was retired are closed like any other."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.memory.committed import ProcessMemory
from progressive.application.link.absent import absent_links
from progressive.domain.acts import (
    ApproveRetirement,
    ApproveVoid,
    ProposeCorrection,
    ProposeRetirement,
    ProposeVoid,
)
from progressive.domain.ids import LinkId, MeterId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal, Rejection
from tests.support.asked import asked
from tests.support.award_journals import ADA, FAY, SID, SUE
from tests.support.closed_days import Office, run
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile
from tests.support.service import shipped_rules

RETIRED_ON = "2026-11-07"
NOW = "2026-12-01T00:00:00.000000Z"


def days_until(last: str) -> list[str]:
    """From the day after those of the story."""
    day, found = date.fromisoformat(DAYS[-1]), []
    while (day := day + timedelta(days=1)) <= date.fromisoformat(last):
        found.append(day.isoformat())
    return found


async def retire(office: Office) -> None:
    for day in DAYS:
        await office.closed(day)
    for award, each in (await office.state()).awards.items():
        if not each.final:
            await office.done(ProposeVoid(award, SUE, "the shoe was wrong"))
            await office.done(ApproveVoid(award, SID))
    await office.done(ProposeRetirement(FAY, "the pit closes"))
    await office.done(ApproveRetirement(ADA, "agreed"))
    assert office.pit.desk.worker.view.state == "inoperable"
    assert "is retired" in (office.pit.desk.worker.view.reason or "")
    legs = (CorrectionLeg(MeterId("progressive"), "primary", 1_000_000),)
    refused = await office.perform(ProposeCorrection(FAY, "a cent", legs, ""))
    assert isinstance(refused, Refusal)
    assert refused.code is Rejection.LINK_INOPERABLE


async def absent(office: Office) -> list[LinkId]:
    floor = structs.replace(shipped_rules(), links=())
    return [link.id for link in await absent_links(office.store, floor, ProcessMemory())]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    FinanceShelf(tmp_path / "data")
    return tmp_path / "data"


def test_days_of_a_retired_link_are_closed_then_it_is_done_with(data: Path) -> None:
    async def close_them(office: Office) -> None:
        # Taken over again, as after a restart: it says what it is, and works for finance.
        assert office.pit.desk.worker.view.state == "inoperable"
        assert office.pit.desk.worker.archivable is not None
        office.clock.advance(2 * 86_400)
        for day in days_until(RETIRED_ON):
            assert await absent(office) == ["main"], day
            await office.closed(day)
        assert await absent(office) == []

    run(Office(data), retire)
    run(Office(data), close_them)
    report = JournalFile(data).verified()
    assert report.problem is None, report.problem
    last = asked(data, "reconciliation", RETIRED_ON, now=NOW)
    assert last.closed
    assert last.totals["retired_microcents"] < 0
    assert last.totals["closing_microcents"] == 0
    assert last.totals["difference_microcents"] == 0


def test_a_house_that_closes_no_days_is_not_asked_to(data: Path) -> None:
    async def retire_only(office: Office) -> None:
        for award, each in (await office.state()).awards.items():
            if not each.final:
                await office.done(ProposeVoid(award, SUE, "the shoe was wrong"))
                await office.done(ApproveVoid(award, SID))
        await office.done(ProposeRetirement(FAY, "the pit closes"))
        await office.done(ApproveRetirement(ADA, "agreed"))
        assert await absent(office) == []
        reason = office.pit.desk.worker.view.reason or ""
        assert reason.endswith("take it out of the floor file")

    run(Office(data), retire_only)
