"""Settling a round: the cards to awards, and the awards to money. Same inputs, same answer.

Every winner is found, ordered, and takes the meter as the one before left it, in one event: other
tables see the meters before it or after it, never in between.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from progressive.domain.award_events import NO_MONEY, AwardMade, AwardMoney, MeterFlow
from progressive.domain.awards import MeterAmounts, Taking
from progressive.domain.claims import Claim, in_payment_order, side_bet_claims
from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.domain.dealt import misplayed_dealer, undealable
from progressive.domain.events import RoundSettled, SettledEarly, WagersRegistered
from progressive.domain.games import READERS
from progressive.domain.games.blazing_sevens import TEN_OR_ACE
from progressive.domain.ids import AwardId, BetId, MeterId, TableId
from progressive.domain.money import CENTS_MAX, microcents
from progressive.domain.paytable import ShareOfMeter
from progressive.domain.policy import AwardPolicy, Moment
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rules import BetRules, LinkRules, LinkTerms
from progressive.domain.settlement import Settled, settle_claims
from progressive.domain.state import LinkState

EARLY_READER: Final = "blazing_sevens"
"""The one kind of bet that may be settled on two cards before the peek."""


def settle_round(
    state: LinkState,
    rules: LinkRules,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
    when: Moment,
) -> RoundSettled | SettledEarly | Refusal:
    """What a settlement leads to."""
    terms = state.terms_of(opened.terms_version)
    if command.early:
        return _settle_early(state, rules, terms, table, command, opened, when)
    winner_only = not command.complete
    if not command.seats and not command.dealer.cards and (winner_only or not opened.wagers):
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
    refusal = _undealable(rules, terms, table, command, opened) or _contradicted(command, early)
    if refusal is not None:
        return refusal
    seats = {at_seat.seat: at_seat for at_seat in command.seats}
    wagers = [wager for wager in opened.wagers if wager.seat in seats]
    if (refusal := _untellable(terms, wagers, seats, command.dealer.cards)) is not None:
        return refusal
    settled, flows = _settle_bets(state, terms, wagers, seats, command.dealer.cards)
    won = [each for each in settled if each.claim.result == "win"]
    if winner_only and (idle := seats.keys() - {each.claim.seat for each in won}):
        return Refusal(
            Rejection.NOT_A_WINNER,
            f"the cards of seat {min(idle)} win nothing: only winning seats are given, or all",
        )
    paid_early = {} if early is None else {(each.seat, each.bet): each for each in early.awards}
    awards = _awards(state, rules.policy, won, paid_early, when)
    return _settled(state, table, command, awards, flows, _money(awards), when)


def _settled(
    state: LinkState,
    table: TableId,
    command: SettleRound,
    awards: tuple[AwardMade, ...],
    flows: tuple[MeterFlow, ...],
    money: AwardMoney,
    when: Moment,
) -> RoundSettled:
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
        money=money if awards else NO_MONEY,
        dealt_by=state.dealers.get(table) if awards else None,
        awarded_at=when.at if awards else "",
    )


def primaries_after(state: LinkState, flows: Sequence[MeterFlow]) -> tuple[int, ...]:
    """The displayed meters once the flows are entered, in the order of the terms."""
    if not flows or state.terms is None:
        return state.primaries
    after = list(state.primaries)
    place = state.terms.place_of_meter
    for flow in flows:
        after[place[flow.meter]] += flow.primary
    return tuple(after)


# --- cards ------------------------------------------------------------------------------------


def _undealable(
    rules: LinkRules,
    terms: LinkTerms,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
) -> Refusal | None:
    return undealable(
        command.dealer.cards,
        command.seats,
        decks=terms.decks,
        seats_max=rules.seats[table],
        wagered={wager.seat for wager in opened.wagers},
        complete=command.complete and not command.early,
        only_wagered=command.early or not command.complete,
    )


def _contradicted(command: SettleRound, early: SettledEarly | None) -> Refusal | None:
    """Cards that were paid upon before the peek are the cards of the round."""
    if early is None:
        return None
    up_card = early.dealer.cards[0]
    if command.dealer.cards and command.dealer.cards[0] != up_card:
        return Refusal(Rejection.IMPOSSIBLE_CARDS, f"the round was settled early with {up_card} up")
    before = {at_seat.seat: at_seat.cards[:2] for at_seat in early.seats}
    for at_seat in command.seats:
        if before.get(at_seat.seat, at_seat.cards[:2]) != at_seat.cards[:2]:
            return Refusal(
                Rejection.IMPOSSIBLE_CARDS,
                f"seat {at_seat.seat} was paid early on {' '.join(before[at_seat.seat])}",
            )
    return None


def _untellable(
    terms: LinkTerms,
    wagers: Sequence[Wager],
    seats: Mapping[int, SeatCards],
    dealer: Sequence[str],
) -> Refusal | None:
    """A card that is missing to tell who won, or a dealer's hand played against the rules."""
    whole = False
    for wager in wagers:
        bet = terms.offered[wager.bet]
        reader = READERS[bet.reader]
        whole = whole or reader.needs_whole_dealer_hand
        if (missing := reader.missing(seats[wager.seat], dealer, bet.dealing)) is not None:
            return Refusal(Rejection.INCOMPLETE_CARDS, missing)
    return misplayed_dealer(dealer, terms.soft17, whole=whole)


