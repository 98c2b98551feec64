"""Money of awards: taken from meters, given back by voids, each amount under its cause.

What the record moves is held against what its awards say; what they do not account for stands
under the awards and is noted as a difference.
"""

from collections.abc import Sequence

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import PARTS
from progressive.application.finance.book.posting import account, move
from progressive.domain.award_events import AwardMade, AwardMoney, AwardVoided, MeterFlow
from progressive.domain.events import RoundSettled
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT


def enter_awards(
    book: DayBook, seq: int, awards: Sequence[AwardMade], flows: Sequence[MeterFlow]
) -> None:
    """Awards of meters: what was paid, what the house put back, what the reserve gave."""
    due: dict[MeterId, list[int]] = {}
    for made in awards:
        meter = made.meter
        if meter is None:
            continue
        paid, funded = (
            cents * MICROCENTS_PER_CENT for cents in (made.amount_cents, made.funded_cents)
        )
        move(book, seq, meter, "primary", "awards", -paid)
        for part, cause, amount in (
            ("primary", "house_reset", funded),
            ("primary", "reserve_moved", made.from_reset),
            ("reset", "reserve_moved", -made.from_reset),
            ("primary", "overflow_moved", made.from_overflow),
            ("overflow", "overflow_moved", -made.from_overflow),
        ):
            if amount:
                move(book, seq, meter, part, cause, amount)  # type: ignore[arg-type]
        sums = due.setdefault(meter, [0, 0, 0])
        sums[0] += funded - paid + made.from_reset + made.from_overflow
        sums[1] -= made.from_reset
        sums[2] -= made.from_overflow
    recorded = {flow.meter: flow for flow in flows}
    for meter in due.keys() | recorded.keys():
        flow = recorded.get(meter, MeterFlow(meter, 0, 0, 0))
        found = (flow.primary, flow.reset, flow.overflow)
        for part, amount, expected in zip(PARTS, found, due.get(meter, (0, 0, 0)), strict=True):
            book.part(meter, part).recomputed += expected
            if amount != expected:
                # What the record moved and its awards do not account for.
                move(book, seq, meter, part, "awards", amount - expected)
                book.note(
                    seq, f"{meter} ({part}) moves otherwise than its awards", amount - expected
                )


def check_readings(book: DayBook, seq: int, event: RoundSettled) -> None:
    """What each award names as the meter before and after it: one after the other, to the end."""
    terms = book.closing.present_terms
    places = {} if terms is None else terms.place_of_meter
    after: dict[MeterId, int] = {}
    for made in event.awards:
        meter = made.meter
        if meter is None or made.meter_before is None or made.meter_after is None:
            continue
        moved = (made.funded_cents - made.amount_cents) * MICROCENTS_PER_CENT
        moved += made.from_reset + made.from_overflow
        off = made.meter_after - made.meter_before - moved
        off = off or made.meter_before - after.get(meter, made.meter_before)
        if off:
            book.note(seq, f"award {made.award} names another {meter} before or after it", off)
        after[meter] = made.meter_after
    for meter, amount in after.items():
        if meter in places and (off := event.meters[places[meter]] - amount):
            book.note(seq, f"the last award from {meter} names another amount than the round", off)


def enter_award_money(
    book: DayBook, seq: int, awards: Sequence[AwardMade], money: AwardMoney
) -> None:
    """What awards move beside the meters, and the same worked out from each of them."""
    funding = hold = pending = paid = returned = 0
    for made in awards:
        due = made.due_cents * MICROCENTS_PER_CENT
        stake = made.stake_returned_cents * MICROCENTS_PER_CENT
        hold -= due + stake
        returned += stake
        if made.kind == "meter":
            hold += made.amount_cents * MICROCENTS_PER_CENT
            funding -= made.funded_cents * MICROCENTS_PER_CENT
        if made.status == "payable":
            paid += due
        else:
            pending += due
    expected = AwardMoney(funding=funding, hold=hold, pending=pending, paid=paid, returned=returned)
    _enter_accounts(book, money)
    for name in ("funding", "hold", "pending", "paid", "returned"):
        if (off := getattr(money, name) - getattr(expected, name)) != 0:
            book.note(seq, f"the awards and the money of the round differ ({name})", off)


def _enter_accounts(book: DayBook, money: AwardMoney) -> None:
    for name in ("funding", "hold", "pending", "paid", "returned"):
        if amount := getattr(money, name):
            account(book, name, amount)


def enter_award_void(book: DayBook, seq: int, event: AwardVoided) -> None:
    """What goes back to the meter, less what the awards behind it are owed now.

    The house takes back its part of resets that never were, and bears what is missing: that is the
    event's `funding`.
    """
    _enter_accounts(book, event.money)
    entries = book.closing.awards
    entry = entries.get(event.award)
    back = 0 if entry is None or entry.made.meter is None else entry.made.amount_cents
    owed = 0 if entry is None else -entry.made.due_cents
    for change in event.changes:
        if (changed := entries.get(change.award)) is not None:
            back -= change.amount_cents - changed.made.amount_cents
            owed += changed.made.due_at(change.amount_cents) - changed.made.due_cents
        moved = (change.funded_cents - change.amount_cents) * MICROCENTS_PER_CENT
        moved += change.from_reset + change.from_overflow
        if off := change.meter_after - change.meter_before - moved:
            book.note(seq, f"award {change.award} names another meter before or after it", off)
    back *= MICROCENTS_PER_CENT
    if off := event.money.pending - owed * MICROCENTS_PER_CENT:
        book.note(seq, "the void changes what is owed otherwise than its awards", off)
    if off := _balance(event.flows, event.money):
        book.note(seq, "what the void moves does not sum to zero", off)
    for flow in event.flows:
        house = -event.money.funding
        between = flow.reset + flow.overflow
        given = flow.primary + between - house
        move(book, seq, flow.meter, "primary", "award_void_back", given)
        for part, cause, amount in (
            ("primary", "house_reset", house),
            ("primary", "reserve_moved", -flow.reset),
            ("reset", "reserve_moved", flow.reset),
            ("primary", "overflow_moved", -flow.overflow),
            ("overflow", "overflow_moved", flow.overflow),
        ):
            if amount:
                move(book, seq, flow.meter, part, cause, amount)  # type: ignore[arg-type]
        book.part(flow.meter, "primary").recomputed += flow.primary - given + back
        book.part(flow.meter, "reset").recomputed += flow.reset
        book.part(flow.meter, "overflow").recomputed += flow.overflow
        if given != back:
            book.note(
                seq, f"the void gives {flow.meter} otherwise than the awards say", given - back
            )


def _balance(flows: Sequence[MeterFlow], money: AwardMoney) -> int:
    """Double entry: zero."""
    on_meters = sum(flow.primary + flow.reset + flow.overflow for flow in flows)
    beside = money.funding + money.hold + money.pending + money.paid + money.returned
    return on_meters + beside
