"""Day books: the same figures however a day was begun, stored, continued or folded."""

import asyncio
import json
from itertools import pairwise
from pathlib import Path

import pytest

from progressive.adapters.day_books import FileBookCache
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.book import day_book
from progressive.application.finance.book.day_book import (
    BookUnreadableError,
    DayBook,
    decode_book,
    encode_book,
    new_book,
)
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.book.standing import Standing
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.ports import BookCache
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile
from tests.support.later_voids import later_voids
from tests.support.long_journal import make_long_journal

MAIN = LinkId("main")


def books_of(data: Path, *days: str, cache: BookCache | None = None) -> list[DayBook]:
    """The books of days, asked for one after the other."""

    async def ask() -> list[DayBook]:
        reader = SqliteJournalReader(data, unchanged=True)
        link_days = await LinkDays.load(reader, MAIN)
        books = Books(reader, MAIN, link_days, cache=cache, saved_from_records=1)
        return [await books.book(day) for day in days]

    return asyncio.run(ask())


def as_bytes(books: list[DayBook]) -> list[dict[str, object]]:
    return [json.loads(encode_book(book))["book"] for book in books]


def test_a_day_alone_has_the_book_that_it_has_among_others(shelf: FinanceShelf) -> None:
    """Opened from a saved state and the records that tell whose money it is."""
    together = books_of(shelf.directory, *DAYS)
    alone = [books_of(shelf.directory, day)[0] for day in DAYS]
    assert as_bytes(alone) == as_bytes(together)


def test_a_day_alone_knows_what_voids_changed_before_it(tmp_path: Path) -> None:
    data = later_voids(tmp_path / "data")
    together = books_of(data, *DAYS)
    alone = [books_of(data, day)[0] for day in DAYS]
    assert as_bytes(alone) == as_bytes(together)
    (opened,) = (each for each in alone[2].opening.awards.values() if each.made.order == 2)
    assert [each.amount_cents for each in opened.resettled] == [80_019]


@pytest.mark.slow
def test_a_day_of_a_long_journal_alone_has_the_same_book(tmp_path: Path) -> None:
    """From the state file of a closed segment, with awards open across the turn of the day."""
    made = make_long_journal(tmp_path, records=20_000, tables=20, days=4)
    days = ["2026-02-25", "2026-02-26", "2026-02-27", "2026-02-28"]
    together = books_of(made.data, *days)
    alone = [books_of(made.data, day)[0] for day in days]
    assert as_bytes(alone) == as_bytes(together)
    assert sum(book.records for book in together) == 20_000


def test_each_day_opens_as_the_one_before_closed(shelf: FinanceShelf) -> None:
    books = books_of(shelf.directory, *DAYS)
    for before, after in pairwise(books):
        assert before.closing.seq == after.opening.seq
        assert before.closing.meters == after.opening.meters
        assert before.ends == after.begins
    assert books[3].records == 0
    assert books[3].first_seq is None


def test_a_stored_book_is_the_same_when_it_is_read(shelf: FinanceShelf) -> None:
    for book in books_of(shelf.directory, *DAYS):
        assert encode_book(decode_book(encode_book(book))) == encode_book(book)


def test_a_book_may_be_continued_at_any_record(shelf: FinanceShelf) -> None:
    lines = JournalFile(shelf.directory).lines()
    days = GamingDays.of("America/New_York", "06:00")

    def begun() -> DayBook:
        return new_book(MAIN, DAYS[0], days.begins(DAYS[0]), days, Standing())

    whole = Fold(begun())
    whole.feed(lines)
    expected = as_bytes([whole.finish()])
    for seq in range(len(lines) + 1):
        first = Fold(begun())
        first.feed(lines[:seq])
        second = Fold(decode_book(encode_book(first.finish())))
        second.feed(lines[seq:])
        assert as_bytes([second.finish()]) == expected, seq


