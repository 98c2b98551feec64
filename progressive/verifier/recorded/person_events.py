"""What people did beside awards: sign-ons, corrections, other terms, retirement, alarms."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.recorded.values import MeterFlow, Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerSignedOn:
    """Who deals at a table from now on; nobody, where `dealer` is None."""

    TYPE: ClassVar = "dealer_signed_on"

    table: str
    dealer: Signature | None
    meters: tuple[int, ...]


class CorrectionLeg(NamedTuple):
    """Microcents onto (or off) one part of one meter."""

    meter: str
    part: Literal["primary", "reset", "overflow"]
    microcents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionProposed:
    """A meter is to be corrected, or money moved between meters."""

    TYPE: ClassVar = "correction_proposed"

    correction: str
    by: Signature
    reason: str
    legs: tuple[CorrectionLeg, ...]
    day: str = ""
    """The closed gaming day that it belongs to, where it is about one."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRefused:
    """A proposed correction that will not be made."""

    TYPE: ClassVar = "correction_refused"

    correction: str
    by: Signature
    reason: str
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionApproved:
    """Two people of two departments agreed: the legs are entered, against the house."""

    TYPE: ClassVar = "correction_approved"

    correction: str
    by: Signature
    before: tuple[int, ...]
    """What stood on each leg's part of its meter; the leg added gives what stands now."""
    flows: tuple[MeterFlow, ...]
    corrected: int
    """Microcents from the house's account for corrections: the legs' sum."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsProposed:
    """One person approved another floor file; a second one of another department must agree."""

    TYPE: ClassVar = "terms_proposed"

    terms_digest: str
    """Which terms: the SHA-256 of their JSON."""
    by: Signature
    reason: str = ""
    """Empty: an older program did not ask."""
    meters: tuple[int, ...]


class MeterOdds(NamedTuple):
    """How likely a wager takes at least so much of a meter, before and after other terms."""

    meter: str
    share_percent: int
    before: str
    """An exact fraction, like `1/65855`."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsChanged:
    """Another floor file, approved by two people of two departments. Open rounds keep theirs."""

    TYPE: ClassVar = "terms_changed"

    terms: LinkTerms
    terms_version: int
    by: tuple[Signature, ...]
    funding: tuple[MeterFlow, ...]
    """The house's money on meters that are new."""
    reason: str = ""
    """Of the second person; the first one's stands in the proposal."""
    odds: tuple[MeterOdds, ...] = ()
    """Of meters above their initial amount, where other lines or another deal decide them."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementProposed:
    """One person proposes to end the link; it is posted until the notice is over."""

    TYPE: ClassVar = "retirement_proposed"

    by: Signature
    reason: str
    not_before: str
    """RFC 3339 UTC: when the money may leave the meters at the earliest."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementWithdrawn:
    """The proposal is off: the link stays."""

    TYPE: ClassVar = "retirement_withdrawn"

    by: Signature
    reason: str
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRetired:
    """The end of the link, by two people of two departments: all its money is parked."""

    TYPE: ClassVar = "link_retired"

    by: tuple[Signature, ...]
    reason: str
    """Of the second person; the first one's stands in the proposal."""
    flows: tuple[MeterFlow, ...]
    """Everything off every meter."""
    parked: int
    """Microcents: what the meters held in all their parts."""
    meters: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmAcknowledged:
    """Somebody has seen an alarm and looks after it; it moves nothing."""

    TYPE: ClassVar = "alarm_acknowledged"

    alarm: str
    by: Signature
    note: str
    meters: tuple[int, ...]
