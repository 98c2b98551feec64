"""COLD. The settlement sheet of a round with awards, read from the journal alone.

Who sat where, which cards lay there, which line they made, in which order the awards were paid,
what was on the meter before and after, where a reset came from, and who has signed since.

The round's earlier messages are looked up by their numbers. What people did about its awards is
looked for from the settlement on, until nothing more can happen to any of them.
"""

import asyncio
from collections.abc import Collection, Sequence

from msgspec import Struct

from progressive.application.awards.round_records import records_before
from progressive.application.journal.ports import JournalReader, StorePurgedError
from progressive.application.journal.record import JournalBrokenError, Record, decode_record
from progressive.application.journal.stretches import forward
from progressive.domain.award_events import (
    AwardChange,
    AwardEvent,
    AwardMade,
    AwardPaid,
    AwardValidated,
    AwardVoided,
    PaymentApproved,
    RoundValidated,
    VoidProposed,
    VoidWithdrawn,
)
from progressive.domain.commands import Wager
from progressive.domain.events import RoundSettled, SettledEarly, WagersRegistered
from progressive.domain.ids import LinkId
from progressive.domain.money import microcents
from progressive.domain.person_events import DealerSignedOn
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import FINAL

SheetAct = AwardEvent | RoundValidated
"""What people do about the awards of a round."""


class SheetSeat(Struct, frozen=True):
    """A seat with a wager: its bets and its cards."""

    seat: int
    wagers: list[Wager]
    cards: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]


class SheetEntry(Struct, frozen=True):
    """Something that was done about an award of the round."""

    at: str
    journal_seq: int
    what: str
    award: str
    by: Signature
    note: str = ""


class MeterSum(Struct, frozen=True, kw_only=True):
    """What an award did to its meter, in microcents, to the last fraction of a cent.

    before - award = left, and left + house + reset meter + overflow meter = after.
    """

    before_microcents: int
    award_microcents: int
    left_microcents: int
    """What stays on the meter: the fraction of a cent that cannot be paid, or the other shares."""
    from_house_microcents: int
    from_reset_microcents: int
    from_overflow_microcents: int
    """With a minus: onto the overflow meter, because the meter is at its limit."""
    after_microcents: int


class SheetAward(Struct, frozen=True, kw_only=True):
    """An award as it was made, and as it stands."""

    made: AwardMade
    status: str
    resettled: AwardChange | None = None
    """What a void before it made of it; None where it stands as made."""
    document: str | None = None
    amount_cents: int
    """As it stands."""
    due_cents: int
    """What is paid on this sheet: amount and bonus, less what was paid before the peek."""
    meter_sum: MeterSum | None
    """None for an award from the rack."""


class Sheet(Struct, frozen=True, kw_only=True):
    """A settled round, from its lock-out to the last signature."""

    link: str
    table: str
    round: str
    locked_at: str
    settled_at: str
    journal_seq: int
    dealt_by: Signature | None
    """None: nobody was signed on, or the record of the sign-on was purged."""
    dealt_seq: int
    """The record by which the dealer signed on; 0 where the settlement does not name one."""
    dealer_cards: tuple[str, ...]
    complete: bool
    """Whether all cards were given, or only those of winning seats."""
    seats: list[SheetSeat]
    early: list[AwardMade]
    """Paid on two cards before the peek."""
    awards: list[SheetAward]
    history: list[SheetEntry]


class NoSheetError(Exception):
    """There is no settlement with awards at that record."""


async def settlement_sheet(store: JournalReader, link: LinkId, seq: int, *, last_seq: int) -> Sheet:
    """The sheet of the round that record `seq` settled; raises NoSheetError.

    Also StoreError and JournalBrokenError.
    """
    if not 1 <= seq <= last_seq:
        raise NoSheetError(f"there is no record {seq}")
    stored = await store.record(link, seq)
    if stored is None:
        raise JournalBrokenError(f"record {seq} is missing")
    record = decode_record(stored, seq=seq)
    event = record.event
    if not isinstance(event, RoundSettled | SettledEarly) or not event.awards:
        raise NoSheetError(f"record {seq} settles no awards")
    (locked, _), *older = await records_before(store, link, record, event)
    opened = locked.event
    if not isinstance(opened, WagersRegistered):
        raise AssertionError("a round begins with its lock-out")
    made_early = [
        made
        for each, _ in older
        if isinstance(each.event, SettledEarly)
        for made in each.event.awards
    ]
    done = await _after(store, link, [*event.awards, *made_early], last_seq=last_seq)
    names = {each.award for each in (*event.awards, *made_early)}
    return Sheet(
        link=link,
        table=event.table,
        round=event.round,
        locked_at=locked.at,
        settled_at=record.at,
        journal_seq=seq,
        dealt_by=await _dealer(store, link, event),
        dealt_seq=event.dealt_seq,
        dealer_cards=event.dealer.cards,
        complete=isinstance(event, RoundSettled) and event.complete,
        seats=_seats(opened, event),
        early=made_early,
        awards=[_award(made, [act for _, act in done]) for made in event.awards],
        history=[entry for each, act in done for entry in _entries(each, act, names)],
    )


