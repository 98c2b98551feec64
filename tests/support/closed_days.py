"""Finance at work on the five days of `finance_days`: entries, closes, restatements."""

import asyncio
from pathlib import Path

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.finance.questions.day_status import DayStatus, day_status
from progressive.application.link.batch import ActReceipt
from progressive.domain.acts import PersonsAct
from progressive.domain.finance_acts import CloseDay, EnterFinance, PrepareDay
from progressive.domain.finance_events import DayCheck, Explanation, FinanceEntry
from progressive.domain.rejections import Refusal
from progressive.domain.signatures import Signature
from progressive.domain.state.link_state import LinkState
from tests.support.asked import around
from tests.support.award_journals import Pit
from tests.support.fake_clock import FakeClock
from tests.support.finance_days import finance_link

PAT, REX = Signature("Pat", "Finance"), Signature("Rex", "Finance")
"""She prepares, he reviews."""
CHANGED = finance_link(rate_ppm=210_000)


class Office:
    """A running link, and two people of finance beside it."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.clock = directory, FakeClock()
        self.store = SqliteStore(directory)
        self.pit = Pit(CHANGED, self.store, self.clock)

    async def open(self, at_seconds_after: float = 310 * 86_400.0) -> None:
        self.clock.advance(at_seconds_after)
        await self.pit.desk.worker.start()

    async def close(self) -> None:
        await self.pit.desk.worker.stop()
        await self.store.close()

    async def perform(self, act: PersonsAct) -> ActReceipt | Refusal:
        self.clock.advance(1)
        return await self.pit.desk.worker.perform(act)

    async def done(self, act: PersonsAct) -> ActReceipt:
        receipt = await self.perform(act)
        assert isinstance(receipt, ActReceipt), receipt
        return receipt

    async def status(self, day: str) -> DayStatus:
        return await day_status(around(self.directory, now=self.clock.now()), None, day)

    async def state(self) -> LinkState:
        return self.pit.desk.state()

    async def enter(self, day: str, entry: FinanceEntry, by: Signature = PAT) -> ActReceipt:
        return await self.done(EnterFinance(day=day, entry=entry, by=by))

    async def explain(self, day: str) -> None:
        """Whatever can be explained."""
        for check in (await self.status(day)).checks:
            for each in check.findings:
                if not each.explained:
                    entry = Explanation(check=check.check, item=each.item, text="looked at")
                    await self.enter(day, entry)

    async def prepared(
        self, day: str, *, note: str = "", by: Signature = PAT
    ) -> ActReceipt | Refusal:
        status = await self.status(day)
        return await self.perform(
            PrepareDay(
                day=day,
                totals=status.totals,
                checks=tuple(DayCheck(c.check, c.state, c.detail) for c in status.checks),
                late=status.late,
                note=note,
                by=by,
            )
        )

    async def closed(self, day: str, *, note: str = "") -> ActReceipt:
        await self.explain(day) if not note else None
        receipt = await self.prepared(day, note=note)
        assert isinstance(receipt, ActReceipt), receipt
        return await self.done(CloseDay(day=day, prepared_seq=receipt.journal_seq, by=REX))


def run(office: Office, *steps: object) -> None:
    """Run steps one after the other while the link is open."""

    async def all_of_them() -> None:
        await office.open()
        try:
            for step in steps:
                await step(office)  # type: ignore[operator]
        finally:
            await office.close()

    asyncio.run(all_of_them())
