"""decide_act: an award's life, and the people who may not be the same one."""

from collections.abc import Callable

import pytest

from progressive.domain.acts import (
    AcknowledgeAlarm,
    ApprovePayment,
    ApproveVoid,
    PayAward,
    PersonsAct,
    ProposeVoid,
    SignOn,
    ValidateAward,
    WithdrawVoid,
)
from progressive.domain.award_events import AwardPaid
from progressive.domain.ids import AwardId, TableId
from progressive.domain.money import microcents
from progressive.domain.person_events import AlarmAcknowledged
from progressive.domain.rejections import Rejection
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import FINALS_KEPT
from progressive.domain.state.ledger import PAID, PENDING
from progressive.domain.state.link_state import LinkState
from tests.support.awards import (
    ANN,
    BEN,
    CARA,
    DORA,
    FRED,
    MAJOR_HAND,
    MINOR_HAND,
    PAIR,
    act,
    ids,
    of,
    pay,
    play,
    refused,
    void,
)
from tests.support.builders import BJ1, BJ2, LINK, a_link, opened_link

RULES = a_link()
REASON = "the light was off"


def needing(approvers: int) -> LinkRules:
    """A link whose payments all need so many approvals."""
    step = ApprovalStep(from_cents=1, approvers=approvers)
    rule = ApprovalRule(from_day="2000-01-01", clause="internal controls", steps=(step,))
    return a_link(policy=AwardPolicy(approvals=(rule,)))


def won(rules: LinkRules = RULES, *, hands: str = MAJOR_HAND) -> tuple[LinkState, AwardId]:
    """A link with one pending award."""
    state = opened_link(rules)
    return state, ids(play(state, rules, {1: hands}))[0]


# --- each act upon each status -----------------------------------------------------------------

HISTORIES: dict[str, list[Callable[[AwardId], PersonsAct]]] = {
    "pending": [],
    "pending, void proposed": [lambda a: ProposeVoid(a, BEN, REASON)],
    "pending, void withdrawn": [
        lambda a: ProposeVoid(a, BEN, REASON),
        lambda a: WithdrawVoid(a, BEN),
    ],
    "validated": [lambda a: ValidateAward(a, ANN)],
    "validated, void proposed": [
        lambda a: ValidateAward(a, ANN),
        lambda a: ProposeVoid(a, BEN, REASON),
    ],
    "paid": [lambda a: ValidateAward(a, ANN), lambda a: PayAward(a, CARA)],
    "void": [lambda a: ProposeVoid(a, BEN, REASON), lambda a: ApproveVoid(a, ANN)],
}
ACTS: dict[str, Callable[[AwardId], PersonsAct]] = {
    "validate": lambda a: ValidateAward(a, ANN),
    "approve": lambda a: ApprovePayment(a, FRED),
    "pay": lambda a: PayAward(a, CARA),
    "propose void": lambda a: ProposeVoid(a, BEN, REASON),
    "withdraw void": lambda a: WithdrawVoid(a, ANN),
    "approve void": lambda a: ApproveVoid(a, CARA),
}
ACCEPTED = {
    ("pending", "validate"): "validated",
    ("pending", "propose void"): "pending",
    ("pending, void proposed", "withdraw void"): "pending",
    ("pending, void proposed", "approve void"): "void",
    ("pending, void withdrawn", "validate"): "validated",
    ("pending, void withdrawn", "propose void"): "pending",
    ("validated", "pay"): "paid",
    ("validated", "propose void"): "validated",
    ("validated, void proposed", "withdraw void"): "validated",
    ("validated, void proposed", "approve void"): "void",
}
"""All that may happen, and the status it leaves; everything else is refused."""


@pytest.mark.parametrize("others", [{}, {2: MINOR_HAND}], ids=["alone", "not alone"])
@pytest.mark.parametrize("asked", ACTS)
@pytest.mark.parametrize("status", HISTORIES)
def test_each_act_upon_each_status(status: str, asked: str, others: dict[int, str]) -> None:
    # An award whose round has others open is kept in another place than one that is alone.
    state = opened_link(RULES)
    award = ids(play(state, RULES, {1: MAJOR_HAND, **others}))[-1]
    for step in HISTORIES[status]:
        act(state, RULES, step(award))
    expected = ACCEPTED.get((status, asked))
    if expected is None:
        assert refused(state, RULES, ACTS[asked](award)) is Rejection.WRONG_STATUS
    else:
        act(state, RULES, ACTS[asked](award))
        assert of(state, award).status == expected


@pytest.mark.parametrize("asked", ACTS)
@pytest.mark.parametrize("award", ["main.3.2", "main.4.1", "other.3.1", "", "x" * 200])
def test_award_that_never_was_is_unknown(asked: str, award: str) -> None:
    state, _ = won()
    assert refused(state, RULES, ACTS[asked](AwardId(award))) is Rejection.UNKNOWN_AWARD


