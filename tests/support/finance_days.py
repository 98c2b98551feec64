"""Five gaming days of one link with everything in them that finance has to explain.

Written by the service's own worker. New York, days from 06:00; the clocks are set back in the night
of 31 October 2026, so that gaming day has 25 hours; 2 November has no play.
"""

import asyncio
import shutil
from datetime import datetime
from pathlib import Path

from msgspec import structs

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.domain.acts import (
    ApproveCorrection,
    ApproveVoid,
    PayAward,
    ProposeCorrection,
    ProposeVoid,
    SignOn,
    ValidateAward,
)
from progressive.domain.ids import AwardId, CorrectionId, MeterId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rulebook.policy import AwardPolicy, TaxFormRule
from progressive.domain.rulebook.rules import LinkRules
from tests.support.award_journals import ADA, DORA, FAY, FIN, SID, SUE, Pit
from tests.support.awards import TENTH, WHOLE, a_progressive, one_meter
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    a_buster,
    a_lock,
    a_settle,
    a_void,
    kill,
    wagers,
)
from tests.support.fake_clock import FakeClock
from tests.support.journals import JournalFile, a_buster_wager

DAYS = ("2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02", "2026-11-03")
NOT_OVER_AT = "2026-11-03T20:00:00.000000Z"
"""When these tests are run, by their own clock: the last day is not over."""
POLICY = AwardPolicy(
    rack_limit_cents=50_000,
    tax_forms=(
        TaxFormRule(
            from_day="2026-01-01",
            form="W-2G",
            least_cents=200_000,
            least_multiple=300,
            clause="26 CFR 7.6041-1",
        ),
    ),
)


def finance_link(rate_ppm: int = 200_000) -> LinkRules:
    """One meter that pays a whole or a tenth, and Buster beside it."""
    rules = one_meter(
        a_progressive(rate_ppm=rate_ppm),
        policy=POLICY,
        time_zone="America/New_York",
        gaming_day_starts="06:00",
        jurisdiction="us-nj",
    )
    (bet,) = rules.terms.bets
    assert rules.terms.house is not None
    house = structs.replace(rules.terms.house, currency="USD")
    terms = structs.replace(rules.terms, bets=(bet, a_buster()), house=house)
    return structs.replace(rules, terms=terms)


class Story:
    """A pit whose clock is turned to given moments."""

    def __init__(self, directory: Path) -> None:
        self.store, self.clock = SqliteStore(directory), FakeClock()
        self.pit = Pit(finance_link(), self.store, self.clock)
        self._numbers = dict.fromkeys((BJ1, BJ2, BJ3), 0)

    def at(self, moment: str) -> None:
        now = datetime.fromisoformat(self.clock.now())
        self.clock.advance((datetime.fromisoformat(moment) - now).total_seconds())

    def next(self, table: str) -> int:
        self._numbers[table] += 1  # type: ignore[index]
        return self._numbers[table]  # type: ignore[index]

    async def restart(self, rules: LinkRules | None = None, *, crash: bool = False) -> None:
        if crash:
            await kill(self.pit.desk)
        else:
            await self.pit.desk.worker.stop()
        rules = rules or self.pit.desk.worker.rules
        self.pit = Pit(rules, self.store, self.clock)
        await self.pit.desk.worker.start()

    async def seq(self) -> int:
        """The last record."""
        return (await self.store.journal_end(self.pit.desk.worker.rules.id)).seq


async def write_finance_days(directory: Path) -> JournalFile:
    """The five days."""
    story = Story(directory)
    story.at("2026-10-30T12:00:00+00:00")
    await story.pit.desk.worker.start()
    await _friday(story)
    await story.restart()
    await _saturday(story)
    await _sunday(story)
    await _tuesday(story)
    await story.pit.desk.worker.stop()
    await story.store.close()
    return JournalFile(directory)


def an_award(record: int, order: int) -> AwardId:
    """The number of an award of the record that made it."""
    return AwardId(f"main.{record}.{order}")


