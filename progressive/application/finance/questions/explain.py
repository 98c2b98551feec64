"""How a displayed meter came to its amount: every line of the sum, from its last reset on.

The sum begins just before the award that last emptied the meter (or with the record that began it)
and ends with the record that is asked for; each line names the records behind it.
"""

from msgspec import Struct

from progressive.application.finance.book.day_book import DayBook, new_book
from progressive.application.finance.book.fold import Fold
from progressive.application.finance.book.opening import standing_before
from progressive.application.finance.book.reading import fold_until
from progressive.application.finance.book.standing import MeterPast, Parts, Standing
from progressive.application.finance.questions.books import Books
from progressive.application.finance.questions.explain_lines import ExplainLine, explain_lines
from progressive.application.finance.questions.limited import limited_by
from progressive.application.finance.refusals import NotThereError
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.ids import LinkId, MeterId
from progressive.domain.money import MICROCENTS_PER_CENT


class Explanation(Struct, frozen=True, kw_only=True):
    """A meter at a moment, and the sum that leads to it."""

    link: str
    meter: str
    seq: int
    """The record after which the meter stood so, its time and hash."""
    at: str
    head: str
    from_seq: int
    """The first record of the sum."""
    cents: int
    """What signs showed."""
    microcents: int
    opening_microcents: int
    """Before the first record of the sum."""
    lines: tuple[ExplainLine, ...]
    sum_microcents: int
    """The opening and all lines."""
    difference_microcents: int
    """The meter less the sum: zero."""


async def explain(
    reader: JournalReader, link: LinkId, meter: str, books: Books, *, seq: int
) -> Explanation:
    """How a meter came to what it was after a record.

    Raises NotThereError, StoreError and JournalBrokenError.
    """
    then = await standing_before(reader, link, seq + 1, known=await books.nearest_before(seq + 1))
    asked = MeterId(meter)
    if asked not in then.meters:
        there = ", ".join(then.meters) or "none"
        raise NotThereError(f"no meter {meter!r} at record {seq} (there are: {there})")
    begun = max(1, then.pasts.get(asked, MeterPast()).emptied_seq)
    parts = await _books(reader, link, books, first_seq=begun, last_seq=seq)
    opening = parts[0].opening.meters.get(asked, Parts()).primary
    limited = await limited_by(reader, link, parts, asked)
    lines = tuple(explain_lines(parts, asked, limited))
    total = opening + sum(line.microcents for line in lines)
    stands = then.meters[asked].primary
    return Explanation(
        link=link,
        meter=meter,
        seq=then.seq,
        at=then.at,
        head=then.head,
        from_seq=begun,
        cents=stands // MICROCENTS_PER_CENT,
        microcents=stands,
        opening_microcents=opening,
        lines=lines,
        sum_microcents=total,
        difference_microcents=stands - total,
    )


async def _books(
    reader: JournalReader, link: LinkId, books: Books, *, first_seq: int, last_seq: int
) -> list[DayBook]:
    """The records of the sum: a part of its first day, whole days, a part of its last."""
    days = books.days
    opening = await standing_before(
        reader, link, first_seq, known=await books.nearest_before(first_seq)
    )
    found: list[DayBook] = []
    reached: Standing = opening
    while reached.seq < last_seq:
        stored = await reader.record(link, reached.seq + 1)
        if stored is None:
            raise JournalBrokenError(f"record {reached.seq + 1} is missing")
        stretch = await days.stretch(days.day_of(finding(stored).at), what_is_left=True)
        from_its_first = stretch.whole and stretch.first_seq == reached.seq + 1
        if from_its_first and stretch.last_seq <= last_seq:
            book = await books.book(stretch.day)
        else:
            book = new_book(link, stretch.day, stretch.begins, stretch.days, reached)
            until = min(last_seq, stretch.last_seq)
            await fold_until(reader, link, Fold(book), until)
        if book.closing.seq <= reached.seq:
            raise JournalBrokenError(f"record {reached.seq + 1} is missing")
        found.append(book)
        reached = book.closing
    return found
