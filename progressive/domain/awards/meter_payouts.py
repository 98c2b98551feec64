"""What a winning line takes from a meter, one winner after another, and what the meter falls to.

The one place where an award is taken from a meter. (Contra entries of void rounds and approved
corrections lower a meter too: `domain/decide`.) Amounts on meters are microcents and keep their
fraction; what is paid is whole cents.
"""

from collections.abc import Sequence

from msgspec import Struct, structs

from progressive.domain.money import MICROCENTS_PER_CENT, microcents
from progressive.domain.options import AwardRounding, OverflowPolicy, PaymentOrder
from progressive.domain.rounding import floor_cents, rounded
from progressive.domain.rulebook.rules import LinkTerms, MeterRules

WHOLE_PERCENT = 100


class MeterAmounts(Struct, frozen=True, kw_only=True):
    """A meter as a winner finds it, or leaves it."""

    primary: int
    """Microcents on display."""
    reset: int = 0
    """Microcents that wagers have put by for the next reset."""
    overflow: int = 0
    """Microcents of wagers that came while the meter stood at its limit."""


class MeterReset(Struct, frozen=True, kw_only=True):
    """What a meter falls back to once its whole amount was won."""

    reset_cents: int = 0
    """What the house adds at every reset."""
    limit_cents: int = 0
    """0: none. The meter does not pass it, not even by a reset."""
    overflow: OverflowPolicy = "to_reset_meter"


def reset_of(terms: LinkTerms, meter: MeterRules) -> MeterReset:
    """What a meter of a link falls back to."""
    return MeterReset(
        reset_cents=meter.reset_cents, limit_cents=meter.limit_cents, overflow=terms.overflow
    )


class Taking(Struct, frozen=True, kw_only=True):
    """One award from a meter: what was paid, and the meter on either side of it."""

    amount_cents: int
    before: MeterAmounts
    after: MeterAmounts
    funded_cents: int = 0
    """What the house put on the meter, where it was reset."""
    reset: bool = False
    """Whether the meter fell back to its reset amount."""


def take(
    meter: MeterAmounts,
    reset: MeterReset,
    *,
    share_percent: int,
    rounding: AwardRounding = "nearest",
) -> Taking:
    """The next winner's award from the meter as it stands.

    NJ 13:69F-2.28(h): "in accordance with the amount on the primary meter". The whole of it is
    the whole cents on it; a smaller share is rounded once, and never to more than there is.
    """
    if share_percent == WHOLE_PERCENT:
        amount = floor_cents(meter.primary)
        return _with_reset(
            Taking(amount_cents=amount, before=meter, after=_lowered(meter, amount)), reset
        )
    amount = rounded(meter.primary * share_percent, WHOLE_PERCENT * MICROCENTS_PER_CENT, rounding)
    amount = min(amount, floor_cents(meter.primary))
    return Taking(amount_cents=amount, before=meter, after=_lowered(meter, amount))


def take_equally(
    meter: MeterAmounts, reset: MeterReset, shares_percent: Sequence[int]
) -> list[Taking]:
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
        after = _lowered(now, amount)
        takings.append(Taking(amount_cents=amount, before=now, after=after))
        now = after
    if WHOLE_PERCENT in shares_percent:
        takings[-1] = _with_reset(takings[-1], reset)
    return takings


def take_all(
    meter: MeterAmounts,
    reset: MeterReset,
    shares_percent: Sequence[int],
    *,
    order: PaymentOrder,
    rounding: AwardRounding,
) -> list[Taking]:
    """The awards of all winners of one meter in one round, in the order of payment."""
    if order == "equal_share":
        return take_equally(meter, reset, shares_percent)
    takings: list[Taking] = []
    for share_percent in shares_percent:
        taking = take(meter, reset, share_percent=share_percent, rounding=rounding)
        takings.append(taking)
        meter = taking.after
    return takings


def _lowered(meter: MeterAmounts, cents: int) -> MeterAmounts:
    return structs.replace(meter, primary=meter.primary - microcents(cents))


def _with_reset(taking: Taking, reset: MeterReset) -> Taking:
    """The taking that empties the meter, and what the meter falls back to.

    2.28(i): the part of the reset that the house funds, and all that the reset meter holds; the
    reset meter then starts from zero, so a further winner gets the funded part only. The fraction
    of a cent that could not be paid stays. Players' money above a limit follows the policy: by
    default it joins the reset meter, and what would pass the limit once more waits again.
    """
    left = taking.after
    put_by, waiting = left.reset, left.overflow
    if reset.overflow == "to_reset_meter":
        put_by, waiting = put_by + waiting, 0
    primary = left.primary + microcents(reset.reset_cents) + put_by
    if reset.limit_cents:
        above = max(0, primary - microcents(reset.limit_cents))
        primary, waiting = primary - above, waiting + above
    return structs.replace(
        taking,
        after=MeterAmounts(primary=primary, reset=0, overflow=waiting),
        funded_cents=reset.reset_cents,
        reset=True,
    )
