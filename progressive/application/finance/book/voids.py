"""A voided round: its wagers go back, by contra entries in the record of the void.

The wagers stay where they were counted; what went back is counted beside them.
"""

from collections.abc import Callable

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import PARTS
from progressive.application.finance.book.lock_outs import (
    bet_use,
    table_hour,
    table_use,
    terms_of,
    wager_cell,
)
from progressive.application.finance.book.standing import OpenRound, Parts
from progressive.domain.award_events import MeterFlow
from progressive.domain.events import RoundVoided
from progressive.domain.ids import MeterId
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rulebook.rules import BetRules


def enter_void(
    book: DayBook,
    seq: int,
    hour: int,
    event: RoundVoided,
    opened: OpenRound | None,
    catch_up: Callable[[], None],
) -> None:
    """`opened`: the round as it was locked; None where no record says so.

    `catch_up` brings the closing meters to the record before: asked for only where it matters.
    """
    at_table = table_hour(book, hour, event.table)
    at_table.voided += 1
    at_table.stands_on(seq)
    flows = {flow.meter: flow for flow in event.flows}
    locked = {flow.meter: flow for flow in (() if opened is None else opened.flows)}
    version = book.closing.terms_version if opened is None else opened.terms_version
    terms = terms_of(book, version, seq)
    borne = 0
    for stake in event.stakes:
        cents = stake.chip_cents + stake.coupon_cents
        cell = wager_cell(book, hour, event.table, stake.bet)
        cell.voided_chip_cents += stake.chip_cents
        cell.voided_coupon_cents += stake.coupon_cents
        cell.stands_on(seq)
        at_bet = table_use(book, event.table, stake.bet, version)
        at_bet.voided_cents += cents
        at_bet.voids.append(seq)
        use = bet_use(book, stake.bet, version)
        use.stands_on(seq)
        for bet, _tender, each_cents, many in () if opened is None else opened.wagers:
            if bet == stake.bet:
                cell.voided += many
                use.voided += many
                use.voided_cents += many * each_cents
                use.voided_squared_cents += many * each_cents * each_cents
        bet_rules = terms.bet_by_id.get(stake.bet)
        taken = 0
        if bet_rules is not None:
            taken = _enter_contra(book, seq, bet_rules, flows, locked, catch_up)
            for meter in bet_rules.meters:
                given = flows[meter.id].primary if meter.id in flows else 0
                if (kept := cents * meter.rate_ppm + given) != 0:
                    book.name(meter.id, "void_contra", seq, kept)
        cell.to_meters += taken
        cell.to_hold -= cents * MICROCENTS_PER_CENT + taken
        borne += cents * MICROCENTS_PER_CENT + taken
    if (off := borne + event.hold) != 0:
        book.note(seq, "the void's hold is not what the meters left of it", off)
    accounts = book.closing.accounts
    for name, cents in (
        ("refunds chip", sum(stake.chip_cents for stake in event.stakes)),
        ("refunds coupon", sum(stake.coupon_cents for stake in event.stakes)),
    ):
        accounts[name] = accounts.get(name, 0) + cents * MICROCENTS_PER_CENT
    accounts["hold"] = accounts.get("hold", 0) + event.hold


def _enter_contra(
    book: DayBook,
    seq: int,
    bet: BetRules,
    flows: dict[MeterId, MeterFlow],
    locked: dict[MeterId, MeterFlow],
    catch_up: Callable[[], None],
) -> int:
    """What one bet's meters gave back (with a minus): what its lock-out put there.

    Won since, a part of a meter gives what it has left, and the house bears the rest.
    """
    taken = 0
    for meter in bet.meters:
        flow = flows.get(meter.id)
        if flow is None:
            continue
        taken += flow.primary + flow.reset + flow.overflow
        put = locked.get(meter.id)
        if put is not None and any(getattr(flow, part) != -getattr(put, part) for part in PARTS):
            catch_up()
        parts = book.closing.meters.setdefault(meter.id, Parts())
        for part in PARTS:
            amount: int = getattr(flow, part)
            due = amount if put is None else -min(getattr(put, part), getattr(parts, part))
            if put is not None and amount == -getattr(put, part):
                due = amount
            if not amount and not due:
                continue
            moved = book.part(meter.id, part)
            moved.void_contra += amount
            moved.recomputed += due
            moved.stands_on(seq)
        parts.reset += flow.reset
        parts.overflow += flow.overflow
    return taken
