"""Day books in their files, and the hand that changes them and makes their hash fit."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from progressive.adapters.day_books import FileBookCache
from progressive.adapters.sqlite.journal_reader import SqliteJournalReader
from progressive.application.finance.book.day_book import DayBook, decode_book, encode_book
from progressive.application.finance.days import LinkDays
from progressive.application.finance.questions.books import Books
from progressive.domain.ids import LinkId

MAIN = LinkId("main")


def store_books(data: Path, *days: str) -> None:
    """However few records they have."""

    async def ask() -> None:
        reader = SqliteJournalReader(data, unchanged=True)
        link_days = await LinkDays.load(reader, MAIN)
        cache = FileBookCache(data)
        books = Books(reader, MAIN, link_days, cache=cache, saved_from_records=1)
        for day in days:
            await books.book(day)

    asyncio.run(ask())


def stored_book(data: Path, day: str) -> DayBook:
    stored = FileBookCache(data).load(MAIN, day)
    assert stored is not None
    return decode_book(stored)


def forge_book(data: Path, day: str, change: Callable[[DayBook], None]) -> None:
    """As somebody would who knows the program: the hash of the book fits."""
    book = stored_book(data, day)
    change(book)
    FileBookCache(data).save(MAIN, day, encode_book(book))
