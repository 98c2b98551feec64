"""A journal with every kind of award and act in it, written by the service's own worker.

The people: Dora deals; Sue and Sid are supervisors of the pit; Fay and Fin are of finance, Ada is
of the office.
"""

import asyncio
import shutil
from pathlib import Path

from msgspec import structs

from progressive.adapters.config.games import shipped_games
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.link.batch import ActReceipt
from progressive.domain.acts import (
    ApproveCorrection,
    ApprovePayment,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeCorrection,
    ProposeVoid,
    RefuseCorrection,
    SignOn,
    ValidateAward,
    WithdrawVoid,
)
from progressive.domain.commands import TableCommand
from progressive.domain.ids import AwardId, CorrectionId, TableId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    MAJOR,
    MEGA,
    MINOR,
    Desk,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    kill,
    wagers,
)
from tests.support.fake_clock import FakeClock
from tests.support.journals import JournalFile, a_buster_wager

DORA = Signature("Dora", "pit")
SUE, SID = Signature("Sue", "pit"), Signature("Sid", "pit")
FAY, FIN = Signature("Fay", "finance"), Signature("Fin", "finance")
ADA = Signature("Ada", "office")

POLICY = AwardPolicy(
    rack_limit_cents=50_000,
    approvals=(
        ApprovalRule(
            from_day="2020-01-01",
            clause="COMAR 36.03.10.20",
            steps=(
                ApprovalStep(from_cents=2_500_000, approvers=1),
                ApprovalStep(from_cents=5_000_000, approvers=2),
            ),
        ),
    ),
)
_JACKS = next(bet for bet in shipped_games()["ca-101-blackjack-x"].bets if bet.id == "jack_magic")


def awarding_link() -> LinkRules:
    """Blazing 7's with three meters, and Buster with a free bonus."""
    bonus = BonusLine(id="bust_3", cents=5_000)
    buster = a_buster(free_bonus="B1", free_bonus_lines=(bonus,), free_bonus_min_cents=500)
    return a_link(bets=(a_bet(), buster), policy=POLICY)


def changed_link() -> LinkRules:
    """The Mega gets another rate, a meter joins the others, and Buster makes way for Jack Magic."""
    mega = structs.replace(MEGA, rate_ppm=100_000)
    mini = a_meter("mini", rate_ppm=10_000, initial_cents=5_000)
    jacks = a_buster(
        id=_JACKS.id,
        game="ca-101-blackjack-x",
        reader="jack_magic",
        paytable="101",
        lines=_JACKS.paytables[0].lines,
    )
    return a_link(bets=(a_bet(meters=(mega, MAJOR, MINOR, mini)), jacks), policy=POLICY)


class Pit:
    """A worker, and a clock that moves with every message."""

    def __init__(self, rules: LinkRules, store: SqliteStore, clock: FakeClock) -> None:
        self.desk = Desk(rules, store, clock)
        self._clock = clock

    async def play(self, table: TableId, *commands: TableCommand) -> None:
        for command in commands:
            self._clock.advance(17.5)
            answered = await self.desk.ask(command, table=table)
            assert answered.answer is not None
            assert not isinstance(answered.answer, Refusal), answered.answer

    async def act(self, *acts: PersonsAct) -> None:
        for act in acts:
            self._clock.advance(2.5)
            done = await self.desk.worker.perform(act)
            assert isinstance(done, ActReceipt), done


async def write_award_journal(directory: Path) -> JournalFile:
    """A day of hits, a stop, other terms, and a crash.

    | seq | what |
    |---|---|
    | 1, 2 | link_opened; Dora signs on at BJ-01 |
    | 3, 4 | BJ-01: seats 5 and 1 hit the Mega, 2 has two 7s; 7 and 2 win Buster, 7 with a bonus |
    | 5 | Sue validates seat 1's Mega, which is the reset |
    | 6, 7 | Sue and Sid void seat 5's: seat 1 is owed the whole |
    | 8 to 11 | Sue validates again, Fay and Ada approve, Fin pays with document 1 |
    | 12 to 14 | BJ-02: two 7s are paid before the peek, then they become the Mega |
    | 15, 16 | BJ-03, winners only: the Minor, twice |
    | 17, 18 | seat 6's Minor is validated, and paid with a manual document |
    | 19, 20 | Fay moves money from the Major to the Mega and takes some off, Ada approves |
    | 21, 22 | a correction is proposed, and refused |
    | 23, 24 | a void of BJ-02's Mega is proposed, and withdrawn |
    | 25 to 27 | Dora signs off; BJ-01: three mixed 7s, too much for the rack, and the Major |
    | 28, 29 | Fay proposes a correction that nobody decides about; Sue doubts the Major |
    | 30, 31 | BJ-02 locks both bets; checkpointed, with a snapshot at 30 |
    | 32, 33 | Fay and Ada approve another floor file |
    | 34 | BJ-02 settles by the terms of its lock-out: two 7s, and a bust |
    | 35, 36 | BJ-03 locks by the new terms, and wins Jack Magic |
    | 37 | Sid agrees: the Major is void |
    | 38, 39 | seat 3's Minor is validated, and paid with document 2 |
    | 40, 41 | the three mixed 7s are voided too |
    """
    store, clock = SqliteStore(directory), FakeClock()
    pit = Pit(awarding_link(), store, clock)
    await pit.desk.worker.start()
    await _first_day(pit)
    await pit.desk.worker.stop()
    pit = Pit(changed_link(), store, clock)
    await pit.desk.worker.start()
    for approver in (FAY, ADA):
        refusal = await pit.desk.worker.approve_terms(approver, "other wagers")
        assert refusal is None, refusal
    await _second_day(pit)
    await kill(pit.desk)
    await store.close()
    return JournalFile(directory)


