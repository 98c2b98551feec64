"""Whether the cards of a round can have been dealt: to these seats, from this shoe, by these rules.

Shared by the live floor and by `progressive settle`, so that what the one would refuse the other
does too. Says nothing about money.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from progressive.domain.cards import POINTS_OF_CARD, is_natural, overdealt_card, total, unknown_card
from progressive.domain.commands import SeatCards
from progressive.domain.options import Soft17
from progressive.domain.rejections import Refusal, Rejection

DEALER_STANDS = 17


def undealable(
    dealer: Sequence[str],
    seats: Sequence[SeatCards],
    *,
    decks: int,
    seats_max: int,
    wagered: Collection[int],
    complete: bool,
    only_wagered: bool,
    may_answer: bool = False,
) -> Refusal | None:
    """The first reason why these cards are impossible, or None.

    `complete`: every wagered seat must be there. `only_wagered`: no other seat may be.
    `may_answer`: a seat may answer what its bet asks instead of showing its cards.
    """
    return (
        _unreadable(dealer, seats, seats_max=seats_max)
        or _wrong_seats(
            seats, wagered, complete=complete, only_wagered=only_wagered, may_answer=may_answer
        )
        or _misplayed(seats)
        or _overdealt(dealer, seats, decks=decks)
    )


def _unreadable(
    dealer: Sequence[str], seats: Sequence[SeatCards], *, seats_max: int
) -> Refusal | None:
    """Seats that are not there or there twice, and texts that are no cards."""
    given: set[int] = set()
    for at_seat in seats:
        seat = at_seat.seat
        if not 1 <= seat <= seats_max:
            return Refusal(
                Rejection.UNKNOWN_SEAT, f"the table has seats 1 to {seats_max}, not {seat}"
            )
        if seat in given:
            return Refusal(Rejection.BAD_MESSAGE, f"seat {seat} is given twice")
        given.add(seat)
        for cards in (at_seat.cards, *at_seat.hands):
            if (card := unknown_card(cards)) is not None:
                return Refusal(Rejection.BAD_CARD, f"{card!r} at seat {seat} is no card")
    if (card := unknown_card(dealer)) is not None:
        return Refusal(Rejection.BAD_CARD, f"the dealer's {card!r} is no card")
    return None


def _wrong_seats(
    seats: Sequence[SeatCards],
    wagered: Collection[int],
    *,
    complete: bool,
    only_wagered: bool,
    may_answer: bool,
) -> Refusal | None:
    given = {at_seat.seat for at_seat in seats}
    if only_wagered and (unlit := given.difference(wagered)):
        return Refusal(Rejection.NOT_WAGERED, f"seat {min(unlit)} has no wager in this round")
    for at_seat in seats:
        answers = may_answer and at_seat.answers and not at_seat.cards
        if len(at_seat.cards) < 2 and not answers:
            return Refusal(
                Rejection.INCOMPLETE_CARDS, f"seat {at_seat.seat} needs its first two cards"
            )
    if complete and (missing := set(wagered) - given):
        return Refusal(Rejection.INCOMPLETE_CARDS, f"the cards of seat {min(missing)} are missing")
    return None


def _misplayed(seats: Sequence[SeatCards]) -> Refusal | None:
    """Hands that cannot have come of the cards, or that drew when they were over."""
    for at_seat in seats:
        if at_seat.hands and (wrong := _wrong_split(at_seat)) is not None:
            return Refusal(Rejection.IMPOSSIBLE_CARDS, f"seat {at_seat.seat}: {wrong}")
        for hand in at_seat.hands or (at_seat.cards,):
            # One card before the last is enough to be over: nobody draws to a hand that is.
            if len(hand) > 2 and total(hand[:-1]).bust:
                return Refusal(
                    Rejection.IMPOSSIBLE_CARDS,
                    f"seat {at_seat.seat} drew to a hand that was over 21",
                )
    return None


def _wrong_split(at_seat: SeatCards) -> str | None:
    """Why the final hands are not those of the cards dealt, or None."""
    cards, hands = at_seat.cards, at_seat.hands
    if Counter(card for hand in hands for card in hand) != Counter(cards):
        return "the hands are not made of the cards dealt"
    if len(hands) == 1:
        return None if hands[0] == cards else "one hand is the cards as they were dealt"
    if POINTS_OF_CARD[cards[0]] != POINTS_OF_CARD[cards[1]]:
        return f"{cards[0]} and {cards[1]} cannot be split"
    if any(len(hand) < 2 for hand in hands):
        return "a split hand needs two cards"
    led_by = [hand[0] for hand in hands]
    # Both cards of the pair lead a hand, and only cards of their value are split off again.
    if Counter(cards[:2]) - Counter(led_by) or len({POINTS_OF_CARD[card] for card in led_by}) > 1:
        return "a split leaves one card of the pair on each hand"
    return None


def _overdealt(dealer: Sequence[str], seats: Sequence[SeatCards], *, decks: int) -> Refusal | None:
    dealt = [*dealer, *(card for at_seat in seats for card in at_seat.cards)]
    if (card := overdealt_card(dealt, decks=decks)) is not None:
        return Refusal(
            Rejection.IMPOSSIBLE_CARDS, f"{decks} decks do not hold that many copies of {card}"
        )
    return None


def misplayed_dealer(dealer: Sequence[str], soft17: Soft17, *, whole: bool) -> Refusal | None:
    """A dealer's hand that stopped early or drew too far, or None.

    `whole`: some bet hangs on the hand being played out. Cards beyond the first two are checked
    whether or not anything hangs on them: they were drawn by the rules or not at all.
    """
    for drawn in range(2, len(dealer)):
        if _stands(dealer[:drawn], soft17):
            return Refusal(
                Rejection.IMPOSSIBLE_CARDS,
                f"the dealer stands on {' '.join(dealer[:drawn])} and draws no {dealer[drawn]}",
            )
    if whole and not _stands(dealer, soft17):
        return Refusal(
            Rejection.INCOMPLETE_CARDS, "the dealer's hand is not played out: a card is missing"
        )
    return None


def _stands(hand: Sequence[str], soft17: Soft17) -> bool:
    """Whether the dealer draws no more: 17 or over, but for a soft 17 that is hit."""
    if is_natural(hand):
        return True
    counted = total(hand)
    if counted.points == DEALER_STANDS and counted.soft:
        return soft17 == "stand"
    return counted.points >= DEALER_STANDS