def test_a_stored_book_is_used_and_continued(shelf: FinanceShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    cache = FileBookCache(journal.directory)
    fresh = books_of(journal.directory, *DAYS)
    assert as_bytes(books_of(journal.directory, *DAYS, cache=cache)) == as_bytes(fresh)
    assert list(cache.days(MAIN)) == [day for day in DAYS if day != "2026-11-02"]
    # A figure that only the stored book can have shows that it is what was read.
    marked = books_of(journal.directory, DAYS[0], cache=cache)[0]
    marked.differences_more = 77
    cache.save(MAIN, DAYS[0], encode_book(marked))
    assert books_of(journal.directory, DAYS[0], cache=cache)[0].differences_more == 77
    assert as_bytes(books_of(journal.directory, *DAYS[1:], cache=cache)) == as_bytes(fresh[1:])


def test_a_book_whose_record_is_another_one_now_is_thrown_away(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    cache = FileBookCache(journal.directory)
    books_of(journal.directory, *DAYS, cache=cache)
    journal.execute("DELETE FROM snapshot")
    journal.forge(lambda records: records[1]["event"]["dealer"].update(name="Dolly"))
    after = books_of(journal.directory, DAYS[0], cache=cache)[0]
    assert after.sign_ons[0].by == "Dolly"


@pytest.mark.parametrize("stored", [b"", b"not gzip", b"\x1f\x8b\x08broken"])
def test_a_damaged_file_is_folded_again(shelf: FinanceShelf, tmp_path: Path, stored: bytes) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    cache = FileBookCache(journal.directory)
    fresh = books_of(journal.directory, DAYS[0], cache=cache)
    path = journal.directory / "finance" / "main" / f"{DAYS[0]}.book"
    path.write_bytes(stored)
    assert as_bytes(books_of(journal.directory, DAYS[0], cache=cache)) == as_bytes(fresh)


def test_a_folder_that_cannot_be_written_stops_no_report(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    (journal.directory / "finance").write_text("a file stands where the folder should be")
    cache = FileBookCache(journal.directory)
    assert books_of(journal.directory, DAYS[0], cache=cache)[0].records


def test_a_book_of_another_form_is_not_read(shelf: FinanceShelf) -> None:
    stored = json.loads(encode_book(books_of(shelf.directory, DAYS[0])[0]))
    stored["form"] = day_book.FORM + 1
    with pytest.raises(BookUnreadableError, match="form"):
        decode_book(json.dumps(stored).encode())


def test_a_book_as_it_was_stored_before_is_folded_again(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    cache = FileBookCache(journal.directory)
    fresh = books_of(journal.directory, DAYS[0])
    cache.save(MAIN, DAYS[0], json.dumps({"form": 3} | as_bytes(fresh)[0]).encode())
    assert as_bytes(books_of(journal.directory, DAYS[0], cache=cache)) == as_bytes(fresh)


def test_a_stored_book_that_was_changed_is_folded_again(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    """One cent more of fixed awards: no account moves, and only the hash of the book tells."""
    journal = shelf.copy_to(tmp_path / "data")
    cache = FileBookCache(journal.directory)
    fresh = books_of(journal.directory, DAYS[0], cache=cache)
    stored = cache.load(MAIN, DAYS[0])
    assert stored is not None
    was = b'"fixed_cents":%d' % next(
        cell.fixed_cents for cell in fresh[0].cells.values() if cell.fixed_cents
    )
    changed = stored.replace(was, was[:-1] + b"1", 1)
    assert changed != stored
    cache.save(MAIN, DAYS[0], changed)
    with pytest.raises(BookUnreadableError, match="its hash is another"):
        decode_book(changed)
    assert as_bytes(books_of(journal.directory, DAYS[0], cache=cache)) == as_bytes(fresh)
    assert cache.load(MAIN, DAYS[0]) == stored


def test_a_broken_chain_ends_the_fold_with_the_record(shelf: FinanceShelf, tmp_path: Path) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    lines = journal.lines()
    lines[5] = lines[5].replace(b'"round":"r1"', b'"round":"rX"')
    journal.store(lines)
    with pytest.raises(JournalBrokenError, match="record 7"):
        books_of(journal.directory, DAYS[0])


def test_a_saved_state_that_the_chain_does_not_confirm_is_refused(
    shelf: FinanceShelf, tmp_path: Path
) -> None:
    journal = shelf.copy_to(tmp_path / "data")
    journal.execute(
        "UPDATE snapshot SET body = "
        "CAST(replace(CAST(body AS TEXT), '\"retired\":false', '\"retired\":true') AS BLOB)"
    )
    with pytest.raises(JournalBrokenError, match="saved state"):
        books_of(journal.directory, DAYS[2])
