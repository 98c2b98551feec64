"""Seeded cards: a blackjack shoe, and a round dealt from it much as people play one."""

from collections.abc import Iterable
from random import Random
from typing import Final

from msgspec import Struct

from progressive.domain.cards import RANKS, SUITS
from progressive.domain.commands import SeatCards
from progressive.simulator.reading import LOOKS_FIRST, blackjack, dealer_stands, points
from progressive.wire.table_messages import DealingMessage

CUT_CARD: Final = 120
"""Fewer cards left than this: shuffle before the next round. A full layout needs about half."""
STANDS_ON: Final = 17
SPLITS_ONE_IN: Final = 3
SEVEN: Final = "7"


class Dealt(Struct, frozen=True):
    """The cards of a round; the dealer's up card is the first of theirs."""

    seats: tuple[SeatCards, ...]
    dealer: tuple[str, ...]


class Shoe:
    """Cards until the cut card, then a new shuffle."""

    def __init__(self, random: Random, dealing: DealingMessage, *, demo: bool = False) -> None:
        """`demo`: all sevens of the decks, but one deck of everything else: jackpots to look at."""
        self._random = random
        self._dealing = dealing
        self._full = [
            rank + suit
            for rank in RANKS
            for suit in SUITS
            for _ in range(1 if demo and rank != SEVEN else dealing.decks)
        ]
        self._cards: list[str] = []

    def deal(self, seats: Iterable[int]) -> Dealt:
        """A whole round. The dealer's hand comes off first: it must never want for a card."""
        if len(self._cards) < CUT_CARD:
            self._cards = self._full.copy()
            self._random.shuffle(self._cards)
        pairs = {seat: [self._cards.pop(), self._cards.pop()] for seat in seats}
        dealer = [self._cards.pop(), self._cards.pop()]
        while not dealer_stands(dealer, self._dealing):
            dealer.append(self._cards.pop())
        # A dealer's blackjack that is seen ends the round before anybody draws.
        over = blackjack(dealer) and self._dealing.dealer_procedure in LOOKS_FIRST
        return Dealt(
            tuple(
                SeatCards(seat, tuple(pair)) if over else self._play(seat, pair)
                for seat, pair in pairs.items()
            ),
            tuple(dealer),
        )

    def _play(self, seat: int, pair: list[str]) -> SeatCards:
        """A pair split now and then, hits up to 17."""
        first, second = pair
        if (
            first[0] == second[0]
            and len(self._cards) >= 2
            and self._random.randrange(SPLITS_ONE_IN) == 0
        ):
            one = self._hit([first, self._cards.pop()], keep=1)
            other = self._hit([second, self._cards.pop()])
            return SeatCards(seat, (first, second, *one[1:], *other[1:]), (one, other))
        return SeatCards(seat, self._hit(pair))

    def _hit(self, cards: list[str], *, keep: int = 0) -> tuple[str, ...]:
        """`keep`: cards that must be left for another hand of the seat."""
        while points(cards) < STANDS_ON and len(self._cards) > keep:
            cards.append(self._cards.pop())
        return tuple(cards)
