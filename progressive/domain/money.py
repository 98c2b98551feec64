"""Money in three exact units, and the one place where they meet.

Wagers and payments are whole cents, meters are microcents, rates are parts per million:
cents x ppm = microcents, so money flows onto a meter without division or rounding, ever. It is
rounded once, when it leaves.
"""

from typing import Final

from progressive.domain.options import AwardRounding

PPM: Final = 1_000_000
"""One whole, in parts per million."""

MICROCENTS_PER_CENT: Final = 1_000_000

CENTS_MAX: Final = 10**11
"""One billion dollars: the largest single amount any message or file may name.

In microcents that is 10**17, so a meter stays well inside 64 bits for tools that need it to.
"""


def microcents(cents: int) -> int:
    """Whole cents as microcents."""
    return cents * MICROCENTS_PER_CENT


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


def dollars(cents: int) -> str:
    """`$1,234.56`, for people."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"
