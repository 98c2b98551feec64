"""Which gaming days of a link are closed, and by which records.

The newest saved state knows them up to its record; the few acts since are read. Each close names
the one before it, so the close of an older day is a walk over one record a day.
"""

from typing import Final

from msgspec import Struct

from progressive.application.finance.refusals import DayRefusedError
from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.application.link.snapshot import decode_state
from progressive.domain.finance_events import DayClosed, DayPrepared, FinanceEntered
from progressive.domain.ids import LinkId
from progressive.domain.state.days import Days, days_after

STATED: Final = frozenset({"finance_entered", "day_prepared", "day_closed"})


class Close(Struct, frozen=True):
    """The record that closed a day, or stated it again."""

    seq: int
    at: str
    event: DayClosed


async def closed_days(reader: JournalReader, link: LinkId, *, until_seq: int) -> Days:
    """What is closed and prepared after a record; raises StoreError and JournalBrokenError."""
    saved = await reader.load_snapshot(link, until_seq=until_seq)
    days, after = (Days(), 0) if saved is None else (decode_state(saved.body).days, saved.seq)
    for stored in await reader.acts(link, after_seq=after, until_seq=until_seq, types=STATED):
        record = decode_record(stored)
        if isinstance(record.event, FinanceEntered | DayPrepared | DayClosed):
            days = days_after(days, record.event, record.seq)
    return days


async def close_of(reader: JournalReader, link: LinkId, days: Days, day: str) -> Close:
    """The record that closed a day; raises DayRefusedError where it is not closed."""
    if not days.is_closed(day):
        raise DayRefusedError(f"{day} is not closed")
    seq = days.close_seq
    while seq:
        close = await _close(reader, link, seq)
        if close.event.day == day:
            return close
        seq = close.event.before_seq
    raise JournalBrokenError(f"no record closes {day}")


async def closes_of(
    reader: JournalReader, link: LinkId, days: Days, first: str, last: str
) -> dict[str, Close]:
    """The records that closed the days of a range, as far as they are closed and there."""
    found: dict[str, Close] = {}
    # Nothing is looked for where all closed days are before the range, as they mostly are.
    seq = days.close_seq if days.first and first <= days.last and last >= days.first else 0
    while seq:
        try:
            close = await _close(reader, link, seq)
        except StorePurgedError:
            break
        if close.event.day < first:
            break
        if close.event.day <= last:
            found[close.event.day] = close
        seq = close.event.before_seq
    return found


async def restatements_of(reader: JournalReader, link: LinkId, days: Days, day: str) -> list[Close]:
    """The restatements of a day, oldest first."""
    found: list[Close] = []
    _, seq = days.restatement(day)
    while seq:
        found.append(close := await _close(reader, link, seq))
        seq = close.event.before_seq
    return found[::-1]


async def _close(reader: JournalReader, link: LinkId, seq: int) -> Close:
    stored = await reader.record(link, seq)
    record = None if stored is None else decode_record(stored, seq=seq)
    if record is None or not isinstance(record.event, DayClosed):
        raise JournalBrokenError(f"record {seq} does not close a day")
    return Close(record.seq, record.at, record.event)
