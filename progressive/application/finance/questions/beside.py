"""Days beside those of a report, for the kinds that look there, and what a cage's file of a day is
held against.
"""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Final

from msgspec import structs

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.days import days_between
from progressive.application.finance.questions.books import Books
from progressive.application.finance.refusals import DayRefusedError
from progressive.application.finance.reports import cage
from progressive.application.finance.reports.context import Context
from progressive.application.finance.stated.entries import entries
from progressive.application.journal.ports import JournalReader
from progressive.domain.finance_events import CageFile

CAGE_DAYS_BACK: Final = 7
"""A payment that the cage has on another day is looked for so far back."""


def days_away(day: str, days: int) -> str:
    """The day so many days later, or, negative, before."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def entered_since(books: Sequence[DayBook]) -> int:
    """The record before the first one that may enter something about these days.

    Also about awards that were made before them and dealt with on one of them.
    """
    made = [entry.seq - 1 for book in books for entry in book.awards.values()]
    return min(books[0].opening.seq, *made) if made else books[0].opening.seq


async def days_before(books: Books, first: str, *, since: str) -> list[DayBook]:
    """The books of the days from one on until before another, as far as they were not purged."""
    found: list[DayBook] = []
    for day in days_between(max(since, books.days.first_day), days_away(first, -1)):
        try:
            found.append(await books.book(day))
        except DayRefusedError:
            # Purged in part: what is left is not a day.
            found.clear()
    return found


async def with_entries(
    context: Context, books: Books, reader: JournalReader, *, days_back: int
) -> Context:
    """The context with what finance entered in the days before, too."""
    first = context.first.day
    since = max(books.days.first_day, days_away(first, -days_back))
    if since >= first:
        return context
    first_seq = (await books.days.stretch(since, what_is_left=True)).first_seq
    found = await entries(
        reader, context.link, after_seq=first_seq - 1, until_seq=books.days.end.seq
    )
    return structs.replace(context, entries=found)


async def with_cage(
    context: Context,
    books: Books,
    reader: JournalReader,
    today: str,
    not_entered: Callable[[str], CageFile] | None,
) -> Context:
    """The days beside, where the cage's files name documents that these days did not pay.

    `not_entered`: gives a file that is compared without being entered, in a time zone.
    """
    first, last = context.first.day, context.last.day
    context = await with_entries(context, books, reader, days_back=CAGE_DAYS_BACK)
    files = {day: file for day, (_, file) in cage.files_of(context.entries).items()}
    if not_entered is not None:
        files[last] = not_entered(context.last.time_zone)
        context = structs.replace(context, cage_file=files[last])
    days = {book.day for book in context.books}
    named = {
        payment.document.casefold()
        for day, file in files.items()
        for payment in file.payments
        if day in days
    }
    if not named - cage.documents_paid(context.books):
        return context
    earlier = await days_before(books, first, since=days_away(first, -CAGE_DAYS_BACK))
    after = days_away(last, 1)
    later = [await books.book(after)] if after <= today else []
    return structs.replace(context, earlier=tuple(earlier), later=tuple(later))
