"""How a day stands by its records: who prepared and closed it, and what was stated again."""

from msgspec import Struct

from progressive.application.finance.stated.closed_days import close_of, restatements_of
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import JournalBrokenError, decode_record
from progressive.domain.finance_events import DayCheck, DayPrepared, LateItem
from progressive.domain.ids import LinkId
from progressive.domain.signatures import Signature
from progressive.domain.state.days import Days


class Statement(Struct, frozen=True, kw_only=True):
    """A preparation, or a close with both people."""

    seq: int
    at: str
    number: int
    """0: the close; 1 and on: its restatements."""
    by: tuple[Signature, ...]
    note: str = ""
    checks: tuple[DayCheck, ...] = ()
    late: tuple[LateItem, ...] = ()


class DayStands(Struct, frozen=True, kw_only=True):
    """What people have said about a day; all empty: nobody has said anything."""

    prepared: Statement | None = None
    """That waits for its reviewer."""
    closed: Statement | None = None
    restated: tuple[Statement, ...] = ()


async def day_stands(reader: JournalReader, link: LinkId, days: Days, day: str) -> DayStands:
    """By the days as they stood after some record; raises StoreError, JournalBrokenError."""
    waiting = days.preparation(day)
    prepared = None if waiting is None else await _prepared(reader, link, waiting.seq)
    if not days.is_closed(day):
        return DayStands(prepared=prepared)
    found = []
    for close in (
        await close_of(reader, link, days, day),
        *await restatements_of(reader, link, days, day),
    ):
        basis = await _prepared(reader, link, close.event.prepared_seq)
        found.append(
            Statement(
                seq=close.seq,
                at=close.at,
                number=close.event.number,
                by=close.event.by,
                note=basis.note,
                checks=basis.checks,
                late=close.event.late,
            )
        )
    return DayStands(prepared=prepared, closed=found[0], restated=tuple(found[1:]))


async def _prepared(reader: JournalReader, link: LinkId, seq: int) -> Statement:
    stored = await reader.record(link, seq)
    record = None if stored is None else decode_record(stored, seq=seq)
    if record is None or not isinstance(record.event, DayPrepared):
        raise JournalBrokenError(f"record {seq} does not prepare a day")
    event = record.event
    return Statement(
        seq=seq,
        at=record.at,
        number=event.number,
        by=(event.by,),
        note=event.note,
        checks=event.checks,
        late=event.late,
    )
