"""(state, act) -> event or refusal: what people do with awards, and nobody can do alone.

The role matrix is asked before (`people.may`); here it is asked what only the journal knows: the
award's status, who dealt, who signed before, what would become of the meters.
"""

from progressive.domain.acts import (
    AcknowledgeAlarm,
    ApproveCorrection,
    ApprovePayment,
    ApproveRetirement,
    ApproveTerms,
    ApproveVoid,
    NoteClockStep,
    PayAward,
    PersonsAct,
    ProposeCorrection,
    ProposeRetirement,
    ProposeVoid,
    PurgeSegments,
    RefuseCorrection,
    SignOn,
    ValidateAward,
    ValidateRound,
    VoidLockedRound,
    WithdrawRetirement,
    WithdrawVoid,
)
from progressive.domain.award_events import (
    AwardPaid,
    PaymentApproved,
    VoidProposed,
    VoidWithdrawn,
)
from progressive.domain.decide.clock import note_clock_step
from progressive.domain.decide.corrections import (
    approve_correction,
    propose_correction,
    refuse_correction,
)
from progressive.domain.decide.days import close_day, enter_finance, prepare_day
from progressive.domain.decide.purge import purge_segments
from progressive.domain.decide.retire import (
    RETIRED,
    approve_retirement,
    propose_retirement,
    withdraw_retirement,
)
from progressive.domain.decide.terms import approve_terms
from progressive.domain.decide.validation import validate, validate_round, wrong_status
from progressive.domain.decide.void_award import void_award
from progressive.domain.decide.void_round import void_locked_round
from progressive.domain.events import RoundVoided
from progressive.domain.finance_acts import CloseDay, EnterFinance, FinanceAct, PrepareDay
from progressive.domain.finance_events import FinanceEvent
from progressive.domain.guard_events import ClockStepped, SegmentsPurged
from progressive.domain.people.names import same_department, same_person
from progressive.domain.person_events import ActEvent, AlarmAcknowledged, DealerSignedOn
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award
from progressive.domain.state.link_state import LinkState
from progressive.domain.text import text_problem
from progressive.domain.time_text import Moment


def decide_act(
    state: LinkState, rules: LinkRules, act: PersonsAct, when: Moment
) -> ActEvent | FinanceEvent | RoundVoided | ClockStepped | SegmentsPurged | Refusal:
    """What a person's act leads to."""
    if state.retired and not isinstance(act, FinanceAct):
        return RETIRED
    if (refusal := _unwritable(act)) is not None:
        return refusal
    match act:
        case ValidateRound():
            return validate_round(state, rules, act)
        case VoidLockedRound():
            return void_locked_round(state, rules, act)
        case NoteClockStep():
            return note_clock_step(state, act)
        case PurgeSegments():
            return purge_segments(state, act, when)
        case EnterFinance():
            return enter_finance(state, act)
        case PrepareDay():
            return prepare_day(state, act, when)
        case CloseDay():
            return close_day(state, act)
        case SignOn():
            return _sign_on(state, rules, act)
        case ProposeCorrection():
            return propose_correction(state, act)
        case RefuseCorrection():
            return refuse_correction(state, act)
        case ApproveCorrection():
            return approve_correction(state, act)
        case ApproveTerms():
            return approve_terms(state, act)
        case ProposeRetirement():
            return propose_retirement(state, act, when)
        case WithdrawRetirement():
            return withdraw_retirement(state, act)
        case ApproveRetirement():
            return approve_retirement(state, act, when)
        case AcknowledgeAlarm():
            # Alarms come and go outside the journal: what is kept is who looked after this one.
            return AlarmAcknowledged(
                alarm=act.alarm, by=act.by, note=act.note, meters=state.primaries
            )
        case _:
            award = state.award(act.award)
            if award is None:
                return Refusal(Rejection.UNKNOWN_AWARD, f"no award {act.award} is open")
            return _decide_award(state, rules, award, act, when)


def _unwritable(act: PersonsAct) -> Refusal | None:
    """A text that may not be stored, wherever it came from."""
    for name in ("reason", "note"):
        text = getattr(act, name, "")
        if isinstance(text, str) and (why := text_problem(text)) is not None:
            return Refusal(Rejection.BAD_MESSAGE, f"{name}: {why}")
    return None


