"""The base game of The 101 Casino, as far as the deal alone decides it: naturals.

Hard 31 and every other win depend on how the player plays, and so have no odds of their own.
"""

from typing import Final

from progressive.domain.cards import is_natural
from progressive.domain.commands import SeatCards
from progressive.domain.games import blackjack_x
from progressive.domain.games.reading import Dealing
from progressive.domain.odds.engine import LOST, Chances, Engine, Hand
from progressive.domain.odds.shoe import Shoe, tally

# One card stands for all that the game cannot tell apart: Ts for ten, jack and queen of any suit.
_PER_DECK: Final = {
    **{f"{rank}{suit}": 1 for rank in "AK" for suit in "shdc"},
    "Ts": 12,
    "2s": 32,
}


def chances(shoe: Shoe, _: Dealing) -> Chances:
    """The player's two cards against the player-dealer's two."""
    return tally(shoe, _PER_DECK, cards=4, read=_read)


def _read(cards: tuple[str, ...]) -> Hand:
    player, dealer = cards[:2], cards[2:]
    if not is_natural(player):
        return LOST
    (outcome,) = blackjack_x.outcomes(SeatCards(seat=1, cards=player), dealer)
    return Hand((str(outcome.line),), pushes=outcome.result == "push")


def assumptions(_: Dealing) -> tuple[str, ...]:
    """What is decided by the deal, and what is not."""
    return (
        "a natural wins, and pushes against a dealer's natural",
        "other lines depend on how the player plays and are left out, and with them the return",
    )


ENGINE: Final = Engine(
    lines=("blackjack_x", "natural_31"), chances=chances, assumptions=assumptions
)
