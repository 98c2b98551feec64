"""COLD. Whether the cards of a settlement can be those of its round, as the audit sees it.

Cards cannot be proved: they are what a table said. But they are cards, there are no more of them
than the shoe holds, they lie before seats that bet, and the dealer drew by the rules.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from progressive.application.audit.cards import points
from progressive.application.audit.findings import DiscrepancyError, shown
from progressive.domain.commands import SeatCards
from progressive.domain.rulebook.rules import LinkTerms

_DECK: Final = frozenset(rank + suit for rank in "A23456789TJQK" for suit in "shdc")
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
        if at_seat.seat in given or at_seat.seat < 1:
            raise DiscrepancyError(f"seat {shown(at_seat.seat)} is none, or given twice")
        given.add(at_seat.seat)
        dealt += at_seat.cards
        if at_seat.answers and not may_answer:
            raise DiscrepancyError(f"seat {at_seat.seat} answers what nobody asked")
        if len(at_seat.cards) < 2 and (at_seat.cards or complete or not at_seat.answers):
            raise DiscrepancyError(f"seat {at_seat.seat} lacks its first two cards")
        if at_seat.hands and _spread(at_seat.hands) != sorted(at_seat.cards):
            raise DiscrepancyError(
                f"seat {at_seat.seat}: its hands are not made of the cards that it was dealt"
            )
    kinds = set(dealt)
    if not kinds <= _DECK:
        raise DiscrepancyError(f"{shown(min(kinds - _DECK))} is no card")
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
