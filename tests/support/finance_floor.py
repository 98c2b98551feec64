"""Gaming days on the demo floor, so that the real service goes on where they end.

Written by the service's own worker under a clock of its own: some tables, chips and coupons, a
voided round now and then, winners in a fixed order, payments by those of `screens`.
The same days give the same journal.
"""

import asyncio
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from progressive.adapters.config.floor import load_floor
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.domain.acts import (
    ApproveCorrection,
    ApprovePayment,
    PayAward,
    ProposeCorrection,
    ValidateAward,
)
from progressive.domain.commands import Wager
from progressive.domain.ids import CorrectionId, LinkId, MeterId, TableId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.signatures import Signature
from tests.support.award_journals import Pit
from tests.support.builders import Desk, a_lock, a_settle, a_void, wagers
from tests.support.fake_clock import FakeClock
from tests.support.journals import a_buster_wager
from tests.support.service import FLOOR

ZONE: Final = ZoneInfo("America/New_York")
TABLES: Final = tuple(TableId(f"BJ-0{number}") for number in range(1, 5))
TODAY: Final = "2026-11-03"
"""The gaming day that is not over."""
NOW: Final = "2026-11-04T01:00:00.000000Z"
MEGA, MAJOR, MINOR = "7d 7d 7d", "7s 7s 7s", "7d 7h 7d"
TWO_SEVENS: Final = "7c 7s 2d"

ANN, SUE = Signature("Ann", "Table games"), Signature("Sue", "Table games")
BOB, PAT, CAT = Signature("Bob", "Cage"), Signature("Pat", "Accounts"), Signature("Cat", "Cage")

WINNERS: Final = {
    3: MINOR,
    7: MINOR,
    9: MAJOR,
    12: MINOR,
    16: MINOR,
    18: MAJOR,
    21: MINOR,
    24: MEGA,
}
"""By the day counted from the first: somebody hits a meter."""


class DemoFloor:
    """A pit of four tables whose clock is turned to given moments."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        rules = load_floor(FLOOR).rules
        assert rules is not None
        self.store, self.clock = SqliteStore(directory), FakeClock()
        self.pit = Pit(rules.links[0], self.store, self.clock)
        self._numbers = dict.fromkeys(TABLES, 0)

    @property
    def desk(self) -> Desk:
        return self.pit.desk

    def at(self, moment: datetime) -> None:
        """Turns the clock on; a moment that has passed is now."""
        passed = moment - datetime.fromisoformat(self.clock.now())
        self.clock.advance(max(0.0, passed.total_seconds()))

    def next(self, table: TableId) -> int:
        self._numbers[table] += 1
        return self._numbers[table]

    async def seq(self) -> int:
        return (await self.store.journal_end(LinkId("main"))).seq

    async def round(
        self, table: TableId, placed: list[Wager], winners: dict[int, str], *, void: bool = False
    ) -> None:
        lock = a_lock(self.next(table), wagers=placed)
        number = self.next(table)
        ends = a_void(number) if void else a_settle(
            number, seats=winners, dealer="Ts 8h", complete=False
        )  # fmt: skip
        await self.pit.play(table, lock, ends)

    async def pay(self, *, large: bool, document: str | None = None) -> None:
        """The newest award, on the way to the cage."""
        award = next(reversed(self.desk.state().awards))
        approvals = [ApprovePayment(award, BOB), ApprovePayment(award, PAT)] if large else []
        await self.pit.act(ValidateAward(award, SUE), *approvals, PayAward(award, CAT, document))


def days_until(today: str, count: int) -> Iterator[datetime]:
    """The beginnings of so many gaming days, the last one `today`."""
    last = datetime.fromisoformat(f"{today}T06:00").replace(tzinfo=ZONE)
    for back in range(count - 1, -1, -1):
        yield (last - timedelta(days=back)).astimezone(ZONE)


async def write_floor_days(
    directory: Path, *, days: int = 5, rounds: int = 12, today: str = TODAY
) -> None:
    """So many days of so many rounds; the last one is under way, and has half of them."""
    floor = DemoFloor(directory)
    dice = random.Random(7)
    begins = list(days_until(today, days))
    floor.at(begins[0] + timedelta(hours=4))
    await floor.desk.worker.start()
    for number, begin in enumerate(begins, 1):
        last = number == len(begins)
        for play in range(rounds // 2 if last else rounds):
            floor.at(begin + timedelta(hours=4, minutes=play * 17 * 60 // rounds))
            await _play(floor, dice, play)
        if not last:
            await _winners(floor, number, days)
    await floor.desk.worker.stop()
    await floor.store.close()


async def _play(floor: DemoFloor, dice: random.Random, play: int) -> None:
    table = dice.choice(TABLES)
    seats = sorted(dice.sample(range(1, 8), dice.randint(2, 6)))
    placed = [
        *wagers(*seats[:-1]),
        *wagers(seats[-1], tender="coupon" if play % 5 == 3 else "chip"),
    ]
    if play % 3 == 1:
        placed.append(a_buster_wager(seats[0]))
    winners = {seats[0]: TWO_SEVENS} if play % 6 == 2 else {}
    await floor.round(table, placed, winners, void=play % 11 == 7)


async def _winners(floor: DemoFloor, number: int, days: int) -> None:
    """What is special about a day; of the days before today, the last two have a payment that
    waits and a correction that waits."""
    to_go = days - number
    if to_go == 2:
        await floor.round(TABLES[1], [*wagers(1, 4)], {4: MINOR})
        await floor.pay(large=False, document="CAGE-77")
        legs = (CorrectionLeg(MeterId("major"), "primary", 500_000_000),)
        await floor.pit.act(ProposeCorrection(BOB, "one wager was not registered", legs))
        await floor.pit.act(ApproveCorrection(CorrectionId(f"main.{await floor.seq()}"), PAT))
    elif to_go == 1:
        await floor.round(TABLES[0], [*wagers(2, 5)], {5: MAJOR})
        award = next(reversed(floor.desk.state().awards))
        await floor.pit.act(ValidateAward(award, ANN))
        legs = (
            CorrectionLeg(MeterId("minor"), "reset", -2_000_000),
            CorrectionLeg(MeterId("minor"), "primary", 2_000_000),
        )
        await floor.pit.act(ProposeCorrection(BOB, "reset money belongs on the meter", legs))
    elif number in WINNERS:
        cards = WINNERS[number]
        await floor.round(TABLES[number % 4], [*wagers(1, 3)], {3: cards})
        await floor.pay(large=cards == MEGA)


def write(directory: Path, **options: object) -> None:
    """The same from code that has no event loop."""
    asyncio.run(write_floor_days(directory, **options))  # type: ignore[arg-type]
