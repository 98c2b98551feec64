"""decide_act, corrections: two people of two departments say how much, never to what."""

import pytest

from progressive.domain.acts import (
    ApproveCorrection,
    ApproveTerms,
    ProposeCorrection,
    RefuseCorrection,
    SignOn,
)
from progressive.domain.award_events import MeterFlow
from progressive.domain.decide.corrections import CORRECTIONS_OPEN_MAX, LEGS_MAX
from progressive.domain.ids import CorrectionId, MeterId
from progressive.domain.money import CENTS_MAX, microcents
from progressive.domain.person_events import (
    CorrectionApproved,
    CorrectionLeg,
    CorrectionProposed,
    MeterPart,
)
from progressive.domain.rejections import Rejection
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.ledger import CORRECTIONS, Account, postings
from progressive.domain.state.link_state import LinkState
from tests.support.awards import (
    FRED,
    MINOR_HAND,
    WHOLE,
    a_progressive,
    act,
    one_meter,
    play,
    refused,
)
from tests.support.builders import BJ1, MEGA, a_bet, a_link, a_meter, opened_link

RULES = a_link()
GWEN = Signature("Gwen", "Administration")
REASON = "meter misread at the change of boards"


def leg(meter: str, cents: int, part: MeterPart = "primary") -> CorrectionLeg:
    return CorrectionLeg(MeterId(meter), part, microcents(cents))


def proposed(state: LinkState, *legs: CorrectionLeg, rules: LinkRules = RULES) -> CorrectionId:
    event = act(state, rules, ProposeCorrection(FRED, REASON, legs))
    assert isinstance(event, CorrectionProposed)
    return event.correction


def approved(
    state: LinkState, *legs: CorrectionLeg, rules: LinkRules = RULES
) -> CorrectionApproved:
    event = act(state, rules, ApproveCorrection(proposed(state, *legs, rules=rules), GWEN))
    assert isinstance(event, CorrectionApproved)
    return event


# --- by two people -----------------------------------------------------------------------------


def test_proposal_moves_nothing() -> None:
    state = opened_link(RULES)
    was = state.balances.copy()
    correction = proposed(state, leg("mega", 100))
    assert state.balances == was
    assert state.corrections[correction].by == FRED
    assert state.corrections[correction].reason == REASON


@pytest.mark.parametrize("cents", [1, -1, 123_456, -10_000_000])
def test_second_person_of_another_department_makes_it_so(cents: int) -> None:
    state = opened_link(RULES)
    was = state.balances.copy()
    event = approved(state, leg("mega", cents))
    assert (event.before, event.corrected) == ((was["primary", "mega"],), microcents(cents))
    assert state.balances["primary", "mega"] == was["primary", "mega"] + microcents(cents)
    assert state.balances[CORRECTIONS] == -microcents(cents)
    assert not state.corrections


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (FRED, Rejection.SAME_PERSON),
        (Signature("fred ", "Administration"), Rejection.SAME_PERSON),
        (Signature("Hugo", "Finance"), Rejection.SAME_DEPARTMENT),
        (Signature("Hugo", " FINANCE"), Rejection.SAME_DEPARTMENT),
    ],
)
def test_one_person_or_one_department_corrects_nothing(by: Signature, code: Rejection) -> None:
    state = opened_link(RULES)
    correction = proposed(state, leg("mega", 100))
    assert refused(state, RULES, ApproveCorrection(correction, by)) is code


def test_refused_correction_is_gone() -> None:
    state = opened_link(RULES)
    was = state.balances.copy()
    correction = proposed(state, leg("mega", 100))
    act(state, RULES, RefuseCorrection(correction, FRED, "it was right after all"))
    assert state.balances == was
    for asked in (
        ApproveCorrection(correction, GWEN),
        RefuseCorrection(correction, GWEN, "once more"),
    ):
        assert refused(state, RULES, asked) is Rejection.UNKNOWN_CORRECTION


def test_correction_is_entered_once() -> None:
    state = opened_link(RULES)
    correction = proposed(state, leg("mega", 100))
    act(state, RULES, ApproveCorrection(correction, GWEN))
    again = ApproveCorrection(correction, GWEN)
    assert refused(state, RULES, again) is Rejection.UNKNOWN_CORRECTION


def test_corrections_have_names_of_their_own() -> None:
    state = opened_link(RULES)
    names = [proposed(state, leg("mega", 1))]
    act(state, RULES, SignOn(BJ1, FRED))
    names.append(proposed(state, leg("mega", 1)))
    assert names == ["main.2", "main.4"]


# --- legs --------------------------------------------------------------------------------------