def test_award_from_the_rack_is_nobodys_business_any_more() -> None:
    state, award = won(hands=PAIR)
    assert refused(state, RULES, ValidateAward(award, ANN)) is Rejection.UNKNOWN_AWARD


def test_acts_leave_their_signatures() -> None:
    rules = needing(1)
    state, award = won(rules)
    act(state, rules, ValidateAward(award, ANN))
    act(state, rules, ApprovePayment(award, FRED))
    act(state, rules, PayAward(award, CARA))
    kept = of(state, award)
    assert (kept.validated_by, kept.approved_by, kept.paid_by) == (ANN, (FRED,), CARA)


def test_paid_award_leaves_the_liabilities() -> None:
    state, award = won()
    cents = of(state, award).made.due_cents
    assert (state.balances[PENDING], state.balances[PAID]) == (microcents(cents), 0)
    pay(state, RULES, award)
    assert (state.balances[PENDING], state.balances[PAID]) == (0, microcents(cents))


def test_withdrawn_void_leaves_no_reason_behind() -> None:
    state, award = won()
    was = state.copy()
    act(state, RULES, ProposeVoid(award, BEN, REASON))
    assert of(state, award).void_reason == REASON
    act(state, RULES, WithdrawVoid(award, BEN))
    assert of(state, award) == of(was, award)


def test_finished_awards_are_remembered_up_to_a_limit() -> None:
    state = opened_link(RULES)
    for _ in range(FINALS_KEPT + 2):
        award = ids(play(state, RULES, {1: MINOR_HAND}))[0]
        pay(state, RULES, award)
    assert not state.awards
    assert not state.won
    assert len(state.finals) == FINALS_KEPT
    assert next(iter(state.finals)) != "main.3.1"
    assert refused(state, RULES, ValidateAward(AwardId("main.3.1"), ANN)) is Rejection.UNKNOWN_AWARD


# --- the dealer of the table -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Dora", " dora", "DORA", "\uff24ora"])
@pytest.mark.parametrize("department", ["Table games", "Cage"])
def test_who_dealt_the_hand_does_not_validate_it(name: str, department: str) -> None:
    state = opened_link(RULES)
    act(state, RULES, SignOn(BJ1, DORA))
    award = ids(play(state, RULES, {1: MAJOR_HAND}))[0]
    act(state, RULES, SignOn(BJ1, None))
    by = Signature(name, department)
    assert refused(state, RULES, ValidateAward(award, by)) is Rejection.DEALER_OF_TABLE


def test_who_deals_at_the_table_now_does_not_validate_either() -> None:
    state, award = won()
    act(state, RULES, SignOn(BJ1, DORA))
    assert refused(state, RULES, ValidateAward(award, DORA)) is Rejection.DEALER_OF_TABLE
    act(state, RULES, SignOn(BJ1, BEN))
    act(state, RULES, ValidateAward(award, DORA))


def test_dealer_of_another_table_may_validate() -> None:
    state, award = won()
    act(state, RULES, SignOn(BJ2, DORA))
    act(state, RULES, ValidateAward(award, DORA))


def test_next_dealer_takes_the_table_over() -> None:
    state = opened_link(RULES)
    act(state, RULES, SignOn(BJ1, DORA))
    act(state, RULES, SignOn(BJ1, BEN))
    assert state.dealers == {BJ1: BEN}
    assert state.sign_ons == {BJ1: state.seq}
    act(state, RULES, SignOn(BJ1, None))
    act(state, RULES, SignOn(BJ2, None))
    assert (state.dealers, state.sign_ons) == ({}, {})


def test_nobody_signs_on_at_a_table_that_the_link_lacks() -> None:
    asked = SignOn(TableId("BJ-99"), DORA)
    assert refused(opened_link(RULES), RULES, asked) is Rejection.UNKNOWN_TABLE


# --- a second person ---------------------------------------------------------------------------


@pytest.mark.parametrize("by", [ANN, Signature("ann ", "Cage")])
def test_who_validated_does_not_pay(by: Signature) -> None:
    state, award = won()
    act(state, RULES, ValidateAward(award, ANN))
    assert refused(state, RULES, PayAward(award, by)) is Rejection.SAME_PERSON


@pytest.mark.parametrize("by", [ANN, Signature("ANN", "Cage")])
def test_who_proposed_a_void_does_not_approve_it(by: Signature) -> None:
    state, award = won()
    act(state, RULES, ProposeVoid(award, ANN, REASON))
    assert refused(state, RULES, ApproveVoid(award, by)) is Rejection.SAME_PERSON
    # A colleague of the same department may: it takes a second person, no more.
    act(state, RULES, ApproveVoid(award, BEN))


