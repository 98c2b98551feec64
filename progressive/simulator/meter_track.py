"""PURE. Where one meter can be, by our own sums: intervals of microcents, never a guess.

Only whole cents are public, so the fraction on a meter is unknown at first; what is on its reset
meter and its overflow meter is never told. Each answer narrows what is possible, and an answer
that leaves nothing of it is wrong. No rounding but the one when money leaves.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from progressive.domain.money import CENTS_MAX, MICROCENTS_PER_CENT, microcents, money_text
from progressive.domain.options import AwardRounding
from progressive.domain.rounding import floor_cents

UNKNOWN_BELOW: Final = microcents(CENTS_MAX) * 1000
"""Above anything a meter can be at: the end of an interval that says nothing."""
NO_LIMIT: Final = UNKNOWN_BELOW * 1000
WHOLE: Final = 100


class MeterTerms(Struct, frozen=True):
    """A meter as the service publishes it."""

    id: str
    bet: str
    rate_ppm: int
    limit_cents: int = 0
    """0: none. What is put on above it does not show."""
    reach_microcents: int = 0
    """The most that one wager record of somebody else's can move it by, either way."""
    currency: str = ""
    """For texts; empty: not told."""


class Range(NamedTuple):
    """At least `low`, at most `high`."""

    low: int
    high: int

    def plus(self, other: "Range") -> "Range":
        """The sum of two unknowns."""
        return Range(self.low + other.low, self.high + other.high)

    def less(self, other: "Range") -> "Range":
        """The difference of two unknowns, where neither falls below nothing."""
        return Range(max(0, self.low - other.high), max(0, self.high - other.low))

    def up_to(self, limit: int) -> "Range":
        """As much of it as stays below a limit."""
        return Range(min(self.low, limit), min(self.high, limit))

    def above(self, limit: int) -> "Range":
        """As much of it as does not."""
        return Range(max(0, self.low - limit), max(0, self.high - limit))


NOTHING: Final = Range(0, 0)
ANYTHING: Final = Range(0, UNKNOWN_BELOW)


class Put(NamedTuple):
    """What a lock put on a meter's parts, so that a void can take it back."""

    primary: Range
    overflow: Range
    reset: int


class Take(NamedTuple):
    """An award from a meter, as the answer tells it, and the terms it was made by."""

    meter: int
    """The meter's place in every message."""
    what: str
    """For people: the seat and the line."""
    share_percent: int
    amount_cents: int
    before_cents: int
    after_cents: int
    reset_cents: int
    rounding: AwardRounding = "nearest"
    together: bool = False
    """Equal shares: all winners of the round take from one reading of the meter."""
    overflow_stays: bool = False


