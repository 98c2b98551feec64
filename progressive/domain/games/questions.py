"""Bets that the dealer's one hand decides, and what little they still ask of a seat's own cards.

N.J.A.C. 13:69F-2.30(d) to (f), ARSD 20:18:15:30.07(4) and (5), Washington's rules, The 101: if the
dealer busts all Buster wagers win, if not all lose. So such a wager is settled whether or not its
seat is keyed, and a seat is asked only where its answer can change what is paid. Shared by the
live floor and by `progressive settle`.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import UNSET, Struct

from progressive.domain.cards import is_natural, total
from progressive.domain.commands import SeatCards, Wager
from progressive.domain.games.claims import OfferedBet, highest_line
from progressive.domain.games.readers import READERS
from progressive.domain.games.reading import final_hands
from progressive.domain.rejections import Refusal, Rejection


class Question(Struct, frozen=True):
    """What a seat has to say before its wager can be paid."""

    seat: int
    points_max: int | None = None
    """Its points count: more than this and the wager is lost (Washington's 27)."""
    blackjack: bool = False
    """A blackjack would earn the free bonus on the line that the dealer's bust makes."""

    def unanswered(self, at_seat: SeatCards, *, holds_seven: bool = False) -> str | None:
        """What is missing, in words that a dealer can act on; None where nothing is.

        `holds_seven`: its first two cards were seen before, a 7 among them: no blackjack.
        """
        if len(at_seat.cards) >= 2:
            return None
        if self.points_max is not None and at_seat.points_over is UNSET:
            return (
                f"seat {self.seat}: the dealer busted, so its points count. Give its whole hand, "
                f'or say "{self.points_max + 1} or more" or "{self.points_max} or less"'
            )
        over = self.points_max is not None and at_seat.points_over is True
        denied = at_seat.blackjack is False or holds_seven
        if self.blackjack and not over and not denied:
            return (
                f"seat {self.seat}: a blackjack would earn the free bonus. Give its first two "
                'cards, or say "no blackjack"'
            )
        return None


def decided_by_dealer(bet: OfferedBet) -> bool:
    """Whether the dealer's one hand decides all wagers on a bet."""
    return READERS[bet.reader].needs_whole_dealer_hand


def questions(
    bets: Mapping[str, OfferedBet], wagers: Sequence[Wager], dealer: Sequence[str]
) -> dict[int, list[Question]]:
    """What the dealer's hand leaves open, by seat; `wagers` are those that the hand decides."""
    asked: dict[int, list[Question]] = {}
    for wager in sorted(wagers, key=lambda wager: wager.seat):
        if (found := _question(bets[wager.bet], wager, dealer)) is not None:
            asked.setdefault(wager.seat, []).append(found)
    return asked


def unanswered(
    asked: Mapping[int, Sequence[Question]],
    seats: Mapping[int, SeatCards],
    *,
    with_seven: Collection[int] = (),
) -> Refusal | None:
    """The first question that nobody has answered.

    `with_seven`: seats that were paid on a 7 among their first two cards before the peek.
    """
    for seat, of_seat in asked.items():
        for each in of_seat:
            missing = each.unanswered(seats[seat], holds_seven=seat in with_seven)
            if missing is not None:
                return Refusal(Rejection.INCOMPLETE_CARDS, missing)
    return None


def _question(bet: OfferedBet, wager: Wager, dealer: Sequence[str]) -> Question | None:
    """What the dealer's hand leaves open about a wager on it; None: nothing, the hand decides."""
    line = highest_line(
        bet.lines, READERS[bet.reader].made(SeatCards(wager.seat), dealer, bet.dealing)
    )
    if line is None:
        return None
    points_max = bet.dealing.player_points_max
    bonus = wager.amount_cents >= bet.free_bonus_min_cents and any(
        each.id == line.id and each.cents for each in bet.free_bonus_lines
    )
    if points_max is None and not bonus:
        return None
    return Question(wager.seat, points_max, bonus)


def contradicted_answers(
    seats: Sequence[SeatCards], asked: Mapping[int, Sequence[Question]], *, complete: bool
) -> Refusal | None:
    """An answer that nobody asked for, or that the seat's own cards contradict."""
    for at_seat in seats:
        if not at_seat.answers:
            continue
        of_seat = asked.get(at_seat.seat, ())
        limits = [each.points_max for each in of_seat if each.points_max is not None]
        if (at_seat.points_over is not UNSET and not limits) or (
            at_seat.blackjack is not UNSET and not any(each.blackjack for each in of_seat)
        ):
            return Refusal(
                Rejection.BAD_MESSAGE,
                f"seat {at_seat.seat}: nobody asked for its points or its blackjack",
            )
        if at_seat.blackjack is not UNSET and at_seat.blackjack is not is_natural(at_seat.cards):
            said = "a blackjack" if at_seat.blackjack else "no blackjack"
            return Refusal(
                Rejection.IMPOSSIBLE_CARDS,
                f"seat {at_seat.seat}: its cards are not those of {said}",
            )
        if (wrong := _wrong_points(at_seat, limits, complete=complete)) is not None:
            return Refusal(Rejection.IMPOSSIBLE_CARDS, wrong)
    return None


def _wrong_points(at_seat: SeatCards, limits: Sequence[int], *, complete: bool) -> str | None:
    """A statement about points beside cards that count otherwise."""
    if at_seat.points_over is UNSET or len(at_seat.cards) < 2:
        return None
    most = max(total(hand).points for hand in final_hands(at_seat))
    for limit in limits:
        # Winners' cards may be the first ones only; then "28 or more" says what else was drawn.
        if most > limit if not at_seat.points_over else complete and most <= limit:
            return f"seat {at_seat.seat}: its cards count {most}"
    return None
