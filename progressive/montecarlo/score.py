"""What was seen beside what was to be expected. Needs no numpy."""

from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from typing import Literal, NamedTuple

from msgspec import Struct

Result = Literal["win", "push", "free_bonus"]


class Event(NamedTuple):
    """Something whose frequency can be held against its exact probability."""

    result: Result
    line: str


class Observed(Struct, frozen=True, kw_only=True):
    """How often an event came, and how far that is from its exact probability."""

    line: str
    result: Result
    count: int
    frequency: float
    expected: float
    z: float | None
    """In standard deviations; None where nothing can vary, the probability being 0 or 1."""


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
