"""Seven gaming days of one link with everything in them that finance has to explain, and the two
people of finance who close them.

Played by the service's own worker under a clock of its own, beside a log of happenings as the
service writes it. New York, days from 06:00: Sunday 25 October 2026 to Saturday 31 October. The
clocks are set back in the night after it, so that the last day has 25 hours and ends the month.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from progressive.adapters.happenings import FileHappenings
from progressive.application.floor.happenings import Happenings
from progressive.application.floor.happenings_writing import ALIVE_SECONDS, HappeningsWriting
from progressive.domain.acts import (
    ApproveCorrection,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeCorrection,
    ProposeVoid,
    SignOn,
    ValidateAward,
)
from progressive.domain.commands import TableCommand, Wager
from progressive.domain.happenings import HappeningLine, Noted
from progressive.domain.ids import AwardId, CorrectionId, MeterId, TableId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import FloorRules, LinkRules
from tests.support.award_journals import ADA, DORA, FAY, FIN, SID, SUE, Pit
from tests.support.awards import TENTH, WHOLE
from tests.support.builders import BJ1, BJ2, BJ3, LINK, a_lock, a_settle, a_void, kill, wagers
from tests.support.finance_days import Story, finance_link
from tests.support.journals import JournalFile, a_buster_wager
from tests.support.service import shipped_rules
from tests.support.staff import AMY, PAT, Staff
from tests.support.stated_figures import paid

DAYS: Final = tuple(f"2026-10-{day}" for day in range(25, 32))
SUNDAY, MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY = DAYS
ZONE, STARTS = "America/New_York", "06:00"
CLOSED_AT: Final = "2026-11-01T12:00:00.000000Z"
"""When finance closes the week: its last day ended an hour before."""
DOWN_SECONDS: Final = 8_400
"""On Wednesday the service is stopped for two hours and twenty minutes."""
NEW_RATE_PPM: Final = 210_000


def week_rules() -> FloorRules:
    """The floor at the end of the week."""
    link = finance_link(NEW_RATE_PPM)
    return structs.replace(
        shipped_rules(), time_zone=ZONE, gaming_day_starts=STARTS, links=(link,), signs=()
    )


class LivingPit(Pit):
    """One whose service says while it works that it is alive."""

    def __init__(self, rules: LinkRules, week: "Week", writing: HappeningsWriting) -> None:
        super().__init__(rules, week.store, week.clock)
        self._writing = writing

    async def play(self, table: TableId, *commands: TableCommand) -> None:
        for command in commands:
            await super().play(table, command)
            await self._writing.write()

    async def act(self, *acts: PersonsAct) -> None:
        await super().act(*acts)
        await self._writing.write()


class Week(Story):
    """A pit and its log of happenings, by one clock."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._happenings = FileHappenings(directory)

    async def start(self, rules: LinkRules | None = None) -> None:
        """The service begins, with other rules from now on or with those it had."""
        self._noted = Happenings(self.clock, dict.fromkeys((BJ1, BJ2, BJ3), LINK))
        self._writing = HappeningsWriting(
            self._noted, self._happenings, clock=self.clock, days=1_000
        )
        self.pit = LivingPit(rules or self.pit.desk.worker.rules, self, self._writing)
        await self._writing.begin()
        await self.pit.desk.worker.start()

    async def stop(self, *, crash: bool = False) -> None:
        """It ends: with a word, or as the power would end it."""
        if crash:
            await kill(self.pit.desk)
            return
        await self.pit.desk.worker.stop()
        await self._writing.stop()

    def at(self, moment: str) -> None:
        """Time goes on, with a sign of life each minute."""
        now, then = datetime.fromisoformat(self.clock.now()), datetime.fromisoformat(moment)
        minutes = range(1, int((then - now).total_seconds() // ALIVE_SECONDS) + 1)
        times = [now + timedelta(seconds=ALIVE_SECONDS * minute) for minute in minutes]
        self._happenings.append(
            [
                HappeningLine(at=each.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), what=Noted.ALIVE)
                for each in times
            ]
        )
        super().at(moment)

    async def round(
        self,
        table: TableId,
        placed: tuple[Wager, ...] | list[Wager],
        winners: dict[int, str] | None = None,
        *,
        void: bool = False,
    ) -> list[AwardId]:
        """A round from its lock-out to its end; the numbers that its awards can have."""
        await self.pit.play(table, a_lock(self.next(table), wagers=placed))
        number = self.next(table)
        ended: TableCommand = a_void(number) if void else a_settle(
            number, seats=winners or {}, dealer="9s" if winners else "", complete=False
        )  # fmt: skip
        await self.pit.play(table, ended)
        seq = await self.seq()
        return [AwardId(f"main.{seq}.{order}") for order in range(1, len(winners or {}) + 1)]

    async def miscounted(self, table: TableId, seats: int, *, times: int) -> None:
        """Lock-outs that are refused, as a chip more was counted than lights are on."""
        number = self._numbers[table] + 1  # type: ignore[index]
        for _ in range(times):
            lock = a_lock(number, wagers=wagers(*range(1, seats + 1)), chips_counted=seats + 1)
            refused = (await self.pit.desk.ask(lock, table=table)).answer
            assert isinstance(refused, Refusal)
            assert refused.code is Rejection.CHIP_COUNT_MISMATCH
            self._noted.table_refused(table, refused.code)
        await self._writing.write()

    async def tenth(self, table: TableId, *, document: str | None = None) -> None:
        """Somebody wins a tenth and is paid at the cage."""
        (award,) = await self.round(table, wagers(2, 6), {2: TENTH})
        await self.pit.act(ValidateAward(award, SUE), PayAward(award, FIN, document))

    async def void(self, award: AwardId, reason: str) -> None:
        await self.pit.act(ProposeVoid(award, SUE, reason), ApproveVoid(award, SID))

    async def correct(self, reason: str, *legs: CorrectionLeg) -> None:
        await self.pit.act(ProposeCorrection(FAY, reason, legs))
        await self.pit.act(ApproveCorrection(CorrectionId(f"main.{await self.seq()}"), ADA))


async def write_finance_week(directory: Path) -> JournalFile:
    """The seven days, up to the stop after the last of them."""
    week = Week(directory)
    week.clock.advance(_seconds_until(week, "2026-10-25T10:00:00+00:00"))
    await week.start()
    await _sunday(week)
    await _monday(week)
    await _tuesday(week)
    await _wednesday(week)
    await _thursday(week)
    await _friday(week)
    await _saturday(week)
    week.at("2026-11-01T11:50:00+00:00")
    await week.stop()
    await week.store.close()
    return JournalFile(directory)


def _seconds_until(week: Week, moment: str) -> float:
    now = datetime.fromisoformat(week.clock.now())
    return (datetime.fromisoformat(moment) - now).total_seconds()


async def _sunday(week: Week) -> None:
    """Chips, coupons and a fixed bet; a tenth (document 1); a voided round; two wrong counts."""
    week.at("2026-10-25T14:00:00+00:00")
    await week.pit.act(SignOn(BJ1, DORA))
    mixed = [*wagers(1, 2, 3), *wagers(4, tender="coupon"), a_buster_wager(2)]
    await week.pit.play(
        BJ1,
        a_lock(week.next(BJ1), wagers=mixed),
        a_settle(week.next(BJ1), seats={1: "7c 2c", 2: "9c 9d", 3: "9c 8d", 4: "7s 7h"},
                 dealer="Ts 6h Kc"),
    )  # fmt: skip
    await week.miscounted(BJ2, 2, times=2)
    await week.tenth(BJ2)
    await week.round(BJ3, wagers(1, 2, 3), void=True)


async def _monday(week: Week) -> None:
    """Two winners of one round: the claim of the first was none, so that the second one's award is
    worked out again (document 2). Another tenth waits for the next day."""
    week.at("2026-10-26T16:00:00+00:00")
    first, second = await week.round(BJ1, wagers(1, 5), {1: TENTH, 5: WHOLE})
    await week.void(first, "the light was not on")
    await week.pit.act(ValidateAward(second, SUE), PayAward(second, FIN))
    await week.round(BJ3, [*wagers(1, 2), *wagers(5, tender="coupon")], {1: "7c 2c"})
    (waits,) = await week.round(BJ2, wagers(3), {3: TENTH})
    await week.pit.act(ValidateAward(waits, SUE))
    # Locked out on this day and settled on the next one.
    week.at("2026-10-27T09:59:00+00:00")
    await week.pit.play(BJ2, a_lock(week.next(BJ2), wagers=wagers(1, 2)))


async def _tuesday(week: Week) -> None:
    """Monday's tenth is paid (document 3), two corrections, another rate while a round is open."""
    week.at("2026-10-27T10:05:00+00:00")
    opened = week.next(BJ2)
    settled = a_settle(
        opened, round=f"r{opened - 1}", seats={1: "7c 2c"}, dealer="9s", complete=False
    )
    await week.pit.play(BJ2, settled)
    await week.pit.act(PayAward(next(iter(week.pit.desk.state().awards)), FIN))
    meter = MeterId("progressive")
    await week.correct("a wager too few", CorrectionLeg(meter, "primary", 1_234_567))
    await week.correct(
        "into the reset meter",
        CorrectionLeg(meter, "primary", -50_000_001),
        CorrectionLeg(meter, "reset", 50_000_001),
    )
    await week.pit.play(BJ1, a_lock(week.next(BJ1), wagers=wagers(3, 4, 5)))
    await week.stop()
    week.clock.advance(40)
    await week.start(finance_link(NEW_RATE_PPM))
    for approver in (FAY, ADA):
        assert await week.pit.desk.worker.approve_terms(approver, "a better meter") is None
    await week.pit.play(BJ1, a_settle(week.next(BJ1)))
    await week.round(BJ3, wagers(1, 7))


async def _wednesday(week: Week) -> None:
    """The service is stopped for hours between two rounds. Document 4, and one of the cage's own
    series, as the printer was out of paper."""
    week.at("2026-10-28T15:00:00+00:00")
    await week.round(BJ1, wagers(1, 2))
    await week.tenth(BJ2)
    await week.stop()
    week.clock.advance(DOWN_SECONDS)
    await week.start()
    await week.tenth(BJ3, document="CAGE-77")
    await week.miscounted(BJ1, 3, times=1)
    await week.round(BJ1, wagers(1, 2, 3))


async def _thursday(week: Week) -> None:
    """The day of the cage: five tenths, documents 5 to 9."""
    week.at("2026-10-29T13:00:00+00:00")
    for table in (BJ1, BJ2, BJ3, BJ1, BJ2):
        await week.tenth(table)
    await week.round(BJ3, wagers(1, 4), void=True)


async def _friday(week: Week) -> None:
    """A crash within a round; the whole meter, which is still owed when the week ends; three mixed
    7s, whose claim was none."""
    week.at("2026-10-30T18:00:00+00:00")
    await week.pit.play(BJ1, a_lock(week.next(BJ1), wagers=wagers(1, 2)))
    week.at("2026-10-30T18:01:10+00:00")
    await week.stop(crash=True)
    week.clock.advance(95)
    await week.start()
    await week.pit.play(
        BJ1, a_settle(week.next(BJ1), seats={2: WHOLE}, dealer="9s", complete=False)
    )
    (fixed,) = await week.round(BJ1, wagers(1), {1: "7s 7h 7c"})
    await week.void(fixed, "wrong shoe")


async def _saturday(week: Week) -> None:
    """25 hours: 01:30 comes twice, with a round at each; the second is a tenth (document 10)."""
    week.at("2026-10-31T20:00:00+00:00")
    await week.pit.play(
        BJ2,
        a_lock(week.next(BJ2), wagers=[*wagers(1, 2), a_buster_wager(1)]),
        a_settle(week.next(BJ2), seats={1: "9c 9d", 2: "9c 8d"}, dealer="Ts 6h Kc"),
    )
    week.at("2026-11-01T05:30:00+00:00")
    await week.round(BJ3, wagers(3, 4))
    week.at("2026-11-01T06:30:00+00:00")
    await week.tenth(BJ3)
    week.at("2026-11-01T10:30:00+00:00")
    await week.round(BJ3, wagers(1), void=True)


# --- finance --------------------------------------------------------------------------------------

HEADER: Final = "Reference,Document,Amount,Paid at"
P: Final = "main-P0000"


def cage_files(journal: JournalFile) -> dict[str, str]:
    """The cage's own files: Thursday's has a mismatch of every kind, the others agree."""
    cents = paid(journal)

    def line(reference: str, document: str, off: int = 0, at: str = "") -> str:
        amount = cents[document] + off
        return f"{reference},{document},{amount // 100}.{amount % 100:02},{at}"

    return {
        day: "\n".join((HEADER, *lines)) + "\n"
        for day, lines in {
            SUNDAY: [line("C-01", f"{P}01", at="2026-10-25T10:30:00-04:00")],
            THURSDAY: [
                line("C-11", f"{P}05", at="2026-10-29T09:10:00-04:00"),
                line("C-12", f"{P}06", off=100),
                line("C-13", f"{P}07"),
                line("C-14", f"{P}07"),
                # Document 8 is missing. The cage says that it paid 9 on Friday, and 4, which was
                # paid on Wednesday, on this day.
                line("C-15", f"{P}09", at="2026-10-30T10:00:00-04:00"),
                line("C-16", f"{P}04"),
                "C-17,SLOT-5,123.45,",
                "C-18,,2.00,",
            ],
            SATURDAY: [line("C-21", f"{P}10", at="2026-11-01T01:40:00-05:00")],
        }.items()
    }


class Office:
    """Pat reconciles and prepares, Amy reviews and closes, at the doors of the service."""

    def __init__(self, staff: Staff, files: dict[str, str]) -> None:
        self.staff = staff
        self._files = files
        self.explained: dict[str, set[str]] = {}
        """By day: the checks with findings that somebody had to explain."""

    async def close(self, day: str) -> None:
        """A day from open to closed."""
        path = f"/v1/days/main/{day}"
        if day in self._files:
            body = self._files[day].encode()
            status, answer = await self.staff.send(PAT, f"{path}/cage?file=cage.csv", body)
            assert status == 201, answer
        self.explained[day] = await self._explain(path)
        status, prepared = await self.staff.post(PAT, f"{path}/prepare", {"note": "looked at"})
        assert status == 202, prepared
        reviewed = {"prepared_seq": prepared["prepared_seq"]}
        status, closed = await self.staff.post(AMY, f"{path}/close", reviewed)
        assert status == 200, closed

    async def _explain(self, path: str) -> set[str]:
        day: dict[str, Any] = (await self.staff.ask(PAT, "GET", path))[1]
        found = {
            (check["check"], finding["item"])
            for check in day["checks"]
            for finding in check["findings"]
            if not finding["explained"]
        }
        for check, item in sorted(found):
            entry = {"type": "explained", "check": check, "item": item, "text": "looked at"}
            status, answer = await self.staff.post(PAT, f"{path}/entries", {"entry": entry})
            assert status == 201, answer
        return {check for check, _ in found}

    async def report(self, kind: str, **asked: str) -> dict[str, Any]:
        words = "&".join(f"{name.removesuffix('_')}={value}" for name, value in asked.items())
        status, report = await self.staff.ask(PAT, "GET", f"/v1/reports/{kind}?{words}")
        assert status == 200, report
        found: dict[str, Any] = report
        return found
