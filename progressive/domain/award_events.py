"""What happened to awards: made, validated, approved, paid, voided, and the money each step moved.

Parts of the journal like `events`; the same promises hold. Every step names who took it.
`gc=False`: values of values cannot form a cycle.
"""

from typing import Final, Literal

from msgspec import Struct

from progressive.domain.ids import AwardId, BetId, MeterId, RoundId, TableId
from progressive.domain.signatures import Signature


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
    pays_from: Literal["rack"] | None = None
    """Of a pending award: "rack" where a supervisor's confirmation is all that it waits for; None:
    validated, approved and paid against a document."""
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
    def from_rack(self) -> bool:
        """Whether the rack pays it, at once or once a supervisor has confirmed its round."""
        return self.status == "payable" or self.pays_from == "rack"

    @property
    def due_cents(self) -> int:
        """What is still to be paid: the line and the bonus, less what was paid early."""
        return self.due_at(self.amount_cents)

    def due_at(self, amount_cents: int) -> int:
        """The same, if the line were worth so much: a void before it may change that."""
        return max(0, amount_cents + self.bonus_cents - self.paid_before_cents)


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


class AwardValidated(
    Struct, frozen=True, kw_only=True, gc=False, tag="award_validated", tag_field="type"
):
    """NJ 13:69F-2.28(g)3: a casino supervisor validated the payout."""

    award: AwardId
    by: Signature
    meters: tuple[int, ...]


class RoundValidated(
    Struct, frozen=True, kw_only=True, gc=False, tag="round_validated", tag_field="type"
):
    """NJ 13:69F-2.28(g)3: a supervisor confirmed a round's fixed awards, and the rack pays them."""

    table: TableId
    round: RoundId
    awards: tuple[AwardId, ...]
    """All that waited for it and are not disputed, in the order they were made."""
    cents: int
    """What they are owed together."""
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
    """One person proposes to void an award; a second one must agree."""

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


AwardEvent = (
    AwardValidated | PaymentApproved | AwardPaid | VoidProposed | VoidWithdrawn | AwardVoided
)