async def _friday(story: Story) -> None:
    pit = story.pit
    await pit.act(SignOn(BJ1, DORA))
    mixed = [*wagers(1, 2, 3), *wagers(4, tender="coupon"), a_buster_wager(2)]
    await pit.play(
        BJ1,
        a_lock(story.next(BJ1), wagers=mixed),
        a_settle(story.next(BJ1), seats={1: "7c 2c", 2: "9c 9d", 3: "9c 8d", 4: "7s 7h"},
                 dealer="Ts 6h Kc"),
    )  # fmt: skip
    # A tenth, which is paid on the next day.
    await pit.play(
        BJ2,
        a_lock(story.next(BJ2), wagers=wagers(2, 6)),
        a_settle(story.next(BJ2), seats={2: TENTH}, dealer="9s", complete=False),
    )
    await pit.act(ValidateAward(an_award(await story.seq(), 1), SUE))
    await pit.play(BJ3, a_lock(story.next(BJ3), wagers=wagers(1, 2, 3)), a_void(story.next(BJ3)))
    # Two winners of one round; the first one's claim was none: the second is worked out again.
    await pit.play(
        BJ1,
        a_lock(story.next(BJ1), wagers=wagers(1, 5)),
        a_settle(story.next(BJ1), seats={1: TENTH, 5: WHOLE}, dealer="9s", complete=False),
    )
    hit = await story.seq()
    await pit.act(
        ProposeVoid(an_award(hit, 1), SUE, "the light was not on"),
        ApproveVoid(an_award(hit, 1), SID),
        ValidateAward(an_award(hit, 2), SUE),
        PayAward(an_award(hit, 2), FIN),
    )
    story.at("2026-10-31T09:59:00+00:00")
    await pit.play(BJ2, a_lock(story.next(BJ2), wagers=wagers(1, 2)))


async def _saturday(story: Story) -> None:
    """25 hours: 01:30 comes twice."""
    story.at("2026-10-31T10:05:00+00:00")
    pit = story.pit
    opened = story.next(BJ2)
    await pit.play(
        BJ2,
        a_settle(opened, round=f"r{opened - 1}", seats={1: "7c 2c"}, dealer="9s", complete=False),
    )
    tenth = next(iter(pit.desk.state().awards))
    await pit.act(PayAward(tenth, FIN, "CAGE-9"))
    meter = MeterId("progressive")
    added = (CorrectionLeg(meter, "primary", 1_234_567),)
    moved = (
        CorrectionLeg(meter, "primary", -50_000_001),
        CorrectionLeg(meter, "reset", 50_000_001),
    )
    for reason, legs in (("a wager too few", added), ("into the reset meter", moved)):
        await pit.act(ProposeCorrection(FAY, reason, legs))
        await pit.act(ApproveCorrection(CorrectionId(f"main.{await story.seq()}"), ADA))
    await story.restart(finance_link(rate_ppm=210_000))
    pit = story.pit
    for approver in (FAY, ADA):
        assert await pit.desk.worker.approve_terms(approver, "a better meter") is None
    for moment in ("2026-11-01T05:30:00+00:00", "2026-11-01T06:30:00+00:00"):
        story.at(moment)
        await pit.play(
            BJ3,
            a_lock(story.next(BJ3), wagers=wagers(3, 4)),
            a_settle(story.next(BJ3)),
        )
    story.at("2026-11-01T10:30:00+00:00")
    await pit.play(BJ3, a_lock(story.next(BJ3), wagers=wagers(1)), a_void(story.next(BJ3)))


async def _sunday(story: Story) -> None:
    """A whole meter that is still owed at the end, a fixed award that is voided, a crash."""
    story.at("2026-11-01T11:00:00+00:00")
    pit = story.pit
    await pit.play(
        BJ1,
        a_lock(story.next(BJ1), wagers=wagers(1, 2)),
        a_settle(story.next(BJ1), seats={2: WHOLE}, dealer="9s", complete=False),
    )
    await story.restart(crash=True)
    pit = story.pit
    await pit.play(
        BJ1,
        a_lock(story.next(BJ1), wagers=wagers(1)),
        a_settle(story.next(BJ1), seats={1: "7s 7h 7c"}, dealer="9s", complete=False),
    )
    fixed = an_award(await story.seq(), 1)
    await pit.act(ProposeVoid(fixed, SUE, "wrong shoe"), ApproveVoid(fixed, SID))


async def _tuesday(story: Story) -> None:
    story.at("2026-11-03T19:00:00+00:00")
    await story.pit.play(
        BJ2, a_lock(story.next(BJ2), wagers=wagers(1, 2, 3)), a_settle(story.next(BJ2))
    )


class FinanceShelf:
    """The days written once; every test gets a copy of its own to spoil."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir()
        asyncio.run(write_finance_days(directory))

    def copy_to(self, directory: Path) -> JournalFile:
        shutil.copytree(self.directory, directory)
        return JournalFile(directory)
