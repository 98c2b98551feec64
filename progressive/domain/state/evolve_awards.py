"""The awards' side of `evolve`: enters what an event says, computes no money, refuses nothing."""

from typing import Final

from msgspec import structs

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
from progressive.domain.awards.meter_payouts import reset_of
from progressive.domain.events import LinkReopened, RoundSettled, SettledEarly
from progressive.domain.ids import AwardId, MeterId
from progressive.domain.person_events import TermsChanged
from progressive.domain.state.award_state import FINALS_KEPT, Award, WonMeter
from progressive.domain.state.ledger import meter_accounts
from progressive.domain.state.link_state import BetCounters, LinkState, MeterCounters
from progressive.domain.state.meters import amounts_on

_UNSIGNED: Final = {
    "status": "pending",
    "validated_by": None,
    "approved_by": (),
}
"""An award that was worked out anew is looked at anew."""


def enter_awards(state: LinkState, event: RoundSettled) -> None:
    """The awards of a settled round; before its postings, as the meters are read as it found them.

    `state.seq` is the event's own. Awards from the rack are paid with the event and not kept.
    """
    _remember_meters(state, event)
    _bind_early(state, event)
    for made in event.awards:
        if made.status == "pending":
            _open(state, made, event)
        if made.meter is not None:
            was = state.meter_counters[made.meter]
            state.meter_counters[made.meter] = structs.replace(
                was, hits=was.hits + 1, wins_cents=was.wins_cents + made.amount_cents
            )


def enter_early(state: LinkState, event: SettledEarly) -> None:
    """The two-card awards of a round that goes on, those that wait for a supervisor among them."""
    state.early[event.table] = event
    for made in event.awards:
        if made.status == "pending":
            _open(state, made, event)


def _open(state: LinkState, made: AwardMade, event: RoundSettled | SettledEarly) -> None:
    state.awards[made.award] = Award(
        made=made,
        journal_seq=state.seq,
        at=event.awarded_at,
        table=event.table,
        round=event.round,
        # Decided while that sign-on was the newest at the table: it is the dealer of now.
        dealt_by=state.dealers.get(event.table) if event.dealt_seq else event.dealt_by,
    )


def _bind_early(state: LinkState, event: RoundSettled) -> None:
    """Awards of before the peek that still wait: those of the settlement count them as paid."""
    early = state.early.get(event.table)
    if early is None:
        return
    opened = [state.awards[made.award] for made in early.awards if made.award in state.awards]
    records = {award.journal_seq for award in opened}
    # With those of the same record that are finished: they are filed away together.
    for award in [each for each in state.awards.values() if each.journal_seq in records]:
        _put(state, award, settled_seq=state.seq)


def _remember_meters(state: LinkState, event: RoundSettled) -> None:
    opened = state.tables[event.table].round
    by_meter: dict[MeterId, list[AwardMade]] = {}
    for made in event.awards:
        if made.meter is not None:
            by_meter.setdefault(made.meter, []).append(made)
    if not by_meter or opened is None:
        return
    terms = state.terms_of(opened.terms_version)
    state.won[state.seq] = tuple(
        WonMeter(
            meter=meter,
            before=amounts_on(state, meter),
            reset=reset_of(terms, terms.meter_by_id[meter]),
            order=terms.bet_by_id[awards[0].bet].payment_order,
            rounding=terms.bet_by_id[awards[0].bet].award_rounding,
            awards=tuple(made.award for made in awards),
        )
        for meter, awards in by_meter.items()
    )


