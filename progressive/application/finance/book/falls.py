"""Every record after which a displayed meter stood lower: people read signs, and ask why."""

from collections.abc import Mapping

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Fall
from progressive.application.journal.record import Record
from progressive.domain.award_events import AwardVoided
from progressive.domain.events import Event, RoundSettled, RoundVoided, SettledEarly
from progressive.domain.ids import MeterId
from progressive.domain.person_events import CorrectionApproved, LinkRetired


def enter_falls(
    book: DayBook, record: Record, before: Mapping[MeterId, int], after: Mapping[MeterId, int]
) -> None:
    """A record between two positions of the displayed meters."""
    for meter, amount in before.items():
        fall = after.get(meter, amount) - amount
        if fall < 0:
            event = record.event
            awards = event.awards if isinstance(event, RoundSettled | SettledEarly) else ()
            book.falls.append(
                Fall(
                    seq=record.seq,
                    at=record.at,
                    meter=meter,
                    microcents=fall,
                    awards=tuple([made.award for made in awards if made.meter == meter]),
                    because=_because(event),
                )
            )


def _because(event: Event) -> str:
    match event:
        case RoundVoided():
            return f"round {event.round} at {event.table} voided"
        case AwardVoided():
            return f"award {event.award} voided"
        case CorrectionApproved():
            return f"correction {event.correction}"
        case LinkRetired():
            return "link retired"
        case _:
            return ""
