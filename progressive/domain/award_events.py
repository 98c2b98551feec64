"""What people did: with awards, corrections, terms and alarms, and the money that moved by it.

Parts of the journal like `events`; the same promises hold. Every act names who did it. `gc=False`:
values of values cannot form a cycle.
"""

from typing import Final, Literal

from msgspec import Struct

from progressive.domain.ids import AwardId, BetId, CorrectionId, MeterId, TableId
from progressive.domain.people import Signature
from progressive.domain.rules import LinkTerms

MeterPart = Literal["primary", "reset", "overflow"]


class MeterFlow(Struct, frozen=True, array_like=True, gc=False):
    """Microcents onto (or, with a minus, off) the three parts of one meter."""

    meter: MeterId
    primary: int
    reset: int
    overflow: int


class AwardMade(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """One wager that won. Amounts in cents are what the line is worth in all."""

    award: AwardId
    order: int
    """The place in the order of payment."""
    seat: int
    bet: BetId
    line: str
    kind: Literal["meter", "fixed"]
    meter: MeterId | None = None
    share_percent: int | None = None
    amount_cents: int
    bonus_cents: int = 0
    wager_cents: int
    stake_returned_cents: int = 0
    paid_before_cents: int = 0
    """Of the amount: what an early settlement of the round has paid already."""
    status: Literal["payable", "pending"]
    meter_before: int | None = None
    """Microcents on display before this award, and after it."""
    meter_after: int | None = None
    funded_cents: int = 0
    """What the house put on the meter, where the award reset it."""
    from_reset: int = 0
    """Microcents that the reset meter gave to that reset."""
    from_overflow: int = 0
    approvers: int = 0
    """How many people beside the one who pays must approve the payment."""
    tax_form: str | None = None

    @property
    def due_cents(self) -> int:
        """What is still to be paid: the line and the bonus, less what was paid early."""
        return max(0, self.amount_cents + self.bonus_cents - self.paid_before_cents)


class AwardMoney(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    """What awards move beside the meters, in microcents; with the flows it sums to zero."""

    funding: int = 0
    """Put in by the house: a source, so it counts with a minus."""
    hold: int = 0
    pending: int = 0
    paid: int = 0
    returned: int = 0
    """Stakes that went back to winners of "to 1" lines."""


NO_MONEY: Final = AwardMoney()
"""Nothing moves. The one default of the events: a record leaves out this very object only."""


class DealerSignedOn(
    Struct, frozen=True, kw_only=True, gc=False, tag="dealer_signed_on", tag_field="type"
):
    """Who deals at a table from now on; nobody, where `dealer` is None."""

    table: TableId
    dealer: Signature | None
    meters: tuple[int, ...]


class AwardValidated(
    Struct, frozen=True, kw_only=True, gc=False, tag="award_validated", tag_field="type"
):
    """NJ 13:69F-2.28(g)3: a casino supervisor validated the payout."""

    award: AwardId
    by: Signature
    meters: tuple[int, ...]


class PaymentApproved(
    Struct, frozen=True, kw_only=True, gc=False, tag="payment_approved", tag_field="type"
):
    """One of those who must approve a large payment did."""

    award: AwardId
    by: Signature
    meters: tuple[int, ...]


class AwardPaid(Struct, frozen=True, kw_only=True, gc=False, tag="award_paid", tag_field="type"):
    """The winner has the money, against a document."""

    award: AwardId
    by: Signature
    document: str
    manual: bool
    """Whether the number is of a manual series; the service's own has no gaps."""
    cents: int
    meters: tuple[int, ...]


class VoidProposed(
    Struct, frozen=True, kw_only=True, gc=False, tag="void_proposed", tag_field="type"
):
    """Somebody says that an award is none; a second person must agree."""

    award: AwardId
    by: Signature
    reason: str
    meters: tuple[int, ...]


class VoidWithdrawn(
    Struct, frozen=True, kw_only=True, gc=False, tag="void_withdrawn", tag_field="type"
):
    """The proposal is off; the award stands as before."""

    award: AwardId
    by: Signature
    meters: tuple[int, ...]


class AwardChange(Struct, frozen=True, kw_only=True, gc=False):
    """An award behind a voided one, worked out anew."""

    award: AwardId
    amount_cents: int
    approvers: int
    tax_form: str | None
    meter_before: int
    meter_after: int
    funded_cents: int
    from_reset: int
    from_overflow: int


class AwardVoided(
    Struct, frozen=True, kw_only=True, gc=False, tag="award_voided", tag_field="type"
):
    """A claim that was none: its money goes back, and the rest of the round is settled anew."""

    award: AwardId
    by: Signature
    proposed_by: Signature
    reason: str
    changes: tuple[AwardChange, ...]
    flows: tuple[MeterFlow, ...]
    money: AwardMoney
    meters: tuple[int, ...]


class CorrectionLeg(Struct, frozen=True, array_like=True, gc=False):
    """Microcents onto (or off) one part of one meter."""

    meter: MeterId
    part: MeterPart
    microcents: int


class CorrectionProposed(
    Struct, frozen=True, kw_only=True, gc=False, tag="correction_proposed", tag_field="type"
):
    """A meter is to be corrected, or money moved between meters; legs that sum to zero move."""

    correction: CorrectionId
    by: Signature
    reason: str
    legs: tuple[CorrectionLeg, ...]
    meters: tuple[int, ...]


class CorrectionRefused(
    Struct, frozen=True, kw_only=True, gc=False, tag="correction_refused", tag_field="type"
):
    """A proposed correction that will not be made."""

    correction: CorrectionId
    by: Signature
    reason: str
    meters: tuple[int, ...]


class CorrectionApproved(
    Struct, frozen=True, kw_only=True, gc=False, tag="correction_approved", tag_field="type"
):
    """Two people of two departments agreed: the legs are entered, against the house."""

    correction: CorrectionId
    by: Signature
    before: tuple[int, ...]
    """What stood on each leg's part of its meter; the leg added gives what stands now."""
    flows: tuple[MeterFlow, ...]
    corrected: int
    """Microcents from the house's account for corrections: the legs' sum."""
    meters: tuple[int, ...]


class TermsProposed(
    Struct, frozen=True, kw_only=True, gc=False, tag="terms_proposed", tag_field="type"
):
    """One person approved another floor file; a second one of another department must agree."""

    terms_digest: str
    """Which terms: the SHA-256 of their JSON."""
    by: Signature
    meters: tuple[int, ...]


class TermsChanged(
    Struct, frozen=True, kw_only=True, gc=False, tag="terms_changed", tag_field="type"
):
    """Another floor file, approved by two people of two departments. Open rounds keep theirs."""

    terms: LinkTerms
    terms_version: int
    by: tuple[Signature, ...]
    funding: tuple[MeterFlow, ...]
    """The house's money on meters that are new."""
    meters: tuple[int, ...]


class AlarmAcknowledged(
    Struct, frozen=True, kw_only=True, gc=False, tag="alarm_acknowledged", tag_field="type"
):
    """Somebody has seen an alarm and looks after it; it moves nothing."""

    alarm: str
    by: Signature
    note: str
    meters: tuple[int, ...]


ActEvent = (
    DealerSignedOn
    | AwardValidated
    | PaymentApproved
    | AwardPaid
    | VoidProposed
    | VoidWithdrawn
    | AwardVoided
    | CorrectionProposed
    | CorrectionRefused
    | CorrectionApproved
    | TermsProposed
    | TermsChanged
    | AlarmAcknowledged
)
