"""PURE but for its seed: what a simulated table does next, good messages and spoiled ones."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from msgspec import structs

from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    TableCommand,
    Tender,
    VoidRound,
    Wager,
)
from progressive.domain.ids import BetId, RoundId
from progressive.domain.rejections import Rejection
from progressive.simulator.shoe import Dealt, Shoe
from progressive.simulator.terms import TableTerms
from progressive.wire.codec import encode
from progressive.wire.table_messages import BetMessage

NOBODY_BETS_ONE_IN: Final = 25
VOIDED_ONE_IN: Final = 50
COUPON_ONE_IN: Final = 10
KEYED_BY_DEALER_ONE_IN: Final = 3
"""Rounds settled as a dealer would key them, winning seats only: without winners, none."""
SHOWN_ONE_IN: Final = 2
"""Of those, rounds in which a seat that is asked about shows its cards: the others answer."""
EARLY_ONE_IN: Final = 2
"""Of the rounds that could be paid before the peek."""
BASE_CENTS: Final = (1000, 1500, 2500, 5000, 10000)
RANGE_STEPS: Final = 10
"""How far above the smallest amount a bet with a range is played, in steps of that amount."""
OVERDEALT: Final = ("Ks",) * 9
"""More copies than eight decks hold."""
STANDS: Final = ("Ts", "9s")
"""A dealer's hand that busts nothing and nobody."""
REASONS: Final = ("misdeal", "card exposed", "wrong card order", "shuffler fault")


class Spoiled(NamedTuple):
    """A message that must be refused, and how."""

    payload: bytes
    seq: int | None
    code: Rejection
    expected: int | None = None


