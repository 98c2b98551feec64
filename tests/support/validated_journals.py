"""A journal of a floor where a supervisor confirms every payout and every void of a round.

Dora deals at BJ-01; Sue and Sid are supervisors of the pit.
"""

import asyncio
import shutil
from pathlib import Path

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.domain.acts import (
    ApproveVoid,
    ProposeVoid,
    SignOn,
    ValidateRound,
    VoidLockedRound,
)
from progressive.domain.ids import RoundId
from progressive.domain.rulebook.rules import LinkRules
from tests.support.award_journals import DORA, POLICY, SID, SUE, Pit, award
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    a_void,
    wagers,
)
from tests.support.fake_clock import FakeClock
from tests.support.journals import JournalFile, a_buster_wager

R1, R2 = RoundId("r1"), RoundId("r2")


def strict_link() -> LinkRules:
    """Every payout of Blazing 7's is confirmed; Buster's are paid from the rack at once."""
    return a_link(bets=(a_bet(validation="every"), a_buster()), policy=POLICY)


async def write_validated_journal(directory: Path) -> JournalFile:
    """A day on which every payout is confirmed.

    | seq | what |
    |---|---|
    | 1, 2 | link_opened; Dora signs on at BJ-01 |
    | 3, 4 | BJ-01: seat 3 hits the Mega, 2 has two 7s, 1 has one; 1 wins Buster too |
    | 5 | Sue confirms seats 2 and 1 |
    | 6 to 8 | BJ-02: two 7s before the peek, then they become the Mega |
    | 9 | Sid confirms the two 7s |
    | 10 to 13 | BJ-03: two 7s before the peek, which are voided: the dealer had misread them |
    | 14, 15 | BJ-03 is settled with one 7 at that seat, and Sue confirms it |
    | 16, 17 | BJ-01: a misdeal, voided by Sue |
    | 18, 19 | BJ-03: a round with Buster alone, voided by its dealer |
    | 20 to 22 | BJ-02: two 7s before the peek, then three mixed ones: both wait |
    | 23 | checkpointed, with a snapshot at 22 |
    """
    store = SqliteStore(directory)
    pit = Pit(strict_link(), store, FakeClock())
    await pit.desk.worker.start()
    await pit.act(SignOn(BJ1, DORA))
    await pit.play(
        BJ1,
        a_lock(1, wagers=[*wagers(1, 2, 3), a_buster_wager(1)]),
        a_settle(2, seats={1: "7c 2c", 2: "7s 7h", 3: "7d 7d 7d"}, dealer="Ts 6h Kc"),
    )
    await pit.act(ValidateRound(BJ1, R1, SUE))
    await pit.play(
        BJ2,
        a_lock(1, wagers=wagers(3, 4)),
        a_settle(2, round="r1", seats={4: "7d 7d"}, dealer="As", early=True),
        a_settle(3, round="r1", seats={3: "2s 3s", 4: "7d 7d 7d"}, dealer="As 5h"),
    )
    await pit.act(ValidateRound(BJ2, R1, SID))
    await pit.play(
        BJ3,
        a_lock(1, wagers=wagers(6)),
        a_settle(2, round="r1", seats={6: "7s 7c"}, dealer="As", early=True),
    )
    await pit.act(
        ProposeVoid(award(11, 1), SUE, "a 1, not a 7"),
        ApproveVoid(award(11, 1), SID),
    )
    await pit.play(BJ3, a_settle(3, round="r1", seats={6: "7s Ac"}, dealer="As 5h"))
    await pit.act(ValidateRound(BJ3, R1, SUE))
    await pit.play(BJ1, a_lock(3, round="r2", wagers=wagers(1, 2)))
    await pit.act(VoidLockedRound(BJ1, R2, "card exposed", SUE))
    await pit.play(BJ3, a_lock(4, round="r2", wagers=[a_buster_wager(1)]), a_void(5, round="r2"))
    await pit.play(
        BJ2,
        a_lock(4, round="r2", wagers=wagers(4)),
        a_settle(5, round="r2", seats={4: "7d 7s"}, dealer="As", early=True),
        a_settle(6, round="r2", seats={4: "7d 7s 7c"}, dealer="As 5h"),
    )
    await pit.desk.worker.stop()
    await store.close()
    return JournalFile(directory)


class ValidatedShelf:
    """One good journal, written once; every test gets a copy of its own to spoil."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir()
        asyncio.run(write_validated_journal(directory))

    def copy_to(self, directory: Path) -> JournalFile:
        shutil.copytree(self._directory, directory)
        return JournalFile(directory)
