"""A whole simulation: chunk after chunk, then what was seen beside what was to be expected."""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np
from msgspec import Struct

from progressive.montecarlo.blazing_sevens import BlazingSevens
from progressive.montecarlo.buster import Buster
from progressive.montecarlo.game import Event, Game, Setup
from progressive.montecarlo.jack_magic import JackMagic
from progressive.montecarlo.naturals import Naturals

CHUNK_HANDS: Final = 65_536
"""Dealt at once: a chunk's arrays stay in the processor's cache, and memory stays bounded."""

GAMES: Final[Mapping[str, Callable[[Setup, np.random.Generator], Game]]] = {
    "blazing_sevens": BlazingSevens,
    "buster": Buster,
    "jack_magic": JackMagic,
    "blackjack_x": Naturals,
}
"""By the name of the game module that reads the cards."""


class Observed(Struct, frozen=True, kw_only=True):
    """How often something came, and how far that is from its exact probability."""

    line: str
    result: str
    count: int
    frequency: float
    expected: float
    z: float | None
    """In standard deviations; None where nothing can vary, the probability being 0 or 1."""


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


def observed(
    seen: Mapping[Event, int], expected: Mapping[Event, Fraction], *, hands: int
) -> tuple[Observed, ...]:
    """Everything expected, in its order, with the standard score of what was seen."""
    return tuple(
        Observed(
            line=event.line,
            result=event.result,
            count=(count := seen.get(event, 0)),
            frequency=count / hands,
            expected=float(chance),
            z=_standard_score(count, chance, hands),
        )
        for event, chance in expected.items()
    )


def _standard_score(count: int, chance: Fraction, hands: int) -> float | None:
    variance = hands * chance * (1 - chance)
    return float(count - hands * chance) / sqrt(variance) if variance else None
