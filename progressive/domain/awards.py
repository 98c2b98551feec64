"""What a winning line takes from a meter, one winner after another, and what the meter falls to.

The one place where money leaves a meter. Amounts on meters are microcents and keep their fraction;
what is paid is whole cents.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from progressive.domain.money import (
    MICROCENTS_PER_CENT,
    floor_cents,
    microcents,
    rounded,
)
from progressive.domain.options import AwardRounding

WHOLE_PERCENT = 100


class MeterAmounts(Struct, frozen=True, kw_only=True):
    """A meter as a winner finds it, or leaves it."""

    primary: int
    """Microcents on display."""
    reset: int = 0
    """Microcents that wagers have put by for the next reset."""
    reset_cents: int = 0
    """What the house adds at every reset; it does not move."""


class Taking(Struct, frozen=True, kw_only=True):
    """One award from a meter: what was paid, and the meter on either side of it."""

    amount_cents: int
    before: MeterAmounts
    after: MeterAmounts
    reset: bool = False
    """Whether the meter fell back to its reset amount."""


def take(meter: MeterAmounts, *, share_percent: int, rounding: AwardRounding = "nearest") -> Taking:
    """The next winner's award from the meter as it stands.

    NJ 13:69F-2.28(h): "in accordance with the amount on the primary meter". The whole of it is
    the whole cents on it; a smaller share is rounded once, and never to more than there is.
    """
    if share_percent == WHOLE_PERCENT:
        amount = floor_cents(meter.primary)
        return Taking(
            amount_cents=amount, before=meter, after=reset_after(meter, amount), reset=True
        )
    amount = rounded(meter.primary * share_percent, WHOLE_PERCENT * MICROCENTS_PER_CENT, rounding)
    amount = min(amount, floor_cents(meter.primary))
    after = structs.replace(meter, primary=meter.primary - microcents(amount))
    return Taking(amount_cents=amount, before=meter, after=after)


def take_equally(meter: MeterAmounts, shares_percent: Sequence[int]) -> list[Taking]:
    """The awards of all winners of one round from one reading of the meter.

    The filed alternative to an order of payment (2.28(h), last sentence but one). Shares that add
    up to more than the whole are cut down alike; odd cents stay on the meter. Each taking shows
    the meter as it falls; the reset, if anybody won the whole, comes with the last.
    """
    parts = max(WHOLE_PERCENT, sum(shares_percent))
    takings: list[Taking] = []
    now = meter
    for share_percent in shares_percent:
        amount = meter.primary * share_percent // (parts * MICROCENTS_PER_CENT)
        after = structs.replace(now, primary=now.primary - microcents(amount))
        takings.append(Taking(amount_cents=amount, before=now, after=after))
        now = after
    if WHOLE_PERCENT in shares_percent:
        last = takings[-1]
        takings[-1] = structs.replace(last, after=reset_after(last.after, 0), reset=True)
    return takings


def reset_after(meter: MeterAmounts, paid_cents: int) -> MeterAmounts:
    """The meter after its whole amount was won.

    2.28(i): the part of the reset that the house funds, and all that the reset meter holds; the
    reset meter then starts from zero, so a further winner gets the funded part only. The fraction
    of a cent that could not be paid stays.
    """
    left = meter.primary - microcents(paid_cents)
    return structs.replace(
        meter, primary=left + microcents(meter.reset_cents) + meter.reset, reset=0
    )
