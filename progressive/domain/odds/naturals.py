"""The base game of The 101 Casino, as far as the deal alone decides it: naturals.

Hard 31 and every other win depend on how the player plays, and have no odds of their own.
"""

from collections.abc import Sequence
from typing import Final

from progressive.domain.odds.dealing import LOST, Chances, Dealing, Hand
from progressive.domain.odds.shoe import tally

LINES: Final = frozenset({"natural_31", "blackjack_x"})

_SUITS: Final = "shdc"
_PER_DECK: Final = {
    **{f"A{suit}": 1 for suit in _SUITS},
    **{f"K{suit}": 1 for suit in _SUITS},
    "ten": 12,
    "other": 32,
}


def chances(dealing: Dealing) -> Chances:
    """The player's two cards, then the player-dealer's two."""
    return tally(dealing.shoe, _PER_DECK, cards=4, read=_read)


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """What a reader must know to trust the figures."""
    return (
        "a line is won where the dealer has no natural, and pushes where he has one",
        "an ace with any 10, J, Q or K is a natural; suited ace and king are Blackjack X",
    )


def _read(kinds: Sequence[str]) -> Hand:
    player, dealer = kinds[:2], kinds[2:]
    if not _natural(player):
        return LOST
    first, second = player
    # "Ace and King suited": the kinds are two different ranks here, so one suit is enough.
    suited_king = "ten" not in player and first[1] == second[1]
    line = "blackjack_x" if suited_king else "natural_31"
    # "The player and the player-dealer ties on all naturals."
    return Hand((line,), pushes=_natural(dealer))


def _natural(two: Sequence[str]) -> bool:
    return {_points(kind) for kind in two} == {"ace", "ten"}


def _points(kind: str) -> str:
    if kind in ("ten", "other"):
        return kind
    return "ace" if kind[0] == "A" else "ten"
