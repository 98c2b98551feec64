"""Money in three exact units, and the one place where they meet.

Wagers and payments are whole cents, meters are microcents, rates are parts per million:
cents x ppm = microcents, so money flows onto a meter without division or rounding, ever. It is
rounded once, when it leaves.
"""

from typing import Final

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


def dollars(cents: int) -> str:
    """`$1,234.56`, for people."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"
