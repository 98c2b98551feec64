"""Figures that finance enters, and days of play with a payment for each kind of mismatch."""

import asyncio
from pathlib import Path

from progressive.adapters.sqlite.sign_log import SqliteSignLog
from progressive.application.signs.reports import Glass, SignEntry, milliseconds
from progressive.domain.acts import PayAward, PersonsAct, ValidateAward
from progressive.domain.finance_acts import EnterFinance
from progressive.domain.finance_events import CageFile, CagePayment, FinanceEntry
from progressive.domain.ids import AwardId
from tests.support.award_journals import FAY, FIN, SUE, Pit
from tests.support.awards import TENTH
from tests.support.builders import BJ1, BJ2, BJ3, a_lock, a_settle, a_void, wagers
from tests.support.finance_days import Story, finance_link
from tests.support.journals import JournalFile

FRIDAY, SATURDAY, SUNDAY = "2026-10-30", "2026-10-31", "2026-11-01"
LATER = "2026-11-02T15:00:00.000000Z"
"""When these days are looked at: Sunday is over."""


def entered(day: str, *entries: FinanceEntry) -> list[EnterFinance]:
    """Fay enters them."""
    return [EnterFinance(day=day, entry=entry, by=FAY) for entry in entries]


async def _act(directory: Path, at: str, acts: list[PersonsAct], rate_ppm: int) -> None:
    story = Story(directory)
    story.pit = Pit(finance_link(rate_ppm), story.store, story.clock)
    story.at(at)
    await story.pit.desk.worker.start()
    await story.pit.act(*acts)
    await story.pit.desk.worker.stop()
    await story.store.close()


def act_later(directory: Path, at: str, *acts: PersonsAct, rate_ppm: int = 200_000) -> None:
    """What people do later, in a journal that is there, by the service's own worker."""
    asyncio.run(_act(directory, at, list(acts), rate_ppm))


async def write_cage_days(directory: Path) -> JournalFile:
    """Friday: six tenths, five of them paid (documents 1 to 5), and a voided round. Saturday: the
    sixth is paid (document 6), as the meter grows on."""
    story = Story(directory)
    pit = story.pit
    story.at("2026-10-30T12:00:00+00:00")
    await pit.desk.worker.start()
    await pit.play(
        BJ3,
        a_lock(story.next(BJ3), wagers=wagers(3, 4)),
        a_settle(story.next(BJ3), seats={3: "7c 2c"}, dealer="9s", complete=False),
    )
    hits = []
    for table in (BJ1, BJ2, BJ1, BJ2, BJ1, BJ2):
        await pit.play(
            table,
            a_lock(story.next(table), wagers=wagers(1, 2)),
            a_settle(story.next(table), seats={1: TENTH}, dealer="9s", complete=False),
        )
        hits.append(AwardId(f"main.{await story.seq()}.1"))
    await pit.act(*(ValidateAward(award, SUE) for award in hits))
    await pit.act(*(PayAward(award, FIN) for award in hits[:5]))
    await pit.play(BJ3, a_lock(story.next(BJ3), wagers=wagers(1, 2, 3)), a_void(story.next(BJ3)))
    story.at("2026-10-31T14:00:00+00:00")
    await pit.act(PayAward(hits[5], FIN))
    await pit.play(BJ3, a_lock(story.next(BJ3), wagers=wagers(1)), a_settle(story.next(BJ3)))
    await pit.desk.worker.stop()
    await story.store.close()
    return JournalFile(directory)


def a_file(*payments: CagePayment, name: str = "cage.csv") -> CageFile:
    """As it is entered."""
    return CageFile(file=name, sha256="0" * 64, payments=payments)


def paid(journal: JournalFile) -> dict[str, int]:
    """What the service paid with each document, in cents."""
    events = [record["event"] for record in journal.records()]
    return {each["document"]: each["cents"] for each in events if each["type"] == "award_paid"}


def meters(journal: JournalFile) -> list[tuple[int, str, int]]:
    """Number and time of every record, and the meter in microcents after it."""
    found = []
    for record in journal.records():
        amounts = record["event"].get("meters") or [1_000_000 * 10**6]
        found.append((record["seq"], record["at"], amounts[0]))
    return found


def sign_reports(directory: Path, sign: str, at: str, cents: int, *, state: str = "live") -> None:
    """The sign log of the node has what a sign reported."""
    log = SqliteSignLog(
        directory, days=90, max_bytes=2**40, block_seconds=1e9, wall=lambda: milliseconds(at) / 1e3
    )
    glass = (Glass("progressive", cents),)
    log.note(sign, "main", SignEntry(milliseconds(at), "showing", 1, 5, state, glass), keyed=True)
    log._turn(last=True)
