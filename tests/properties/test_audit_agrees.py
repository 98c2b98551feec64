"""Two who have never seen each other's sums: whatever the writer decides, the audit finds right.

Rules, rounds, cards and acts by chance: hits on shared meters, early settlements, voids out of
their order, corrections, dealers who come and go, other terms in the middle of a round.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.audited_floor import AuditedFloor

STEPS = 60


@pytest.mark.slow
@given(st.integers(min_value=0, max_value=2**32))
def test_whatever_the_writer_decides_the_audit_finds_right(seed: int) -> None:
    floor = AuditedFloor(Random(seed))
    for _ in range(STEPS):
        floor.step()
    floor.compare()


@pytest.mark.slow
def test_chance_brings_about_everything_that_can_happen() -> None:
    happened: Counter[str] = Counter()
    supervised = counted_early = 0
    for seed in range(40):
        floor = AuditedFloor(Random(seed))
        for _ in range(STEPS):
            floor.step()
        floor.compare()
        happened.update(floor.accepted)
        supervised += floor.supervised_voids
        counted_early += any(award.settled_seq for award in floor.state.awards.values())
    assert supervised
    assert counted_early
    assert set(happened) == {
        "link_opened",
        "link_reopened",
        "wagers_registered",
        "round_settled",
        "round_voided",
        "settled_early",
        "dealer_signed_on",
        "award_validated",
        "round_validated",
        "payment_approved",
        "award_paid",
        "void_proposed",
        "void_withdrawn",
        "award_voided",
        "correction_proposed",
        "correction_refused",
        "correction_approved",
        "terms_proposed",
        "terms_changed",
    }, happened
