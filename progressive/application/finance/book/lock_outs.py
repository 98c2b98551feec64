"""Lock-outs alike, counted and then entered together.

Nearly all rounds of an hour at a table register the same wagers and so move the same amounts. A
shape is what they have in common; entering it once, times its count, gives the same figures as
entering each.
"""

from typing import NamedTuple

from progressive.application.finance.book.day_book import DayBook
from progressive.application.finance.book.figures import (
    BetUse,
    Part,
    RateUse,
    TableHour,
    TableUse,
    WagerCell,
)
from progressive.application.finance.book.narrow import Wagers, flows_in, stakes_in
from progressive.application.finance.book.standing import Parts
from progressive.application.journal.record import JournalBrokenError
from progressive.domain.award_events import MeterFlow
from progressive.domain.events import Stake
from progressive.domain.ids import BetId, TableId
from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.rulebook.rules import LinkTerms, MeterRules


class Shape(NamedTuple):
    """What lock-outs of one table have in common."""

    table: str
    terms_version: int
    wagers: Wagers
    stakes: bytes
    flows: bytes
    hold: int


class Count:
    """How many lock-outs of one kind, and where."""

    __slots__ = ("deltas", "first_seq", "last_seq", "number", "shape", "table")

    def __init__(self, seq: int, shape: Shape, deltas: tuple[int, ...] = ()) -> None:
        self.shape = shape
        self.table = TableId(shape.table)
        self.number = 0
        self.first_seq = seq
        self.last_seq = seq
        self.deltas = deltas
        """What each puts on the displayed meters, in the order of the terms."""


class OnBet(NamedTuple):
    """What one lock-out has on one bet."""

    bet: BetId
    registered_cents: int
    chips: int
    chip_cents: int
    coupons: int
    coupon_cents: int
    taken: int
    """Microcents that the bet's meters took."""


class Money(NamedTuple):
    """What lock-outs of all tables have in common: it moves the meters alike."""

    terms_version: int
    wagers: Wagers
    stakes: tuple[Stake, ...]
    flows: tuple[MeterFlow, ...]
    hold: int
    on_bets: tuple[OnBet, ...]


class LockOuts:
    """The lock-outs that were counted and are still to be entered on the meters."""

    def __init__(self, book: DayBook) -> None:
        self._book = book
        self._counts: dict[tuple[object, ...], tuple[Money, Count]] = {}

    def enter(self, hour: int, shape: Shape, count: Count) -> None:
        """All lock-outs of one shape of one hour: its wagers now, its meters with `enter_money`."""
        book, number = self._book, count.number
        known = self._counts.get(shape[1:])
        if known is None:
            known = (_money(book, shape, count.first_seq), Count(count.first_seq, shape))
            self._counts[shape[1:]] = known
        money, on_meters = known
        on_meters.number += number
        on_meters.last_seq = max(on_meters.last_seq, count.last_seq)
        on_meters.first_seq = min(on_meters.first_seq, count.first_seq)
        at_table = table_hour(book, hour, shape.table)
        at_table.rounds += number
        at_table.stands_on(count.first_seq, count.last_seq)
        if not money.on_bets:
            at_table.without_wagers += number
        for each in money.on_bets:
            cell = wager_cell(book, hour, shape.table, each.bet)
            cell.rounds += number
            cell.registered_cents += number * each.registered_cents
            cell.chips += number * each.chips
            cell.chip_cents += number * each.chip_cents
            cell.coupons += number * each.coupons
            cell.coupon_cents += number * each.coupon_cents
            cell.to_meters += number * each.taken
            cell.to_hold += number * (each.registered_cents * MICROCENTS_PER_CENT - each.taken)
            cell.stands_on(count.first_seq, count.last_seq)
            use = table_use(book, shape.table, each.bet, shape.terms_version)
            use.wagers += number * (each.chips + each.coupons)
            use.cents += number * each.registered_cents
            use.stands_on(count.first_seq, count.last_seq)

    def enter_money(self) -> None:
        """What they moved on meters and accounts."""
        for money, count in self._counts.values():
            _enter_money(self._book, money, count)
        self._counts.clear()


