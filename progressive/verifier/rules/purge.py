"""Records that two people had removed: who, and how old they were."""

from typing import Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.record import Record, days_later, read_time
from progressive.verifier.recorded.guard_events import SegmentsPurged
from progressive.verifier.rules.people import check_signed, check_two_departments

_PURGE: Final = "purge"
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
        raise DiscrepancyError(
            f"{_PURGE}: of records {shown(event.first_seq)} to {shown(event.last_seq)}"
        )
    if event.retention_days < 1 or read_time(record.at) < days_later(
        read_time(event.last_at), event.retention_days
    ):
        raise DiscrepancyError(
            f"{_PURGE}: the records were not {shown(event.retention_days)} days old"
        )
