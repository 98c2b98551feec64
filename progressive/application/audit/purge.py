"""COLD. Records that two people had removed: who, how old they were, and that nothing else went."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from progressive.application.audit.findings import DiscrepancyError, differs, shown
from progressive.application.audit.people import check_signed, check_two_departments
from progressive.application.audit.record import read_time
from progressive.application.journal.record import JournalBrokenError, Record, decode_record
from progressive.application.journal.segments import Landmark, Segment
from progressive.domain.guard_events import SegmentsPurged

_PURGE: Final = "purge"
_TYPE: Final = str(SegmentsPurged.__struct_config__.tag)
_REASON_CHARACTERS_MIN: Final = 3


def check_purge(
    event: SegmentsPurged, record: Record, before: SegmentsPurged | None, *, began_after: int = 0
) -> None:
    """Raise unless two departments purged the oldest part, and it was old enough."""
    if len(event.by) != 2:
        raise DiscrepancyError(f"{_PURGE}: signed by {len(event.by)}, it takes two people")
    for each in event.by:
        check_signed(_PURGE, each)
    check_two_departments(_PURGE, *event.by)
    for reason in (event.reason, event.second_reason):
        if len(reason.strip()) < _REASON_CHARACTERS_MIN:
            raise DiscrepancyError(f"{_PURGE}: no reason is given")
    number, seq = (1, 1) if before is None else (before.last_number + 1, before.last_seq + 1)
    # The record of the purge before may be purged itself.
    known = before is not None or not began_after
    if known and (event.first_number, event.first_seq) != (number, seq):
        raise DiscrepancyError(
            f"{_PURGE}: begins with segment {shown(event.first_number)}, the oldest was {number}"
        )
    if event.last_number < event.first_number or not (
        event.first_seq <= event.last_seq < record.seq - 1
    ):
        raise DiscrepancyError(f"{_PURGE}: of records {event.first_seq} to {event.last_seq}")
    if event.retention_days < 1 or read_time(record.at) < read_time(event.last_at) + timedelta(
        days=event.retention_days
    ):
        raise DiscrepancyError(f"{_PURGE}: the records were not {event.retention_days} days old")


def check_marked(
    purged: Sequence[Segment], landmarks: Sequence[Landmark], event: SegmentsPurged | None
) -> None:
    """Raise unless a record says that these segments were purged, and keeps what must stay.

    Whoever deletes a segment could otherwise call it purged. A record may speak of more than are
    marked: where a crash came between, the next start does the rest.
    """
    last = purged[-1]
    if event is None or event.last_number < last.number:
        raise DiscrepancyError(f"segment {last.number} is marked as purged, and no record says so")
    if event.last_number > last.number:
        return
    for what, stored, expected in (
        ("last_seq", event.last_seq, last.last_seq),
        ("head", event.head, last.head),
        ("last_at", event.last_at, last.last_at),
    ):
        if stored != expected:
            raise differs(f"{_PURGE}, {what}", stored=stored, recomputed=expected)
    kept = _kept(event)
    marks = [(each.seq, each.type) for each in landmarks if each.type != _TYPE]
    if kept != marks:
        raise differs(f"{_PURGE}, kept", stored=kept, recomputed=marks)


def _kept(event: SegmentsPurged) -> list[tuple[int, str]]:
    try:
        records = [decode_record(stored.encode()) for stored in event.kept]
    except JournalBrokenError:
        raise DiscrepancyError(f"{_PURGE}: a kept record is unreadable") from None
    return [(each.seq, str(each.event.__struct_config__.tag)) for each in records]
