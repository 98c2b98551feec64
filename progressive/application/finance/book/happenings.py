"""What a reader of exceptions and parameters should see: one entry a record, in plain words.

Only what the journal knows. Refusals, alarms and outages that leave no record are not here.
"""

from typing import Final

from progressive.application.finance.book.closes import close_happening
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Happening, TermsEntry
from progressive.application.journal.record import Record
from progressive.domain.award_events import AwardPaid, AwardVoided, VoidProposed, VoidWithdrawn
from progressive.domain.events import FloorRecorded, LinkOpened, LinkReopened, RoundVoided
from progressive.domain.finance_events import DayClosed
from progressive.domain.guard_events import ClockStepped, LossAccepted, SegmentsPurged
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.person_events import (
    AlarmAcknowledged,
    CorrectionApproved,
    CorrectionProposed,
    CorrectionRefused,
    DealerSignedOn,
    LinkRetired,
    RetirementProposed,
    RetirementWithdrawn,
    TermsChanged,
    TermsProposed,
)
from progressive.domain.rulebook.differences import differing_terms
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature

_WAS, _IS = " in the journal, ", " in the floor"
WHOLE_TERMS: Final = "all terms"
"""The field of an entry that brought the first terms."""


def enter_happening(book: DayBook, record: Record) -> None:
    """What the record tells those who look for exceptions. Before its terms are entered."""
    found = _happening(book, record)
    if found is not None:
        book.happenings.append(found)
    event = record.event
    if isinstance(event, DealerSignedOn):
        name = "" if event.dealer is None else event.dealer.name
        kind = "signed on" if name else "signed off"
        who = name or book.closing.dealers.get(event.table, "")
        book.sign_ons.append(
            Happening(seq=record.seq, at=record.at, kind=kind, about=event.table, by=who)
        )
    elif isinstance(event, LinkOpened | LinkReopened | TermsChanged | FloorRecorded):
        entry = _terms_entry(book, record, event)
        if entry is not None:
            book.terms.append(entry)


def _happening(book: DayBook, record: Record) -> Happening | None:
    seq, at, event = record.seq, record.at, record.event
    match event:
        case RoundVoided():
            cents = sum(stake.chip_cents + stake.coupon_cents for stake in event.stakes)
            return Happening(
                seq=seq, at=at, kind="round voided", about=event.table, by=_name(event.by),
                reason=event.reason, amount_cents=cents, detail=event.round,
            )  # fmt: skip
        case VoidProposed() | VoidWithdrawn():
            proposed = isinstance(event, VoidProposed)
            return Happening(
                seq=seq, at=at, about=event.award, by=event.by.name,
                kind="award void proposed" if proposed else "award void withdrawn",
                reason=event.reason if isinstance(event, VoidProposed) else "",
                amount_cents=_worth(book, event.award),
            )  # fmt: skip
        case AwardVoided():
            return Happening(
                seq=seq, at=at, kind="award voided", about=event.award,
                by=event.proposed_by.name, second=event.by.name, reason=event.reason,
                amount_cents=_worth(book, event.award),
                detail=f"{len(event.changes)} others worked out again" if event.changes else "",
            )  # fmt: skip
        case AwardPaid() if event.manual:
            return Happening(
                seq=seq, at=at, kind="manual document", about=event.award, by=event.by.name,
                amount_cents=event.cents, detail=event.document,
            )  # fmt: skip
        case CorrectionProposed() | CorrectionRefused() | CorrectionApproved():
            return _correction(book, record, event)
        case _:
            return _guarded(book, record)


