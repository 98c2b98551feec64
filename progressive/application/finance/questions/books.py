"""The day books of one link: taken from where they are stored, folded on, or folded from records.

A stored book is used only where its hash is its own and the journal still has the very record that
it ends with. Books are a cache and never the truth: deleting them changes no report. What people
sign is folded again (`refold`), and whoever has the time has the records behind a stored book
confirmed (`confirm`).
"""

import asyncio
from typing import Final

from progressive.application.finance.book.day_book import (
    BookUnreadableError,
    DayBook,
    decode_book,
    encode_book,
    new_book,
)
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.book.opening import amounts_before, standing_before
from progressive.application.finance.book.reading import fold_until
from progressive.application.finance.book.standing import Standing
from progressive.application.finance.days import LinkDays, Stretch
from progressive.application.finance.questions.confirming import confirm_records
from progressive.application.finance.questions.ports import BookCache, NoCache
from progressive.application.journal.ports import JournalEnd, JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, hash_record
from progressive.domain.ids import LinkId

SAVED_FROM_RECORDS: Final = 5_000
"""A book is stored again once so many records were folded onto it: fewer take no time."""


class Books:
    """Day books by day. Ask for days in their order: each opens as the one before closed."""

    def __init__(
        self,
        reader: JournalReader,
        link: LinkId,
        days: LinkDays,
        *,
        cache: BookCache | None = None,
        saved_from_records: int = SAVED_FROM_RECORDS,
    ) -> None:
        self._reader = reader
        self.link = link
        self.days = days
        self._cache = cache or NoCache()
        self._saved_from_records = saved_from_records
        self._last: DayBook | None = None
        self._believed: dict[str, tuple[JournalEnd, JournalEnd]] = {}

    async def book(self, day: str, *, refold: bool = False) -> DayBook:
        """The book of a day up to the end of the journal; raises StoreError, JournalBrokenError.

        `refold`: from the day's records, and from amounts that the chain confirms; no stored book
        has a part in any amount of it but the division of meters into house and players' money.
        """
        stretch = await self.days.stretch(day)
        book = await (self._refolded(stretch) if refold else self.begun(stretch))
        known = book.records
        if known:
            self._believed[day] = (_end(book.opening), _end(book.closing))
        else:
            self._believed.pop(day, None)
        await self._fold(book, stretch)
        if book.records - known >= self._saved_from_records:
            await asyncio.to_thread(self._cache.save, self.link, day, encode_book(book))
        self._last = book
        return book

    def was_stored(self, day: str) -> bool:
        """Whether a book that was asked for rests on a stored one."""
        return day in self._believed

    async def confirm(self) -> None:
        """Hold the records behind the stored books that were used against the journal's chain.

        Raises StoreError, and JournalBrokenError with the first record that was changed.
        """
        believed = [self._believed[day] for day in sorted(self._believed)]
        await confirm_records(self._reader, self.link, believed)

    async def begun(self, stretch: Stretch) -> DayBook:
        """The book of a day as far as it is stored, to go on with."""
        return await self._stored(stretch) or await self._new(stretch)

    async def _fold(self, book: DayBook, stretch: Stretch) -> None:
        last = stretch.last_seq
        if book.closing.seq >= last:
            return
        await fold_until(self._reader, self.link, Fold(book), last)
        end = self.days.end
        if last == end.seq and book.closing.head != end.head:
            raise JournalBrokenError(f"record {last} is not the one that the journal ends with")

    async def _new(self, stretch: Stretch) -> DayBook:
        before = await self.nearest_before(stretch.first_seq)
        opening = await standing_before(self._reader, self.link, stretch.first_seq, known=before)
        return new_book(self.link, stretch.day, stretch.begins, stretch.days, opening)

    async def _refolded(self, stretch: Stretch) -> DayBook:
        before = await self.nearest_before(stretch.first_seq)
        opening = await amounts_before(self._reader, self.link, stretch.first_seq, known=before)
        return new_book(self.link, stretch.day, stretch.begins, stretch.days, opening)

    async def nearest_before(self, seq: int) -> Standing | None:
        """The latest standing before a record that is known: of the last book, or a stored one."""
        last = self._last
        if last is not None and last.closing.seq == seq - 1:
            return last.closing
        for day in reversed(self._cache.days(self.link)):
            book = await self._read(day)
            if book is not None and book.closing.seq < seq:
                return book.closing
        return None

    async def _stored(self, stretch: Stretch) -> DayBook | None:
        book = await self._read(stretch.day)
        if (
            book is None
            or (book.begins, book.ends) != (stretch.begins, stretch.ends)
            or book.opening.seq != stretch.first_seq - 1
            or book.closing.seq > stretch.last_seq
        ):
            return None
        return book

    async def _read(self, day: str) -> DayBook | None:
        """A stored book whose last record the journal still has."""
        stored = await asyncio.to_thread(self._cache.load, self.link, day)
        if stored is None:
            return None
        try:
            book = decode_book(stored)
        except BookUnreadableError:
            return None
        if (book.link, book.day) != (self.link, day) or not book.closing.seq:
            return None
        if book.closing.seq > self.days.end.seq:
            return None
        try:
            last = await self._reader.record(self.link, book.closing.seq)
        except StorePurgedError:
            return None
        return book if last is not None and hash_record(last) == book.closing.head else None


def _end(standing: Standing) -> JournalEnd:
    return JournalEnd(standing.seq, standing.head)
