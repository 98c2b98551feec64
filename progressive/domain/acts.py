"""What people ask for, once their session and role have been looked at. Frozen, like commands."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from progressive.domain.finance_acts import CloseDay, EnterFinance, PrepareDay
from progressive.domain.ids import AwardId, CorrectionId, RoundId, TableId
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rulebook.rules import LinkTerms
from progressive.domain.signatures import Signature

REASON_CHARACTERS_MAX: Final = 500
ActReason = Annotated[str, Meta(min_length=3, max_length=REASON_CHARACTERS_MAX)]
AlarmName = Annotated[str, Meta(min_length=1, max_length=200)]
AlarmNote = Annotated[str, Meta(max_length=REASON_CHARACTERS_MAX)]
DocumentNumber = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[!-~]+\Z")]
"""What stands on a paper form: visible ASCII without spaces."""


class SignOn(Struct, frozen=True):
    """A dealer begins to deal at a table, or (with None) leaves it."""

    table: TableId
    dealer: Signature | None


class ValidateAward(Struct, frozen=True):
    """A supervisor has seen light and cards."""

    award: AwardId
    by: Signature


class ValidateRound(Struct, frozen=True):
    """A supervisor has seen the lights and cards of a round: the rack may pay its fixed awards."""

    table: TableId
    round: RoundId
    by: Signature
    awards: tuple[AwardId, ...] | None = None
    """Those that she was shown; None: all that wait. Refused where others wait by now."""


class VoidLockedRound(Struct, frozen=True):
    """A supervisor voids a locked round, where the terms do not leave that to the dealer."""

    table: TableId
    round: RoundId
    reason: ActReason
    by: Signature


class ApprovePayment(Struct, frozen=True):
    """A large payment may be made."""

    award: AwardId
    by: Signature


class PayAward(Struct, frozen=True):
    """The winner is paid; without a document number the service issues its next one."""

    award: AwardId
    by: Signature
    document: DocumentNumber | None = None


class ProposeVoid(Struct, frozen=True):
    """One person proposes to void the award."""

    award: AwardId
    by: Signature
    reason: ActReason


class WithdrawVoid(Struct, frozen=True):
    """The void proposal is withdrawn."""

    award: AwardId
    by: Signature


class ApproveVoid(Struct, frozen=True):
    """A second person agrees to the void."""

    award: AwardId
    by: Signature


class ProposeCorrection(Struct, frozen=True):
    """A meter is to be corrected, or money to be moved between meters."""

    by: Signature
    reason: ActReason
    legs: tuple[CorrectionLeg, ...]
    day: str = ""
    """The closed gaming day that it belongs to, where it is about one."""


class RefuseCorrection(Struct, frozen=True):
    """A proposed correction is not to be made."""

    correction: CorrectionId
    by: Signature
    reason: ActReason


class ApproveCorrection(Struct, frozen=True):
    """A proposed correction is to be made, says somebody of another department."""

    correction: CorrectionId
    by: Signature


class ApproveTerms(Struct, frozen=True):
    """The floor file's terms are to hold from now on: it takes two people of two departments."""

    terms: LinkTerms
    terms_digest: str
    by: Signature
    reason: ActReason


class ProposeRetirement(Struct, frozen=True):
    """A link is to end; its notice begins."""

    by: Signature
    reason: ActReason


class WithdrawRetirement(Struct, frozen=True):
    """The proposal is taken back: the link stays."""

    by: Signature
    reason: ActReason


class ApproveRetirement(Struct, frozen=True):
    """The link ends, says somebody of another department once the notice is over."""

    by: Signature
    reason: ActReason


class AcknowledgeAlarm(Struct, frozen=True):
    """Somebody has seen an alarm of this link's tables or signs, and looks after it."""

    alarm: AlarmName
    by: Signature
    note: AlarmNote = ""


class NoteClockStep(Struct, frozen=True):
    """The machine's clock was set: nobody's act, decided in the same line as people's."""

    clock_at: str
    expected_at: str


class PurgeSegments(Struct, frozen=True, kw_only=True):
    """The oldest closed segments are to be removed: a second person agrees with the first.

    What they are is the store's to say; the names are those of `SegmentsPurged`.
    """

    by: tuple[Signature, Signature]
    first_reason: ActReason
    reason: ActReason
    first_number: int
    last_number: int
    first_seq: int
    last_seq: int
    prev: str
    head: str
    days: tuple[str, str]
    last_at: str
    retention_days: int
    clause: str
    kept: tuple[str, ...]


PersonsAct = (
    SignOn
    | ValidateAward
    | ValidateRound
    | VoidLockedRound
    | ApprovePayment
    | PayAward
    | ProposeVoid
    | WithdrawVoid
    | ApproveVoid
    | ProposeCorrection
    | RefuseCorrection
    | ApproveCorrection
    | ApproveTerms
    | ProposeRetirement
    | WithdrawRetirement
    | ApproveRetirement
    | AcknowledgeAlarm
    | NoteClockStep
    | PurgeSegments
    | EnterFinance
    | PrepareDay
    | CloseDay
)
