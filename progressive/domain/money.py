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


_SYMBOLS: Final = {"USD": "$", "GBP": "£"}
"""Of currencies whose symbol means no other one, and can be drawn on every sign, LED signs too."""


def money_text(cents: int, currency: str) -> str:
    """`$1,234.56`, or `EUR 1,234.56`; `1,234.56` where the currency is not known (empty)."""
    return _text(cents < 0, currency, *divmod(abs(cents), 100), decimals=2)


def exact_money_text(amount_microcents: int, currency: str) -> str:
    """The same with the fraction of a cent, where there is one: `$1,234.560004`.

    Every digit is printed, so that amounts add up on paper.
    """
    whole, part = divmod(abs(amount_microcents), 100 * MICROCENTS_PER_CENT)
    decimals = 8
    while decimals > 2 and part % 10 == 0:
        part //= 10
        decimals -= 1
    return _text(amount_microcents < 0, currency, whole, part, decimals=decimals)


def difference_text(amount_microcents: int, currency: str) -> str:
    """`$1.00 (100,000,000 microcents)`: what people read, and what is in the records."""
    return f"{exact_money_text(amount_microcents, currency)} ({amount_microcents:,} microcents)"


def _text(below_zero: bool, currency: str, whole: int, part: int, *, decimals: int) -> str:
    mark = _SYMBOLS.get(currency, f"{currency} " if currency else "")
    return f"{'-' if below_zero else ''}{mark}{whole:,}.{part:0{decimals}}"
