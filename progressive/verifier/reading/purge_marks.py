"""Segments that are marked as purged: only what two people had removed may be missing."""

from collections.abc import Sequence
from typing import Final

from progressive.verifier.findings import DiscrepancyError, differs
from progressive.verifier.reading.segments import Landmark, Segment
from progressive.verifier.record import read_record
from progressive.verifier.recorded.guard_events import SegmentsPurged

_PURGE: Final = "purge"


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
    marks = [(each.seq, each.type) for each in landmarks if each.type != SegmentsPurged.TYPE]
    if kept != marks:
        raise differs(f"{_PURGE}, kept", stored=kept, recomputed=marks)


def _kept(event: SegmentsPurged) -> list[tuple[int, str]]:
    try:
        records = [read_record(stored.encode()) for stored in event.kept]
    except (DiscrepancyError, UnicodeEncodeError):
        raise DiscrepancyError(f"{_PURGE}: a kept record is unreadable") from None
    return [(each.seq, each.event.TYPE) for each in records]
