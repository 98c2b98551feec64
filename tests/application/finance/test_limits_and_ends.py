"""Meters with a limit, rounds voided after a hit, and the end of a link, against second books."""

import asyncio
from fractions import Fraction
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.finance.book.figures import CAUSES
from progressive.domain.acts import (
    ApproveRetirement,
    ApproveVoid,
    ProposeRetirement,
    ProposeVoid,
)
from progressive.domain.ids import TableId
from tests.support.asked import asked, row
from tests.support.award_journals import ADA, FAY, SID, SUE, Pit
from tests.support.awards import WHOLE, a_progressive, one_meter
from tests.support.builders import BJ1, BJ2, a_lock, a_settle, a_void, wagers
from tests.support.fake_clock import FakeClock
from tests.support.journals import JournalFile
from tests.support.second_books import PARTS, SecondBooks

DAY, NOW = "2026-01-02", "2026-01-05T00:00:00.000000Z"
LIMIT_CENTS = 1_000_250


class _SecondBooks(SecondBooks):
    def _link_retired(self, day, record, event) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
        for (meter, part), amount in list(self.amount.items()):
            self._move(day, meter, part, "retired", -amount)
            self.house[meter] = Fraction()


async def _written(directory: Path) -> JournalFile:
    """Up to the limit and over it, a void of a round that went over, a hit with a round open whose
    contributions it took, that round's void, and the end of the link."""
    store, clock = SqliteStore(directory), FakeClock()
    rules = one_meter(a_progressive(limit_cents=LIMIT_CENTS), time_zone="UTC")
    pit = Pit(rules, store, clock)
    await pit.desk.worker.start()
    for number in (1, 3):
        await pit.play(BJ1, a_lock(number, wagers=wagers(1, 2)), a_settle(number + 1))
    await pit.play(BJ1, a_lock(5, wagers=wagers(1, 2, 3)), a_void(6))
    await pit.play(TableId(BJ2), a_lock(1, wagers=wagers(4, 5)))
    await pit.play(
        BJ1,
        a_lock(7, wagers=wagers(1)),
        a_settle(8, seats={1: WHOLE}, dealer="9s", complete=False),
    )
    await pit.play(TableId(BJ2), a_void(2))
    award = next(iter(pit.desk.state().awards))
    await pit.act(ProposeVoid(award, SUE, "a 9 was a 7"), ApproveVoid(award, SID))
    await pit.act(ProposeRetirement(FAY, "the pit closes"), ApproveRetirement(ADA, "agreed"))
    await pit.desk.worker.stop()
    await store.close()
    return JournalFile(directory)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> JournalFile:
    return asyncio.run(_written(tmp_path_factory.mktemp("limit")))


def test_every_part_by_cause(journal: JournalFile) -> None:
    second = _SecondBooks(b"\n".join(journal.lines()).decode(), "UTC", "00:00").days[DAY]
    report = asked(journal.directory, "reconciliation", DAY, now=NOW)
    for part in PARTS:
        found = row(report, part=part)
        for cause in CAUSES:
            expected = second["flows"].get(("progressive", part, cause), Fraction()) * 10**6
            assert found[f"{cause}_microcents"] == expected, (part, cause)
        assert found["closing_microcents"] == 0
        assert found["difference_microcents"] == 0
    assert second["flows"]["progressive", "overflow", "contributions"] > 0
    assert report.totals["retired_microcents"] < 0
    assert not [note for note in report.notes if note.startswith("DIFFERENCE")]


def test_everything_is_parked_and_none_of_it_is_lost(journal: JournalFile) -> None:
    report = asked(journal.directory, "liability", DAY, now=NOW)
    reconciled = asked(journal.directory, "reconciliation", DAY, now=NOW)
    parked = row(report, item="parked")["parked_microcents"]
    assert parked == -reconciled.totals["retired_microcents"] > 0
    assert row(report, item="progressive")["displayed_microcents"] == 0
