"""What was booked after the close of the day it belongs to: corrections that name it, and voids of
awards that were settled on it.
"""

from typing import Final

from progressive.application.finance.book.figures import PARTS
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import decode_record
from progressive.domain.award_events import AwardVoided, MeterFlow
from progressive.domain.finance_events import DayTotals, LateItem
from progressive.domain.ids import AwardId, CorrectionId, LinkId
from progressive.domain.person_events import CorrectionApproved, CorrectionProposed

_LATE: Final = frozenset({"correction_proposed", "correction_approved", "award_voided"})


async def late_items(
    reader: JournalReader,
    link: LinkId,
    day: str,
    totals: DayTotals,
    *,
    close_seq: int,
    until_seq: int,
) -> tuple[LateItem, ...]:
    """All of them up to a record, oldest first; raises StoreError and JournalBrokenError."""
    found: list[LateItem] = []
    of_day: set[CorrectionId] = set()
    acts = await reader.acts(link, after_seq=close_seq, until_seq=until_seq, types=_LATE)
    for stored in acts:
        record = decode_record(stored)
        event = record.event
        if isinstance(event, CorrectionProposed) and event.day == day:
            of_day.add(event.correction)
        elif isinstance(event, CorrectionApproved) and event.correction in of_day:
            for flow in event.flows:
                found += _parts(record.seq, "correction", event.correction, flow)
        elif isinstance(event, AwardVoided) and _settled_in(event.award, totals):
            moved = [
                item
                for flow in event.flows
                for item in _parts(record.seq, "void", event.award, flow)
            ]
            found += moved or [
                LateItem(record.seq, "void", event.award, None, None, event.money.pending)
            ]
    return tuple(found)


def _parts(seq: int, what: str, about: CorrectionId | AwardId, flow: MeterFlow) -> list[LateItem]:
    return [
        LateItem(seq, what, about, flow.meter, part, amount)
        for part in PARTS
        if (amount := getattr(flow, part))
    ]


def _settled_in(award: AwardId, totals: DayTotals) -> bool:
    """An award bears the number of the record that settled it."""
    record = award.rsplit(".", 2)[-2]
    return record.isdigit() and totals.first_seq <= int(record) <= totals.last_seq
