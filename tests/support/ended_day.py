"""A floor whose clock tests can set: a gaming day with a round is over, and finance works."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from progressive.adapters.config.floor import load_floor
from progressive.domain.people.roles import Person
from progressive.entry.bootstrap import Running, running
from progressive.entry.finance.finance import FinanceSettings
from progressive.entry.seals import SealSettings
from tests.support.service import ANSWER_SECONDS, FLOOR, TableClient, issue_key, lock, settle
from tests.support.set_clock import SetClock
from tests.support.staff import PAT, Staff, working

FRIDAY: Final = "2026-03-06"
SATURDAY: Final = "2026-03-07"
PLAYED_AT: Final = "2026-03-06T15:00:00.000000Z"
FRIDAY_ENDS: Final = "2026-03-07T11:00:00.000000Z"
SATURDAY_NOON: Final = "2026-03-07T17:00:00.000000Z"
NOT_SEALED: Final = SealSettings()
SOON: Final = FinanceSettings(look_seconds=0.1, rest=0)
"""Looks that come quickly."""


class EndedDay:
    """The service and everybody who works there, on Saturday at noon."""

    def __init__(self, service: Running, staff: Staff, clock: SetClock, data: Path) -> None:
        self.service = service
        self.staff = staff
        self.clock = clock
        self.data = data

    async def day(self, who: Person, day: str = FRIDAY) -> dict[str, Any]:
        status, answer = await self.staff.ask(who, "GET", f"/v1/days/main/{day}")
        assert status == 200, answer
        found: dict[str, Any] = answer
        return found

    async def wait_noticed(self) -> None:
        """The service has written down that it stood still while the clock was set."""
        path = f"/v1/reports/exceptions?day={FRIDAY}"
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                _, report = await self.staff.ask(PAT, "GET", path)
                if any(row["until"] for row in report["rows"]):
                    return
                await asyncio.sleep(0.05)

    async def explain(self, day: str = FRIDAY) -> set[str]:
        """Every open finding of a day gets a word: the clock that is set here leaves some. Of which
        checks."""
        found = {
            (check["check"], each["item"])
            for check in (await self.day(PAT, day))["checks"]
            for each in check["findings"]
            if not each["explained"]
        }
        for check, item in found:
            entry = {"type": "explained", "check": check, "item": item, "text": "a drill"}
            path = f"/v1/days/main/{day}/entries"
            status, _ = await self.staff.post(PAT, path, {"entry": entry})
            assert status == 201
        return {check for check, _ in found}

    async def at(self, moment: str) -> None:
        """It is another time; sessions may have ended meanwhile."""
        self.clock.set_to(moment)
        await self.staff.log_in_again(self.data, self.clock)


@contextlib.asynccontextmanager
async def ended_day(
    data: Path,
    *,
    finance: FinanceSettings = SOON,
    seals: SealSettings = NOT_SEALED,
    now: str = SATURDAY_NOON,
) -> AsyncIterator[EndedDay]:
    """A round on Friday; then it is another time."""
    clock = SetClock()
    clock.set_to(PLAYED_AT)
    rules = load_floor(FLOOR).rules
    async with running(
        rules, data=data, host="127.0.0.1", port=0, clock=clock, finance=finance, seals=seals
    ) as service:
        async with TableClient.connect(service.url, "BJ-01", issue_key(data, "BJ-01")) as table:
            await table.ask(lock(1, "r1", seats=(1, 2)))
            await table.ask(settle(2, "r1"))
        clock.set_to(now)
        async with working(service.url, data, clock=clock) as staff:
            floor = EndedDay(service, staff, clock, data)
            await floor.wait_noticed()
            yield floor
