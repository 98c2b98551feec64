"""The strip says which day is ready: over, and nothing keeps it from closing."""

from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.desk import looking as module
from progressive.application.finance.desk.looking import Looking
from progressive.application.finance.desk.ready_days import SETTLED_SECONDS, ReadyDays
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.asking import Surroundings
from progressive.application.finance.questions.day_status import DayStatus, day_status, days_of
from progressive.application.finance.questions.ports import NoCache
from progressive.application.link.batch import ActReceipt
from progressive.domain.finance_events import BankBalance, Returned
from progressive.domain.ids import LinkId
from progressive.domain.time_text import later
from tests.support.asked import around
from tests.support.closed_days import REX, Office, run
from tests.support.finance_days import DAYS, FinanceShelf

MAIN = LinkId("main")
FRIDAY, SATURDAY, SUNDAY = DAYS[:3]


@pytest.fixture
def office(shelf: FinanceShelf, tmp_path: Path) -> Office:
    shelf.copy_to(tmp_path / "data")
    return Office(tmp_path / "data")


class Desk:
    """Looks at an office's journal, and shows the strip."""

    def __init__(self, office: Office) -> None:
        self.office = office
        reader = SqliteJournalReader(office.directory, unchanged=True)
        books = WarmBooks(reader, NoCache())

        def surroundings(now: str) -> Surroundings:
            return around(office.directory, now=now)

        self.ready = ReadyDays(reader)
        self._looking = Looking(
            reader, books, surroundings, ready=self.ready, close_within_hours=24
        )

    async def look(self) -> None:
        await self._looking.look(MAIN, self.office.clock.now())

    async def strip(self) -> dict[str, str]:
        now = self.office.clock.now()
        known = await self.ready.days(MAIN, now)
        ready = [day for day, is_ready in known.items() if is_ready]
        lines = await days_of(around(self.office.directory, now=now), None, ready=ready)
        return {line.day: line.state for line in lines.days}


def test_the_day_whose_turn_it_is_is_ready_until_something_is_entered(office: Office) -> None:
    desk = Desk(office)

    async def steps(office: Office) -> None:
        await office.closed(FRIDAY)
        await office.explain(SATURDAY)
        assert (await desk.strip())[SATURDAY] == "open"
        await desk.look()
        strip = await desk.strip()
        assert (strip[FRIDAY], strip[SATURDAY], strip[SUNDAY]) == ("closed", "ready", "open")
        assert "ready" not in {strip[day] for day in strip if day != SATURDAY}
        # It may keep the day from closing: nobody knows before the next look.
        await office.enter(SATURDAY, BankBalance(cents=1))
        assert (await desk.strip())[SATURDAY] == "open"
        await desk.look()
        assert (await desk.strip())[SATURDAY] == "ready"
        assert isinstance(await office.prepared(SATURDAY), ActReceipt)
        assert (await desk.strip())[SATURDAY] == "prepared"
        await office.enter(SATURDAY, Returned(reason="look again"), by=REX)
        await desk.look()
        assert (await desk.strip())[SATURDAY] == "ready"

    run(office, steps)


def test_a_day_with_something_to_explain_is_open(office: Office) -> None:
    desk = Desk(office)

    async def steps(office: Office) -> None:
        await office.closed(FRIDAY)
        await desk.look()
        assert await desk.ready.days(MAIN, office.clock.now()) == {SATURDAY: False}
        assert (await desk.strip())[SATURDAY] == "open"

    run(office, steps)


def test_where_none_was_ever_closed_yesterday_may_be_ready(office: Office) -> None:
    desk = Desk(office)

    async def steps(office: Office) -> None:
        await desk.look()
        strip = await desk.strip()
        assert [day for day in strip if strip[day] == "ready"] == ["2026-11-06", "2026-11-05"]

    run(office, steps)


def test_a_checklist_is_worked_out_once(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[str] = []

    async def counted(surroundings: Surroundings, link: str, day: str) -> DayStatus:
        worked_out.append(day)
        return await day_status(surroundings, link, day)

    monkeypatch.setattr(module, "day_status", counted)
    desk = Desk(office)

    async def steps(office: Office) -> None:
        await office.closed(FRIDAY)
        for _ in range(3):
            await desk.look()
        await office.enter(SATURDAY, BankBalance(cents=1))
        for _ in range(3):
            await desk.look()
        assert worked_out == [SATURDAY, SATURDAY]

    run(office, steps)


def test_what_was_worked_out_too_early_holds_for_a_minute(office: Office) -> None:
    desk = Desk(office)

    async def steps(office: Office) -> None:
        now = office.clock.now()
        status = await office.status("2026-11-06")
        just_ended = structs.replace(status, ends=later(now, seconds=-1))
        for each in (status, just_ended):
            desk.ready.note(each, now)
            known = await desk.ready.days(MAIN, later(now, seconds=SETTLED_SECONDS - 1))
            assert known == {"2026-11-06": True}
            known = await desk.ready.days(MAIN, later(now, seconds=SETTLED_SECONDS))
            assert known == ({} if each is just_ended else {"2026-11-06": True})

    run(office, steps)
