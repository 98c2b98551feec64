"""The figures of a day book: plain values with the journal numbers behind each.

Microcents unless a name ends in `_cents`. Mutable, because a fold adds to them; whoever reads a
finished book changes nothing. Most hold numbers and texts only, so the garbage collector need not
look at them (`gc=False`): the books of a year hold a million.
"""

from typing import Final, Literal

from msgspec import Struct

from progressive.domain.ids import AwardId, MeterId

Part = Literal["primary", "reset", "overflow"]
PARTS: Final[tuple[Part, Part, Part]] = ("primary", "reset", "overflow")

Cause = Literal[
    "contributions",
    "void_contra",
    "house_initial",
    "house_reset",
    "reserve_moved",
    "overflow_moved",
    "awards",
    "award_void_back",
    "corrections",
    "transfers",
    "retired",
]
CAUSES: Final[tuple[Cause, ...]] = (
    "contributions",
    "void_contra",
    "house_initial",
    "house_reset",
    "reserve_moved",
    "overflow_moved",
    "awards",
    "award_void_back",
    "corrections",
    "transfers",
    "retired",
)
"""Why money came onto a part of a meter or left it, in the order of the reports."""


class Behind(Struct, kw_only=True, gc=False):
    """The journal numbers behind a figure; 0 where there is none."""

    first_seq: int = 0
    last_seq: int = 0

    def stands_on(self, first_seq: int, last_seq: int | None = None) -> None:
        """One more record, or a stretch of them, is behind it."""
        last = first_seq if last_seq is None else last_seq
        if first_seq and (not self.first_seq or first_seq < self.first_seq):
            self.first_seq = first_seq
        self.last_seq = max(self.last_seq, last)


class PartFlows(Behind, kw_only=True, gc=False):
    """What moved one part of one meter, by cause."""

    contributions: int = 0
    void_contra: int = 0
    house_initial: int = 0
    house_reset: int = 0
    reserve_moved: int = 0
    overflow_moved: int = 0
    awards: int = 0
    award_void_back: int = 0
    corrections: int = 0
    transfers: int = 0
    retired: int = 0
    recomputed: int = 0
    """All that moved it, worked out a second time: wagers x rate, and the awards' own amounts."""
    breaks: int = 0
    """Records whose amounts do not follow from the record before them and what they moved."""

    @property
    def moved(self) -> int:
        """The sum of all causes."""
        return sum([getattr(self, cause) for cause in CAUSES])

    def move(self, cause: Cause, amount: int) -> None:
        """Enter an amount under its cause."""
        setattr(self, cause, getattr(self, cause) + amount)


class Moved(Struct, frozen=True, array_like=True, gc=False):
    """What one record moved."""

    seq: int
    microcents: int


class RateUse(Behind, kw_only=True, gc=False):
    """The wagers that fed one meter under one version of the terms."""

    meter: str
    bet: str
    terms_version: int
    rate_ppm: int
    reset_rate_ppm: int
    rounds: int = 0
    wagers: int = 0
    wager_cents: int = 0
    primary: int = 0
    reset: int = 0
    overflow: int = 0


class WagerCell(Behind, kw_only=True, gc=False):
    """The wagers on one bet at one table in one hour of the gaming day, counted from 0."""

    hour: int
    table: str
    bet: str
    rounds: int = 0
    chips: int = 0
    chip_cents: int = 0
    coupons: int = 0
    coupon_cents: int = 0
    registered_cents: int = 0
    """What the lock-outs registered on the bet: chips and coupons must make it up."""
    voided: int = 0
    """Wagers of voided rounds, by the time of the void."""
    voided_chip_cents: int = 0
    voided_coupon_cents: int = 0
    to_meters: int = 0
    """Microcents of the wagers that went to meters, less what voids took back."""
    to_hold: int = 0
    fixed_awards: int = 0
    """Awards of fixed lines settled in this hour, whoever paid them."""
    fixed_cents: int = 0
    returned_cents: int = 0
    """Stakes that went back to winners."""


class TableUse(Behind, kw_only=True, gc=False):
    """The wagers on one bet at one table under one version of the terms. Behind it: lock-outs."""

    table: str
    bet: str
    terms_version: int
    wagers: int = 0
    cents: int = 0
    voided_cents: int = 0
    voids: list[int] = []
    """The records by which rounds of them were voided."""


class TableHour(Behind, kw_only=True, gc=False):
    """The rounds of one table in one hour."""

    hour: int
    table: str
    rounds: int = 0
    without_wagers: int = 0
    voided: int = 0


class RackAwards(Behind, kw_only=True, gc=False):
    """Awards of one line that the rack paid at once, at one table."""

    table: str
    bet: str
    line: str
    awards: int = 0
    cents: int = 0
    bonus_cents: int = 0
    returned_cents: int = 0
    paid_before_cents: int = 0
    tax_forms: int = 0


class BetUse(Behind, kw_only=True, gc=False):
    """All that a bet took and paid under one version of the terms: what its odds are held against.

    Voided wagers are taken off by the version they were locked under."""

    bet: str
    terms_version: int
    wagers: int = 0
    cents: int = 0
    squared_cents: int = 0
    """The sum of the wagers' squares: the variance of a ranged bet needs it."""
    voided: int = 0
    voided_cents: int = 0
    voided_squared_cents: int = 0


class Happening(Struct, frozen=True, kw_only=True, gc=False):
    """Something that somebody should look at: a void, a correction, a loss, a set clock."""

    seq: int
    at: str
    kind: str
    about: str = ""
    """The table, award or correction."""
    by: str = ""
    second: str = ""
    reason: str = ""
    amount_cents: int | None = None
    detail: str = ""


class Fall(Struct, frozen=True, kw_only=True):
    """A record after which a displayed meter stood lower, and why."""

    seq: int
    at: str
    meter: MeterId
    microcents: int
    """Below zero. What a reset put back is taken off."""
    awards: tuple[AwardId, ...] = ()
    """Those that took from the meter."""
    because: str = ""
    """What else did; empty without an award: nothing that the record names."""


class TermsEntry(Struct, frozen=True, kw_only=True):
    """A record that brought terms, or what the floor file says beside them."""

    seq: int
    at: str
    kind: str
    version: int
    changes: tuple[tuple[str, str, str], ...]
    """Which field, what it was, what it is."""
    by: str = ""
    second: str = ""
    reason: str = ""
    second_reason: str = ""
    proposed_at: str = ""


class Difference(Struct, frozen=True):
    """A record that contradicts itself or the one before."""

    seq: int
    what: str
    microcents: int
