"""The wagers of a round that won, in the order of payment, and what each is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.terms import BetRules, ForOne, PayLine, ShareOfMeter
from progressive.verifier.recorded.values import SeatCards, Wager
from progressive.verifier.rules.cards import bonus_cents, is_on_the_dealer, line_won, points
from progressive.verifier.rules.meter_payouts import Amounts, Taken, quotient, take_in_turn
from progressive.verifier.rules.terms import AuditedMeter, TermsInForce


@dataclass(slots=True)
class Win:
    """A wager and the line it won."""

    wager: Wager
    bet: BetRules
    line: PayLine
    bonus_cents: int
    taken: Taken | None = None
    """From a meter; None where the line pays a fixed amount."""

    @property
    def cents(self) -> int:
        """What the line pays."""
        pays, stake = self.line.pays, self.wager.amount_cents
        if self.taken is not None:
            return self.taken.cents
        if isinstance(pays, ShareOfMeter):
            raise DiscrepancyError(f"{shown(self.line.id)} pays from a meter: not before the peek")
        if isinstance(pays, ForOne):
            return stake * pays.for_one
        return quotient(stake * pays.to, pays.per, "nearest")

    @property
    def stake_returned_cents(self) -> int:
        """The stake goes back beside a "to 1" line; "for 1" and meter lines have it in them."""
        return 0 if isinstance(self.line.pays, ForOne | ShareOfMeter) else self.wager.amount_cents


def wins_in_order(
    in_force: TermsInForce,
    wagers: Sequence[Wager],
    seats: Mapping[int, SeatCards],
    dealer: Sequence[str],
    *,
    dealer_decides: bool,
) -> list[Win]:
    """Bet by bet as the terms list them; within a bet by seat, the way it is filed.

    `dealer_decides`: wagers on the dealer's hand are settled by it, keyed or not.
    """
    wins: list[Win] = []
    busts = points(dealer)[0] > 21
    terms, bet_by_id = in_force.terms, in_force.bet_by_id
    for wager in wagers:
        bet = bet_by_id[wager.bet]
        if not busts and is_on_the_dealer(bet):
            continue
        seat = seats.get(wager.seat)
        if seat is None or not seat.cards:
            if not (dealer_decides and is_on_the_dealer(bet)):
                continue
            seat = seat or SeatCards(wager.seat)
        line = line_won(bet, terms, seat, dealer)
        if line is not None:
            wins.append(Win(wager, bet, line, bonus_cents(bet, wager, seat, line)))
    if len(wins) > 1:
        wins.sort(key=lambda win: (in_force.place_of_bet[win.bet.id], _turn(win)))
    return wins


def _turn(win: Win) -> int:
    """NJ 13:69F-2.28(h): the highest seat first, unless a clockwise order is filed."""
    return win.wager.seat if win.bet.payment_order == "clockwise" else -win.wager.seat


def take_from_meters(
    wins: Sequence[Win], in_force: TermsInForce, meters: Mapping[str, AuditedMeter]
) -> dict[str, tuple[Amounts, Amounts]]:
    """Let each winner take from the meters; what each meter was and what it is afterwards."""
    by_meter: dict[str, list[tuple[Win, int]]] = {}
    for win in wins:
        pays = win.line.pays
        if isinstance(pays, ShareOfMeter):
            if all(meter.id != pays.meter for meter in win.bet.meters):
                raise DiscrepancyError(
                    f"{shown(win.line.id)} pays from {shown(pays.meter)}, a meter that "
                    f"{shown(win.bet.id)} lacks"
                )
            by_meter.setdefault(pays.meter, []).append((win, pays.share_percent))
    moved: dict[str, tuple[Amounts, Amounts]] = {}
    for meter, winners in by_meter.items():
        bet = winners[0][0].bet
        found = meters[meter].amounts
        takings = take_in_turn(
            found,
            in_force.fallback_of[meter],
            [share for _, share in winners],
            order=bet.payment_order,
            rounding=bet.award_rounding,
        )
        for (win, _), taken in zip(winners, takings, strict=True):
            win.taken = taken
        moved[meter] = found, takings[-1].after
    return moved
