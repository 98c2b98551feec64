"""What people did beside awards: dealers signed on, corrections, other terms, alarms.

Parts of the journal like `events`; the same promises hold. Every event names who caused it.
"""

from typing import Literal

from msgspec import Struct

from progressive.domain.award_events import AwardEvent, MeterFlow, RoundValidated
from progressive.domain.ids import CorrectionId, MeterId, TableId
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature

MeterPart = Literal["primary", "reset", "overflow"]


class DealerSignedOn(
    Struct, frozen=True, kw_only=True, gc=False, tag="dealer_signed_on", tag_field="type"
):
    """Who deals at a table from now on; nobody, where `dealer` is None."""

    table: TableId
    dealer: Signature | None
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
    day: str = ""
    """The closed gaming day that it belongs to, where it is about one: it stands in the open day
    and in a restatement of that one."""
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
    reason: str = ""
    """Empty: an older program did not ask."""
    meters: tuple[int, ...]


class MeterOdds(Struct, frozen=True, array_like=True, gc=False):
    """How likely a wager takes at least so much of a meter, before and after other terms."""

    meter: MeterId
    share_percent: int
    before: str
    """An exact fraction, like `1/65855`."""
    after: str


class TermsChanged(
    Struct, frozen=True, kw_only=True, gc=False, tag="terms_changed", tag_field="type"
):
    """Another floor file, approved by two people of two departments. Open rounds keep theirs."""

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


class RetirementProposed(
    Struct, frozen=True, kw_only=True, gc=False, tag="retirement_proposed", tag_field="type"
):
    """One person proposes to end the link; it is posted until the notice is over."""

    by: Signature
    reason: str
    not_before: str
    """RFC 3339 UTC: when the money may leave the meters at the earliest."""
    meters: tuple[int, ...]


class RetirementWithdrawn(
    Struct, frozen=True, kw_only=True, gc=False, tag="retirement_withdrawn", tag_field="type"
):
    """The proposal is off: the link stays."""

    by: Signature
    reason: str
    meters: tuple[int, ...]


class LinkRetired(
    Struct, frozen=True, kw_only=True, gc=False, tag="link_retired", tag_field="type"
):
    """The end of the link, by two people of two departments: all its money is parked."""

    by: tuple[Signature, ...]
    reason: str
    """Of the second person; the first one's stands in the proposal."""
    flows: tuple[MeterFlow, ...]
    """Everything off every meter."""
    parked: int
    """Microcents: what the meters held in all their parts."""
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
    | AwardEvent
    | RoundValidated
    | CorrectionProposed
    | CorrectionRefused
    | CorrectionApproved
    | TermsProposed
    | TermsChanged
    | RetirementProposed
    | RetirementWithdrawn
    | LinkRetired
    | AlarmAcknowledged
)
"""Every event that a person causes."""
