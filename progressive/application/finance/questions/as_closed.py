"""The books of days that may be closed: what two people signed of a day holds for its book.

A stored book that has it otherwise is set aside, and the day folded again: then either the book was
wrong, or the journal is not what was closed. Both are told.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.closing.as_closed import not_as_closed, not_opened_as_closed
from progressive.application.finance.questions.books import Books
from progressive.application.finance.stated.closed_days import Close, closes_of
from progressive.application.journal.ports import JournalReader
from progressive.domain.state.days import Days


class Brought(Struct):
    """Books, and what was found about them."""

    books: list[DayBook]
    not_as_closed: list[str]
    """Days whose records do not come to what they were closed with."""
    set_aside: list[str]
    """Stored books that did not; these days were folded again, and agree."""


async def books_as_closed(
    reader: JournalReader, books: Books, days: Days, wanted: Sequence[str], *, refold: bool
) -> Brought:
    """The books of consecutive days; raises StoreError and JournalBrokenError."""
    before = (date.fromisoformat(wanted[0]) - timedelta(days=1)).isoformat()
    closes = await closes_of(reader, books.link, days, before, wanted[-1])
    brought = Brought([], [], [])
    for day in wanted:
        book = await books.book(day, refold=refold)
        if (wrong := _wrong(book, day, before, closes)) is not None:
            again = book if refold else await books.book(day, refold=True)
            if (still := _wrong(again, day, before, closes)) is not None:
                brought.not_as_closed.append(still)
            else:
                brought.set_aside.append(
                    f"a stored day book was set aside, and the day folded again: {wrong}"
                )
            book = again
        brought.books.append(book)
        before = day
    return brought


def _wrong(book: DayBook, day: str, before: str, closes: Mapping[str, Close]) -> str | None:
    if (close := closes.get(day)) is not None:
        return not_as_closed(book, close)
    opened = closes.get(before)
    return None if opened is None else not_opened_as_closed(book, opened)
