"""`progressive report` beside stored day books: what it notices, and its exit codes."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from progressive.application.finance.book.day_book import DayBook
from tests.support.closed_day import close_day
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile
from tests.support.service import run_inside
from tests.support.stored_books import forge_book, store_books

FRIDAY, SATURDAY = DAYS[:2]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    shelf = FinanceShelf(tmp_path_factory.mktemp("finance") / "data")
    asyncio.run(close_day(shelf.directory, FRIDAY, cage_cents=90_074))
    store_books(shelf.directory, *DAYS)
    return shelf


@pytest.fixture
def data(shelf: FinanceShelf, tmp_path: Path) -> Path:
    return shelf.copy_to(tmp_path / "data").directory


def wagers(data: Path, day: str, *words: str) -> tuple[int, str, str]:
    """Exit code, the report and what was told beside it."""
    done = run_inside(
        *("report", "wagers", "--data", data, "--day", day, "--format", "json"),
        *("--printed-at", "2026-11-04T09:00:00-05:00", *words),
    )
    return done.returncode, done.stdout, done.stderr


def a_cent_more(book: DayBook) -> None:
    book.closing.accounts["hold"] += 1_000_000
    next(cell for cell in book.cells.values() if cell.chips).chip_cents += 1


def test_a_stored_book_that_is_not_as_its_day_was_closed_is_exit_1_and_no_figure(
    data: Path,
) -> None:
    right = wagers(data, FRIDAY)
    assert (right[0], right[2]) == (0, "")
    forge_book(data, FRIDAY, a_cent_more)
    code, report, told = wagers(data, FRIDAY)
    assert code == 1
    assert json.loads(report) == json.loads(right[1])
    assert "main: a stored day book was set aside, and the day folded again: 2026-10-30 " in told
    assert "closing hold" in told


def test_a_record_that_was_changed_behind_a_stored_book_is_exit_1_and_named(data: Path) -> None:
    journal = JournalFile(data)
    lines = journal.lines()
    lines[4] = lines[4].replace(b'"BJ-02"', b'"BJ-03"')
    journal.store(lines)
    code, report, told = wagers(data, FRIDAY)
    assert (code, report) == (1, "")
    assert "record 6 does not follow record 5" in told
    # Of another day nothing was changed.
    assert wagers(data, SATURDAY)[0] == 0


def test_a_stored_book_whose_content_was_changed_is_folded_again(data: Path) -> None:
    """Without its hash made to fit: damage."""
    right = wagers(data, SATURDAY)
    path = data / "finance" / "main" / f"{SATURDAY}.book"
    stored = gzip.decompress(path.read_bytes())
    place = stored.index(b'"chip_cents":', stored.index(b'"cells":')) + len(b'"chip_cents":')
    path.write_bytes(gzip.compress(stored[:place] + b"9" + stored[place:]))
    assert wagers(data, SATURDAY) == right
    assert right[0] == 0
