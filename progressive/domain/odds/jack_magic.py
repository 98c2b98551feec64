"""Jack Magic, The 101 Casino: jacks among the player's two cards and the up card."""

from collections.abc import Sequence
from typing import Final

from progressive.domain.odds.dealing import Chances, Dealing, Hand
from progressive.domain.odds.shoe import tally

# The jacks of spades and hearts are one-eyed, those of diamonds and clubs two-eyed.
_PER_DECK: Final = {"one_eyed": 2, "two_eyed": 2, "other": 48}

# Each line with how many jacks it wants, and how many of them one-eyed.
_WANTED: Final = {
    "three_one_eyed_jacks": (3, 3),
    "three_jacks": (3, 0),
    "two_one_eyed_jacks": (2, 2),
    "two_jacks": (2, 0),
    "one_one_eyed_jack": (1, 1),
    "one_jack": (1, 0),
}

LINES: Final = frozenset(_WANTED)


def chances(dealing: Dealing) -> Chances:
    """Three cards of one shoe; hole card and drawn cards never count."""
    return tally(dealing.shoe, _PER_DECK, cards=3, read=_read)


def assumptions(dealing: Dealing) -> tuple[str, ...]:
    """What a reader must know to trust the figures."""
    return ("one award a hand, for its highest line", "a dealer natural changes nothing")


def _read(kinds: Sequence[str]) -> Hand:
    one_eyed = kinds.count("one_eyed")
    jacks = one_eyed + kinds.count("two_eyed")
    return Hand(
        tuple(
            line
            for line, (jacks_min, one_eyed_min) in _WANTED.items()
            if jacks >= jacks_min and one_eyed >= one_eyed_min
        )
    )
