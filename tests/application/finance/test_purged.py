"""A journal whose oldest records were purged: only what is left has its reports."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.explain import explain
from progressive.application.finance.refusals import DayRefusedError
from progressive.domain.ids import LinkId
from tests.support.asked import asked, row
from tests.support.finance_days import DAYS, NOT_OVER_AT, FinanceShelf
from tests.support.segment_mischief import Mischief, close_segments

FRIDAY, SATURDAY, SUNDAY = DAYS[:3]


@pytest.fixture
def shelf(tmp_path: Path) -> FinanceShelf:
    return FinanceShelf(tmp_path / "good")


@pytest.fixture
def purged(shelf: FinanceShelf, tmp_path: Path) -> Path:
    """Records 1 to 24 are gone: Friday, and the morning of Saturday."""
    journal = shelf.copy_to(tmp_path / "purged")
    close_segments(journal, [16, 24])
    Mischief(journal).purge(2)
    return journal.directory


def test_a_day_that_is_whole_has_its_report(shelf: FinanceShelf, purged: Path) -> None:
    before = asked(shelf.directory, "reconciliation", SUNDAY, now=NOT_OVER_AT)
    after = asked(purged, "reconciliation", SUNDAY, now=NOT_OVER_AT)
    assert after.rows == before.rows
    assert after.totals["difference_microcents"] == 0


def test_the_house_is_taken_to_have_what_a_reset_puts_there(purged: Path) -> None:
    """Sunday's hit of the whole meter puts it right."""
    found = row(asked(purged, "liability", SUNDAY, now=NOT_OVER_AT), item="progressive")
    assert int(found["house_microcents"] or 0) // 10**6 == 200_000


@pytest.mark.parametrize(
    ("day", "said"),
    [(FRIDAY, "the journal begins on 2026-10-31"), (SATURDAY, "purged")],
)
def test_a_day_of_which_records_are_gone_is_refused(purged: Path, day: str, said: str) -> None:
    with pytest.raises(DayRefusedError, match=said):
        asked(purged, "reconciliation", day, now=NOT_OVER_AT)


def test_a_meter_is_explained_from_the_oldest_record_that_is_left(purged: Path) -> None:
    async def ask(seq: int) -> int:
        reader = SqliteJournalReader(purged, unchanged=True)
        link = LinkId("main")
        books = Books(reader, link, await LinkDays.load(reader, link))
        found = await explain(reader, link, "progressive", books, seq=seq)
        assert found.difference_microcents == 0
        return found.from_seq

    assert asyncio.run(ask(33)) == 25
    assert asyncio.run(ask(40)) == 36