async def _dealer(
    store: JournalReader, link: LinkId, event: RoundSettled | SettledEarly
) -> Signature | None:
    """Who dealt the round, from the record of the sign-on."""
    if not event.dealt_seq:
        return event.dealt_by
    try:
        stored = await store.record(link, event.dealt_seq)
    except StorePurgedError:
        return None
    signed_on = None if stored is None else decode_record(stored, seq=event.dealt_seq).event
    if not isinstance(signed_on, DealerSignedOn) or signed_on.table != event.table:
        raise JournalBrokenError(f"record {event.dealt_seq} is no sign-on at {event.table}")
    return signed_on.dealer


async def _after(
    store: JournalReader, link: LinkId, made: Sequence[AwardMade], *, last_seq: int
) -> list[tuple[Record, SheetAct]]:
    """What was done about the round's awards since they were made, oldest first."""
    done: list[tuple[Record, SheetAct]] = []
    # The rack has paid all others with the settlement.
    waited = [each for each in made if each.status == "pending"]
    if not waited:
        return done
    names = [each.award for each in waited]
    # An award's id names the record that made it; those of before the peek have an older one.
    after_seq = min(int(name.rsplit(".", 2)[1]) for name in names)
    segments = await store.segments(link)
    for after, until in forward(segments, after_seq=after_seq, last_seq=last_seq):
        found = await store.acts(link, after_seq=after, until_seq=until, about=names)
        if found:
            done += await asyncio.to_thread(_acts, found)
            acts = [act for _, act in done]
            if all(_award(each, acts).status in FINAL for each in waited):
                break
    return done


def _acts(found: Sequence[bytes]) -> list[tuple[Record, SheetAct]]:
    records = [decode_record(stored) for stored in found]
    return [
        (record, record.event)
        for record in records
        if isinstance(record.event, AwardEvent | RoundValidated)
    ]


def _entries(record: Record, event: SheetAct, names: Collection[str]) -> list[SheetEntry]:
    what, note = _in_words(event)
    about = event.awards if isinstance(event, RoundValidated) else (event.award,)
    return [
        SheetEntry(record.at, record.seq, what, award, event.by, note)
        for award in about
        if award in names
    ]


def _in_words(event: SheetAct) -> tuple[str, str]:
    """What was done, and what there is to say about it."""
    match event:
        case AwardValidated():
            return "validated", ""
        case RoundValidated():
            return "validated", "with its round; paid from the rack"
        case PaymentApproved():
            return "payment approved", ""
        case AwardPaid():
            return "paid", f"document {event.document}{' (manual)' if event.manual else ''}"
        case VoidProposed():
            return "void proposed", event.reason
        case VoidWithdrawn():
            return "void withdrawn", ""
        case AwardVoided():
            return "void", f"proposed by {event.proposed_by.name}: {event.reason}"


def _seats(opened: WagersRegistered, event: RoundSettled | SettledEarly) -> list[SheetSeat]:
    cards = {at_seat.seat: at_seat for at_seat in event.seats}
    wagers: dict[int, list[Wager]] = {}
    for wager in opened.wagers:
        wagers.setdefault(wager.seat, []).append(wager)
    return [
        SheetSeat(
            seat=seat,
            wagers=wagers[seat],
            cards=cards[seat].cards if seat in cards else (),
            hands=cards[seat].hands if seat in cards else (),
        )
        for seat in sorted(wagers)
    ]


def _award(made: AwardMade, acts: Sequence[SheetAct]) -> SheetAward:
    status: str = made.status
    resettled: AwardChange | None = None
    document: str | None = None
    for act in acts:
        if isinstance(act, RoundValidated):
            status = "paid" if made.award in act.awards else status
            continue
        if isinstance(act, AwardVoided):
            for change in act.changes:
                if change.award == made.award:
                    # Worked out again, it is looked at again.
                    resettled, status = change, "pending"
        if act.award != made.award:
            continue
        if isinstance(act, AwardValidated):
            status = "validated"
        elif isinstance(act, AwardPaid):
            status, document = "paid", act.document
        elif isinstance(act, AwardVoided):
            status = "void"
    now = resettled or made
    return SheetAward(
        made=made,
        status=status,
        resettled=resettled,
        document=document,
        amount_cents=now.amount_cents,
        due_cents=made.due_at(now.amount_cents),
        meter_sum=_meter_sum(now),
    )


def _meter_sum(now: AwardMade | AwardChange) -> MeterSum | None:
    if now.meter_before is None or now.meter_after is None:
        return None
    awarded = microcents(now.amount_cents)
    return MeterSum(
        before_microcents=now.meter_before,
        award_microcents=awarded,
        left_microcents=now.meter_before - awarded,
        from_house_microcents=microcents(now.funded_cents),
        from_reset_microcents=now.from_reset,
        from_overflow_microcents=now.from_overflow,
        after_microcents=now.meter_after,
    )
