"""Jack Magic, The 101 Casino: jacks among the player's first two cards and the up card.

"According to the cards in the player's initial two-card hand and player-dealer's initial up-card."
The jacks of spades and hearts are one-eyed. One row is paid, the highest.
"""

from collections.abc import Sequence
from typing import Final

from progressive.domain.commands import SeatCards
from progressive.domain.games.reading import Dealing, Reader, no_up_card

ONE_EYED: Final = frozenset(("Js", "Jh"))

_BY_JACKS: Final = ((), ("one_jack",), ("two_jacks", "one_jack"), ("three_jacks", "two_jacks"))
_BY_ONE_EYED: Final = (
    (),
    ("one_one_eyed_jack",),
    ("two_one_eyed_jacks", "one_one_eyed_jack"),
    ("three_one_eyed_jacks", "two_one_eyed_jacks"),
)


def made(seat: SeatCards, dealer: Sequence[str], _: Dealing) -> Sequence[str]:
    """Every row that the three cards make, of jacks and of one-eyed jacks."""
    cards = (*seat.cards[:2], dealer[0])
    jacks = sum([card[0] == "J" for card in cards])
    one_eyed = sum([card in ONE_EYED for card in cards])
    return (*_BY_ONE_EYED[one_eyed], *_BY_JACKS[jacks])


READER: Final = Reader(
    lines=(
        "three_one_eyed_jacks",
        "three_jacks",
        "two_one_eyed_jacks",
        "two_jacks",
        "one_one_eyed_jack",
        "one_jack",
    ),
    made=made,
    missing=no_up_card,
)
