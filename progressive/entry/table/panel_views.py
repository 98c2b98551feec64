"""A table as its dealer's panel shows it: made of durable state alone, the same for every panel."""

from collections.abc import Iterable, Mapping
from typing import Final

from progressive.application.awards.next_step import what_to_do
from progressive.application.link.worker import LinkWorker
from progressive.domain.award_events import AwardMade
from progressive.domain.commands import SeatCards, Wager
from progressive.domain.decide.early import early_seats, settles_early
from progressive.domain.decide.played import dealer_decides
from progressive.domain.decide.void_round import void_needs_supervisor
from progressive.domain.events import RoundSettled, RoundVoided, SettledEarly, WagersRegistered
from progressive.domain.games.lammers import marked_seats
from progressive.domain.games.readers import READERS
from progressive.domain.ids import TableId
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms
from progressive.domain.state.award_state import Award
from progressive.domain.state.link_state import NEW_TABLE, LinkState, TableState
from progressive.wire.meters import NamedMeter
from progressive.wire.panel_messages import (
    PanelAward,
    PanelBet,
    PanelContact,
    PanelEarly,
    PanelLammers,
    PanelLast,
    PanelRound,
    PanelState,
    panel_award,
)

CONFIRMED_SHOWN: Final = 8


def panel_state(worker: LinkWorker, table: TableId, *, panels: int) -> PanelState:
    """All that a panel of the table shows."""
    state, view, rules = worker.state, worker.view, worker.rules
    at_table = NEW_TABLE if state is None else state.tables.get(table, NEW_TABLE)
    last = None if state is None else last_round(rules, state, at_table)
    here = rules.table_by_id[table]
    return PanelState(
        table=table,
        link=view.link,
        seats=here.seats,
        base_min_cents=here.base_min_cents,
        base_max_cents=here.base_max_cents,
        seq=at_table.last_seq,
        state=view.state,
        reason=view.reason,
        dealer=None if state is None else state.dealers.get(table),
        may_settle_early=settles_early(rules.terms),
        bets=[_bet(bet) for bet in rules.terms.bets],
        meters=[NamedMeter(meter.id, meter.name, meter.cents) for meter in view.meters],
        round=None if state is None else _open_round(rules, state, table, at_table),
        last=last,
        waiting=[] if state is None else _waiting(rules, state, table, last),
        confirmed=[] if state is None else _confirmed(rules, state, table, last),
        contact=PanelContact(panels),
    )


def _bet(bet: BetRules) -> PanelBet:
    return PanelBet(
        id=bet.id,
        game=bet.game,
        reader=bet.reader,
        paytable=bet.paytable,
        wager_cents=bet.wager_cents,
        min_cents=bet.min_cents,
        max_cents=bet.max_cents,
        needs_base_wager=bet.needs_base_wager,
        capped_by_base_wager=bet.capped_by_base_wager,
        dealing_option=bet.dealing_option,
        lammers=bet.lammers,
        meters=tuple(meter.id for meter in bet.meters),
        dealer_decides=READERS[bet.reader].needs_whole_dealer_hand,
    )


def _open_round(
    rules: LinkRules, state: LinkState, table: TableId, at_table: TableState
) -> PanelRound | None:
    opened = at_table.round
    if opened is None:
        return None
    terms = state.terms_of(opened.terms_version)
    return PanelRound(
        round=opened.round,
        wagers=opened.wagers,
        lammers=round_lammers(state, opened),
        early=_early(rules, state, state.early.get(table)),
        dealer_decides=dealer_decides(terms, opened),
        early_seats=early_seats(terms, opened),
        void_needs_supervisor=void_needs_supervisor(terms, opened),
    )


def _early(rules: LinkRules, state: LinkState, settled: SettledEarly | None) -> PanelEarly | None:
    if settled is None:
        return None
    # Paid from the rack, whatever the amount: before the peek means before the peek.
    awards = [_as_it_stands(rules, state, made, settled.round) for made in settled.awards]
    return PanelEarly(settled.dealer, settled.seats, awards)


