"""What winners take from a meter, one after another: the verifier's own sum.

It must never borrow from `awards`, which is the writer's. Meters are microcents; what is paid is
whole cents.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from progressive.verifier.recorded.limits import MICROCENTS_PER_CENT
from progressive.verifier.recorded.terms import AwardRounding, OverflowPolicy, PaymentOrder


@dataclass(frozen=True, slots=True)
class Amounts:
    """The three parts of a meter, in microcents; named as a snapshot names them."""

    primary: int
    reset: int = 0
    overflow: int = 0


@dataclass(frozen=True, slots=True)
class Fallback:
    """What a meter falls back to; named as a snapshot names it."""

    reset_cents: int = 0
    limit_cents: int = 0
    overflow: OverflowPolicy = "to_reset_meter"


@dataclass(frozen=True, slots=True)
class Taken:
    """One winner's part: the meter before it, the cents paid, the meter after it."""

    before: Amounts
    cents: int
    after: Amounts
    funded_cents: int = 0

    @property
    def from_reset(self) -> int:
        """What the reset meter gave to a reset."""
        return self.before.reset - self.after.reset

    @property
    def from_overflow(self) -> int:
        """What the overflow gave to it; below zero where the limit sent some back there."""
        return self.before.overflow - self.after.overflow


def take_in_turn(
    found: Amounts,
    fallback: Fallback,
    shares_percent: Sequence[int],
    *,
    order: PaymentOrder,
    rounding: AwardRounding,
) -> list[Taken]:
    """The winners of one meter in one round, in the order of payment."""
    takings: list[Taken] = []
    now = found
    together = max(100, sum(shares_percent))
    for place, share in enumerate(shares_percent, start=1):
        if order == "equal_share":
            # 2.28(h): all from one reading; more than the whole is cut down alike, odd cents stay.
            cents = found.primary * share // (together * MICROCENTS_PER_CENT)
            resets = place == len(shares_percent) and 100 in shares_percent
        else:
            cents = _share(now.primary, share, rounding)
            resets = share == 100
        left = Amounts(now.primary - cents * MICROCENTS_PER_CENT, now.reset, now.overflow)
        after = _fall_back(left, fallback) if resets else left
        takings.append(Taken(now, cents, after, fallback.reset_cents if resets else 0))
        now = after
    return takings


def quotient(numerator: int, denominator: int, rounding: AwardRounding) -> int:
    """A whole number; half a cent is a cent where the nearest is asked for."""
    whole, rest = divmod(numerator, denominator)
    if rounding == "down":
        return whole
    return whole + (rest > 0 if rounding == "up" else 2 * rest >= denominator)


def _share(primary: int, share_percent: int, rounding: AwardRounding) -> int:
    there = primary // MICROCENTS_PER_CENT
    if share_percent == 100:
        return there
    return min(there, quotient(primary * share_percent, 100 * MICROCENTS_PER_CENT, rounding))


def _fall_back(left: Amounts, fallback: Fallback) -> Amounts:
    """2.28(i): the house's part and the reset meter, which then begins again; never above a limit.

    What lay above a limit joins, or stays where it is, as the terms say.
    """
    joins = left.overflow if fallback.overflow == "to_reset_meter" else 0
    primary = left.primary + left.reset + joins + fallback.reset_cents * MICROCENTS_PER_CENT
    limit = fallback.limit_cents * MICROCENTS_PER_CENT
    above = max(0, primary - limit) if limit else 0
    return Amounts(primary - above, 0, left.overflow - joins + above)
