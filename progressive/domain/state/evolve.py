"""(state, event) -> state. Never refuses, never computes money: it enters what the event says.

`evolve` is the pure form. `apply` moves a working copy in place: the link's writer copies once a
batch instead of once an event, which is what makes a thousand tables cheap.
"""

from collections.abc import Sequence

from progressive.domain.award_events import RoundValidated
from progressive.domain.events import (
    Checkpointed,
    Event,
    FloorRecorded,
    LinkOpened,
    LinkReopened,
    RoundSettled,
    RoundVoided,
    SettledEarly,
    Stake,
    TableEvent,
    WagersRegistered,
)
from progressive.domain.finance_events import DayClosed, DayPrepared, FinanceEntered
from progressive.domain.guard_events import ClockStepped, LossAccepted, SegmentsPurged
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
from progressive.domain.state.days import days_after
from progressive.domain.state.evolve_awards import (
    enter_act,
    enter_awards,
    enter_early,
    enter_terms,
    enter_validated_round,
    forget_terms,
)
from progressive.domain.state.ledger import accounts_of, postings
from progressive.domain.state.link_state import (
    NEW_TABLE,
    RECEIPTS_KEPT,
    BetCounters,
    LinkState,
    MeterCounters,
    Receipt,
    TableState,
)


def evolve(state: LinkState, event: Event) -> LinkState:
    """The state after the event; the one before is untouched."""
    after = state.copy()
    apply(after, event)
    return after


def apply(state: LinkState, event: Event) -> None:
    """Move a working copy by one event."""
    # Gap-free per link: the audit reads a missing number as a lost event.
    state.seq += 1
    match event:
        case WagersRegistered():
            _count(state, event.stakes, voided=False)
            _enter(state, event, event)
        case RoundSettled():
            if event.awards:
                enter_awards(state, event)
            _leave(state, event)
            if not event.awards:
                return
        case RoundVoided():
            _count(state, event.stakes, voided=True)
            _leave(state, event)
        case SettledEarly():
            enter_early(state, event)
            _enter(state, event, state.tables[event.table].round)
        case LinkOpened():
            state.terms = event.terms
            state.terms_version = event.terms_version
            state.balances = dict.fromkeys(accounts_of(event.terms), 0)
            state.bet_counters = {bet.id: BetCounters() for bet in event.terms.bets}
            state.meter_counters = {meter.id: MeterCounters() for meter in event.terms.meters}
            state.primaries = tuple([flow.primary for flow in event.funding])
            state.floor = event.floor
        case Checkpointed() | AlarmAcknowledged() | LossAccepted() | ClockStepped():
            return
        case FinanceEntered() | DayPrepared() | DayClosed():
            state.days = days_after(state.days, event, state.seq)
            return
        case SegmentsPurged():
            # What the removed records did stays in the state that was proved from them.
            return
        case DealerSignedOn():
            if event.dealer is None:
                state.dealers.pop(event.table, None)
                state.sign_ons.pop(event.table, None)
            else:
                state.dealers[event.table] = event.dealer
                state.sign_ons[event.table] = state.seq
            return
        case CorrectionProposed():
            state.corrections[event.correction] = event
            return
        case CorrectionRefused():
            del state.corrections[event.correction]
            return
        case CorrectionApproved():
            del state.corrections[event.correction]
            state.primaries = event.meters
        case TermsProposed():
            state.terms_proposed = event
            return
        case RetirementProposed():
            state.retirement = event
            return
        case RetirementWithdrawn():
            state.retirement = None
            return
        case LinkRetired():
            state.retirement, state.retired = None, True
            state.primaries = event.meters
        case FloorRecorded():
            state.floor = event.floor
            state.terms = event.terms or state.terms
            return
        case TermsChanged() | LinkReopened():
            enter_terms(state, event)
            state.primaries = event.meters
        case RoundValidated():
            enter_validated_round(state, event)
        case _:
            enter_act(state, event)
            state.primaries = event.meters
    balances = state.balances
    for account, amount in postings(event):
        balances[account] += amount


def enter_plainly(
    state: LinkState,
    before: TableState,
    event: TableEvent,
    opened: WagersRegistered | None,
) -> None:
    """`apply` of a plain round's event without its books: `post_locks` brings those, before they
    are read.
    """
    seq = state.seq = state.seq + 1
    state.primaries = event.meters
    state.tables[event.table] = _table_after(before, seq, event, opened)


def post_locks(state: LinkState, event: WagersRegistered, *, times: int) -> None:
    """The books of so many lock-outs that moved what this one moved."""
    _count(state, event.stakes, voided=False, times=times)
    balances = state.balances
    for account, amount in postings(event):
        balances[account] += times * amount


def _enter(state: LinkState, event: TableEvent, opened: WagersRegistered | None) -> None:
    """The table's side of an event: its number, its round, the answer it is given."""
    state.primaries = event.meters
    before = state.tables.get(event.table, NEW_TABLE)
    state.tables[event.table] = _table_after(before, state.seq, event, opened)


def _table_after(
    before: TableState, seq: int, event: TableEvent, opened: WagersRegistered | None
) -> TableState:
    return TableState(
        event.table_seq,
        opened,
        event.round,
        (*before.receipts[1 - RECEIPTS_KEPT :], Receipt(seq, event)),
    )


def _leave(state: LinkState, event: RoundSettled | RoundVoided) -> None:
    """The round is over at this table."""
    _enter(state, event, None)
    if state.early:
        state.early.pop(event.table, None)
    if state.former_terms:
        forget_terms(state)


def _count(state: LinkState, stakes: Sequence[Stake], *, voided: bool, times: int = 1) -> None:
    counters = state.bet_counters
    for stake in stakes:
        was = counters[stake.bet]
        cents = times * (stake.chip_cents + stake.coupon_cents)
        counters[stake.bet] = (
            BetCounters(was.wagers_cents, was.voided_cents + cents)
            if voided
            else BetCounters(was.wagers_cents + cents, was.voided_cents)
        )
