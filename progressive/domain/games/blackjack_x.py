"""The base game of Blackjack X, The 101 Casino: each hand against the player-dealer's.

The only reader that compares hands: a wager is won, lost or pushed, and a split seat has several.
A natural (31) is made by the first two cards; every other total is counted as in blackjack, but a
player may draw at 21, and 31 made that way wins. 22 to 30 loses.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from progressive.domain.cards import BLACKJACK, is_natural, total
from progressive.domain.commands import SeatCards
from progressive.domain.games.reading import final_hands, has_blackjack

Result = Literal["win", "lose", "push"]

LINES: Final = ("blackjack_x", "natural_31", "hard_31", "other")
HARD_31: Final = 31


class Outcome(Struct, frozen=True):
    """What became of one hand, and the line it stands for."""

    result: Result
    line: str | None


def is_blackjack_x(cards: Sequence[str]) -> bool:
    """An ace and king of one suit."""
    return {card[0] for card in cards} == {"A", "K"} and cards[0][1] == cards[1][1]


def outcomes(seat: SeatCards, dealer: Sequence[str]) -> list[Outcome]:
    """Each of the seat's hands against the dealer's."""
    if has_blackjack(seat):
        line = "blackjack_x" if is_blackjack_x(seat.cards) else "natural_31"
        # "The player and the player-dealer ties on all naturals": Blackjack X with them.
        return [Outcome("push" if is_natural(dealer) else "win", line)]
    return [_outcome(hand, dealer) for hand in final_hands(seat)]


def _outcome(hand: Sequence[str], dealer: Sequence[str]) -> Outcome:
    points = total(hand).points
    if is_natural(dealer) or BLACKJACK < points < HARD_31:
        # "A natural beats all hands"; "the player loses on a hand ... between 22 and 30".
        return Outcome("lose", None)
    if points == HARD_31:
        return Outcome("win", "hard_31")
    against = total(dealer)
    if against.bust or points > against.points:
        return Outcome("win", "other")
    if points == against.points:
        return Outcome("push", "other")
    return Outcome("lose", None)


def depends_on_draw(hands: Sequence[Sequence[str]], dealer: Sequence[str]) -> bool:
    """Whether some hand's result hangs on the cards the dealer draws after the first two."""
    return not is_natural(dealer[:2]) and any(not total(hand).bust for hand in hands)