def round_lammers(
    state: LinkState, opened: WagersRegistered, seats: Iterable[SeatCards] = ()
) -> list[PanelLammers]:
    """The lammers of an open round, as far as the cards on the table ask for them."""
    dealt = {at_seat.seat: at_seat for at_seat in seats if len(at_seat.cards) >= 2}
    terms = state.terms_of(opened.terms_version)
    return _lammers(terms, opened.wagers, dealt)


def _lammers(
    terms: LinkTerms, wagers: Iterable[Wager], dealt: Mapping[int, SeatCards]
) -> list[PanelLammers]:
    return [
        PanelLammers(
            bet.id,
            bet.lammers,
            marked_seats([w.seat for w in wagers if w.bet == bet.id], dealt, bet.lammers),
        )
        for bet in terms.bets
        if bet.lammers is not None
    ]


# --- awards -----------------------------------------------------------------------------------


def last_round(rules: LinkRules, state: LinkState, at_table: TableState) -> PanelLast | None:
    """How the last round ended, as long as the table's receipts remember it."""
    for receipt in reversed(at_table.receipts):
        event = receipt.event
        if isinstance(event, RoundVoided):
            return PanelLast("voided", event.round, receipt.journal_seq, event.reason, [])
        if isinstance(event, RoundSettled):
            awards = [_as_it_stands(rules, state, made, event.round) for made in event.awards]
            return PanelLast("settled", event.round, receipt.journal_seq, None, awards)
    return None


def _as_it_stands(rules: LinkRules, state: LinkState, made: AwardMade, round_id: str) -> PanelAward:
    if made.status == "payable":
        return _from_rack(rules, made, round_id)
    award = state.award(made.award)
    if award is None:
        # Finished so long ago that only the journal remembers how.
        return panel_award(
            rules,
            made,
            played=round_id,
            status="closed",
            document=None,
            step="done",
            todo="closed",
        )
    return _with_todo(rules, award)


def _from_rack(rules: LinkRules, made: AwardMade, round_id: str) -> PanelAward:
    return panel_award(
        rules,
        made,
        played=round_id,
        status="payable",
        document=None,
        step="pay",
        todo="pay from the rack",
    )


def _with_todo(rules: LinkRules, award: Award) -> PanelAward:
    step, todo = what_to_do(award)
    return panel_award(
        rules,
        award.made,
        played=award.round,
        status=award.status,
        document=award.document,
        step=step,
        todo=todo,
        awaits_round=award.awaits_round,
    )


def _waiting(
    rules: LinkRules, state: LinkState, table: TableId, last: PanelLast | None
) -> list[PanelAward]:
    """What earlier rounds still owe at this table."""
    told = _told_elsewhere(state, table, last)
    return [
        _with_todo(rules, award)
        for award in state.awards.values()
        if award.table == table and not award.final and award.journal_seq not in told
    ]


def _told_elsewhere(state: LinkState, table: TableId, last: PanelLast | None) -> set[int]:
    """The records whose awards a panel shows with their round: the last one's, and those that
    the open one has made before the peek. An award that is shown twice may be paid twice.
    """
    told = set() if last is None else {last.journal_seq}
    early = state.early.get(table)
    for made in () if early is None else early.awards:
        if (award := state.award(made.award)) is not None:
            told.add(award.journal_seq)
    return told


def _confirmed(
    rules: LinkRules, state: LinkState, table: TableId, last: PanelLast | None
) -> list[PanelAward]:
    """Payouts of earlier rounds that a supervisor has confirmed, for panels that saw them wait.

    They are among the last finished awards of the link, so only the newest are known; or among the
    open ones, where another award of their round is not finished yet.
    """
    told = _told_elsewhere(state, table, last)
    found = [
        award
        for award in (*state.finals.values(), *state.awards.values())
        if award.made.pays_from == "rack"
        and award.table == table
        and award.status == "paid"
        and award.journal_seq not in told
    ]
    return [_with_todo(rules, award) for award in found[-CONFIRMED_SHOWN:]]