class TablePlan:
    """One table's play."""

    def __init__(self, random: Random, *, seats: int, demo_shoe: bool = False) -> None:
        self._random = random
        self._seats = seats
        self._demo_shoe = demo_shoe
        self._shoe: Shoe | None = None

    def lock(
        self, seq: int, bets: Sequence[BetMessage], base_limits_cents: tuple[int, int] = (0, 0)
    ) -> RegisterWagers:
        """The lock-out of a new round. `seq` never comes twice, so neither does the round's id.

        `base_limits_cents` are the table's least and greatest base wager; 0: not stated.
        """
        wagers: list[Wager] = []
        if self._random.randrange(NOBODY_BETS_ONE_IN):
            occupied = self._random.randint(1, self._seats)
            for seat in sorted(self._random.sample(range(1, self._seats + 1), occupied)):
                base = self._base(bets, *base_limits_cents)
                wagers += [
                    self._wager(seat, bet, base) for bet in bets if self._random.randrange(8)
                ]
        return RegisterWagers(
            seq=seq,
            round=RoundId(f"sim-{seq}"),
            wagers=tuple(wagers),
            chips_counted=chips(wagers, bets),
        )

    def deal(self, lock: RegisterWagers, terms: TableTerms) -> Dealt:
        """The cards of a round: known here, told as they come."""
        if self._shoe is None:
            self._shoe = Shoe(self._random, terms.dealing, demo=self._demo_shoe)
        return self._shoe.deal(sorted({wager.seat for wager in lock.wagers}))

    def early(
        self, seq: int, lock: RegisterWagers, dealt: Dealt, terms: TableTerms
    ) -> SettleRound | None:
        """Two-card awards before the peek, now and then where there are any."""
        if not terms.settles_early(dealt.dealer[0]) or self._random.randrange(EARLY_ONE_IN):
            return None
        winners = [
            SeatCards(seat.seat, seat.cards[:2])
            for seat in dealt.seats
            if terms.wins_early(seat, lock.wagers)
        ]
        if not winners:
            return None
        return SettleRound(
            seq=seq,
            round=lock.round,
            dealer=DealerCards(dealt.dealer[:1]),
            seats=tuple(winners),
            complete=False,
            early=True,
        )

    def end(
        self,
        seq: int,
        lock: RegisterWagers,
        dealt: Dealt,
        terms: TableTerms,
        *,
        early: bool = False,
    ) -> SettleRound | VoidRound:
        """How the round ends: its cards, its winners' cards, or a misdeal where nobody is paid."""
        misdealt = self._random.randrange(VOIDED_ONE_IN) == 0
        if misdealt and not early and not terms.supervisor_voids(lock.wagers):
            return VoidRound(seq=seq, round=lock.round, reason=self._random.choice(REASONS))
        if self._random.randrange(KEYED_BY_DEALER_ONE_IN) == 0:
            shown = self._random.randrange(SHOWN_ONE_IN) == 0
            return winners_only(seq, lock, dealt, terms, shown=shown)
        return SettleRound(
            seq=seq, round=lock.round, dealer=DealerCards(dealt.dealer), seats=dealt.seats
        )

    def _base(self, bets: Sequence[BetMessage], least_cents: int, most_cents: int) -> int:
        """A seat's one base wager: one that the table takes, and as large as its bets ask for."""
        # Some bets may not exceed it.
        base = max(
            self._random.choice(BASE_CENTS),
            least_cents,
            *[bet.wager_cents or bet.min_cents or 1 for bet in bets],
        )
        return min(base, most_cents or base)

    def _wager(self, seat: int, bet: BetMessage, base: int) -> Wager:
        tender: Tender = "chip" if self._random.randrange(COUPON_ONE_IN) else "coupon"
        amount = bet.wager_cents
        if amount is None:
            smallest = bet.min_cents or 1
            amount = smallest * self._random.randint(1, RANGE_STEPS)
            amount = min(amount, bet.max_cents or amount, base)
        return Wager(seat, BetId(bet.id), amount, base, tender)

    # --- messages that must be refused ---------------------------------------------------------

    def spoiled_lock(
        self, lock: RegisterWagers, bets: Sequence[BetMessage], last: TableCommand | None
    ) -> Spoiled:
        """Something wrong in place of a lock-out that would be right."""
        seq, random = lock.seq, self._random
        choices = [
            _chips_wrong(lock, random.choice((-1, 1, 3))),
            _gap(lock, random.randint(1, 9)),
            Spoiled(encode(no_winners(seq, lock.round)), seq, Rejection.NO_ROUND),
            Spoiled(b'{"type":"lock","seq":%d}' % seq, seq, Rejection.BAD_MESSAGE),
            Spoiled(b'{"type":"deal","seq":%d}' % seq, seq, Rejection.BAD_MESSAGE),
            Spoiled(b"lock", None, Rejection.BAD_MESSAGE),
        ]
        if last is not None:
            reused = structs.replace(lock, seq=last.seq)
            choices.append(Spoiled(encode(reused), last.seq, Rejection.SEQ_REUSED))
            played = structs.replace(lock, round=last.round)
            choices.append(Spoiled(encode(played), seq, Rejection.WRONG_ROUND))
        if lock.wagers:
            first, *rest = lock.wagers
            bet = next(bet for bet in bets if bet.id == first.bet)
            choices += [
                _first_as(lock, first, rest, Rejection.UNKNOWN_SEAT, seat=self._seats + 1),
                _first_as(lock, first, rest, Rejection.UNKNOWN_SEAT, seat=0),
                _first_as(lock, first, rest, Rejection.UNKNOWN_BET, bet="no-such-bet"),
                Spoiled(
                    encode(structs.replace(lock, wagers=(first, *lock.wagers))),
                    seq,
                    Rejection.DUPLICATE_WAGER,
                ),
            ]
            if bet.wager_cents is not None:
                odd = _first_as(
                    lock, first, rest, Rejection.WRONG_AMOUNT, amount_cents=bet.wager_cents + 1
                )
                choices.append(odd._replace(expected=bet.wager_cents))
        return random.choice(choices)

    def spoiled_end(
        self, seq: int, lock: RegisterWagers, terms: TableTerms, early: SettleRound | None = None
    ) -> Spoiled:
        """Something wrong in place of the end of a round."""
        random, here = self._random, lock.round
        elsewhere = RoundId(f"{here}-other")
        right = no_winners(seq, here)
        wagered = {wager.seat for wager in lock.wagers}
        free = sorted(set(range(1, self._seats + 1)) - wagered)
        choices = [
            Spoiled(encode(structs.replace(lock, seq=seq)), seq, Rejection.ROUND_OPEN),
            Spoiled(encode(structs.replace(lock, round=elsewhere)), lock.seq, Rejection.SEQ_REUSED),
            Spoiled(encode(no_winners(seq, elsewhere)), seq, Rejection.WRONG_ROUND),
            Spoiled(encode(VoidRound(seq, elsewhere, "misdeal")), seq, Rejection.WRONG_ROUND),
            Spoiled(encode(VoidRound(seq, here, "")), seq, Rejection.BAD_MESSAGE),
            _gap(right, random.randint(1, 9)),
        ]
        if wagered:
            at = min(wagered)
            choices += [
                _cards_as(right, at, ("1x", "Ts"), Rejection.BAD_CARD),
                _cards_as(right, at, ("Ts",), Rejection.INCOMPLETE_CARDS),
                _cards_as(right, at, OVERDEALT, Rejection.IMPOSSIBLE_CARDS),
                Spoiled(
                    encode(structs.replace(right, complete=True)), seq, Rejection.INCOMPLETE_CARDS
                ),
            ]
            choices.append(_early_with_a_nine_up(right, at, terms, again=early is not None))
        if terms.waits_for_dealer(lock.wagers):
            choices.append(Spoiled(encode(right), seq, Rejection.INCOMPLETE_CARDS))
        if early is None and wagered:
            losing = structs.replace(right, dealer=DealerCards(STANDS))
            choices.append(_cards_as(losing, min(wagered), ("2s", "3s"), Rejection.NOT_A_WINNER))
        if early is not None:
            paid = early.seats[0].seat
            choices += [
                Spoiled(encode(VoidRound(seq, here, "misdeal")), seq, Rejection.ROUND_HAS_AWARDS),
                Spoiled(encode(structs.replace(early, seq=seq)), seq, Rejection.ROUND_HAS_AWARDS),
                _cards_as(right, paid, ("2s", "3s"), Rejection.IMPOSSIBLE_CARDS),
            ]
        elif terms.supervisor_voids(lock.wagers):
            void = VoidRound(seq, here, "misdeal")
            choices.append(Spoiled(encode(void), seq, Rejection.NEEDS_APPROVAL))
        if free:
            at = random.choice(free)
            choices.append(_cards_as(right, at, ("2s", "3s"), Rejection.NOT_WAGERED))
        return random.choice(choices)


