"""PURE. The awards that a settlement must bring, but for what is on the meters.

Who wins which line, in which order, what is fixed about it and whether it is paid from the rack:
all that follows from the cards alone. What a meter line is worth hangs on the order of the journal
and is the book's to say.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from progressive.domain.commands import SeatCards, SettleRound, Wager
from progressive.simulator.reading import blackjack, early_line_of, line_of, needs_whole_dealer
from progressive.wire.table_messages import AwardMessage, BetMessage, DealingMessage, LineMessage

PaidEarly = Mapping[tuple[int, str], AwardMessage]
"""By seat and bet: what was paid before the peek."""


class Expected(Struct, frozen=True):
    """An award without its amount where a meter pays it."""

    order: int
    seat: int
    bet: BetMessage
    line: LineMessage
    wager_cents: int
    bonus_cents: int
    paid_before_cents: int
    early: bool

    def difference(self, came: AwardMessage, dealing: DealingMessage) -> str | None:
        """What is wrong about an award, in words; None where nothing is."""
        line, meter = self.line, self.line.meter
        amount = came.amount_cents if meter is not None else self._fixed_cents()
        due = max(0, amount + self.bonus_cents - self.paid_before_cents)
        from_rack = meter is None and (self.early or due < dealing.rack_limit_cents)
        # NJ 13:69F-2.28(g)3, as the floor has it: some wait until a supervisor has confirmed them.
        confirmed_first = from_rack and self._confirmed_first(amount + self.bonus_cents)
        right = {
            "order": self.order,
            "seat": self.seat,
            "bet": self.bet.id,
            "line": line.id,
            "kind": "fixed" if meter is None else "meter",
            "meter": meter,
            "share_percent": line.share_percent,
            "amount_cents": amount,
            "bonus_cents": self.bonus_cents,
            "wager_cents": self.wager_cents,
            "paid_before_cents": self.paid_before_cents,
            "due_cents": due,
            "stake_returned_cents": 0 if line.to_one is None else self.wager_cents,
            "status": "payable" if from_rack and not confirmed_first else "pending",
            "pays_from": ("rack" if from_rack else "cage") if came.pays_from else "",
        }
        for field, value in right.items():
            if getattr(came, field) != value:
                return f"award {self.order} with {field} {value}"
        if (came.meter_before_cents is None) != (meter is None) or (
            (came.meter_after_cents is None) != (meter is None)
        ):
            return f"award {self.order} with its meter before and after, where one pays it"
        return None

    def _confirmed_first(self, worth_cents: int) -> bool:
        bet = self.bet
        return bet.validation == "every" or (
            bet.validation == "from_amount" and worth_cents >= bet.validation_from_cents
        )

    def _fixed_cents(self) -> int:
        """ "For 1" has the stake in it, "to 1" gives it back on top; halves of a cent go up."""
        line = self.line
        if line.for_one is not None:
            return self.wager_cents * line.for_one
        return (2 * self.wager_cents * (line.to_one or 0) + line.per) // (2 * line.per)


def expected_awards(
    settle: SettleRound,
    wagers: Sequence[Wager],
    bets: Sequence[BetMessage],
    dealing: DealingMessage,
    paid_early: PaidEarly,
) -> list[Expected]:
    """In the order of payment: bet by bet, and on each bet seat by seat."""
    seats = {at_seat.seat: at_seat for at_seat in settle.seats}
    found: list[Expected] = []
    for bet in bets:
        # NJ 13:69F-2.30(e): the dealer's hand decides, whether or not the seat was keyed.
        by_dealer = needs_whole_dealer(bet) and not settle.early
        on_bet = [
            wager
            for wager in wagers
            if wager.bet == bet.id and (by_dealer or _is_shown(seats.get(wager.seat)))
        ]
        for wager in _in_order(on_bet, bet):
            seat = seats.get(wager.seat, SeatCards(wager.seat))
            if settle.early:
                line = early_line_of(bet, seat)
            else:
                line = line_of(bet, seat, settle.dealer.cards, dealing)
            before = paid_early.get((wager.seat, bet.id))
            # NJ 13:69F-2.28(e): one award in all; what was paid before the peek is not paid again.
            if line is None or (before is not None and before.line == line.id):
                continue
            found.append(
                Expected(
                    order=len(found) + 1,
                    seat=wager.seat,
                    bet=bet,
                    line=line,
                    wager_cents=wager.amount_cents,
                    bonus_cents=_bonus_cents(bet, line, wager, seat),
                    paid_before_cents=0 if before is None else before.amount_cents,
                    early=settle.early,
                )
            )
    return found


def _is_shown(seat: SeatCards | None) -> bool:
    return seat is not None and len(seat.cards) > 0


def _in_order(wagers: Iterable[Wager], bet: BetMessage) -> list[Wager]:
    """NJ 13:69F-2.28(h): the highest seat is at the dealer's right and is paid first."""
    from_left = sorted(wagers, key=lambda wager: wager.seat)
    return from_left if bet.payment_order == "clockwise" else from_left[::-1]


def _bonus_cents(bet: BetMessage, line: LineMessage, wager: Wager, seat: SeatCards) -> int:
    """NJ 13:69F-2.30(h): a blackjack in the first two cards, not split, and enough wagered."""
    earns = len(seat.hands) < 2 and blackjack(seat.cards)
    return line.bonus_cents if earns and wager.amount_cents >= bet.free_bonus_min_cents else 0
