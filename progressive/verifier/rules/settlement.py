"""A settlement against the cards, wagers and terms of its round."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from progressive.verifier.findings import DiscrepancyError, differs, shown
from progressive.verifier.recorded.award_events import AwardMade
from progressive.verifier.recorded.table_events import RoundSettled, SettledEarly
from progressive.verifier.recorded.terms import BetRules
from progressive.verifier.recorded.values import MeterFlow, SeatCards, Wager
from progressive.verifier.rules.awards import (
    NO_MONEY,
    check_awards,
    check_money,
    is_confirmed_first,
    money_of,
)
from progressive.verifier.rules.cards import TENS, is_on_the_dealer
from progressive.verifier.rules.dealer_hand import check_hand_that_decides
from progressive.verifier.rules.dealt import check_dealt, dealer_stands
from progressive.verifier.rules.differences import flows_differ
from progressive.verifier.rules.meter_payouts import Amounts
from progressive.verifier.rules.register import AuditedAward, Register, WonMeter
from progressive.verifier.rules.terms import AuditedMeter, TermsInForce
from progressive.verifier.rules.totals import Totals
from progressive.verifier.rules.wins import Win, take_from_meters, wins_in_order


@dataclass(slots=True)
class RoundInPlay:
    """The round that is settled, and by which record."""

    link: str
    seq: int
    at: str
    wagers: tuple[Wager, ...]
    in_force: TermsInForce
    early: SettledEarly | None

    @property
    def settlement(self) -> str:
        """What the ids of its awards begin with."""
        return f"{self.link}.{self.seq}"


def moves_nothing(event: RoundSettled) -> bool:
    """Whether a settlement without awards says nothing of any."""
    named = event.dealt_by or event.dealt_seq
    return not (event.flows or named or event.awarded_at) and event.money == NO_MONEY


def enter_settlement(
    event: RoundSettled,
    played: RoundInPlay,
    register: Register,
    meters: Mapping[str, AuditedMeter],
    totals: Totals,
) -> None:
    """Take a settlement in, awards and all; raises where it is not what it should be."""
    wagers, in_force, dealer = played.wagers, played.in_force, event.dealer.cards
    wagered = {wager.seat for wager in wagers}
    check_dealt(
        in_force.terms,
        dealer,
        event.seats,
        wagered,
        complete=event.complete,
        may_answer=event.dealer_decides,
    )
    seats = {at_seat.seat: at_seat for at_seat in event.seats}
    asked = (
        check_hand_that_decides(event, wagers, in_force, played.early)
        if event.dealer_decides
        else frozenset()
    )
    wins = wins_in_order(in_force, wagers, seats, dealer, dealer_decides=event.dealer_decides)
    paid_early = _paid_early(played.early, seats, dealer)
    if not wins and not event.awards:
        if not moves_nothing(event):
            raise DiscrepancyError("a round without awards moves nothing")
        return
    moved = take_from_meters(wins, in_force, meters)
    check_awards(event.awards, wins, settlement=played.settlement, paid_early=paid_early)
    _check_keyed(event, played, seats.keys() - asked, wins)
    if event.flows != (flows := _flows(in_force, moved)):
        raise flows_differ("flows", event.flows, flows)
    check_money(event.money, money_of(event.awards))
    _check_signed(event, played, register)
    for flow in flows:
        meters[flow.meter].move(flow)
    totals.move(event.money)
    _remember(event, played, register, moved)
    for made in event.awards:
        if made.meter is not None:
            meters[made.meter].hits += 1
            meters[made.meter].wins_cents += made.amount_cents


def _paid_early(
    early: SettledEarly | None, seats: Mapping[int, SeatCards], dealer: Sequence[str]
) -> dict[tuple[int, str], AwardMade]:
    """The two-card awards of the round; the cards they were paid upon are its cards."""
    if early is None:
        return {}
    if dealer and dealer[0] != early.dealer.cards[0]:
        raise DiscrepancyError(f"the round was paid early with {early.dealer.cards[0]} up")
    for at_seat in early.seats:
        again = seats.get(at_seat.seat, at_seat)
        # A seat that only answers shows no cards.
        if again.cards and again.cards[:2] != at_seat.cards[:2]:
            raise DiscrepancyError(
                f"seat {at_seat.seat} was paid early on {shown(' '.join(at_seat.cards[:2]))}"
            )
    return {(made.seat, made.bet): made for made in early.awards}


def _check_keyed(
    event: RoundSettled, played: RoundInPlay, unasked: Set[int], wins: list[Win]
) -> None:
    """With awards: all seats or the winning ones, and a dealer's hand that a bust hangs on."""
    if not event.complete and (idle := unasked - {win.wager.seat for win in wins}):
        raise DiscrepancyError(f"seat {min(idle)} is given as a winner, and wins nothing")
    if not dealer_stands(event.dealer.cards, played.in_force.terms) and any(
        wager.seat in unasked and is_on_the_dealer(played.in_force.bet_by_id[wager.bet])
        for wager in played.wagers
    ):
        raise DiscrepancyError("the dealer's hand is not played out")


