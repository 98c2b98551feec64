"""Units and ranges of recorded numbers and texts.

Wagers and payments are whole cents, meters are microcents, rates are parts per million: cents x ppm
= microcents, so nothing is divided or rounded on the way onto a meter.
"""

from typing import Annotated, Final, NamedTuple

PPM: Final = 1_000_000
"""One whole, in parts per million."""
MICROCENTS_PER_CENT: Final = 1_000_000
CENTS_MAX: Final = 10**11
"""One billion dollars: the largest single amount that a record may name."""
SMALL_MAX: Final = 10**6
NAME_MAX: Final = 64
CARD_MAX: Final = 8
CARDS_MAX: Final = 64
HANDS_MAX: Final = 8


class AtLeast(NamedTuple):
    """The least that a number may be."""

    value: int


class AtMost(NamedTuple):
    """The greatest that a number may be."""

    value: int


class LengthAtMost(NamedTuple):
    """How long a text, or a list, may be."""

    value: int


AmountCents = Annotated[int, AtLeast(0), AtMost(CENTS_MAX)]
SmallNumber = Annotated[int, AtLeast(-SMALL_MAX), AtMost(SMALL_MAX)]
BetName = Annotated[str, LengthAtMost(NAME_MAX)]
Card = Annotated[str, LengthAtMost(CARD_MAX)]
Cards = Annotated[tuple[Card, ...], LengthAtMost(CARDS_MAX)]
Hands = Annotated[tuple[Cards, ...], LengthAtMost(HANDS_MAX)]
