"""Awards and corrections as people see them over HTTP."""

from msgspec import Struct, structs

from progressive.domain.ids import LinkId
from progressive.domain.person_events import CorrectionProposed
from progressive.domain.rounding import floor_cents
from progressive.domain.rulebook.line_names import line_name_on
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award
from progressive.wire.codec import award_message
from progressive.wire.table_messages import AwardMessage


class AwardView(AwardMessage, frozen=True, kw_only=True):
    """An award as it stands: what the table was told, and what people have done since."""

    link: str
    line_name: str
    """The line as people read it."""
    table: str
    round: str
    at: str
    journal_seq: int
    dealt_by: Signature | None
    validated_by: Signature | None
    approvers: int
    """How many must approve the payment."""
    approved_by: tuple[Signature, ...]
    void_proposed_by: Signature | None
    void_reason: str | None
    voided_by: Signature | None
    paid_by: Signature | None
    document: str | None
    manual_document: bool


def award_view(rules: LinkRules, award: Award) -> AwardView:
    """The view of an award."""
    return AwardView(
        **structs.asdict(award_message(award.made, award.status)),
        link=rules.id,
        line_name=line_name_on(rules, award.made.bet, award.made.line),
        table=award.table,
        round=award.round,
        at=award.at,
        journal_seq=award.journal_seq,
        dealt_by=award.dealt_by,
        validated_by=award.validated_by,
        approvers=award.made.approvers,
        approved_by=award.approved_by,
        void_proposed_by=award.void_proposed_by,
        void_reason=award.void_reason,
        voided_by=award.voided_by,
        paid_by=award.paid_by,
        document=award.document,
        manual_document=award.manual_document,
    )


class LegView(Struct, frozen=True):
    """One leg of a correction; whole cents, and the exact amount behind them."""

    meter: str
    part: str
    amount_cents: int
    amount_microcents: int


class CorrectionView(Struct, frozen=True):
    """A correction that waits for somebody to decide about it."""

    correction: str
    link: str
    reason: str
    proposed_by: Signature
    legs: list[LegView]


def correction_view(link: LinkId, proposed: CorrectionProposed) -> CorrectionView:
    """The view of a proposal."""
    return CorrectionView(
        correction=proposed.correction,
        link=link,
        reason=proposed.reason,
        proposed_by=proposed.by,
        legs=[
            LegView(leg.meter, leg.part, _cents(leg.microcents), leg.microcents)
            for leg in proposed.legs
        ],
    )


def _cents(amount: int) -> int:
    """Whole cents, toward nothing: half a cent less is no cent less."""
    return floor_cents(amount) if amount >= 0 else -floor_cents(-amount)