# --- money ------------------------------------------------------------------------------------


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
            side_bet_claims(terms.offered[bet.id], on_bet, seats, dealer), bet.payment_order
        )
        before = _amounts(state, bet)
        of_bet, after = settle_claims(
            claims, before, terms.resets, order=bet.payment_order, rounding=bet.award_rounding
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


def amounts_on(state: LinkState, meter: MeterId) -> MeterAmounts:
    """A meter as it stands."""
    return MeterAmounts(
        primary=state.balances["primary", meter],
        reset=state.balances["reset", meter],
        overflow=state.balances["overflow", meter],
    )


def flow_between(meter: MeterId, before: MeterAmounts, after: MeterAmounts) -> MeterFlow:
    """What it takes to get from one to the other."""
    return MeterFlow(
        meter,
        after.primary - before.primary,
        after.reset - before.reset,
        after.overflow - before.overflow,
    )


def _awards(
    state: LinkState,
    policy: AwardPolicy,
    won: Sequence[Settled],
    paid_early: Mapping[tuple[int, BetId], AwardMade],
    when: Moment,
) -> tuple[AwardMade, ...]:
    """The awards in the order of payment. A wager that won its early line again wins no more."""
    awards: list[AwardMade] = []
    for each in won:
        claim = each.claim
        early = paid_early.get((claim.seat, claim.bet))
        if early is not None and claim.line is not None and early.line == claim.line.id:
            continue
        order = len(awards) + 1
        award = AwardId(f"{state.link}.{state.seq + 1}.{order}")
        awards.append(_award(award, order, each, early, policy, when))
    return tuple(awards)


def _award(
    award: AwardId,
    order: int,
    settled: Settled,
    early: AwardMade | None,
    policy: AwardPolicy,
    when: Moment,
) -> AwardMade:
    claim, taking = settled.claim, settled.taking
    paid_before = 0 if early is None else early.amount_cents
    in_all = settled.pay_cents + claim.bonus_cents
    due = max(0, in_all - paid_before)
    from_rack = settled.kind == "fixed" and due < policy.rack_limit_cents
    line = claim.line
    if line is None:
        raise AssertionError("a wager wins by a line")
    pays = line.pays if isinstance(line.pays, ShareOfMeter) else None
    return AwardMade(
        award=award,
        order=order,
        seat=claim.seat,
        bet=claim.bet,
        line=line.id,
        kind="fixed" if pays is None else "meter",
        meter=None if pays is None else pays.meter,
        share_percent=None if pays is None else pays.share_percent,
        amount_cents=settled.pay_cents,
        bonus_cents=claim.bonus_cents,
        wager_cents=claim.stake_cents,
        stake_returned_cents=settled.stake_returned_cents,
        paid_before_cents=paid_before,
        status="payable" if from_rack else "pending",
        approvers=0 if from_rack else policy.approvers(due, on=when.day),
        tax_form=tax_form(policy, in_all, claim.stake_cents, settled.stake_returned_cents, when),
        **_meter_side(taking),
    )


def tax_form(
    policy: AwardPolicy, in_all_cents: int, wager_cents: int, returned_cents: int, when: Moment
) -> str | None:
    """The form for winnings less the wager; a "to 1" line leaves the stake out already."""
    winnings = in_all_cents - (wager_cents - returned_cents)
    return policy.tax_form(winnings, wager_cents, on=when.day)


def _meter_side(taking: Taking | None) -> dict[str, int]:
    if taking is None:
        return {}
    return {
        "meter_before": taking.before.primary,
        "meter_after": taking.after.primary,
        "funded_cents": taking.funded_cents,
        "from_reset": taking.before.reset - taking.after.reset,
        "from_overflow": taking.before.overflow - taking.after.overflow,
    }


def _money(awards: Sequence[AwardMade]) -> AwardMoney:
    """What the awards move beside the meters.

    A meter award's money comes off its meter, every other one's out of the hold. Where a line was
    paid early from the rack and a meter pays it now, the meter makes good what the rack gave.
    """
    if not awards:
        return AwardMoney()
    funding = hold = pending = paid = returned = 0
    for award in awards:
        due = microcents(award.due_cents)
        stake = microcents(award.stake_returned_cents)
        hold -= due + stake
        returned += stake
        if award.kind == "meter":
            hold += microcents(award.amount_cents)
            funding -= microcents(award.funded_cents)
        if award.status == "payable":
            paid += due
        else:
            pending += due
    return AwardMoney(funding=funding, hold=hold, pending=pending, paid=paid, returned=returned)


# --- before the peek --------------------------------------------------------------------------


def settles_early(terms: LinkTerms) -> bool:
    """Whether tables of a link may settle two-card awards before the hole card is read."""
    peeks = terms.dealer_procedure == "card_reader"
    return peeks and any(_is_settled_early(bet) for bet in terms.bets)


def _is_settled_early(bet: BetRules) -> bool:
    return bet.reader == EARLY_READER and bet.dealing_option != 2


def _settle_early(
    state: LinkState,
    rules: LinkRules,
    terms: LinkTerms,
    table: TableId,
    command: SettleRound,
    opened: WagersRegistered,
    when: Moment,
) -> SettledEarly | Refusal:
    """NJ 13:69F-2.6(j)4: with an ace or a ten up, two-card awards before the hole card is read."""
    dealer = command.dealer.cards
    if terms.dealer_procedure != "card_reader":
        return Refusal(Rejection.BAD_MESSAGE, "only a card reader's table settles early")
    if table in state.early:
        return Refusal(Rejection.ROUND_HAS_AWARDS, "the round has been settled early already")
    if (refusal := _undealable(rules, terms, table, command, opened)) is not None:
        return refusal
    if len(dealer) != 1 or dealer[0][0] not in TEN_OR_ACE:
        return Refusal(
            Rejection.IMPOSSIBLE_CARDS, "early means an ace or a ten up, and no other dealer's card"
        )
    two_cards = {at_seat.seat: at_seat for at_seat in command.seats}
    if drawn := [seat for seat, at_seat in two_cards.items() if len(at_seat.cards) > 2]:
        return Refusal(Rejection.IMPOSSIBLE_CARDS, f"seat {min(drawn)} drew a card before the peek")
    claims: list[Claim] = []
    for bet in terms.bets:
        if not _is_settled_early(bet):
            continue
        on_bet = [w for w in opened.wagers if w.bet == bet.id and w.seat in two_cards]
        found = side_bet_claims(terms.offered[bet.id], on_bet, two_cards, dealer)
        claims += in_payment_order(found, bet.payment_order)
    # A line that a meter pays waits for the settlement: the rack cannot pay it.
    won = [
        claim
        for claim in claims
        if claim.line is not None and not isinstance(claim.line.pays, ShareOfMeter)
    ]
    if idle := {at_seat.seat for at_seat in command.seats} - {claim.seat for claim in won}:
        return Refusal(Rejection.NOT_A_WINNER, f"the two cards of seat {min(idle)} win nothing yet")
    if not won:
        return Refusal(Rejection.NOT_A_WINNER, "nobody is given to be paid early")
    settled, _ = settle_claims(won, {}, {}, order="counter_clockwise")
    # What is settled before the peek is paid before the peek, from the rack.
    policy = structs.replace(rules.policy, rack_limit_cents=CENTS_MAX)
    awards = _awards(state, policy, settled, {}, when)
    return SettledEarly(
        table=table,
        table_seq=command.seq,
        round=command.round,
        dealer=command.dealer,
        seats=command.seats,
        meters=state.primaries,
        awards=awards,
        money=_money(awards),
        dealt_by=state.dealers.get(table),
    )
