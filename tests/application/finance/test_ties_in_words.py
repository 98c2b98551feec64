"""A difference is told in the floor's money, with the microcents of the records behind it."""

import asyncio
from pathlib import Path

import pytest

from progressive.adapters.day_books import FileBookCache
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.questions.day_status import day_status
from tests.support.asked import around, asked
from tests.support.finance_days import DAYS, NOT_OVER_AT, FinanceShelf
from tests.support.forgeries import lie_at, put
from tests.support.stored_books import forge_book, store_books

FRIDAY, SATURDAY = DAYS[:2]


@pytest.mark.parametrize(
    ("account", "check"), [("wagers chip", "wagers"), ("paid", "wins"), ("pending", "wins")]
)
def test_a_tie_that_is_off_says_by_how_much_money(
    shelf: FinanceShelf, tmp_path: Path, account: str, check: str
) -> None:
    data = shelf.copy_to(tmp_path / "data").directory
    store_books(data, SATURDAY)

    def a_dollar_more(book: DayBook) -> None:
        book.closing.accounts[account] += 100_000_000

    forge_book(data, SATURDAY, a_dollar_more)
    surroundings = around(data, now=NOT_OVER_AT, cache=FileBookCache(data))
    status = asyncio.run(day_status(surroundings, None, SATURDAY))
    (found,) = (each for each in status.checks if each.check == check)
    assert found.detail == "They differ by $1.00 (100,000,000 microcents)."


def test_a_meter_and_a_note_that_are_off_say_by_how_much_money(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    journal.forge(lie_at(5, put("flows", 0, 1, value=200_000_001)))
    status = asyncio.run(day_status(around(journal.directory, now=NOT_OVER_AT), None, FRIDAY))
    (meters,) = (each for each in status.checks if each.check == "meters")
    assert any("microcents), " in each.what and "$" in each.what for each in meters.findings)
    notes = asked(journal.directory, "reconciliation", FRIDAY, now=NOT_OVER_AT).notes
    of_record = [each for each in notes if each.startswith("DIFFERENCE: record 5: ")]
    assert of_record
    for note in of_record:
        assert ", by " in note
        assert note.endswith(" microcents).")
