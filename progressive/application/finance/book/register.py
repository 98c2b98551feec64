"""The awards of a day, one by one, from settlement to document; those of the rack by line.

An award that the rack pays at once needs nobody: a day has thousands, so they are counted by table
and line. Every other one has an entry that follows each step.
"""

from msgspec import structs

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import RackAwards
from progressive.application.finance.book.lock_outs import wager_cell
from progressive.application.finance.book.standing import AwardEntry, Resettled, Step
from progressive.application.journal.record import Record
from progressive.domain.award_events import (
    AwardChange,
    AwardMade,
    AwardPaid,
    AwardValidated,
    AwardVoided,
    PaymentApproved,
    RoundValidated,
    VoidProposed,
    VoidWithdrawn,
)
from progressive.domain.events import RoundSettled, SettledEarly
from progressive.domain.ids import AwardId
from progressive.domain.signatures import Signature


def enter_made(book: DayBook, record: Record, hour: int) -> None:
    """The awards of a settlement."""
    event = record.event
    if not isinstance(event, RoundSettled | SettledEarly):
        return
    for made in event.awards:
        if made.kind == "fixed":
            cell = wager_cell(book, hour, event.table, made.bet)
            cell.fixed_awards += 1
            cell.fixed_cents += made.due_cents
            cell.returned_cents += made.stake_returned_cents
            cell.stands_on(record.seq)
        if made.status == "payable":
            _enter_rack(book, record.seq, event.table, made)
            continue
        entry = entry_of(record, made, dealer=book.closing.dealers.get(event.table, ""))
        if made.meter is not None:
            book.hits[made.award] = wagers_so_far(book, made.bet)
        book.awards[made.award] = book.closing.awards[made.award] = entry


def wagers_so_far(book: DayBook, bet: str) -> int:
    """On a bet of this day, less voided ones; the fold has entered all lock-outs up to here."""
    return sum(
        cell.chips + cell.coupons - cell.voided for cell in book.cells.values() if cell.bet == bet
    )


def entry_of(record: Record, made: AwardMade, *, dealer: str) -> AwardEntry:
    """An award as its settlement made it.

    `dealer`: who was signed on at the table; settlements of older programs name the dealer.
    """
    event = record.event
    if not isinstance(event, RoundSettled | SettledEarly):
        raise TypeError(f"record {record.seq} settles nothing")
    at_seat = next((each for each in event.seats if each.seat == made.seat), None)
    return AwardEntry(
        made=made,
        made_cents=made.amount_cents,
        seq=record.seq,
        at=record.at,
        table=event.table,
        round=event.round,
        dealer=dealer if event.dealt_by is None else event.dealt_by.name,
        cards="" if at_seat is None else " ".join(at_seat.cards),
        dealer_cards=" ".join(event.dealer.cards),
        last_seq=record.seq,
    )


def _enter_rack(book: DayBook, seq: int, table: str, made: AwardMade) -> None:
    key = f"{table}/{made.bet}/{made.line}"
    rack = book.racks.get(key) or book.racks.setdefault(
        key, RackAwards(table=table, bet=made.bet, line=made.line)
    )
    rack.awards += 1
    rack.cents += made.amount_cents
    rack.bonus_cents += made.bonus_cents
    rack.returned_cents += made.stake_returned_cents
    rack.paid_before_cents += made.paid_before_cents
    rack.tax_forms += made.tax_form is not None
    rack.stands_on(seq)


def enter_step(book: DayBook, record: Record) -> None:
    """What somebody did about an award. After the money of the record was entered."""
    event, entries = record.event, book.closing.awards
    match event:
        case RoundValidated():
            for name in event.awards:
                if (entry := _touched(book, name, record.seq)) is not None:
                    step = _step(record, event.by)
                    entry.validated = entry.paid = step
                    entry.status, entry.paid_cents = "paid", entry.made.due_cents
                    del entries[name]
        case AwardVoided():
            for change in event.changes:
                if (entry := _touched(book, change.award, record.seq)) is not None:
                    _change(entry, change, record)
            if (entry := _touched(book, event.award, record.seq)) is not None:
                entry.voided, entry.void_reason = _step(record, event.by), event.reason
                entry.status = "void"
                del entries[event.award]
        case AwardValidated() | PaymentApproved() | VoidProposed() | VoidWithdrawn():
            if (entry := _touched(book, event.award, record.seq)) is not None:
                take_step(entry, record)
        case AwardPaid():
            book.closing.documents += not event.manual
            if (entry := _touched(book, event.award, record.seq)) is not None:
                entry.paid, entry.paid_cents = _step(record, event.by), event.cents
                entry.document, entry.manual = event.document, event.manual
                entry.status = "paid"
                del entries[event.award]
        case _:
            pass


def take_step(entry: AwardEntry, record: Record) -> None:
    """A step that leaves the award open."""
    event = record.event
    match event:
        case AwardValidated():
            entry.validated, entry.status = _step(record, event.by), "validated"
        case PaymentApproved():
            entry.approvals.append(_step(record, event.by))
        case VoidProposed():
            entry.void_proposed, entry.void_reason = _step(record, event.by), event.reason
        case VoidWithdrawn():
            entry.void_proposed, entry.void_reason = None, ""
        case AwardVoided():
            # Another award of its round: this one is worked out again.
            for change in event.changes:
                if change.award == entry.made.award:
                    _change(entry, change, record)
        case _:
            pass


def _change(entry: AwardEntry, change: AwardChange, record: Record) -> None:
    """Worked out again, and to be looked at again."""
    before = entry.made
    changes = {key: value for key, value in structs.asdict(change).items() if key != "award"}
    entry.made = structs.replace(before, **changes)
    more = entry.made.amount_cents - before.amount_cents
    if more:
        due = entry.made.due_cents - before.due_cents
        entry.resettled.append(Resettled(record.at, record.seq, more, due))
    if entry.open:
        entry.validated, entry.approvals, entry.status = None, [], "pending"


def _touched(book: DayBook, award: AwardId, seq: int) -> AwardEntry | None:
    """An open award, now also of this day."""
    entry = book.closing.awards.get(award)
    if entry is not None:
        entry.last_seq = seq
        book.awards[award] = entry
    return entry


def _step(record: Record, by: Signature) -> Step:
    return Step(by.name, by.department, record.at, record.seq)
