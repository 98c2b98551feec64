"""From microcents to whole cents: the one rounding, when money leaves a meter or is shown.

The audit must not import this: it rounds by itself, so that a slip here is found there.
"""

from progressive.domain.money import MICROCENTS_PER_CENT
from progressive.domain.options import AwardRounding


def floor_cents(amount_microcents: int) -> int:
    """The whole cents in an amount: what a sign may show and a player may be paid."""
    return amount_microcents // MICROCENTS_PER_CENT


def rounded(numerator: int, denominator: int, rounding: AwardRounding) -> int:
    """A quotient of whole numbers, not below zero, as a whole number."""
    match rounding:
        case "nearest":
            return (2 * numerator + denominator) // (2 * denominator)
        case "down":
            return numerator // denominator
        case "up":
            return -(-numerator // denominator)
