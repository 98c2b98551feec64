"""Microcents to whole cents without losing one: differences of floored running amounts.

A meter's fraction of a cent stays on the meter. Each step is the difference of two floored
amounts, so that the steps always sum to the difference of the floored opening and closing, and the
ledger always equals the meter's whole cents.
"""

from collections.abc import Iterable

from progressive.domain.money import MICROCENTS_PER_CENT


def steps_in_cents(opening: int, steps: Iterable[int]) -> list[int]:
    """Whole cents of each step, in order, from an opening amount on."""
    found = []
    running = opening
    for step in steps:
        after = running + step
        found.append(after // MICROCENTS_PER_CENT - running // MICROCENTS_PER_CENT)
        running = after
    return found