def terms_of(book: DayBook, version: int, seq: int) -> LinkTerms:
    """The terms that a round was locked under."""
    terms = book.closing.terms.get(version)
    if terms is None:
        raise JournalBrokenError(f"record {seq} is of terms {version}, which no record brought")
    return terms


def deltas_of(book: DayBook, flows: bytes) -> tuple[int, ...]:
    """What flows do to the displayed meters, in the order of the present terms."""
    terms = book.closing.present_terms
    places = {} if terms is None else terms.place_of_meter
    deltas = [0] * len(places)
    for flow in flows_in(flows):
        if flow.meter in places:
            deltas[places[flow.meter]] += flow.primary
    return tuple(deltas)


def _money(book: DayBook, shape: Shape, seq: int) -> Money:
    terms = terms_of(book, shape.terms_version, seq)
    stakes, flows = stakes_in(shape.stakes), flows_in(shape.flows)
    by_meter = {flow.meter: flow for flow in flows}
    on_bets = []
    for stake in stakes:
        counted = {"chip": [0, 0], "coupon": [0, 0]}
        for bet, tender, cents, many in shape.wagers:
            if bet == stake.bet:
                counted[tender][0] += many
                counted[tender][1] += many * cents
        rules = terms.bet_by_id.get(stake.bet)
        fed = [by_meter.get(meter.id) for meter in (() if rules is None else rules.meters)]
        on_bets.append(
            OnBet(
                stake.bet,
                stake.chip_cents + stake.coupon_cents,
                chips=counted["chip"][0],
                chip_cents=counted["chip"][1],
                coupons=counted["coupon"][0],
                coupon_cents=counted["coupon"][1],
                taken=sum(
                    each.primary + each.reset + each.overflow for each in fed if each is not None
                ),
            )
        )
    return Money(shape.terms_version, shape.wagers, stakes, flows, shape.hold, tuple(on_bets))


def _enter_money(book: DayBook, money: Money, count: Count) -> None:
    number, first = count.number, count.first_seq
    terms = terms_of(book, money.terms_version, first)
    flows = {flow.meter: flow for flow in money.flows}
    accounts = book.closing.accounts
    for stake, on_bet in zip(money.stakes, money.on_bets, strict=True):
        _enter_wagers(book, money, count, stake, on_bet)
        rules = terms.bet_by_id.get(stake.bet)
        for meter in () if rules is None else rules.meters:
            flow = flows.pop(meter.id, MeterFlow(meter.id, 0, 0, 0))
            _enter_contribution(book, meter, flow, on_bet.registered_cents, count)
            _enter_rate(book, money, count, meter, flow, on_bet)
        _add(accounts, "wagers chip", -number * stake.chip_cents * MICROCENTS_PER_CENT)
        _add(accounts, "wagers coupon", -number * stake.coupon_cents * MICROCENTS_PER_CENT)
    _add(accounts, "hold", number * money.hold)
    for flow in flows.values():
        stray = flow.primary + flow.reset + flow.overflow
        book.note(first, f"{flow.meter} takes from no wager", number * stray)
    staked = sum(each.registered_cents for each in money.on_bets) * MICROCENTS_PER_CENT
    taken = sum(each.taken for each in money.on_bets)
    if (off := staked - taken - money.hold) != 0:
        book.note(first, "the hold is not what the meters left of the wagers", number * off)


