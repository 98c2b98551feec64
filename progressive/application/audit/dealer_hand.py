"""COLD. Wagers that the dealer's one hand decides, read again from the rule texts.

NJ 13:69F-2.30(d), (e), (f)3; SD 20:18:15:30.07(4), (5); Washington; The 101: the dealer plays the
hand out, and it decides all of them. A seat's own cards matter to a free bonus and to Washington's
points, and there a settlement has them, or the dealer's answer.
"""

from collections.abc import Sequence

from msgspec import UNSET

from progressive.application.audit.cards import bust_name, is_blackjack, is_on_the_dealer, points
from progressive.application.audit.dealt import dealer_stands
from progressive.application.audit.findings import DiscrepancyError
from progressive.application.audit.terms import TermsInForce
from progressive.domain.commands import SeatCards, Wager
from progressive.domain.events import RoundSettled, SettledEarly, WagersRegistered
from progressive.domain.rulebook.rules import BetRules


def has_wager_on_the_dealer(opened: WagersRegistered, in_force: TermsInForce) -> bool:
    """Whether a round has a wager that waits for the dealer's hand."""
    bets = (opened.plain.bet,) if opened.plain else {wager.bet for wager in opened.listed}
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
    for wager in wagers:
        bet, at_seat = in_force.bet_by_id[wager.bet], seats.get(wager.seat)
        if not is_on_the_dealer(bet) or not _wins_by_the_dealer(bet, dealer):
            continue
        shown = at_seat is not None and len(at_seat.cards) >= 2
        over = UNSET if at_seat is None else at_seat.points_over
        if bet.player_points_max is not None:
            points_asked.add(wager.seat)
            if not shown and over is UNSET:
                raise DiscrepancyError(
                    f"seat {wager.seat}: whether it has more than {bet.player_points_max} points "
                    "is not said"
                )
        if _bonus_in_reach(bet, wager, dealer):
            bonus_asked.add(wager.seat)
            denied = wager.seat in sevens or (at_seat is not None and at_seat.blackjack is False)
            lost = bet.player_points_max is not None and over is True
            if not shown and not denied and not lost:
                raise DiscrepancyError(f"seat {wager.seat}: whether it has a blackjack is not said")
        if shown and at_seat is not None:
            _check_points_said(bet, at_seat, complete=event.complete)
    for at_seat in event.seats:
        _check_answers(at_seat, points=points_asked, bonus=bonus_asked)
    return frozenset(points_asked | bonus_asked)


def _wins_by_the_dealer(bet: BetRules, dealer: Sequence[str]) -> bool:
    return points(dealer)[0] > 21 and any(line.id == bust_name(dealer) for line in bet.lines)


def _bonus_in_reach(bet: BetRules, wager: Wager, dealer: Sequence[str]) -> bool:
    return wager.amount_cents >= bet.free_bonus_min_cents and any(
        each.cents > 0 and each.id == bust_name(dealer) for each in bet.free_bonus_lines
    )


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