def _guarded(book: DayBook, record: Record) -> Happening | None:
    seq, at, event = record.seq, record.at, record.event
    match event:
        case AlarmAcknowledged():
            return Happening(
                seq=seq, at=at, kind="alarm acknowledged", about=event.alarm, by=event.by.name,
                reason=event.note,
            )  # fmt: skip
        case LossAccepted():
            lost = 0 if event.remembered is None else event.remembered.seq - event.found_seq
            return Happening(
                seq=seq, at=at, kind="loss accepted", by=event.by[0].name,
                second=event.by[-1].name, reason=event.reason,
                detail=f"{lost} records lost after {event.found_seq}",
            )  # fmt: skip
        case ClockStepped():
            return Happening(
                seq=seq, at=at, kind="clock stepped",
                detail=f"said {event.clock_at}, expected {event.expected_at}",
            )  # fmt: skip
        case SegmentsPurged():
            return Happening(
                seq=seq, at=at, kind="records purged", by=event.by[0].name,
                second=event.by[-1].name, reason=event.reason,
                detail=f"records {event.first_seq} to {event.last_seq}",
            )  # fmt: skip
        case RetirementProposed() | RetirementWithdrawn():
            proposed = isinstance(event, RetirementProposed)
            return Happening(
                seq=seq, at=at, by=event.by.name, reason=event.reason,
                kind="retirement proposed" if proposed else "retirement withdrawn",
            )  # fmt: skip
        case LinkRetired():
            return Happening(
                seq=seq, at=at, kind="link retired", by=event.by[0].name,
                second=event.by[-1].name, reason=event.reason,
                amount_cents=event.parked // MICROCENTS_PER_CENT,
            )  # fmt: skip
        case FloorRecorded():
            return Happening(
                seq=seq, at=at, kind="service started", by=event.floor.started_by,
                detail=f"program {event.floor.program}, {len(event.floor.tables)} tables",
            )  # fmt: skip
        case TermsProposed():
            return Happening(
                seq=seq, at=at, kind="terms proposed", by=event.by.name, reason=event.reason
            )
        case TermsChanged():
            return Happening(
                seq=seq, at=at, kind="terms changed", by=event.by[0].name,
                second=event.by[-1].name, reason=event.reason,
                detail=f"version {event.terms_version}",
            )  # fmt: skip
        case DayClosed():
            within_hours = book.closing.close_within_hours
            return close_happening(record, event, within_hours=within_hours)
        case _:
            return None


def _correction(
    book: DayBook,
    record: Record,
    event: CorrectionProposed | CorrectionRefused | CorrectionApproved,
) -> Happening:
    proposed = event if isinstance(event, CorrectionProposed) else None
    proposed = proposed or book.closing.corrections.get(event.correction)
    legs = () if proposed is None else proposed.legs
    kind = {
        CorrectionProposed: "correction proposed",
        CorrectionRefused: "correction refused",
        CorrectionApproved: "correction approved",
    }[type(event)]
    first = "" if proposed is None else proposed.by.name
    reason = "" if proposed is None else proposed.reason
    if isinstance(event, CorrectionRefused):
        reason = event.reason
    return Happening(
        seq=record.seq,
        at=record.at,
        kind=kind,
        about=event.correction,
        by=first,
        second="" if event is proposed else event.by.name,
        reason=reason,
        amount_cents=sum(leg.microcents for leg in legs) // MICROCENTS_PER_CENT,
        detail=", ".join(f"{leg.meter} {leg.part} {leg.microcents:+} microcents" for leg in legs),
    )


def _terms_entry(
    book: DayBook, record: Record, event: LinkOpened | LinkReopened | TermsChanged | FloorRecorded
) -> TermsEntry | None:
    standing = book.closing
    before, after = standing.present_terms, event.terms
    if isinstance(event, FloorRecorded) and after is None:
        return None
    version = standing.terms_version if isinstance(event, FloorRecorded) else event.terms_version
    proposed = standing.terms_proposed
    return TermsEntry(
        seq=record.seq,
        at=record.at,
        kind=str(event.__struct_config__.tag),
        version=version,
        changes=_changes(before, after),
        by=event.by[0].name if isinstance(event, TermsChanged) and event.by else "",
        second=event.by[-1].name if isinstance(event, TermsChanged) and event.by else "",
        reason="" if proposed is None or not isinstance(event, TermsChanged) else proposed.reason,
        second_reason=event.reason if isinstance(event, TermsChanged) else "",
        proposed_at=standing.proposed_at if isinstance(event, TermsChanged) else "",
    )


def _changes(before: LinkTerms | None, after: LinkTerms | None) -> tuple[tuple[str, str, str], ...]:
    if after is None:
        return ()
    if before is None:
        rates = ", ".join(
            f"{meter.id} {meter.rate_ppm}+{meter.reset_rate_ppm} ppm" for meter in after.meters
        )
        return ((WHOLE_TERMS, "", rates or "no meters"),)
    found = []
    for line in differing_terms(before, after):
        field, _, values = line.partition(": ")
        was, _, now = values.partition(_WAS)
        found.append((field, was, now.removesuffix(_IS)))
    return tuple(found)


def _name(by: Signature | None) -> str:
    return "" if by is None else by.name


def _worth(book: DayBook, award: str) -> int | None:
    entry = book.closing.awards.get(award)  # type: ignore[call-overload]
    return None if entry is None else int(entry.made.amount_cents)
