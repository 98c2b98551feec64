"""Awards as they stand: from pending to paid or void, with what it takes to settle them anew."""

from typing import Final, Literal

from msgspec import Struct

from progressive.domain.award_events import AwardMade
from progressive.domain.awards.meter_payouts import MeterAmounts, MeterReset
from progressive.domain.ids import AwardId, MeterId, RoundId, TableId
from progressive.domain.options import AwardRounding, PaymentOrder
from progressive.domain.signatures import Signature

AwardStatus = Literal["pending", "validated", "paid", "void"]
FINAL: Final = ("paid", "void")
FINALS_KEPT: Final = 500
"""Finished awards that a link remembers for those who look; older ones are in the journal."""


class Award(Struct, frozen=True, kw_only=True, gc=False):
    """An award that people have to do with: one that is not paid from the rack at once."""

    made: AwardMade
    """As it was last worked out."""
    journal_seq: int
    """The settlement that made it."""
    at: str
    table: TableId
    round: RoundId
    dealt_by: Signature | None = None
    status: AwardStatus = "pending"
    validated_by: Signature | None = None
    approved_by: tuple[Signature, ...] = ()
    void_proposed_by: Signature | None = None
    void_reason: str | None = None
    voided_by: Signature | None = None
    paid_by: Signature | None = None
    document: str | None = None
    manual_document: bool = False
    settled_seq: int = 0
    """Of an award made before the peek that still waited when its round was settled: the record of
    that settlement. 0: any other."""

    @property
    def final(self) -> bool:
        """Whether nothing more can happen to it."""
        return self.status in FINAL

    @property
    def awaits_round(self) -> bool:
        """Whether it waits for a supervisor to confirm its round, and nothing else."""
        return (
            self.made.pays_from == "rack"
            and self.status == "pending"
            and self.void_proposed_by is None
        )

    @property
    def filed_under(self) -> int:
        """The record whose awards are filed away together."""
        return self.settled_seq or self.journal_seq


class WonMeter(Struct, frozen=True, kw_only=True, gc=False):
    """One meter that a round won: as the round found it, and who took from it, in order."""

    meter: MeterId
    before: MeterAmounts
    reset: MeterReset
    order: PaymentOrder
    rounding: AwardRounding
    awards: tuple[AwardId, ...]