class MeterTrack:
    """One meter: `low` to `end` (excluded) on display, and the two parts that nobody sees."""

    __slots__ = ("_limit", "_overflow", "_reset", "doubted", "end", "low", "terms")

    def __init__(self, terms: MeterTerms, cents: int, *, fresh: bool = False) -> None:
        """`fresh`: nothing has been wagered yet: whole cents are shown, the rest holds nothing."""
        self.terms = terms
        self._limit = microcents(terms.limit_cents) if terms.limit_cents else NO_LIMIT
        self._reset = self._overflow = NOTHING if fresh else ANYTHING
        self.doubted = False
        self._show(cents)
        if fresh:
            self.end = self.low + 1

    def anchor(self, cents: int) -> None:
        """Believe what is shown: nothing but the fraction is known of it, nothing of the rest."""
        self._show(cents)
        self._reset = self._overflow = ANYTHING

    def _show(self, cents: int) -> None:
        self.low = microcents(cents)
        self.end = self.low + MICROCENTS_PER_CENT

    def forget(self) -> None:
        """It can be anywhere."""
        self.low, self.end = 0, UNKNOWN_BELOW
        self._reset = self._overflow = ANYTHING

    def put(self, amount: int, *, by: int = 0) -> Put:
        """Put an amount on it, as far as there is room below the limit, and something by."""
        low, last, limit = self.low, self.end - 1, self._limit
        # The fuller the meter, the less room: the upper end takes the least.
        fits = Range(min(amount, max(0, limit - last)), min(amount, max(0, limit - low)))
        self.low, self.end = low + fits.high, last + fits.low + 1
        put = Put(fits, Range(amount - fits.high, amount - fits.low), by)
        self._overflow = self._overflow.plus(put.overflow)
        self._reset = self._reset.plus(Range(by, by))
        return put

    def take_back(self, put: Put) -> None:
        """Take back what a lock put on; a meter never falls below nothing."""
        self.low = max(0, self.low - put.primary.high)
        self.end = max(1, self.end - put.primary.low)
        self._overflow = self._overflow.less(put.overflow)
        self._reset = self._reset.less(Range(put.reset, put.reset))

    def blur(self, records: int, *, people: bool) -> None:
        """Others wrote so many records: each can have moved it a little, people the rest too."""
        moved = records * self.terms.reach_microcents + (MICROCENTS_PER_CENT if people else 0)
        self.low = max(0, self.low - moved)
        self.end += moved
        self._reset = self._overflow = ANYTHING

    def shows(self, cents: int) -> bool:
        """Narrow by what an answer shows; False where that cannot be."""
        low = max(self.low, microcents(cents))
        end = min(self.end, microcents(cents + 1))
        if low >= end:
            return False
        self.low, self.end = low, end
        return True

    def possible(self) -> str:
        """What it can show, in words."""
        return self._amounts(floor_cents(self.low), floor_cents(self.end - 1))

    def money(self, cents: int) -> str:
        """An amount of this meter, for people."""
        return money_text(cents, self.terms.currency)

    def _amounts(self, low: int, high: int) -> str:
        if low == high:
            return self.money(low)
        return f"{self.money(low)} {'or' if high == low + 1 else 'to'} {self.money(high)}"

    # --- awards --------------------------------------------------------------------------------

    def take_all(self, takes: Sequence[Take]) -> str | None:
        """The awards of one round from this meter, in order; what is wrong first, or None."""
        wrong: str | None = None
        if takes[0].together:
            self.shows(takes[0].before_cents)
            parts = max(WHOLE, sum([take.share_percent for take in takes]))
            shares = [self._equal_share(take.share_percent, parts) for take in takes]
            resets = len(takes) - 1 if any(t.share_percent == WHOLE for t in takes) else None
        else:
            shares, resets = None, None
        for place, take in enumerate(takes):
            share = self._share(take) if shares is None else shares[place]
            whole = take.share_percent == WHOLE if shares is None else place == resets
            wrong = self._take(take, share, resets=whole) or wrong
        return wrong

    def _take(self, take: Take, could_be: Range, *, resets: bool) -> str | None:
        """One award; it is told what is wrong about it, and our own sum stands."""
        name, wrong = self.terms.id, None
        if not self.shows(take.before_cents):
            wrong = f"{name} at {self.possible()} before {take.what}"
        elif not take.together:
            # Narrowed by what was shown, less is possible.
            could_be = self._share(take)
        if could_be.low <= take.amount_cents <= could_be.high:
            could_be = Range(take.amount_cents, take.amount_cents)
        else:
            wrong = wrong or f"{self._amounts(*could_be)} of {name} for {take.what}"
        self.low = max(0, self.low - microcents(could_be.high))
        self.end = max(1, self.end - microcents(could_be.low))
        if resets:
            self._fall_back(take)
        if not self.shows(take.after_cents):
            wrong = wrong or f"{name} at {self.possible()} after {take.what}"
        return wrong

    def _share(self, take: Take) -> Range:
        """What the next winner can be due: the whole cents on it, or a share rounded once."""

        def due(amount: int) -> int:
            return min(floor_cents(amount), _percent(amount, take.share_percent, take.rounding))

        return Range(due(self.low), due(self.end - 1))

    def _equal_share(self, share_percent: int, parts: int) -> Range:
        return Range(
            floor_cents(self.low * share_percent // parts),
            floor_cents((self.end - 1) * share_percent // parts),
        )

    def _fall_back(self, take: Take) -> None:
        """NJ 13:69F-2.28(i): the house's part, and all that the reset meter holds."""
        back = self._reset if take.overflow_stays else self._reset.plus(self._overflow)
        waits = self._overflow if take.overflow_stays else NOTHING
        house = microcents(take.reset_cents)
        full = Range(self.low + house, self.end - 1 + house).plus(back)
        shown = full.up_to(self._limit)
        self.low, self.end = shown.low, shown.high + 1
        self._reset, self._overflow = NOTHING, waits.plus(full.above(self._limit))


def _percent(amount: int, share_percent: int, rounding: AwardRounding) -> int:
    """A share in whole cents."""
    whole, rest = divmod(amount * share_percent, WHOLE * MICROCENTS_PER_CENT)
    if rounding == "up":
        return whole + (rest > 0)
    if rounding == "nearest":
        return whole + (2 * rest >= WHOLE * MICROCENTS_PER_CENT)
    return whole
