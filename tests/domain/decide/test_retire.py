"""The end of a link: two departments, a notice, nothing open, and every microcent parked."""

from collections.abc import Callable

import pytest
from msgspec import structs

from progressive.domain.acts import (
    ApproveRetirement,
    ProposeCorrection,
    ProposeRetirement,
    WithdrawRetirement,
)
from progressive.domain.decide.acts import decide_act
from progressive.domain.decide.decide import decide
from progressive.domain.person_events import CorrectionLeg, LinkRetired, RetirementProposed
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.house_terms import MeterChanges
from progressive.domain.signatures import Signature
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.ledger import PARKED
from progressive.domain.time_text import Moment
from progressive.verifier.findings import DiscrepancyError
from tests.support.awards import MINOR_HAND
from tests.support.builders import BJ1, MEGA, a_link, a_lock, a_settle
from tests.support.forgeries import put
from tests.support.journals import Row
from tests.support.terms_journals import TermsJournal

CLEO, SUE = Signature("Cleo", "Compliance"), Signature("Sue", "Table games")
CORA = Signature("Cora", "compliance")
RULES = a_link(meter_changes=MeterChanges(retire_notice_days=30, clause="N.J.A.C. 13:69D-1.39"))
AFTER = Moment("2026-03-31T12:00:00.000000Z", "2026-03-31")
TOO_SOON = Moment("2026-03-31T11:59:59.999999Z", "2026-03-31")
PROPOSED, AGREED = ProposeRetirement(CLEO, "the pit closes"), ApproveRetirement(SUE, "agreed")


def proposed() -> TermsJournal:
    journal = TermsJournal(RULES)
    journal.play(a_lock(1), a_settle(2))
    journal.act(PROPOSED)
    return journal


def refusal(journal: TermsJournal, act: object, when: Moment = AFTER) -> Refusal:
    decision = decide_act(journal.state, RULES, act, when)  # type: ignore[arg-type]
    assert isinstance(decision, Refusal)
    return decision


def test_notice_is_the_jurisdiction_s_and_everything_is_parked() -> None:
    journal = proposed()
    event = journal.state.retirement
    assert isinstance(event, RetirementProposed)
    assert event.not_before == AFTER.at
    assert "posted until" in refusal(journal, AGREED, TOO_SOON).message
    held = sum(
        journal.state.balances[part, meter.id]  # type: ignore[index]
        for meter in RULES.terms.meters
        for part in ("primary", "reset", "overflow")
    )
    journal.act(AGREED, when=AFTER)
    state = journal.state
    assert (state.retired, state.balances[PARKED]) == (True, held)
    assert set(state.primaries) == {0}
    check_deeply(state)
    books = journal.prove()
    assert books.accounts.totals.parked == held
    # Nothing happens to it any more.
    assert refusal(journal, PROPOSED).code is Rejection.LINK_INOPERABLE
    lock = decide(state, RULES, BJ1, a_lock(3), AFTER)
    assert isinstance(lock, Refusal)
    assert lock.code is Rejection.LINK_INOPERABLE


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (Signature(" CLEO", "Other"), Rejection.SAME_PERSON),
        (CORA, Rejection.SAME_DEPARTMENT),
    ],
)
def test_it_takes_two_departments(by: Signature, code: Rejection) -> None:
    assert refusal(proposed(), ApproveRetirement(by, "me too")).code is code


def test_nothing_may_be_open() -> None:
    with_round = proposed()
    with_round.play(a_lock(3))
    assert "round r3 is open at BJ-01" in refusal(with_round, AGREED).message
    with_award = proposed()
    with_award.play(a_lock(3), a_settle(4, seats={1: MINOR_HAND}, dealer="5s", complete=False))
    assert "pay or void it first" in refusal(with_award, AGREED).message
    with_correction = proposed()
    leg = CorrectionLeg(MEGA.id, "primary", 1)
    with_correction.act(ProposeCorrection(Signature("Fred", "Finance"), "too little", (leg,)))
    assert "decide about it first" in refusal(with_correction, AGREED).message


def test_proposal_that_is_withdrawn_is_no_more() -> None:
    journal = proposed()
    assert "already" in refusal(journal, PROPOSED).message
    journal.act(WithdrawRetirement(SUE, "it stays"))
    assert journal.state.retirement is None
    assert refusal(journal, AGREED).code is Rejection.WRONG_STATUS
    assert refusal(journal, WithdrawRetirement(SUE, "again")).code is Rejection.WRONG_STATUS
    journal.prove()


# --- forged ------------------------------------------------------------------------------------


def test_link_of_an_older_journal_is_not_retired_before_its_notice_is_recorded() -> None:
    """Dropped from the floor file at the upgrade, it would have had no notice at all."""
    journal = proposed()
    journal.act(WithdrawRetirement(CLEO, "not yet"))
    state = journal.state
    assert state.terms is not None
    state.terms = structs.replace(state.terms, house=None)
    assert "start once with the link in the floor file" in refusal(journal, PROPOSED).message


def retired() -> TermsJournal:
    journal = proposed()
    journal.act(AGREED, when=AFTER)
    return journal


@pytest.mark.parametrize(
    ("seq", "change", "said"),
    [
        (4, put("not_before", value="2026-03-02T12:00:00.000000Z"), "not posted for 30 days"),
        (4, put("not_before", value="soon"), "is not a time"),
        (4, put("reason", value=" "), "no reason"),
        (4, put("by", "name", value=" "), "nobody signed"),
        (4, put("not_before", value="2026-04-30T12:00:00.000000Z"), "retired before"),
        (5, put("reason", value=""), "no reason"),
        (5, put("by", 1, value={"name": "Cora", "department": "compliance"}), "two departments"),
        (5, put("by", 1, value={"name": "cleo", "department": "Pit"}), "signed twice"),
        (5, put("by", value=[{"name": "Sue", "department": "Table games"}]), "not signed as"),
        (5, put("parked", value=1), "parked: stored 1"),
        (5, put("flows", 0, 1, value=0), "flows of mega"),
        (5, put("meters", 0, value=1), "meter mega"),
        (1, put("terms", "house", "meter_changes", "retire_notice_days", value=60), "for 60 days"),
        (1, put("terms", "house", value=None), "no notice is recorded"),
    ],
)
def test_forged_retirement_is_found(seq: int, change: Callable[[Row], None], said: str) -> None:
    journal = retired()
    journal.forge(seq, change)
    with pytest.raises(DiscrepancyError, match=said):
        journal.prove()


def test_retirement_nobody_proposed_is_found() -> None:
    journal = retired()
    del journal.records[3]
    with pytest.raises(DiscrepancyError, match="though nobody proposed it"):
        journal.prove()


def test_retirement_with_a_round_or_an_award_open_is_found() -> None:
    for messages, said in (
        ([a_lock(3)], "while a round is open"),
        (
            [a_lock(3), a_settle(4, seats={1: MINOR_HAND}, dealer="5s", complete=False)],
            "while an award is open",
        ),
    ):
        journal = proposed()
        journal.play(*messages)
        event = decide_act(proposed().state, RULES, AGREED, AFTER)
        assert isinstance(event, LinkRetired)
        journal.write(event, AFTER.at)
        with pytest.raises(DiscrepancyError, match=said):
            journal.prove()


def test_record_after_the_end_is_found() -> None:
    journal = retired()
    journal.write(
        RetirementProposed(by=CLEO, reason="again", not_before=AFTER.at, meters=(0, 0, 0))
    )
    with pytest.raises(DiscrepancyError, match="after the link was retired"):
        journal.prove()
