"""Buster Blackjack, dealt at random: dealers' hands drawn side by side until each one stops."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from progressive.domain.cards import RANKS
from progressive.domain.options import Soft17
from progressive.montecarlo.game import Setup, Tally
from progressive.montecarlo.score import Event
from progressive.montecarlo.stack import Places, Stack

# A dealer's hand that still draws is a number: its total with aces as 1, whether it holds an ace,
# and room for the next card's worth, 0 to 9.
_WORTHS: Final = 10
_ACE_HELD: Final = 32
_DRAWING: Final = 2 * _ACE_HELD * _WORTHS
"""Below it hands draw, from it on they are done."""
_STOOD: Final = _DRAWING
_BUSTED: Final = _DRAWING + 1

_CARDS_END: Final = 16
"""No hand has so many cards: seven aces, 5, four aces and a last card are 13."""
_ACE, _TEN = 0, 9


class Buster:
    """A class is the number of cards in a bust, 0 for none.

    With a free bonus, busts beside a player's blackjack are counted once more, in classes of
    their own above.
    """

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
        dealt = [self._stack.deal(hands)]
        states = self._after.take(self._worth.take(dealt[0]))
        while states.size:
            dealt.append(self._stack.deal(states.size, dealt))
            states += self._worth.take(dealt[-1])
            states = self._after.take(states)
            busted = np.flatnonzero(states == _BUSTED)
            tally[len(dealt)] = busted.size
            if self._free_bonus:
                blackjacks = self._blackjacks([card.take(busted) for card in dealt])
                tally[_CARDS_END + len(dealt)] = blackjacks
            drawing = np.flatnonzero(states < _DRAWING)
            states = states.take(drawing)
            dealt = [card.take(drawing) for card in dealt]
        tally[0] = hands - tally[:_CARDS_END].sum()
        return tally

    def read(self, hand_class: int) -> tuple[Event, ...]:
        """The paytable's line, or the free bonus on it."""
        blackjack, cards = divmod(hand_class, _CARDS_END)
        line = f"bust_{cards}" if cards < 8 else "bust_8_or_more"
        if line not in self._lines:
            return ()
        return (Event("free_bonus" if blackjack else "win", line),)

    def _blackjacks(self, dealt: Sequence[Places]) -> int:
        """Beside how many of these dealers the player has a blackjack.

        The player's two cards came first, but any two that the dealer does not hold are as likely
        as any others: they can be dealt last, and only where they matter.
        """
        first = self._stack.deal(dealt[0].size, dealt)
        second = self._stack.deal(dealt[0].size, [*dealt, first])
        one, other = self._worth.take(first), self._worth.take(second)
        natural = ((one == _ACE) & (other == _TEN)) | ((one == _TEN) & (other == _ACE))
        return int(np.count_nonzero(natural))


def _transitions(soft17: Soft17) -> NDArray[np.uint16]:
    """What every hand that draws becomes with every card."""
    after = np.empty(_DRAWING, dtype=np.uint16)
    for number in range(_DRAWING):
        hand, worth = divmod(number, _WORTHS)
        ace_held, hard = divmod(hand, _ACE_HELD)
        # One card is never a whole hand: none of them reaches 12, aces included.
        after[number] = _after_card(hard + worth + 1, bool(ace_held) or worth == _ACE, soft17)
    return after


def _after_card(hard: int, ace: bool, soft17: Soft17) -> int:
    if hard > 21:
        return _BUSTED
    soft = ace and hard <= 11
    if (soft and hard + 10 > (17 if soft17 == "hit" else 16)) or (not soft and hard >= 17):
        return _STOOD
    return (ace * _ACE_HELD + hard) * _WORTHS