def test_transfer_moves_money_between_meters_and_takes_none_from_the_house() -> None:
    state = opened_link(RULES)
    was = state.balances.copy()
    event = approved(state, leg("mega", -5_000), leg("minor", 5_000))
    assert event.flows == (
        MeterFlow(MeterId("mega"), microcents(-5_000), 0, 0),
        MeterFlow(MeterId("minor"), microcents(5_000), 0, 0),
    )
    moved = {account: state.balances[account] - was[account] for account in was}
    assert {account: amount for account, amount in moved.items() if amount} == {
        ("primary", "mega"): microcents(-5_000),
        ("primary", "minor"): microcents(5_000),
    }


def test_every_part_of_a_meter_can_be_corrected() -> None:
    state = opened_link(RULES)
    event = approved(state, leg("mega", 1), leg("mega", 2, "reset"), leg("mega", 3, "overflow"))
    assert event.flows == (MeterFlow(MeterId("mega"), microcents(1), microcents(2), microcents(3)),)
    booked: dict[Account, int] = dict(postings(event))
    assert booked[CORRECTIONS] == microcents(-6)
    assert event.meters[1:] == opened_link(RULES).primaries[1:]


@pytest.mark.parametrize(
    ("legs", "code"),
    [
        ((), Rejection.BAD_MESSAGE),
        (tuple(leg("mega", n) for n in range(1, LEGS_MAX + 2)), Rejection.BAD_MESSAGE),
        ((leg("mega", 1), leg("mega", 2)), Rejection.BAD_MESSAGE),
        ((leg("giga", 1),), Rejection.UNKNOWN_METER),
        ((leg("mega", 0),), Rejection.WRONG_AMOUNT),
        ((leg("mega", CENTS_MAX + 1),), Rejection.WRONG_AMOUNT),
        ((leg("mega", -CENTS_MAX - 1),), Rejection.WRONG_AMOUNT),
        ((leg("mega", -10_000_001),), Rejection.METER_TOO_LOW),
        ((leg("mega", -1, "reset"),), Rejection.METER_TOO_LOW),
        ((leg("minor", 1), leg("mega", -1, "overflow")), Rejection.METER_TOO_LOW),
    ],
)
def test_unfit_legs_are_refused(legs: tuple[CorrectionLeg, ...], code: Rejection) -> None:
    assert refused(opened_link(RULES), RULES, ProposeCorrection(FRED, REASON, legs)) is code


def test_meter_that_was_won_since_is_not_taken_below_nothing() -> None:
    state = opened_link(RULES)
    correction = proposed(state, leg("minor", -300_000))
    play(state, RULES, {1: MINOR_HAND})
    asked = ApproveCorrection(correction, GWEN)
    assert refused(state, RULES, asked) is Rejection.METER_TOO_LOW
    assert correction in state.corrections


def test_correction_does_not_lift_a_meter_above_its_limit() -> None:
    rules = one_meter(a_progressive(limit_cents=1_000_500))
    state = opened_link(rules)
    too_much = ProposeCorrection(FRED, REASON, (leg("progressive", 501),))
    assert refused(state, rules, too_much) is Rejection.METER_TOO_HIGH
    approved(state, leg("progressive", 500), rules=rules)
    approved(state, leg("progressive", 501, "overflow"), rules=rules)
    approved(state, leg("progressive", -1), rules=rules)


def test_limit_is_looked_at_again_when_the_correction_is_approved() -> None:
    rules = one_meter(a_progressive(limit_cents=1_000_500))
    state = opened_link(rules)
    correction = proposed(state, leg("progressive", 450), rules=rules)
    play(state, rules, {1: "9c 9d"})
    asked = ApproveCorrection(correction, GWEN)
    assert refused(state, rules, asked) is Rejection.METER_TOO_HIGH
    play(state, rules, {1: WHOLE})
    act(state, rules, asked)


def test_meter_that_went_is_not_corrected_any_more() -> None:
    # Its accounts stay in the books, at nothing; nobody would see what is put there.
    rules = a_link(bets=(a_bet(meters=(MEGA, a_meter("gone"))),))
    state = opened_link(rules)
    waiting = proposed(state, leg("gone", 5), rules=rules)
    left = a_link(bets=(a_bet(meters=(MEGA,)),))
    for by in (FRED, GWEN):
        act(state, rules, ApproveTerms(left.terms, "left", by, "one meter less"))
    again = ProposeCorrection(FRED, REASON, (leg("gone", 5),))
    assert refused(state, left, again) is Rejection.UNKNOWN_METER
    assert refused(state, left, ApproveCorrection(waiting, GWEN)) is Rejection.UNKNOWN_METER
    act(state, left, RefuseCorrection(waiting, GWEN, "the meter is gone"))


def test_proposals_that_wait_have_a_limit() -> None:
    state = opened_link(RULES)
    for _ in range(CORRECTIONS_OPEN_MAX):
        last = proposed(state, leg("mega", 1))
    one_more = ProposeCorrection(FRED, REASON, (leg("mega", 1),))
    assert refused(state, RULES, one_more) is Rejection.WRONG_STATUS
    act(state, RULES, RefuseCorrection(last, GWEN, "too many of them"))
    act(state, RULES, one_more)
