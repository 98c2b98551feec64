"""The oldest records: two departments, old enough, nothing open in them; and forged, found."""

from collections.abc import Callable

import pytest
from msgspec import structs

from progressive.domain.acts import (
    ApproveTerms,
    ProposeCorrection,
    ProposeRetirement,
    PurgeSegments,
)
from progressive.domain.decide.acts import decide_act
from progressive.domain.guard_events import SegmentsPurged
from progressive.domain.person_events import CorrectionLeg
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.house_terms import MeterChanges
from progressive.domain.signatures import Signature
from progressive.domain.time_text import Moment
from progressive.verifier.findings import DiscrepancyError
from tests.support.awards import MINOR_HAND
from tests.support.builders import MEGA, NOW, a_link, a_lock, a_settle
from tests.support.forgeries import put
from tests.support.journals import Row
from tests.support.terms_journals import TermsJournal

BOB, CLEO = Signature("Bob", "Cage"), Signature("Cleo", "Compliance")
RULES = a_link(meter_changes=MeterChanges(retire_notice_days=30, clause="Rule 8"))
AFTER = Moment("2026-03-31T12:00:00.000000Z", "2026-03-31")
TOO_SOON = Moment("2026-03-31T11:59:59.999999Z", "2026-03-31")
PURGE = PurgeSegments(
    by=(BOB, CLEO),
    first_reason="old enough",
    reason="seen and agreed",
    first_number=1,
    last_number=2,
    first_seq=1,
    last_seq=3,
    prev="0" * 64,
    head="1" * 64,
    days=("2026-02-27", "2026-02-28"),
    last_at=NOW.at,
    retention_days=30,
    clause="Rule 7",
    kept=("{}",),
)


def played() -> TermsJournal:
    """Three records, and two after them."""
    journal = TermsJournal(RULES)
    journal.play(a_lock(1), a_settle(2), a_lock(3), a_settle(4))
    return journal


def refusal(journal: TermsJournal, act: PurgeSegments = PURGE, when: Moment = AFTER) -> Refusal:
    decision = decide_act(journal.state, RULES, act, when)
    assert isinstance(decision, Refusal), decision
    return decision


def test_the_record_says_what_went_and_moves_nothing() -> None:
    journal = played()
    balances, primaries = dict(journal.state.balances), journal.state.primaries
    journal.act(PURGE, when=AFTER)
    assert (journal.state.balances, journal.state.primaries) == (balances, primaries)
    event = journal.prove().purged
    assert event is not None
    assert ([each.name for each in event.by], event.reason, event.second_reason) == (
        ["Bob", "Cleo"],
        "old enough",
        "seen and agreed",
    )
    assert (event.first_number, event.last_number, event.first_seq, event.last_seq) == (1, 2, 1, 3)
    assert (event.retention_days, event.clause, event.kept) == (30, "Rule 7", ("{}",))


def test_too_early_names_the_moment_from_which_it_may() -> None:
    said = refusal(played(), when=TOO_SOON)
    assert said.code is Rejection.WRONG_STATUS
    assert "kept for 30 days (Rule 7): they may be purged from 2026-03-31T12:00:00" in said.message


@pytest.mark.parametrize(
    ("second", "code"),
    [
        (Signature(" BOB", "Compliance"), Rejection.SAME_PERSON),
        (Signature("Pat", "cage"), Rejection.SAME_DEPARTMENT),
    ],
)
def test_it_takes_two_departments(second: Signature, code: Rejection) -> None:
    assert refusal(played(), structs.replace(PURGE, by=(BOB, second))).code is code


def test_what_is_open_in_the_records_keeps_them() -> None:
    with_award = TermsJournal(RULES)
    with_award.play(a_lock(1), a_settle(2, seats={1: MINOR_HAND}, dealer="5s", complete=False))
    assert "pay or void it first" in refusal(with_award).message
    # One that was made after them does not.
    earlier = structs.replace(PURGE, last_seq=1)
    assert isinstance(decide_act(with_award.state, RULES, earlier, AFTER), SegmentsPurged)
    with_round = TermsJournal(RULES)
    with_round.play(a_lock(1))
    assert "round r1 is open at BJ-01" in refusal(with_round).message
    newer_round = played()
    newer_round.play(a_lock(5))
    assert isinstance(decide_act(newer_round.state, RULES, PURGE, AFTER), SegmentsPurged)


def test_what_is_proposed_is_decided_first() -> None:
    with_correction = played()
    leg = CorrectionLeg(MEGA.id, "primary", 1)
    with_correction.act(ProposeCorrection(Signature("Fred", "Finance"), "too little", (leg,)))
    assert "decide about it first" in refusal(with_correction).message
    with_end = played()
    with_end.act(ProposeRetirement(CLEO, "the pit closes"))
    assert "the end of the link is proposed" in refusal(with_end).message
    with_terms = played()
    other = structs.replace(RULES.terms, soft17="stand")
    with_terms.act(ApproveTerms(other, "", CLEO, "another floor file"))
    assert "another floor file is proposed" in refusal(with_terms).message


# --- forged ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("by", value=[{"name": "Bob", "department": "Cage"}]), "it takes two people"),
        (put("by", 1, value={"name": "Pat", "department": "cage"}), "two departments"),
        (put("by", 1, value={"name": "bob", "department": "Pit"}), "signed twice"),
        (put("by", 0, value={"name": " ", "department": "Cage"}), "nobody signed"),
        (put("reason", value=" "), "no reason"),
        (put("second_reason", value=""), "no reason"),
        (put("reason", value="a\u200bb, unseen"), "characters that cannot be seen"),
        (put("first_number", value=2), "begins with segment 2, the oldest was 1"),
        (put("first_seq", value=2), "begins with segment 1"),
        (put("last_number", value=0), "of records 1 to 3"),
        (put("last_seq", value=9), "of records 1 to 9"),
        (put("retention_days", value=31), "were not 31 days old"),
        (put("retention_days", value=0), "were not 0 days old"),
        (put("last_at", value="2026-03-02T12:00:00.000000Z"), "were not 30 days old"),
        (put("last_at", value="long ago"), "is not a time"),
        (put("meters", 0, value=1), "meter mega"),
    ],
)
def test_forged_purge_is_found(change: Callable[[Row], None], said: str) -> None:
    journal = played()
    journal.act(PURGE, when=AFTER)
    journal.forge_last(change)
    with pytest.raises(DiscrepancyError, match=said):
        journal.prove()


def test_purge_that_leaves_out_a_segment_is_found() -> None:
    journal = played()
    journal.act(PURGE, when=AFTER)
    again = structs.replace(PURGE, first_number=4, last_number=4, first_seq=4, last_seq=4)
    journal.act(again, when=AFTER)
    with pytest.raises(DiscrepancyError, match="begins with segment 4, the oldest was 3"):
        journal.prove()
