"""Buster Blackjack, dealt at random: dealers' hands drawn side by side until each one stops."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from progressive.domain.cards import RANKS
from progressive.domain.options import Soft17
from progressive.montecarlo.game import Setup, Tally
from progressive.montecarlo.score import Event
from progressive.montecarlo.stack import Places, Stack

# A dealer's hand that still draws is a number: its total with aces as 1, whether it holds an ace,
# whether the player beside it has a blackjack; and room for the next card's worth, 0 to 9.
_WORTHS: Final = 10
_ACE_HELD: Final = 32
_BLACKJACK: Final = 64
_DRAWING: Final = 2 * _BLACKJACK * _WORTHS
"""Below it hands draw, from it on they are done."""
_STOOD: Final = _DRAWING
_BUSTED: Final = _DRAWING + 1
_BUSTED_BESIDE_BLACKJACK: Final = _DRAWING + 2

_CARDS_END: Final = 16
"""No hand has so many cards: seven aces, 5, four aces and a last card are 13."""
_ACE, _TEN = 0, 9


class Buster:
    """A class is the number of cards in a bust, 0 for none; and the player's blackjack."""

    def __init__(self, setup: Setup, random: np.random.Generator) -> None:
        self._stack = Stack(setup.decks, random)
        self._lines = setup.lines
        self._free_bonus = setup.free_bonus
        self._worth = self._stack.codes(
            {rank + suit: min(at, _TEN) for at, rank in enumerate(RANKS) for suit in "shdc"}
        )
        self._after = _transitions(setup.soft17)

    def deal(self, hands: int) -> Tally:
        """Whole dealers' hands; only those that still draw go on to another card."""
        tally = np.zeros(2 * _CARDS_END, dtype=np.int64)
        dealt, states = self._before_dealer(hands)
        first = self._stack.deal(hands, dealt)
        states += self._worth.take(first)
        states = self._after.take(states)
        dealt = [*dealt, first]
        cards = 1
        while states.size:
            cards += 1
            card = self._stack.deal(states.size, dealt)
            states += self._worth.take(card)
            states = self._after.take(states)
            tally[cards] = np.count_nonzero(states == _BUSTED)
            tally[_CARDS_END + cards] = np.count_nonzero(states == _BUSTED_BESIDE_BLACKJACK)
            drawing = np.flatnonzero(states < _DRAWING)
            states = states.take(drawing)
            dealt = [earlier.take(drawing) for earlier in (*dealt, card)]
        tally[0] = hands - tally.sum()
        return tally

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """The paytable's line, and the free bonus's beside a blackjack."""
        blackjack, cards = divmod(hand_class, _CARDS_END)
        line = f"bust_{cards}" if cards < 8 else "bust_8_or_more"
        if line not in self._lines:
            return ()
        return (Event("win", line), Event("free_bonus", line))[: 1 + blackjack]

    def _before_dealer(self, hands: int) -> tuple[list[Places], NDArray[np.uint16]]:
        """The player's two cards, where the bonus asks for them, and empty dealers' hands."""
        if not self._free_bonus:
            return [], np.zeros(hands, dtype=np.uint16)
        first = self._stack.deal(hands)
        second = self._stack.deal(hands, [first])
        one, other = self._worth.take(first), self._worth.take(second)
        blackjack = ((one == _ACE) & (other == _TEN)) | ((one == _TEN) & (other == _ACE))
        return [first, second], blackjack * np.uint16(_BLACKJACK * _WORTHS)


def _transitions(soft17: Soft17) -> NDArray[np.uint16]:
    """What every hand that draws becomes with every card."""
    after = np.empty(_DRAWING, dtype=np.uint16)
    for number in range(_DRAWING):
        state, worth = divmod(number, _WORTHS)
        blackjack, hand = divmod(state, _BLACKJACK)
        ace_held, hard = divmod(hand, _ACE_HELD)
        # A hand of one card is not done, whatever it is; no one card reaches 12.
        after[number] = _after_card(
            hard + worth + 1,
            ace=bool(ace_held) or worth == _ACE,
            beside_blackjack=bool(blackjack),
            soft17=soft17,
        )
    return after


def _after_card(hard: int, *, ace: bool, beside_blackjack: bool, soft17: Soft17) -> int:
    if hard > 21:
        return _BUSTED_BESIDE_BLACKJACK if beside_blackjack else _BUSTED
    soft = ace and hard <= 11
    if (soft and hard + 10 > (17 if soft17 == "hit" else 16)) or (not soft and hard >= 17):
        return _STOOD
    return (beside_blackjack * _BLACKJACK + ace * _ACE_HELD + hard) * _WORTHS
