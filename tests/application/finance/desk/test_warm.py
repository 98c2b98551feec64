"""Books that are kept warm: the same as folded afresh, at whatever record they are asked for."""

import asyncio
import json
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.book.day_book import (
    BookUnreadableError,
    decode_book,
    encode_book,
)
from progressive.application.finance.days import LinkDays
from progressive.application.finance.desk import warm
from progressive.application.finance.desk.warm import WarmBooks
from progressive.application.finance.questions.books import Books
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalEnd
from progressive.application.journal.record import hash_record
from progressive.domain.ids import LinkId
from tests.support.finance_days import DAYS, FinanceShelf

MAIN = LinkId("main")


class Growing(SqliteJournalReader):
    """A journal of which only the first records are there yet."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, unchanged=True)
        self.until = 0

    async def journal_end(self, link: LinkId) -> JournalEnd:
        end = await super().journal_end(link)
        if not self.until:
            return end
        stored = await self.record(link, self.until)
        assert stored is not None
        return JournalEnd(self.until, hash_record(stored))

    async def now(self) -> str:
        """When its last record was written."""
        stored = await self.record(MAIN, (await self.journal_end(MAIN)).seq)
        assert stored is not None
        return finding(stored).at


class Shelf:
    """Stored books, in memory."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def load(self, link: LinkId, day: str) -> bytes | None:
        return self.stored.get(day)

    def save(self, link: LinkId, day: str, stored: bytes) -> None:
        self.stored[day] = stored

    def days(self, link: LinkId) -> list[str]:
        return sorted(self.stored)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> FinanceShelf:
    return FinanceShelf(tmp_path_factory.mktemp("finance") / "data")


@pytest.fixture
def reader(days: FinanceShelf) -> Growing:
    return Growing(days.directory)


async def read_on(books: WarmBooks, reader: Growing) -> str:
    """As far as the journal goes; the day that is open then."""
    link_days, now = await LinkDays.load(reader, MAIN), await reader.now()
    await books.read_on(MAIN, link_days, now)
    return link_days.today(now)


async def fresh(reader: Growing, day: str) -> object:
    found = Books(reader, MAIN, await LinkDays.load(reader, MAIN))
    return json.loads(encode_book(await found.book(day)))["book"]


def loaded(books: WarmBooks, day: str) -> object:
    stored = books.load(MAIN, day)
    assert stored is not None
    decode_book(stored)
    return json.loads(stored)["book"]


async def test_a_warm_book_is_the_one_that_would_be_folded(reader: Growing) -> None:
    books = WarmBooks(reader, Shelf())
    last = (await reader.journal_end(MAIN)).seq
    seen = set()
    for until in (*range(1, last, 3), last):
        reader.until = until
        day = await read_on(books, reader)
        seen.add(day)
        assert loaded(books, day) == await fresh(reader, day), until
    # The day without a record passed unnoticed.
    assert seen == set(DAYS) - {"2026-11-02"}


async def test_reports_take_the_book_from_memory(reader: Growing) -> None:
    """And nothing is folded again: the records before are not read."""
    books = WarmBooks(reader, Shelf())
    day = await read_on(books, reader)
    asked: list[int] = []
    plain_read = reader.read

    def read(link: LinkId, *, after_seq: int = 0, until_seq: int | None = None):  # type: ignore[no-untyped-def]  # noqa: ANN202
        asked.append(after_seq)
        return plain_read(link, after_seq=after_seq, until_seq=until_seq)

    reader.read = read  # type: ignore[method-assign]
    found = await Books(reader, MAIN, await LinkDays.load(reader, MAIN), cache=books).book(day)
    assert found.closing.seq == (await reader.journal_end(MAIN)).seq
    assert asked == []


async def test_a_book_of_another_journal_is_folded_again(reader: Growing) -> None:
    """Records that two people accepted are gone: the journal is shorter, and goes on otherwise."""
    books = WarmBooks(reader, Shelf())
    await read_on(books, reader)
    reader.until = (await reader.journal_end(MAIN)).seq - 2
    day = await read_on(books, reader)
    assert loaded(books, day) == await fresh(reader, day)


async def test_a_day_that_is_over_is_stored_whole(
    reader: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "SAVED_FROM_RECORDS", 1)
    shelf = Shelf()
    books = WarmBooks(reader, shelf)
    reader.until = 5
    assert await read_on(books, reader) == DAYS[0]
    assert shelf.stored == {}
    reader.until = 0
    last = await read_on(books, reader)
    assert list(shelf.stored) == [DAYS[0]]
    reader.until = 0
    assert json.loads(shelf.stored[DAYS[0]])["book"] == await fresh(reader, DAYS[0])
    assert books.days(MAIN) == [DAYS[0], last]


async def test_what_is_broken_off_goes_on_from_there(reader: Growing) -> None:
    books = WarmBooks(reader, Shelf())
    reader.until = 8
    link_days = await LinkDays.load(reader, MAIN)
    for _ in range(100):
        reading = asyncio.create_task(books.read_on(MAIN, link_days, await reader.now()))
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait({reading})
    day = await read_on(books, reader)
    assert loaded(books, day) == await fresh(reader, day)


async def test_what_a_question_has_read_is_not_read_again(reader: Growing) -> None:
    books = WarmBooks(reader, Shelf())
    last = (await reader.journal_end(MAIN)).seq
    reader.until = last - 2
    day = await read_on(books, reader)
    reader.until = 0
    of_question = Books(
        reader, MAIN, await LinkDays.load(reader, MAIN), cache=books, saved_from_records=1
    )
    await of_question.book(day)
    stored = books.load(MAIN, day)
    assert stored is not None
    assert decode_book(stored).closing.seq == last
    await read_on(books, reader)
    assert loaded(books, day) == await fresh(reader, day)


async def test_a_stored_book_that_is_damaged_is_not_believed(reader: Growing) -> None:
    shelf = Shelf()
    shelf.stored[DAYS[-1]] = b"not a book"
    with pytest.raises(BookUnreadableError):
        decode_book(shelf.stored[DAYS[-1]])
    books = WarmBooks(reader, shelf)
    day = await read_on(books, reader)
    assert loaded(books, day) == await fresh(reader, day)