def no_winners(seq: int, round_id: RoundId) -> SettleRound:
    """A round keyed by the dealer: no seat won."""
    return SettleRound(seq=seq, round=round_id, complete=False)


def closing(seq: int, lock: RegisterWagers, terms: TableTerms, up_card: str | None) -> SettleRound:
    """The end of a round that was left open: nobody won, and the dealer stood.

    `up_card` is the one with which it was paid before the peek, an ace or a ten.
    """
    right = no_winners(seq, lock.round)
    if not terms.waits_for_dealer(lock.wagers):
        return right
    return structs.replace(right, dealer=DealerCards((up_card or STANDS[0], STANDS[1])))


def winners_only(
    seq: int, lock: RegisterWagers, dealt: Dealt, terms: TableTerms, *, shown: bool
) -> SettleRound:
    """A round keyed by the dealer: the seats that won by their cards, and what the others ask.

    `shown`: a seat whose cards were asked for shows them; if not, the dealer answers for it.
    """
    whole = terms.waits_for_dealer(lock.wagers)
    seats: list[SeatCards] = []
    for seat in dealt.seats:
        asked = terms.answer(seat, lock.wagers, dealt.dealer)
        if terms.wins_by_its_cards(seat, lock.wagers, dealt.dealer) or (shown and asked):
            seats.append(seat)
        elif asked is not None:
            seats.append(asked)
    if not seats and not whole:
        return no_winners(seq, lock.round)
    return SettleRound(
        seq=seq,
        round=lock.round,
        dealer=DealerCards(dealt.dealer if whole else dealt.dealer[:2]),
        seats=tuple(seats),
        complete=False,
    )


def chips(wagers: Sequence[Wager], bets: Sequence[BetMessage]) -> int:
    """The chips on the acceptors: coupons lie elsewhere, and so do bets without a meter."""
    progressive = {bet.id for bet in bets if bet.meters}
    return sum(wager.tender == "chip" and wager.bet in progressive for wager in wagers)


def fence(last_seq: int) -> Spoiled:
    """A number used again, whose refusal must be the next word: any other is an answer too many.

    Not a gap: a table that is ahead of the journal is an alarm of the first rank.
    """
    again = no_winners(last_seq, RoundId("fence"))
    return Spoiled(encode(again), last_seq, Rejection.SEQ_REUSED)


def _gap(command: TableCommand, beyond: int) -> Spoiled:
    seq = command.seq + beyond
    return Spoiled(encode(structs.replace(command, seq=seq)), seq, Rejection.SEQ_GAP, command.seq)


def _chips_wrong(lock: RegisterWagers, by: int) -> Spoiled:
    counted = lock.chips_counted + by if lock.chips_counted + by >= 0 else 1
    payload = encode(structs.replace(lock, chips_counted=counted))
    return Spoiled(payload, lock.seq, Rejection.CHIP_COUNT_MISMATCH, lock.chips_counted)


def _first_as(
    lock: RegisterWagers,
    first: Wager,
    rest: Sequence[Wager],
    code: Rejection,
    **fields: object,
) -> Spoiled:
    payload = encode(structs.replace(lock, wagers=(structs.replace(first, **fields), *rest)))
    return Spoiled(payload, lock.seq, code)


def _cards_as(right: SettleRound, seat: int, cards: tuple[str, ...], code: Rejection) -> Spoiled:
    return Spoiled(encode(structs.replace(right, seats=(SeatCards(seat, cards),))), right.seq, code)


def _early_with_a_nine_up(
    right: SettleRound, seat: int, terms: TableTerms, *, again: bool
) -> Spoiled:
    """Early means before a peek: there is none with a nine up, nor without a card reader."""
    if terms.dealing.dealer_procedure != "card_reader":
        code = Rejection.BAD_MESSAGE
    else:
        code = Rejection.ROUND_HAS_AWARDS if again else Rejection.IMPOSSIBLE_CARDS
    nine_up = structs.replace(right, early=True, dealer=DealerCards(("9s",)))
    return _cards_as(nine_up, seat, ("7s", "2s"), code)
