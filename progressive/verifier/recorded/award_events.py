"""What happened to awards: made, validated, approved, paid, voided; and what each step moved."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from progressive.verifier.recorded.values import MeterFlow, Signature


@dataclass(kw_only=True)
class AwardMade:
    """One wager that won. Amounts in cents are what the line is worth in all.

    Without slots: `of_stored` takes the stored fields as they are, and those that are left out are
    found on the class.
    """

    OMITS_DEFAULTS: ClassVar = True

    award: str
    """`LINK.RECORD.ORDER`: the record that made it, and its place in the order of payment."""
    order: int
    seat: int
    bet: str
    line: str
    kind: Literal["meter", "fixed"]
    meter: str | None = None
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

    @classmethod
    def of_stored(cls, plain: dict[str, Any]) -> "AwardMade":
        """HOT. The same as `AwardMade(**plain)`, in a third of the time; takes `plain` over."""
        made = cls.__new__(cls)
        made.__dict__ = plain
        return made


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class AwardMoney:
    """What awards move beside the meters, in microcents; with the flows it sums to zero.

    Never changed, and not frozen: that would take three times as long to make.
    """

    OMITS_DEFAULTS: ClassVar = True

    funding: int = 0
    """Put in by the house: a source, so it counts with a minus."""
    hold: int = 0
    pending: int = 0
    paid: int = 0
    returned: int = 0
    """Stakes that went back to winners of "to 1" lines."""


NO_MONEY: Final = AwardMoney()


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardValidated:
    """NJ 13:69F-2.28(g)3: a casino supervisor validated the payout."""

    TYPE: ClassVar = "award_validated"

    award: str
    by: Signature
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundValidated:
    """NJ 13:69F-2.28(g)3: a supervisor confirmed a round's fixed awards, and the rack pays them."""

    TYPE: ClassVar = "round_validated"

    table: str
    round: str
    awards: tuple[str, ...]
    """All that waited for it and are not disputed, in the order they were made."""
    cents: int
    """What they are owed together."""
    by: Signature
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentApproved:
    """One of those who must approve a large payment did."""

    TYPE: ClassVar = "payment_approved"

    award: str
    by: Signature
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardPaid:
    """The winner has the money, against a document."""

    TYPE: ClassVar = "award_paid"

    award: str
    by: Signature
    document: str
    manual: bool
    """Whether the number is of a manual series; the service's own has no gaps."""
    cents: int
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidProposed:
    """One person proposes to void an award; a second one must agree."""

    TYPE: ClassVar = "void_proposed"

    award: str
    by: Signature
    reason: str
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidWithdrawn:
    """The proposal is off; the award stands as before."""

    TYPE: ClassVar = "void_withdrawn"

    award: str
    by: Signature
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardChange:
    """An award behind a voided one, worked out again."""

    award: str
    amount_cents: int
    approvers: int
    tax_form: str | None
    meter_before: int
    meter_after: int
    funded_cents: int
    from_reset: int
    from_overflow: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardVoided:
    """A claim that was none: its money goes back, and the rest of the round is settled again."""

    TYPE: ClassVar = "award_voided"

    award: str
    by: Signature
    proposed_by: Signature
    reason: str
    changes: tuple[AwardChange, ...]
    flows: tuple[MeterFlow, ...]
    money: AwardMoney
    meters: tuple[int, ...]