def _enter_wagers(book: DayBook, money: Money, count: Count, stake: Stake, on_bet: OnBet) -> None:
    """The single wagers on a bet; they must make up what was registered."""
    number = count.number
    use = bet_use(book, stake.bet, money.terms_version)
    use.stands_on(count.first_seq, count.last_seq)
    for bet, _tender, cents, many in money.wagers:
        if bet == stake.bet:
            use.wagers += number * many
            use.cents += number * many * cents
            use.squared_cents += number * many * cents * cents
    off = (on_bet.chip_cents - stake.chip_cents, on_bet.coupon_cents - stake.coupon_cents)
    if off != (0, 0):
        book.note(
            count.first_seq,
            f"the wagers on {stake.bet} do not make up what was registered",
            number * sum(off) * MICROCENTS_PER_CENT,
        )


def _enter_rate(
    book: DayBook, money: Money, count: Count, meter: MeterRules, flow: MeterFlow, on_bet: OnBet
) -> None:
    number = count.number
    use = rate_use(book, on_bet.bet, meter, money.terms_version)
    use.rounds += number
    use.wagers += number * (on_bet.chips + on_bet.coupons)
    use.wager_cents += number * on_bet.registered_cents
    use.primary += number * flow.primary
    use.reset += number * flow.reset
    use.overflow += number * flow.overflow
    use.stands_on(count.first_seq, count.last_seq)


def _enter_contribution(
    book: DayBook, meter: MeterRules, flow: MeterFlow, cents: int, count: Count
) -> None:
    """What one bet put on one of its meters, and the same by wagers x rate."""
    number = count.number
    # A meter with a limit: what does not fit goes to the overflow. How much did depends on the
    # moment, so it is taken as recorded, as long as the sum is right.
    overflow = flow.overflow if meter.limit_cents else 0
    moves: tuple[tuple[Part, int, int], ...] = (
        ("primary", flow.primary, cents * meter.rate_ppm - overflow),
        ("reset", flow.reset, cents * meter.reset_rate_ppm),
        ("overflow", flow.overflow, overflow),
    )
    for part, amount, due in moves:
        if amount or due:
            moved = book.part(meter.id, part)
            moved.contributions += number * amount
            moved.recomputed += number * due
            moved.stands_on(count.first_seq, count.last_seq)
    parts = book.closing.meters.setdefault(meter.id, Parts())
    parts.reset += number * flow.reset
    parts.overflow += number * flow.overflow


# --- figures by their keys ----------------------------------------------------------------------


def table_hour(book: DayBook, hour: int, table: str) -> TableHour:
    """The rounds of a table in an hour."""
    key = f"{hour}/{table}"
    return book.hours.get(key) or book.hours.setdefault(key, TableHour(hour=hour, table=table))


def table_use(book: DayBook, table: str, bet: BetId, version: int) -> TableUse:
    """The wagers on a bet at a table under one version of the terms."""
    key = f"{table}/{bet}/{version}"
    return book.tables.get(key) or book.tables.setdefault(
        key, TableUse(table=table, bet=bet, terms_version=version)
    )


def wager_cell(book: DayBook, hour: int, table: str, bet: BetId) -> WagerCell:
    """The wagers on a bet at a table in an hour."""
    key = f"{hour}/{table}/{bet}"
    return book.cells.get(key) or book.cells.setdefault(
        key, WagerCell(hour=hour, table=table, bet=bet)
    )


def bet_use(book: DayBook, bet: BetId, version: int) -> BetUse:
    """The wagers on a bet under one version of the terms."""
    key = f"{bet}/{version}"
    return book.bets.get(key) or book.bets.setdefault(key, BetUse(bet=bet, terms_version=version))


def rate_use(book: DayBook, bet: BetId, meter: MeterRules, version: int) -> RateUse:
    """The wagers that fed a meter under one version of the terms."""
    key = f"{meter.id}/{version}"
    return book.rates.get(key) or book.rates.setdefault(
        key,
        RateUse(
            meter=meter.id,
            bet=bet,
            terms_version=version,
            rate_ppm=meter.rate_ppm,
            reset_rate_ppm=meter.reset_rate_ppm,
        ),
    )


def _add(accounts: dict[str, int], account: str, amount: int) -> None:
    accounts[account] = accounts.get(account, 0) + amount
