"""Five gaming days on which awards are voided, and others worked out again, days after they hit.

The same floor as `finance_days.py`: New York, days from 06:00, the last day is not over. The round
of two winners has its first void on the next day; the round of three has one void in the same month
and one in the next; fixed awards are voided in the next month, too.
"""

import asyncio
from pathlib import Path

from progressive.domain.acts import ApproveVoid, PayAward, ProposeVoid, SignOn, ValidateAward
from tests.support.award_journals import DORA, FIN, SID, SUE
from tests.support.awards import TENTH, WHOLE
from tests.support.builders import BJ1, BJ2, BJ3, a_lock, a_settle, wagers
from tests.support.finance_days import Story, an_award
from tests.support.journals import a_buster_wager


async def write_later_voids(directory: Path) -> None:
    """30 October to 3 November."""
    story = Story(directory)
    story.at("2026-10-30T12:00:00+00:00")
    pit = story.pit
    await pit.desk.worker.start()
    await pit.act(SignOn(BJ1, DORA))
    await pit.play(
        BJ1,
        a_lock(story.next(BJ1), wagers=wagers(1, 5)),
        a_settle(story.next(BJ1), seats={1: TENTH, 5: WHOLE}, dealer="9s", complete=False),
    )
    two = await story.seq()
    await pit.play(
        BJ2,
        a_lock(story.next(BJ2), wagers=wagers(1, 2, 3)),
        a_settle(story.next(BJ2), seats={1: TENTH, 2: TENTH, 3: TENTH}, dealer="9s",
                 complete=False),
    )  # fmt: skip
    three = await story.seq()
    await pit.play(
        BJ3,
        a_lock(story.next(BJ3), wagers=wagers(1)),
        a_settle(story.next(BJ3), seats={1: "7s 7h 7c"}, dealer="9s", complete=False),
    )
    fixed = await story.seq()
    # "To 1": the stake goes back with the award, and comes again with its void.
    await pit.play(
        BJ3,
        a_lock(story.next(BJ3), wagers=[a_buster_wager(1)]),
        a_settle(story.next(BJ3), seats={1: "9c 8d"}, dealer="2s 2h 2c 2d 2s 2h 2c 9d"),
    )
    buster = await story.seq()
    # The same day: the second winner of a tenth; the third one is worked out again at once.
    await _void(story, three, 2, "seat 2 had no wager")

    story.at("2026-10-31T12:00:00+00:00")
    await _round(story)
    await _void(story, two, 1, "the light was not on")
    # What is saved here has an award that was worked out again, and is still owed.
    await story.restart()

    story.at("2026-11-01T12:00:00+00:00")
    await _round(story)
    await story.pit.act(
        ValidateAward(an_award(two, 2), SUE),
        PayAward(an_award(two, 2), FIN),
    )
    await _void(story, three, 1, "the dealer had misread the cards")

    story.at("2026-11-02T12:00:00+00:00")
    await _void(story, fixed, 1, "wrong shoe")
    await _void(story, buster, 1, "seven cards, not eight")

    story.at("2026-11-03T12:00:00+00:00")
    await _round(story)
    await story.pit.act(
        ValidateAward(an_award(three, 3), SUE),
        PayAward(an_award(three, 3), FIN),
    )
    await story.pit.desk.worker.stop()
    await story.store.close()


async def _round(story: Story) -> None:
    """A round without a winner at another table."""
    await story.pit.play(BJ2, a_lock(story.next(BJ2), wagers=wagers(1)), a_settle(story.next(BJ2)))


async def _void(story: Story, record: int, order: int, reason: str) -> None:
    award = an_award(record, order)
    await story.pit.act(ProposeVoid(award, SUE, reason), ApproveVoid(award, SID))


def later_voids(directory: Path) -> Path:
    """The journal, written once."""
    directory.mkdir()
    asyncio.run(write_later_voids(directory))
    return directory
