"""(state, event) -> state. Never refuses, never computes money: it enters what the event says.

`evolve` is the pure form. `apply` moves a working copy in place: the link's writer copies once a
batch instead of once an event, which is what makes a thousand tables cheap.
"""

from collections.abc import Sequence
from typing import Final

from progressive.domain.events import (
    Checkpointed,
    Event,
    LinkOpened,
    RoundSettled,
    RoundVoided,
    Stake,
    TableEvent,
    WagersRegistered,
)
from progressive.domain.ledger import accounts_of, postings
from progressive.domain.state import (
    NEW_TABLE,
    RECEIPTS_KEPT,
    LinkState,
    MeterCounters,
    OpenRound,
    Receipt,
    ReceiptKind,
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
            opened = OpenRound(
                round=event.round,
                wagers=event.wagers,
                stakes=event.stakes,
                flows=event.flows,
                hold=event.hold,
            )
            _enter(state, event, opened)
        case RoundSettled():
            _enter(state, event, None)
            return
        case RoundVoided():
            _count(state, event.stakes, voided=True)
            _enter(state, event, None)
        case LinkOpened():
            state.terms = event.terms
            state.terms_version = event.terms_version
            state.balances = dict.fromkeys(accounts_of(event.terms), 0)
            state.counters = {meter.id: MeterCounters() for meter in event.terms.meters}
        case Checkpointed():
            return
    balances = state.balances
    for account, amount in postings(event):
        balances[account] += amount


def receipt_of(event: TableEvent, *, journal_seq: int) -> Receipt:
    """The answer that an accepted message gets, now and whenever it is sent again."""
    return Receipt(
        event.table_seq,
        event.digest,
        _RECEIPT_KINDS[type(event)],
        event.round,
        journal_seq,
        event.meters,
    )


_RECEIPT_KINDS: Final[dict[type[TableEvent], ReceiptKind]] = {
    WagersRegistered: "locked",
    RoundSettled: "settled",
    RoundVoided: "voided",
}


def _enter(state: LinkState, event: TableEvent, opened: OpenRound | None) -> None:
    """The table's side of an event: its number, its round, the answer it was given."""
    before = state.tables.get(event.table, NEW_TABLE)
    receipt = receipt_of(event, journal_seq=state.seq)
    state.tables[event.table] = TableState(
        last_seq=event.table_seq,
        round=opened,
        last_round=event.round,
        receipts=(*before.receipts[1 - RECEIPTS_KEPT :], receipt),
    )


def _count(state: LinkState, stakes: Sequence[Stake], *, voided: bool) -> None:
    """Lifetime counters: every meter of a bet counts all wagers on that bet."""
    terms = state.terms
    if terms is None:
        return
    counters = state.counters
    for stake in stakes:
        cents = stake.chip_cents + stake.coupon_cents
        for meter in terms.bet_by_id[stake.bet].meters:
            was = counters[meter.id]
            counters[meter.id] = MeterCounters(
                was.wagers_cents if voided else was.wagers_cents + cents,
                was.voided_cents + cents if voided else was.voided_cents,
                was.hits,
                was.wins_cents,
            )
