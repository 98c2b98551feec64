"""The registry of engines: which module computes the odds of which kind of bet."""

from typing import Final

from progressive.domain.odds import blazing_sevens, buster, jack_magic, naturals
from progressive.domain.odds.engine import Engine

ENGINES: Final[dict[str, Engine]] = {
    "blazing_sevens": blazing_sevens.ENGINE,
    "buster": buster.ENGINE,
    "jack_magic": jack_magic.ENGINE,
    "blackjack_x": naturals.ENGINE,
}
"""By the name of the reader, as game files spell it."""
