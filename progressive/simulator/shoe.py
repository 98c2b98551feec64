"""Seeded cards: a blackjack shoe, and hands played from it much as people play them."""

from random import Random
from typing import Final, NamedTuple

from progressive.domain.cards import RANKS, SUITS

DECKS: Final = 6
"""Fits a link of six decks and one of eight alike."""
CUT_CARD: Final = 120
"""Fewer cards left than this: shuffle before the next round. A full layout needs about half."""
STANDS_ON: Final = 17
SPLITS_ONE_IN: Final = 3

# This version of the service settles rounds without winners only, and every pay line of the
# progressive bet begins with a 7 among a player's first two cards: the demo shoe holds no sevens.
DEMO_RANKS: Final = RANKS.replace("7", "")


class Hand(NamedTuple):
    """A seat's cards in the order dealt, and its final hands where it split."""

    cards: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...] = ()


class Shoe:
    """Cards until the cut card, then a new shuffle."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._cards: list[str] = []

    def begin_round(self) -> None:
        """Shuffle where too few are left for a whole round."""
        if len(self._cards) >= CUT_CARD:
            return
        self._cards = [rank + suit for rank in DEMO_RANKS for suit in SUITS] * DECKS
        self._random.shuffle(self._cards)

    def draw(self) -> str:
        """The next card."""
        return self._cards.pop()

    def play_seat(self) -> Hand:
        """A seat's round: two cards, a pair split now and then, hits up to 17."""
        first, second = self.draw(), self.draw()
        if first[0] == second[0] and self._random.randrange(SPLITS_ONE_IN) == 0:
            one, other = self._hit([first, self.draw()]), self._hit([second, self.draw()])
            return Hand((first, second, *one[1:], *other[1:]), (one, other))
        return Hand(self._hit([first, second]))

    def play_dealer(self) -> tuple[str, ...]:
        """The dealer's hand; the up card first."""
        return self._hit([self.draw(), self.draw()])

    def _hit(self, cards: list[str]) -> tuple[str, ...]:
        """An ace counts 11 where that does not bust the hand."""
        points = aces = 0
        for card in cards:
            points += _POINTS[card]
            aces += card[0] == "A"
        while (points + 10 if aces and points <= 11 else points) < STANDS_ON:
            card = self.draw()
            cards.append(card)
            points += _POINTS[card]
            aces += card[0] == "A"
        return tuple(cards)


_POINTS: Final = {
    rank + suit: 10 if rank in "TJQK" else RANKS.index(rank) + 1 for rank in RANKS for suit in SUITS
}