def award(record: int, order: int) -> AwardId:
    return AwardId(f"main.{record}.{order}")


async def _first_day(pit: Pit) -> None:
    await pit.act(SignOn(BJ1, DORA))
    placed = [*wagers(1, 2, 5), a_buster_wager(2), a_buster_wager(7)]
    cards = {1: "7d 7d 7d", 2: "7s 7h", 5: "7d 7d 7d", 7: "As Kd"}
    await pit.play(
        BJ1,
        a_lock(1, wagers=placed),
        a_settle(2, seats=cards, dealer="Ts 6h Kc"),
    )
    await pit.act(
        ValidateAward(award(4, 3), SUE),
        ProposeVoid(award(4, 1), SUE, "the third 7 was a 1"),
        ApproveVoid(award(4, 1), SID),
        ValidateAward(award(4, 3), SUE),
        ApprovePayment(award(4, 3), FAY),
        ApprovePayment(award(4, 3), ADA),
        PayAward(award(4, 3), FIN),
    )
    await pit.play(
        BJ2,
        a_lock(1, wagers=wagers(3, 4)),
        a_settle(2, round="r1", seats={4: "7d 7d"}, dealer="As", early=True),
        a_settle(3, round="r1", seats={3: "2s 3s", 4: "7d 7d 7d"}, dealer="As 5h"),
    )
    await pit.play(
        BJ3,
        a_lock(1, wagers=wagers(3, 6, 7)),
        a_settle(2, seats={3: "7d 7h 7d", 6: "7s 7c 7c"}, dealer="9s 9h", complete=False),
    )
    await pit.act(ValidateAward(award(16, 1), SID), PayAward(award(16, 1), SUE, "CAGE-77"))
    legs = (
        CorrectionLeg(MAJOR.id, "reset", -2_000_000),
        CorrectionLeg(MEGA.id, "primary", 1_500_000),
    )
    later = (CorrectionLeg(MAJOR.id, "overflow", 7),)
    await pit.act(
        ProposeCorrection(FAY, "the rate of the Major was too high", legs),
        ApproveCorrection(CorrectionId("main.19"), ADA),
        ProposeCorrection(FAY, "a slip", later),
        RefuseCorrection(CorrectionId("main.21"), FAY, "my slip"),
        ProposeVoid(award(14, 1), SUE, "unsure of the light"),
        WithdrawVoid(award(14, 1), SID),
        SignOn(BJ1, None),
    )
    await pit.play(
        BJ1,
        a_lock(3, wagers=wagers(1, 2, 3)),
        a_settle(4, seats={1: "2s 3s", 2: "7s 7s 7s", 3: "7d 7s 7c"}, dealer="9s 9h"),
    )
    await pit.act(
        ProposeCorrection(FAY, "still to be looked at", later),
        ProposeVoid(award(27, 2), SUE, "wrong shoe"),
    )
    await pit.play(BJ2, a_lock(4, round="r2", wagers=[*wagers(1, 2), a_buster_wager(1)]))


async def _second_day(pit: Pit) -> None:
    await pit.play(BJ2, a_settle(5, round="r2", seats={1: "7s 7h", 2: "2s 3s"}, dealer="Ts 6h Kc"))
    jack = structs.replace(a_buster_wager(2), bet=_JACKS.id)
    await pit.play(
        BJ3,
        a_lock(3, wagers=[*wagers(2), jack]),
        a_settle(4, seats={2: "Js Jd"}, dealer="Jh 7c"),
    )
    await pit.act(
        ApproveVoid(award(27, 2), SID),
        ValidateAward(award(16, 2), SUE),
        PayAward(award(16, 2), FIN),
        ProposeVoid(award(27, 1), SUE, "wrong shoe, all of it"),
        ApproveVoid(award(27, 1), SID),
    )


class AwardShelf:
    """One good journal with awards, written once; every test gets a copy of its own to spoil."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir()
        asyncio.run(write_award_journal(directory))

    def copy_to(self, directory: Path) -> JournalFile:
        shutil.copytree(self._directory, directory)
        return JournalFile(directory)
