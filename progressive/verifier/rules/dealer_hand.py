"""Wagers that the dealer's one hand decides, read again from the rule texts.

NJ 13:69F-2.30(d), (e), (f)3; SD 20:18:15:30.07(4), (5); Washington; The 101: the dealer plays the
hand out, and it decides all of them. A seat's own cards matter to a free bonus and to Washington's
points, and there a settlement has them, or the dealer's answer.
"""

from collections.abc import Sequence

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.recorded.table_events import RoundSettled, SettledEarly, WagersRegistered
from progressive.verifier.recorded.terms import BetRules
from progressive.verifier.recorded.values import UNSET, SeatCards, Wager
from progressive.verifier.rules.cards import bust_name, is_blackjack, is_on_the_dealer, points
from progressive.verifier.rules.dealt import dealer_stands
from progressive.verifier.rules.terms import TermsInForce


def has_wager_on_the_dealer(opened: WagersRegistered, in_force: TermsInForce) -> bool:
    """Whether a round has a wager that waits for the dealer's hand."""
    if opened.plain is not None:
        return is_on_the_dealer(in_force.bet_by_id[opened.plain.bet])
    bets = {wager.bet for wager in opened.listed}
    return any(is_on_the_dealer(in_force.bet_by_id[bet]) for bet in bets)


def check_hand_that_decides(
    event: RoundSettled,
    wagers: Sequence[Wager],
    in_force: TermsInForce,
    early: SettledEarly | None = None,
) -> frozenset[int]:
    """The seats that the dealer's hand leaves a question to; raises where one is not answered.

    Whoever was paid before the peek holds a 7 (2.6(j)4), and so no blackjack.
    """
    sevens = set() if early is None else {at_seat.seat for at_seat in early.seats}
    dealer = event.dealer.cards
    if len(dealer) < 2 or not dealer_stands(dealer, in_force.terms):
        raise DiscrepancyError("a wager waits for the dealer's hand, which is not played out")
    seats = {at_seat.seat: at_seat for at_seat in event.seats}
    points_asked: set[int] = set()
    bonus_asked: set[int] = set()
    # With a hand that is not a bust they have all lost: nothing is asked.
    paid = _bets_that_pay(in_force, dealer) if points(dealer)[0] > 21 else {}
    for wager in wagers if paid else ():
        if wager.bet not in paid:
            continue
        bet, bonus_paid = paid[wager.bet]
        at_seat = seats.get(wager.seat)
        shown = at_seat is not None and len(at_seat.cards) >= 2
        over = UNSET if at_seat is None else at_seat.points_over
        if bet.player_points_max is not None:
            points_asked.add(wager.seat)
            if not shown and over is UNSET:
                raise DiscrepancyError(
                    f"seat {wager.seat}: whether it has more than {bet.player_points_max} points "
                    "is not said"
                )
        if bonus_paid and wager.amount_cents >= bet.free_bonus_min_cents:
            bonus_asked.add(wager.seat)
            denied = wager.seat in sevens or (at_seat is not None and at_seat.blackjack is False)
            lost = bet.player_points_max is not None and over is True
            if not shown and not denied and not lost:
                raise DiscrepancyError(f"seat {wager.seat}: whether it has a blackjack is not said")
        if shown and at_seat is not None:
            _check_points_said(bet, at_seat, complete=event.complete)
    for at_seat in event.seats:
        if at_seat.answers:
            _check_answers(at_seat, points=points_asked, bonus=bonus_asked)
    return frozenset(points_asked | bonus_asked)


def _bets_that_pay(in_force: TermsInForce, bust: Sequence[str]) -> dict[str, tuple[BetRules, bool]]:
    """The bets that pay for this bust, each with whether it has a free bonus on top."""
    made = bust_name(bust)
    return {
        bet.id: (bet, any(each.cents > 0 and each.id == made for each in bet.free_bonus_lines))
        for bet in in_force.bet_by_id.values()
        if is_on_the_dealer(bet) and any(line.id == made for line in bet.lines)
    }


def _check_points_said(bet: BetRules, at_seat: SeatCards, *, complete: bool) -> None:
    """What is said of a seat's points beside cards that can be counted."""
    limit = bet.player_points_max
    if limit is None or at_seat.points_over is UNSET:
        return
    over = any(points(hand)[0] > limit for hand in at_seat.hands or (at_seat.cards,))
    # A winner's first cards may stand beside "28 or more"; more than 27 never beside "27 or less".
    if (over and not at_seat.points_over) or (complete and at_seat.points_over and not over):
        raise DiscrepancyError(f"seat {at_seat.seat}: its cards count otherwise than it is said")


def _check_answers(at_seat: SeatCards, *, points: set[int], bonus: set[int]) -> None:
    if at_seat.points_over is not UNSET and at_seat.seat not in points:
        raise DiscrepancyError(f"seat {at_seat.seat}: nothing depends on its points")
    if at_seat.blackjack is UNSET:
        return
    if at_seat.seat not in bonus:
        raise DiscrepancyError(f"seat {at_seat.seat}: nothing depends on a blackjack")
    if at_seat.blackjack is not is_blackjack(at_seat.cards):
        raise DiscrepancyError(f"seat {at_seat.seat}: its cards and its blackjack do not agree")
