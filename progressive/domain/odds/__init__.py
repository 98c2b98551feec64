"""Exact odds, one module for each reader of cards. Only the registry here knows them all.

An engine answers what the deal alone decides: every hand of a bet and its probability, as a
fraction, read by the very module that reads the cards on the floor. What the hands are worth is the
paytable's business (`returns.py`).
"""

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