def enter_act(state: LinkState, event: AwardEvent) -> None:
    """What somebody did about an award."""
    award = state.awards[event.award]
    match event:
        case AwardValidated():
            _put(state, award, status="validated", validated_by=event.by)
        case PaymentApproved():
            _put(state, award, approved_by=(*award.approved_by, event.by))
        case VoidProposed():
            _put(state, award, void_proposed_by=event.by, void_reason=event.reason)
        case VoidWithdrawn():
            _put(state, award, void_proposed_by=None, void_reason=None)
        case AwardPaid():
            _put(
                state,
                award,
                status="paid",
                paid_by=event.by,
                document=event.document,
                manual_document=event.manual,
            )
            if event.manual:
                state.manual_documents |= {event.document}
            else:
                state.documents += 1
            _file_away(state, award.filed_under)
        case AwardVoided():
            _put(state, award, status="void", voided_by=event.by)
            _uncount(state, award.made, award.made.amount_cents, hit=True)
            for change in event.changes:
                _enter_change(state, change)
            _unsettle_early(state, award)
            _file_away(state, award.filed_under)


def enter_validated_round(state: LinkState, event: RoundValidated) -> None:
    """The rack pays what a supervisor confirmed."""
    records: set[int] = set()
    for name in event.awards:
        award = state.awards[name]
        records.add(award.filed_under)
        _put(state, award, status="paid", validated_by=event.by)
    for record in sorted(records):
        _file_away(state, record)


def _unsettle_early(state: LinkState, award: Award) -> None:
    """A void before the peek: neither that award nor the cards it stood on bind the round now."""
    early = state.early.get(award.table)
    if early is None or all(made.award != award.made.award for made in early.awards):
        return
    awards = tuple([made for made in early.awards if made.award != award.made.award])
    if not awards:
        del state.early[award.table]
        return
    seats = {made.seat for made in awards}
    state.early[award.table] = structs.replace(
        early,
        awards=awards,
        seats=tuple([at_seat for at_seat in early.seats if at_seat.seat in seats]),
    )


def _put(state: LinkState, award: Award, **changes: object) -> None:
    state.awards[award.made.award] = structs.replace(award, **changes)


def _enter_change(state: LinkState, change: AwardChange) -> None:
    """An award behind a voided one: owed otherwise, and to be looked at anew."""
    award = state.awards[change.award]
    _uncount(state, award.made, award.made.amount_cents - change.amount_cents, hit=False)
    made = structs.replace(
        award.made,
        **{key: value for key, value in structs.asdict(change).items() if key != "award"},
    )
    _put(state, award, made=made, **({} if award.final else _UNSIGNED))


def _uncount(state: LinkState, made: AwardMade, cents: int, *, hit: bool) -> None:
    """Lifetime counters only grow: what was counted too much is counted as voided."""
    if made.meter is None:
        return
    was = state.meter_counters[made.meter]
    state.meter_counters[made.meter] = (
        structs.replace(
            was, voided_hits=was.voided_hits + hit, voided_cents=was.voided_cents + cents
        )
        if cents >= 0
        else structs.replace(was, wins_cents=was.wins_cents - cents)
    )


def _file_away(state: LinkState, journal_seq: int) -> None:
    """A round whose awards are all finished needs no settling anew."""
    of_round = [award for award in state.awards.values() if award.filed_under == journal_seq]
    if not all(award.final for award in of_round):
        return
    state.won.pop(journal_seq, None)
    for award in of_round:
        del state.awards[award.made.award]
        state.finals[award.made.award] = award
    while len(state.finals) > FINALS_KEPT:
        oldest: AwardId = next(iter(state.finals))
        del state.finals[oldest]


def enter_terms(state: LinkState, event: TermsChanged | LinkReopened) -> None:
    """Other terms: rounds that are open keep theirs, and new meters begin empty."""
    if state.terms is not None:
        state.former_terms[state.terms_version] = state.terms
    state.terms, state.terms_version = event.terms, event.terms_version
    state.terms_proposed = None
    forget_terms(state)
    for bet in event.terms.bets:
        state.bet_counters.setdefault(bet.id, BetCounters())
    for meter in event.terms.meters:
        state.meter_counters.setdefault(meter.id, MeterCounters())
        for account in meter_accounts(meter.id):
            state.balances.setdefault(account, 0)


def forget_terms(state: LinkState) -> None:
    """Drop the former terms that no open round was locked under."""
    used = {table.round.terms_version for table in state.tables.values() if table.round is not None}
    for version in [version for version in state.former_terms if version not in used]:
        del state.former_terms[version]
