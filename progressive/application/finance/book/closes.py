"""A close of a gaming day, as a reader of exceptions should see it: who, and how late."""

from typing import Final

from progressive.application.finance.book.figures import Happening
from progressive.application.journal.record import Record
from progressive.domain.finance_events import DayClosed
from progressive.domain.time_text import microseconds_between

_MINUTE: Final = 60 * 10**6


def close_happening(record: Record, event: DayClosed, *, within_hours: int) -> Happening:
    """A close, in time or late, or a restatement.

    `within_hours`: of its end a day should be closed, by the floor as it was recorded then.
    """
    minutes = microseconds_between(event.totals.ends, record.at) // _MINUTE
    after = f"{minutes // 60} h {minutes % 60:02} min after its end"
    late = minutes >= within_hours * 60
    if event.number:
        kind, detail = (
            "day stated again",
            f"restatement {event.number}, {len(event.late)} late items",
        )
    else:
        kind, detail = "day closed late" if late else "day closed", after
    return Happening(
        seq=record.seq,
        at=record.at,
        kind=kind,
        about=event.day,
        by=event.by[0].name,
        second=event.by[-1].name,
        detail=detail,
    )
