"""Whether the cards of a settlement can be those of its round, as the verifier sees it.

Cards cannot be proved: they are what a table said. But they are cards, there are no more of them
than the shoe holds, they lie before seats that bet, and the dealer drew by the rules.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from progressive.verifier.findings import DiscrepancyError, shown
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import UNSET, SeatCards
from progressive.verifier.rules.cards import DECK, points

_STANDS: Final = 17


def check_dealt(
    terms: LinkTerms,
    dealer: Sequence[str],
    seats: Sequence[SeatCards],
    wagered: Collection[int],
    *,
    complete: bool,
    may_answer: bool = False,
) -> None:
    """Raise where the cards cannot have been dealt to these seats."""
    dealt = list(dealer)
    given: set[int] = set()
    for at_seat in seats:
        seat, cards = at_seat.seat, at_seat.cards
        if seat in given or seat < 1:
            raise DiscrepancyError(f"seat {shown(seat)} is none, or given twice")
        given.add(seat)
        dealt += cards
        answers = at_seat.blackjack is not UNSET or at_seat.points_over is not UNSET
        if answers and not may_answer:
            raise DiscrepancyError(f"seat {seat} answers what nobody asked")
        if len(cards) < 2 and (cards or complete or not answers):
            raise DiscrepancyError(f"seat {seat} lacks its first two cards")
        if at_seat.hands and _spread(at_seat.hands) != sorted(cards):
            raise DiscrepancyError(
                f"seat {seat}: its hands are not made of the cards that it was dealt"
            )
    kinds = set(dealt)
    if not kinds <= DECK:
        raise DiscrepancyError(f"{shown(min(kinds - DECK))} is no card")
    if complete and not given.issuperset(wagered):
        raise DiscrepancyError(f"the cards of seat {min(set(wagered) - given)} are missing")
    if not complete and not given.issubset(wagered):
        raise DiscrepancyError(f"seat {min(given.difference(wagered))} has no wager in this round")
    # No card can lie there more often than once and all the doubles: nearly always few enough.
    if len(dealt) - len(kinds) >= terms.decks:
        card, copies = Counter(dealt).most_common(1)[0]
        if copies > terms.decks:
            raise DiscrepancyError(f"{terms.decks} decks do not hold that many copies of {card}")
    for drawn in range(2, len(dealer)):
        if dealer_stands(dealer[:drawn], terms):
            raise DiscrepancyError(f"the dealer stands on {' '.join(dealer[:drawn])}")


def dealer_stands(hand: Sequence[str], terms: LinkTerms) -> bool:
    """Whether the dealer draws no more."""
    count, soft = points(hand)
    if count == _STANDS and soft:
        return terms.soft17 == "stand"
    return count >= _STANDS


def _spread(hands: Sequence[Sequence[str]]) -> list[str]:
    return sorted([card for hand in hands for card in hand])
