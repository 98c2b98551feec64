"""What stands beside the readings of signs: the sign log and the journal at each moment, and every
decrease of a meter since it was read before.

A reading costs a few look-ups and the records of its minute; decreases stand in the day books.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from progressive.application.finance.book.standing import AwardEntry
from progressive.application.finance.questions.beside import days_away, days_before, with_entries
from progressive.application.finance.questions.books import Books
from progressive.application.finance.reports.context import Context
from progressive.application.finance.reports.readings import Reading, of_days, readings_of
from progressive.application.finance.reports.readings_then import (
    Decrease,
    ReadingThen,
    SignsThen,
    moments_of,
    off_by,
)
from progressive.application.journal.history import Amounts, TermsIndex, amounts_after
from progressive.application.journal.ports import JournalReader, StoreError, StorePurgedError
from progressive.application.signs.history import Silence, reading_at
from progressive.application.signs.ports import ReadsSignLogs
from progressive.application.signs.reports import milliseconds, time_text
from progressive.domain.ids import AwardId, LinkId, MeterId
from progressive.domain.rounding import floor_cents

DAYS_BACK: Final = 35
"""How far back the reading before is looked for: four of a weekly duty."""
NO_DOCUMENT: Final = "NOTHING THAT THE RECORD NAMES"


class _LogThen(Struct, frozen=True):
    """What the sign log has, by reading; and which signs showed which meters."""

    readings: dict[int, tuple[int | None, str, str | None]]
    shown: list[tuple[str, MeterId]]


async def with_readings(
    context: Context, books: Books, reader: JournalReader, sign_log: ReadsSignLogs | None
) -> Context:
    """The context with everything that its readings are held against."""
    first, end = context.first.day, books.days.end.seq
    context = await with_entries(context, books, reader, days_back=DAYS_BACK)
    known = readings_of(context.entries)
    asked = of_days(context, known)
    journal = _Journal(reader, context.link, end)
    thens = {each.entered.seq: await journal.then(each) for each in asked}
    log, problem = await _log_then(context, asked, sign_log)
    for seq, (cents, state, at) in log.readings.items():
        thens[seq] = structs.replace(thens[seq], log_cents=cents, log=state, log_at=at)
    since = _read_before(context, known, asked)
    if (oldest := min(since.values(), default=context.first.begins)) < context.first.begins:
        back = max(days_away(first, -DAYS_BACK), books.days.day_of(oldest))
        context = structs.replace(
            context, earlier=tuple(await days_before(books, first, since=back))
        )
    starts = {meter: await journal.seq_at(at) for meter, at in since.items()}
    signs = SignsThen(
        readings=thens,
        decreases=tuple(_decreases(context, starts)),
        shown=log.shown,
        log_problem=problem,
    )
    return structs.replace(context, signs=signs)


class _Journal:
    """A link's journal, asked for the meters of a moment."""

    def __init__(self, reader: JournalReader, link: LinkId, end_seq: int) -> None:
        self._reader, self._link, self._end = reader, link, end_seq
        self._terms = TermsIndex(reader, link)

    async def seq_at(self, at: str) -> int:
        """The last record until a moment; 0 where there is none."""
        try:
            stored = await self._reader.last_record_until(self._link, at, last_seq=self._end)
        except StorePurgedError:
            return 0
        return 0 if stored is None else amounts_after(stored).seq

    async def then(self, found: Reading) -> ReadingThen:
        """The meter within the lag of a reading."""
        since, at, until = moments_of(found.at)
        first, last = max(1, await self.seq_at(since)), await self.seq_at(until)
        moment: int | None = None
        cents: list[int] = []
        try:
            async for chunk in self._reader.read(self._link, after_seq=first - 1, until_seq=last):
                for stored in chunk:
                    amounts = amounts_after(stored)
                    amount = (await self.meters(amounts)).get(found.reading.meter)
                    if amount is None:
                        continue
                    cents.append(floor_cents(amount))
                    if amounts.at <= at:
                        moment = amount
        except StorePurgedError:
            return ReadingThen()
        return ReadingThen(
            journal_microcents=moment,
            off_cents=off_by(found.reading.shown_cents, cents),
            first_seq=first if cents else None,
            last_seq=last if cents else None,
        )

    async def meters(self, amounts: Amounts) -> dict[MeterId, int]:
        """What a record left on each meter."""
        terms = await self._terms.meters_of(amounts.seq, last_seq=self._end)
        return {meter.id: amount for meter, amount in zip(terms, amounts.microcents, strict=False)}