def _sign_on(state: LinkState, rules: LinkRules, act: SignOn) -> DealerSignedOn | Refusal:
    if act.table not in rules.seats:
        return Refusal(Rejection.UNKNOWN_TABLE, f"{rules.id} has no table {act.table!r}")
    return DealerSignedOn(table=act.table, dealer=act.dealer, meters=state.primaries)


def _decide_award(
    state: LinkState,
    rules: LinkRules,
    award: Award,
    act: ValidateAward | ApprovePayment | PayAward | ProposeVoid | WithdrawVoid | ApproveVoid,
    when: Moment,
) -> ActEvent | Refusal:
    match act:
        case ValidateAward():
            return validate(state, award, act)
        case ApprovePayment():
            return _approve_payment(state, award, act)
        case PayAward():
            return _pay(state, award, act)
        case ProposeVoid():
            return _propose_void(state, award, act)
        case WithdrawVoid():
            if award.void_proposed_by is None or award.final:
                return wrong_status(award, "no void is proposed")
            return VoidWithdrawn(award=act.award, by=act.by, meters=state.primaries)
        case ApproveVoid():
            return void_award(state, award, act, when)


def _approve_payment(
    state: LinkState, award: Award, act: ApprovePayment
) -> PaymentApproved | Refusal:
    """Another person than those who signed, of another department than the supervisor's."""
    if award.status != "validated" or award.validated_by is None:
        return wrong_status(award, "only a validated award is approved for payment")
    if len(award.approved_by) >= award.made.approvers:
        return wrong_status(award, "no further approval is needed")
    if (refusal := _too_near(act.by, award.validated_by)) is not None:
        return refusal
    for other in award.approved_by:
        # The department that has to differ is the supervisor's; approvers must be several people.
        if same_person(act.by, other):
            return Refusal(Rejection.SAME_PERSON, f"{act.by.name} has approved it already")
    return PaymentApproved(award=act.award, by=act.by, meters=state.primaries)


def _too_near(by: Signature, other: Signature) -> Refusal | None:
    if same_person(by, other):
        return Refusal(Rejection.SAME_PERSON, f"{by.name} signed before: it takes somebody else")
    if same_department(by, other):
        return Refusal(
            Rejection.SAME_DEPARTMENT,
            f"{by.name} is of the same department as {other.name}: it takes another",
        )
    return None


def _pay(state: LinkState, award: Award, act: PayAward) -> AwardPaid | Refusal:
    if award.status != "validated" or award.validated_by is None:
        return wrong_status(award, "only a validated award is paid")
    if award.void_proposed_by is not None:
        return wrong_status(award, "a void is proposed: withdraw it or approve it first")
    for other in (award.validated_by, *award.approved_by):
        if same_person(act.by, other):
            return Refusal(
                Rejection.SAME_PERSON, f"{act.by.name} signed before: somebody else pays it out"
            )
    missing = award.made.approvers - len(award.approved_by)
    if missing > 0:
        return Refusal(
            Rejection.NEEDS_APPROVAL,
            f"{award.made.due_cents} cents need {missing} more approval(s) of another department",
            missing,
        )
    document = act.document
    if document is None:
        document = f"{document_prefix(state)}{state.documents + 1:06}"
    elif document.lower().startswith(document_prefix(state).lower()):
        return Refusal(
            Rejection.DOCUMENT_USED, f"{document} is of the service's own series: leave it out"
        )
    elif document.lower() in {each.lower() for each in state.manual_documents}:
        # Two papers that differ in case only are one number to whoever files them.
        return Refusal(Rejection.DOCUMENT_USED, f"document {document} has paid an award already")
    return AwardPaid(
        award=act.award,
        by=act.by,
        document=document,
        manual=act.document is not None,
        cents=award.made.due_cents,
        meters=state.primaries,
    )


def document_prefix(state: LinkState) -> str:
    """What the numbers of the service's own, gap-free series begin with."""
    return f"{state.link}-P"


def _propose_void(state: LinkState, award: Award, act: ProposeVoid) -> VoidProposed | Refusal:
    if award.final:
        way_out = " (an approved correction is the way out)" if award.status == "paid" else ""
        return wrong_status(award, f"it can no longer be voided{way_out}")
    if award.void_proposed_by is not None:
        return wrong_status(award, "a void is proposed already")
    return VoidProposed(award=act.award, by=act.by, reason=act.reason, meters=state.primaries)
