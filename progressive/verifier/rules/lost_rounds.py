"""HOT. Rounds that were keyed card by card, and in which nobody can have won.

The text of the cards is cut at the words that must stand there, and every piece must be a card or
the number of a seat: so nothing else can stand there. Only what is beyond doubt is told here. For
any other round (a split, an answer in place of cards, a hand that may win) the answer is None or
False, and `Books` reads the record and judges it.
"""

from dataclasses import dataclass
from typing import Final

from progressive.verifier.recorded.limits import CARDS_MAX
from progressive.verifier.recorded.table_events import WagersRegistered
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import DealerCards, SeatCards
from progressive.verifier.rules.cards import DECK, points
from progressive.verifier.rules.dealt import dealer_stands
from progressive.verifier.rules.terms import TermsInForce

_DEALER_ENDS: Final = ']},"seats":['
_FIRST_SEAT: Final = '{"seat":'
_CARDS: Final = ',"cards":["'
_NEXT_CARD: Final = '","'
_NEXT_SEAT: Final = '"],"hands":[]},{"seat":'
_LAST_SEAT_ENDS: Final = '"],"hands":[]}'
_SEAT_NUMBERS: Final = {str(number): number for number in range(1, 1_000)}
"""As the format writes them."""


RoundCards = tuple[DealerCards, tuple[SeatCards, ...], bool]
"""The dealer's cards, those of the seats, and whether these are all seats with a wager."""


@dataclass(slots=True)
class KeyedCards:
    """The cards of a round, all of them real cards."""

    dealer: tuple[str, ...]
    by_seat: dict[int, tuple[str, ...]]
    """In the order they are stored, two cards or more each."""
    doubles: int
    """How many cards lie there beside one of each kind."""


def lost_round(
    text: str, begin_at: int, ends: str, opened: WagersRegistered, in_force: TermsInForce
) -> RoundCards | None:
    """The cards of a round that all wagers have lost.

    They begin behind the bracket before the dealer's first one; `ends` is how the record must end.
    """
    complete = text.endswith(f'],"complete":true{ends}')
    says = f'],"complete":{"true" if complete else "false"}{ends}'
    if not text.endswith(says):
        return None
    keyed = read_keyed(text, begin_at, len(text) - len(says))
    if keyed is None or not nobody_wins(keyed, opened, in_force, complete=complete):
        return None
    seats = tuple(map(SeatCards, keyed.by_seat, keyed.by_seat.values()))
    return DealerCards(keyed.dealer), seats, complete


def read_keyed(text: str, begin_at: int, end_at: int) -> KeyedCards | None:
    """The cards between the bracket before the dealer's first and the one after the last seat."""
    dealer_ends = text.find(_DEALER_ENDS, begin_at, end_at)
    if dealer_ends < 0:
        return None
    dealer: tuple[str, ...] = ()
    if dealer_ends > begin_at:
        if text[begin_at] != '"' or text[dealer_ends - 1] != '"':
            return None
        dealer = tuple(text[begin_at + 1 : dealer_ends - 1].split(_NEXT_CARD))
    dealt = list(dealer)
    by_seat: dict[int, tuple[str, ...]] = {}
    seats_at = dealer_ends + len(_DEALER_ENDS)
    if seats_at < end_at:
        if not text.startswith(_FIRST_SEAT, seats_at) or not text.endswith(
            _LAST_SEAT_ENDS, seats_at, end_at
        ):
            return None
        seats = text[seats_at + len(_FIRST_SEAT) : end_at - len(_LAST_SEAT_ENDS)]
        for each in seats.split(_NEXT_SEAT):
            number, _, cards = each.partition(_CARDS)
            seat, hand = _SEAT_NUMBERS.get(number), cards.split(_NEXT_CARD)
            if seat is None or seat in by_seat or not 2 <= len(hand) <= CARDS_MAX:
                return None
            by_seat[seat] = tuple(hand)
            dealt += hand
    kinds = set(dealt)
    if not kinds <= DECK or len(dealer) > CARDS_MAX:
        return None
    return KeyedCards(dealer, by_seat, len(dealt) - len(kinds))


def nobody_wins(
    keyed: KeyedCards, opened: WagersRegistered, in_force: TermsInForce, *, complete: bool
) -> bool:
    """Whether these can be the cards of the round, and no wager of it can have won by them."""
    plain, given = opened.plain, keyed.by_seat.keys()
    wagered = {each.seat for each in opened.listed} if plain is None else set(plain.seats)
    as_many = given >= wagered if complete else given <= wagered
    # No card can lie there more often than once and all the doubles.
    if not as_many or keyed.doubles >= in_force.terms.decks:
        return False
    dealer, terms = keyed.dealer, in_force.terms
    for drawn in range(2, len(dealer)):
        if dealer_stands(dealer[:drawn], terms):
            return False
    for stake in opened.stakes:
        lost = _LOST.get(in_force.bet_by_id[stake.bet].reader)
        if lost is None or not lost(keyed, terms):
            return False
    return True


def _without_sevens(keyed: KeyedCards, _: LinkTerms) -> bool:
    """2.28(c): without a 7 among the first two cards no other card counts."""
    return all(hand[0][0] != "7" and hand[1][0] != "7" for hand in keyed.by_seat.values())


def _without_a_bust(keyed: KeyedCards, terms: LinkTerms) -> bool:
    """2.30(d): the dealer plays the hand out; it decides all wagers on it."""
    dealer = keyed.dealer
    return len(dealer) >= 2 and dealer_stands(dealer, terms) and points(dealer)[0] <= 21


_LOST: Final = {"blazing_sevens": _without_sevens, "buster": _without_a_bust}
"""By the name of a rule text: whether all wagers that it reads have lost."""
