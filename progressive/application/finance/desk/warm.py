"""COLD. The day books of the open day, kept in memory and read on as the journal grows.

For the process that answers questions: whoever asks gets a copy, which is then held against the
journal like any stored book. Never two things at a time: what is read on is not asked meanwhile.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook, decode_book, encode_book
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.days import LinkDays, Stretch
from progressive.application.finance.questions.books import SAVED_FROM_RECORDS, Books
from progressive.application.finance.questions.ports import BookCache
from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.reading import reading
from progressive.application.journal.record import JournalBrokenError, hash_record
from progressive.domain.ids import LinkId

STORED_EVERY_RECORDS: Final = 50_000
"""A book in memory is stored again after so many: what a start has to read again."""


class _Warm(Struct):
    """The book of a link's open day."""

    day: str
    fold: Fold
    stored_seq: int
    """Up to which record the book lies in its file."""

    @property
    def book(self) -> DayBook:
        return self.fold.book


class WarmBooks:
    """Implements `BookCache` over another one."""

    def __init__(self, reader: JournalReader, stored: BookCache) -> None:
        self._reader = reader
        self._stored = stored
        self._warm: dict[LinkId, _Warm] = {}

    def load(self, link: LinkId, day: str) -> bytes | None:
        """The book in memory, or the stored one."""
        warm = self._warm.get(link)
        if warm is not None and warm.day == day:
            return encode_book(warm.book)
        return self._stored.load(link, day)

    def save(self, link: LinkId, day: str, stored: bytes) -> None:
        """Into the store behind; a question may have read further than anybody before."""
        self._stored.save(link, day, stored)
        warm = self._warm.get(link)
        if warm is not None and warm.day == day:
            book = decode_book(stored)
            if book.closing.seq > warm.book.closing.seq:
                self._warm[link] = _Warm(day, Fold(book), book.closing.seq)

    def days(self, link: LinkId) -> Sequence[str]:
        """Those in the store, and the one in memory."""
        known = set(self._stored.days(link))
        if (warm := self._warm.get(link)) is not None:
            known.add(warm.day)
        return sorted(known)

    def forget(self, link: LinkId) -> None:
        """The next reading begins with what is stored."""
        self._warm.pop(link, None)

    async def read_on(self, link: LinkId, days: LinkDays, now: str) -> None:
        """Up to the end of the journal; cancelled, it goes on from there the next time.

        Raises StoreError, JournalBrokenError, DayRefusedError.
        """
        today = days.today(now)
        warm = self._warm.get(link)
        if warm is not None and not await self._still_holds(link, warm, days):
            self.forget(link)
            warm = None
        if warm is not None and warm.day != today:
            await self._fold(link, warm, await days.stretch(warm.day))
            self._store(link, warm, SAVED_FROM_RECORDS)
            self.forget(link)
            warm = None
        stretch = await days.stretch(today)
        if warm is None:
            book = await Books(self._reader, link, days, cache=self._stored).begun(stretch)
            warm = self._warm[link] = _Warm(today, Fold(book), book.closing.seq)
        await self._fold(link, warm, stretch)
        self._store(link, warm, STORED_EVERY_RECORDS)

    async def _fold(self, link: LinkId, warm: _Warm, stretch: Stretch) -> None:
        after = warm.book.closing.seq
        if after >= stretch.last_seq:
            return
        read = self._reader.read(link, after_seq=after, until_seq=stretch.last_seq)
        try:
            async with reading(read) as chunks:
                async for chunk in chunks:
                    warm.fold.feed(chunk)
        except JournalBrokenError:
            self.forget(link)
            raise
        finally:
            warm.fold.finish()

    async def _still_holds(self, link: LinkId, warm: _Warm, days: LinkDays) -> bool:
        """Whether the journal has the book's last record, and counts the day as the book does."""
        book = warm.book
        if book.closing.seq > days.end.seq or book.ends != days.how(warm.day).ends(warm.day):
            return False
        if not book.closing.seq:
            return True
        try:
            last = await self._reader.record(link, book.closing.seq)
        except StorePurgedError:
            return False
        return last is not None and hash_record(last) == book.closing.head

    def _store(self, link: LinkId, warm: _Warm, records: int) -> None:
        book = warm.book
        if book.closing.seq - warm.stored_seq >= records:
            self._stored.save(link, warm.day, encode_book(book))
            warm.stored_seq = book.closing.seq