# --- the sign log ---------------------------------------------------------------------------------


async def _log_then(
    context: Context, asked: Sequence[Reading], sign_log: ReadsSignLogs | None
) -> tuple[_LogThen, str]:
    if sign_log is None:
        return _LogThen({}, []), "it was not asked"
    try:
        # It unpacks thousands of entries.
        return await asyncio.to_thread(_read_log, context, asked, sign_log), ""
    except StoreError:
        # Where it should lie is not said: the same report is the same bytes on any machine.
        return _LogThen({}, []), "there is none that can be read"


def _read_log(context: Context, asked: Sequence[Reading], opened: ReadsSignLogs) -> _LogThen:
    found: dict[int, tuple[int | None, str, str | None]] = {}
    with opened() as log:
        for each in asked:
            at_ms = milliseconds(each.at)
            said = reading_at(log.around(each.reading.sign, at_ms=at_ms), at_ms)
            if isinstance(said, Silence):
                found[each.entered.seq] = (None, said.in_words(), None)
                continue
            cents = next((g.cents for g in said.glass if g.meter == each.reading.meter), None)
            found[each.entered.seq] = (cents, said.state, time_text(said.at_ms))
        from_ms, to_ms = milliseconds(context.first.begins), milliseconds(context.last.ends)
        shown: list[tuple[str, MeterId]] = []
        for sign in log.signs():
            if log.link_of(sign, at_ms=to_ms) != context.link:
                continue
            reports = [
                entry
                for entry in log.around(sign, at_ms=to_ms)
                if entry.kind == "showing" and from_ms <= entry.at_ms < to_ms
            ]
            if reports:
                last = max(reports, key=lambda entry: entry.at_ms)
                shown += [(sign, MeterId(glass.meter)) for glass in last.glass]
    return _LogThen(found, shown)


# --- decreases ------------------------------------------------------------------------------------


def _read_before(
    context: Context, known: Sequence[Reading], asked: Sequence[Reading]
) -> dict[MeterId, str]:
    """When each meter that was read in the range was read before it."""
    found: dict[MeterId, str] = {}
    for meter in {each.reading.meter for each in asked}:
        of_meter = [each.at for each in known if each.reading.meter == meter]
        before = [at for at in of_meter if at < context.first.begins]
        if before:
            found[meter] = before[-1]
    return found


def _decreases(context: Context, starts: dict[MeterId, int]) -> Iterator[Decrease]:
    """Every fall of a meter since its start, with what is known by now of its awards."""
    opening = context.first.opening.seq
    books = (*context.earlier, *context.books)
    awards: dict[AwardId, AwardEntry] = {}
    for book in books:
        awards |= book.awards
    for fall in (each for book in books for each in book.falls):
        if fall.seq > starts.get(fall.meter, opening):
            causes = [_award_in_words(award, awards.get(award)) for award in fall.awards]
            causes += [fall.because] if fall.because else []
            yield Decrease(
                meter=fall.meter,
                seq=fall.seq,
                at=fall.at,
                microcents=fall.microcents,
                because="; ".join(causes) or NO_DOCUMENT,
            )


def _award_in_words(award: AwardId, entry: AwardEntry | None) -> str:
    if entry is None:
        # The rack paid it at once.
        return f"award {award}, rack"
    return f"award {award}, {f'document {entry.document}' if entry.document else entry.status}"