@pytest.mark.parametrize("approvers", [0, 1, 2])
def test_payment_waits_for_as_many_approvals_as_it_needs(approvers: int) -> None:
    rules = needing(approvers) if approvers else RULES
    state, award = won(rules)
    act(state, rules, ValidateAward(award, ANN))
    for number in range(approvers):
        assert refused(state, rules, PayAward(award, CARA)) is Rejection.NEEDS_APPROVAL
        by = Signature(f"Approver {number}", "Finance")
        act(state, rules, ApprovePayment(award, by))
    more = ApprovePayment(award, Signature("One more", "Surveillance"))
    assert refused(state, rules, more) is Rejection.WRONG_STATUS
    act(state, rules, PayAward(award, CARA))


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (ANN, Rejection.SAME_PERSON),
        # One who changed departments is still one person.
        (Signature("Ann", "Finance"), Rejection.SAME_PERSON),
        (BEN, Rejection.SAME_DEPARTMENT),
        (Signature("Ben", "TABLE  GAMES"), Rejection.SAME_DEPARTMENT),
    ],
)
def test_approver_is_of_another_department_than_the_supervisor(
    by: Signature, code: Rejection
) -> None:
    rules = needing(1)
    state, award = won(rules)
    act(state, rules, ValidateAward(award, ANN))
    assert refused(state, rules, ApprovePayment(award, by)) is code


def test_nobody_approves_twice_nor_pays_what_they_approved() -> None:
    rules = needing(2)
    state, award = won(rules)
    act(state, rules, ValidateAward(award, ANN))
    act(state, rules, ApprovePayment(award, FRED))
    assert refused(state, rules, ApprovePayment(award, FRED)) is Rejection.SAME_PERSON
    act(state, rules, ApprovePayment(award, Signature("Gwen", "Finance")))
    assert refused(state, rules, PayAward(award, FRED)) is Rejection.SAME_PERSON
    act(state, rules, PayAward(award, CARA))


def test_pending_award_is_not_approved_for_payment() -> None:
    rules = needing(1)
    state, award = won(rules)
    assert refused(state, rules, ApprovePayment(award, FRED)) is Rejection.WRONG_STATUS


# --- documents ---------------------------------------------------------------------------------


def paid(state: LinkState, document: str | None = None, rules: LinkRules = RULES) -> AwardPaid:
    award = ids(play(state, rules, {1: MINOR_HAND}))[0]
    act(state, rules, ValidateAward(award, ANN))
    event = act(state, rules, PayAward(award, CARA, document))
    assert isinstance(event, AwardPaid)
    return event


def test_service_numbers_its_documents_without_a_gap() -> None:
    state = opened_link(RULES)
    assert [paid(state).document for _ in range(3)] == [
        "main-P000001",
        "main-P000002",
        "main-P000003",
    ]


def test_manual_number_is_marked_and_leaves_no_gap_in_the_series() -> None:
    state = opened_link(RULES)
    made = [paid(state), paid(state, "A-4711"), paid(state)]
    assert [(event.document, event.manual) for event in made] == [
        ("main-P000001", False),
        ("A-4711", True),
        ("main-P000002", False),
    ]
    assert of(state, made[1].award).manual_document


def test_refused_payment_uses_no_number() -> None:
    rules = needing(1)
    state, award = won(rules)
    act(state, rules, ValidateAward(award, ANN))
    assert refused(state, rules, PayAward(award, CARA)) is Rejection.NEEDS_APPROVAL
    act(state, rules, ApprovePayment(award, FRED))
    act(state, rules, PayAward(award, CARA))
    assert of(state, award).document == f"{LINK}-P000001"


@pytest.mark.parametrize(
    "document", ["A-4711", "a-4711", "main-P000001", "main-P000009", "main-Pages", "MAIN-p000001"]
)
def test_document_pays_one_award_and_the_services_numbers_are_its_own(document: str) -> None:
    state = opened_link(RULES)
    paid(state, "A-4711")
    paid(state)
    award = ids(play(state, RULES, {1: MINOR_HAND}))[0]
    act(state, RULES, ValidateAward(award, ANN))
    assert refused(state, RULES, PayAward(award, CARA, document)) is Rejection.DOCUMENT_USED


def test_void_award_has_no_document() -> None:
    state, award = won()
    void(state, RULES, award)
    assert of(state, award).document is None
    assert state.documents == 0


# --- alarms -------------------------------------------------------------------------------------


def test_acknowledged_alarm_is_signed_and_moves_nothing() -> None:
    state = opened_link(RULES)

    before = state.copy()

    event = act(state, RULES, AcknowledgeAlarm("table_lost.BJ-01.1", ANN, "a cable"))

    assert event == AlarmAcknowledged(
        alarm="table_lost.BJ-01.1", by=ANN, note="a cable", meters=before.primaries
    )
    before.seq += 1
    assert state == before