def _check_signed(event: RoundSettled, played: RoundInPlay, register: Register) -> None:
    if not event.awards:
        if not moves_nothing(event):
            raise DiscrepancyError("a round without awards moves nothing")
        return
    if event.awarded_at != played.at:
        raise differs("awarded_at", stored=event.awarded_at, recomputed=played.at)
    _check_dealer(event, register)


def _check_dealer(event: RoundSettled | SettledEarly, register: Register) -> None:
    """Who is signed on at the table dealt: named by the record of the sign-on, or by name."""
    if not event.dealt_seq:
        if event.dealt_by != (dealer := register.dealers.get(event.table)):
            raise differs("dealt_by", stored=event.dealt_by, recomputed=dealer)
        return
    if event.dealt_by is not None:
        raise DiscrepancyError("the dealer is named twice, by dealt_by and by dealt_seq")
    if event.dealt_seq != (sign_on := register.sign_ons.get(event.table)):
        raise differs("dealt_seq", stored=event.dealt_seq, recomputed=sign_on)


def _flows(
    in_force: TermsInForce, moved: Mapping[str, tuple[Amounts, Amounts]]
) -> tuple[MeterFlow, ...]:
    """What the awards did to the meters, in the order of the terms."""
    flows: list[MeterFlow] = []
    for meter in in_force.meter_ids():
        if meter in moved:
            was, now = moved[meter]
            if was != now:
                primary, reset = now.primary - was.primary, now.reset - was.reset
                flows.append(MeterFlow(meter, primary, reset, now.overflow - was.overflow))
    return tuple(flows)


def _remember(
    event: RoundSettled,
    played: RoundInPlay,
    register: Register,
    moved: Mapping[str, tuple[Amounts, Amounts]],
) -> None:
    """What people have to do with, and what it takes to settle it again."""
    if event.awards and played.early is not None:
        early = {made.award for made in played.early.awards}
        records = {each.journal_seq for name, each in register.awards.items() if name in early}
        for each in register.awards.values():
            if each.journal_seq in records:
                each.settled_seq = played.seq
    _open_awards(event, played, register)
    hits: list[WonMeter] = []
    for meter, (found, _) in moved.items():
        of_meter = [made for made in event.awards if made.meter == meter]
        bet = played.in_force.bet_by_id[of_meter[0].bet]
        hits.append(
            WonMeter(
                meter,
                found,
                played.in_force.fallback_of[meter],
                bet.payment_order,
                bet.award_rounding,
                tuple([made.award for made in of_meter]),
            )
        )
    if hits:
        register.won[played.seq] = tuple(hits)


def _open_awards(
    event: RoundSettled | SettledEarly, played: RoundInPlay, register: Register
) -> None:
    dealer = register.dealers.get(event.table)
    for made in event.awards:
        if made.status == "pending":
            register.awards[made.award] = AuditedAward(
                made, played.seq, played.at, event.table, event.round, dealer
            )


# --- before the peek --------------------------------------------------------------------------


def enter_early(
    event: SettledEarly, played: RoundInPlay, register: Register, totals: Totals
) -> None:
    """NJ 13:69F-2.6(j)4: two-card awards, paid from the rack before the hole card is read.

    Where the terms ask for a supervisor's confirmation, the rack waits for that and nothing else.
    """
    terms, dealer = played.in_force.terms, event.dealer.cards
    if played.early is not None:
        raise DiscrepancyError("the round is settled early a second time")
    if terms.dealer_procedure != "card_reader":
        raise DiscrepancyError("settled early, and no card reader")
    wagered = {wager.seat for wager in played.wagers}
    check_dealt(terms, dealer, event.seats, wagered, complete=False)
    if len(dealer) != 1 or not (dealer[0][0] == "A" or dealer[0][0] in TENS):
        raise DiscrepancyError("settled early: that takes an ace or a ten up, and no other card")
    seats = {at_seat.seat: at_seat for at_seat in event.seats}
    if any(len(at_seat.cards) > 2 for at_seat in event.seats):
        raise DiscrepancyError("settled early: nobody draws before the peek")
    bet_by_id = played.in_force.bet_by_id
    two_card = [wager for wager in played.wagers if _settles_early(bet_by_id[wager.bet])]
    wins = wins_in_order(played.in_force, two_card, seats, dealer, dealer_decides=False)
    check_awards(event.awards, wins, settlement=played.settlement, paid_early={})
    if not wins or seats.keys() - {win.wager.seat for win in wins}:
        raise DiscrepancyError("settled early: a seat that wins nothing yet, or none at all")
    for made, win in zip(event.awards, wins, strict=True):
        if (made.pays_from == "rack") != is_confirmed_first(win) or (
            made.pays_from is None and made.status != "payable"
        ):
            raise DiscrepancyError(
                "settled early: what is paid before the peek is paid from the rack"
            )
    check_money(event.money, money_of(event.awards))
    waits = any(made.status == "pending" for made in event.awards)
    if event.awarded_at != (at := played.at if waits else ""):
        raise differs("awarded_at", stored=event.awarded_at, recomputed=at)
    _check_dealer(event, register)
    totals.move(event.money)
    _open_awards(event, played, register)


def _settles_early(bet: BetRules) -> bool:
    """Sevens of the player's own are known by then; no up card of a peek is one."""
    return bet.reader == "blazing_sevens"
