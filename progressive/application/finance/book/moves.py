"""Records that move money otherwise than by a plain round: each amount under its cause.

Every amount is worked out a second time from what the record says beside it (awards, legs, terms),
so that a figure that was changed shows as a difference. Nothing here is refused or repaired.
"""

from collections.abc import Sequence

from progressive.application.finance.book.award_moves import (
    check_readings,
    enter_award_money,
    enter_award_void,
    enter_awards,
)
from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import Cause
from progressive.application.finance.book.posting import account, move, parts_of
from progressive.application.finance.book.standing import Parts
from progressive.domain.award_events import (
    AwardPaid,
    AwardVoided,
    MeterFlow,
    RoundValidated,
)
from progressive.domain.events import (
    Event,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
)
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.person_events import CorrectionApproved, LinkRetired, TermsChanged


def flows_of(event: Event) -> Sequence[MeterFlow]:
    """What an event moves on meters."""
    match event:
        case LinkOpened() | LinkReopened() | TermsChanged():
            return event.funding
        case RoundSettled() | RoundVoided() | AwardVoided() | CorrectionApproved() | LinkRetired():
            return event.flows
        case _:
            return ()


def enter_money(book: DayBook, seq: int, event: Event) -> None:
    """One event: the parts of meters by cause, and the other accounts.

    Before the awards of the event are entered: a void is held against what they were.
    """
    match event:
        case LinkOpened() | LinkReopened() | TermsChanged():
            _enter_funding(book, seq, event)
        case RoundSettled():
            enter_awards(book, seq, event.awards, event.flows)
            check_readings(book, seq, event)
            enter_award_money(book, seq, event.awards, event.money)
        case SettledEarly():
            enter_award_money(book, seq, event.awards, event.money)
        case AwardVoided():
            enter_award_void(book, seq, event)
        case AwardPaid() | RoundValidated():
            _enter_payment(book, seq, event)
        case CorrectionApproved():
            _enter_correction(book, seq, event)
        case LinkRetired():
            _enter_retirement(book, seq, event)
        case _:
            return
    for flow in flows_of(event):
        parts = book.closing.meters.setdefault(flow.meter, Parts())
        parts.reset += flow.reset
        parts.overflow += flow.overflow


def _enter_funding(
    book: DayBook, seq: int, event: LinkOpened | LinkReopened | TermsChanged
) -> None:
    known = book.closing.meters
    initial = {
        meter.id: meter.initial_cents * MICROCENTS_PER_CENT
        for meter in event.terms.meters
        if meter.id not in known
    }
    funded = {flow.meter: flow for flow in event.funding}
    for flow in event.funding:
        for part, amount in parts_of(flow):
            move(book, seq, flow.meter, part, "house_initial", amount)
        # Before the first wager other terms may move what the house put there: as recorded.
        due = initial.get(flow.meter, 0)
        if isinstance(event, LinkReopened) and flow.meter not in initial:
            due = flow.primary
        book.part(flow.meter, "primary").recomputed += due
    for meter, due in initial.items():
        if meter not in funded and due:
            book.part(meter, "primary").recomputed += due
    account(book, "funding", -sum(f.primary + f.reset + f.overflow for f in event.funding))


def _enter_payment(book: DayBook, seq: int, event: AwardPaid | RoundValidated) -> None:
    amount = event.cents * MICROCENTS_PER_CENT
    account(book, "pending", -amount)
    account(book, "paid", amount)
    names = (event.award,) if isinstance(event, AwardPaid) else event.awards
    entries = book.closing.awards
    due = sum(entries[name].made.due_cents for name in names if name in entries)
    if due != event.cents:
        book.note(
            seq, "the payment is not what the awards are worth", amount - due * MICROCENTS_PER_CENT
        )


def _enter_correction(book: DayBook, seq: int, event: CorrectionApproved) -> None:
    """Legs that sum to zero are a transfer between meters, all others a correction."""
    cause: Cause = "corrections" if event.corrected else "transfers"
    for flow in event.flows:
        for part, amount in parts_of(flow):
            move(book, seq, flow.meter, part, cause, amount)
    proposed = book.closing.corrections.get(event.correction)
    if proposed is None:
        for flow in event.flows:
            for part, amount in parts_of(flow):
                book.part(flow.meter, part).recomputed += amount
    else:
        for leg in proposed.legs:
            book.part(leg.meter, leg.part).recomputed += leg.microcents
    total = sum(flow.primary + flow.reset + flow.overflow for flow in event.flows)
    if total != event.corrected:
        book.note(seq, "the correction is not the sum of its legs", total - event.corrected)
    account(book, "corrections", -event.corrected)


def _enter_retirement(book: DayBook, seq: int, event: LinkRetired) -> None:
    for flow in event.flows:
        for part, amount in parts_of(flow):
            move(book, seq, flow.meter, part, "retired", amount)
    for meter, parts in book.closing.meters.items():
        book.part(meter, "primary").recomputed -= parts.primary
        book.part(meter, "reset").recomputed -= parts.reset
        book.part(meter, "overflow").recomputed -= parts.overflow
    account(book, "parked", event.parked)
