"""A whole simulation: chunk after chunk of hands, then each class of hands read once."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from progressive.montecarlo.blazing_sevens import BlazingSevens
from progressive.montecarlo.buster import Buster
from progressive.montecarlo.game import Game, Setup
from progressive.montecarlo.jack_magic import JackMagic
from progressive.montecarlo.naturals import Naturals
from progressive.montecarlo.score import Event

CHUNK_HANDS: Final = 65_536
"""Dealt at once: a chunk's arrays stay in the processor's cache, and memory stays bounded."""

GAMES: Final[Mapping[str, Callable[[Setup, np.random.Generator], Game]]] = {
    "blazing_sevens": BlazingSevens,
    "buster": Buster,
    "jack_magic": JackMagic,
    "blackjack_x": Naturals,
}
"""By the name of the game module that reads the cards."""


def simulate(
    reader: str, setup: Setup, *, hands: int, seed: int, on_progress: Callable[[int], None]
) -> Counter[Event]:
    """Deal so many hands and count what came. The same seed deals the same hands."""
    game = GAMES[reader](setup, np.random.Generator(np.random.PCG64(seed)))
    tally = np.zeros(1, dtype=np.int64)
    left = hands
    while left:
        chunk = min(left, CHUNK_HANDS)
        tally = tally + game.deal(chunk)
        left -= chunk
        on_progress(hands - left)
    seen: Counter[Event] = Counter()
    for hand_class, count in enumerate(tally.tolist()):
        for event in game.read(hand_class):
            seen[event] += count
    return seen
