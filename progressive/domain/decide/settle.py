"""Settling a round: the cards to awards, and the awards to money. Same inputs, same answer.

Every winner is found, ordered, and takes the meter as the one before left it, in one event: other
tables see the meters before it or after it, never in between.
"""

from collections.abc import Sequence

from progressive.domain.award_events import NO_MONEY, AwardMade, MeterFlow
from progressive.domain.awards.meter_payouts import MeterAmounts, reset_of
from progressive.domain.awards.settlement import Settled, settle_claims
from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.domain.decide.cards import contradicted_cards, impossible_cards
from progressive.domain.decide.make_awards import make_awards, money_of
from progressive.domain.decide.played import dealer_decides, played_wagers, unsettled
from progressive.domain.events import RoundSettled, WagersRegistered
from progressive.domain.games.claims import in_payment_order, offered_bet, side_bet_claims
from progressive.domain.ids import MeterId, TableId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import BetRules, LinkRules, LinkTerms
from progressive.domain.state.link_state import LinkState
from progressive.domain.state.meters import amounts_on, flow_between, primaries_after
from progressive.domain.time_text import Moment


def settle_round(
    state: LinkState,
    rules: LinkRules,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
    when: Moment,
) -> RoundSettled | Refusal:
    """What a settlement leads to."""
    terms = state.terms_of(opened.terms_version)
    winner_only = not command.complete
    by_dealer = dealer_decides(terms, opened)
    if (
        not by_dealer
        and not command.seats
        and not command.dealer.cards
        and (winner_only or not opened.wagers)
    ):
        # HOT. Nobody won, or nobody played: nearly every round where winners only are keyed.
        return RoundSettled(
            table=table,
            table_seq=command.seq,
            round=command.round,
            dealer=command.dealer,
            seats=(),
            complete=command.complete,
            meters=state.primaries,
        )
    early = state.early.get(table)
    refusal = impossible_cards(rules, terms, table, command, opened) or contradicted_cards(
        command, early
    )
    if refusal is not None:
        return refusal
    played = played_wagers(terms, command, opened)
    dealer = command.dealer.cards
    if (refusal := unsettled(terms, played, command, early)) is not None:
        return refusal
    settled, flows = _settle_bets(state, terms, played.wagers, played.seats, dealer)
    won = [each for each in settled if each.claim.result == "win"]
    # A seat that was asked about its cards need not win by them.
    given = {at_seat.seat for at_seat in command.seats} - played.asked(dealer).keys()
    if winner_only and (idle := given - {each.claim.seat for each in won}):
        return Refusal(
            Rejection.NOT_A_WINNER,
            f"the cards of seat {min(idle)} win nothing: only winning seats are given, or all",
        )
    paid_early = {} if early is None else {(each.seat, each.bet): each for each in early.awards}
    policy = state.policy_of(opened.terms_version)
    awards = make_awards(state, policy, terms, won, paid_early, when)
    return _settled(state, table, command, awards, flows, when, dealer_decides=by_dealer)


def _settled(
    state: LinkState,
    table: TableId,
    command: SettleRound,
    awards: tuple[AwardMade, ...],
    flows: tuple[MeterFlow, ...],
    when: Moment,
    *,
    dealer_decides: bool,
) -> RoundSettled:
    dealt_seq, dealt_by = state.dealer_of(table) if awards else (0, None)
    return RoundSettled(
        table=table,
        table_seq=command.seq,
        round=command.round,
        dealer=command.dealer,
        seats=command.seats,
        complete=command.complete,
        meters=primaries_after(state, flows),
        awards=awards,
        flows=flows,
        money=money_of(awards) if awards else NO_MONEY,
        dealt_by=dealt_by,
        dealt_seq=dealt_seq,
        awarded_at=when.at if awards else "",
        dealer_decides=dealer_decides,
    )


def _settle_bets(
    state: LinkState,
    terms: LinkTerms,
    wagers: Sequence[Wager],
    seats: dict[int, SeatCards],
    dealer: Sequence[str],
) -> tuple[list[Settled], tuple[MeterFlow, ...]]:
    """Every bet of the link in the order of the terms, each in its own order of payment."""
    settled: list[Settled] = []
    flows: list[MeterFlow] = []
    for bet in terms.bets:
        on_bet = [wager for wager in wagers if wager.bet == bet.id]
        if not on_bet:
            continue
        claims = in_payment_order(
            side_bet_claims(offered_bet(terms, bet), on_bet, seats, dealer), bet.payment_order
        )
        before = _amounts(state, bet)
        of_bet, after = settle_claims(
            claims,
            before,
            {meter.id: reset_of(terms, meter) for meter in bet.meters},
            order=bet.payment_order,
            rounding=bet.award_rounding,
        )
        settled += of_bet
        flows += [
            flow_between(meter, before[meter], after[meter])
            for meter in before
            if before[meter] != after[meter]
        ]
    return settled, tuple(flows)


def _amounts(state: LinkState, bet: BetRules) -> dict[MeterId, MeterAmounts]:
    return {meter.id: amounts_on(state, meter.id) for meter in bet.meters}
