"""Awards against the recorded policy: fewer approvals, a fuller rack or no form are found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.award_journals import AwardShelf
from tests.support.forgeries import put
from tests.support.journals import JournalFile, Row

FORM = {
    "from_day": "2020-01-01",
    "form": "W-2G",
    "least_cents": 60_000,
    "least_multiple": 300,
    "clause": "IRS",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("treatment") / "data")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


@pytest.mark.parametrize(
    ("seq", "change", "found_at", "message"),
    [
        (4, put("awards", 0, "approvers", value=1), 4, "main.4.1, approvers: stored 1"),
        (4, put("awards", 0, "tax_form", value="W-2G"), 4, "main.4.1, tax_form: stored W-2G"),
        (7, put("changes", 0, "approvers", value=0), 7, "worked out again, approvers: stored 0"),
        (7, put("changes", 0, "tax_form", value="W-2G"), 7, "worked out again, tax_form"),
        # A policy in the first record that nobody's start had: every award contradicts it.
        (
            1,
            put("terms", "house", "policy", "approvals", value=[]),
            4,
            "main.4.1, approvers: stored 2, recomputed 0",
        ),
        (1, put("terms", "house", "policy", "tax_forms", value=[FORM]), 4, "recomputed W-2G"),
        (
            1,
            put("terms", "house", "policy", "rack_limit_cents", value=100),
            4,
            "cents from the rack, whose limit is recorded as 100",
        ),
        (1, put("terms", "house", "time_zone", value="Mars/Olympus"), 1, "not a valid time zone"),
        # Terms that two people approved, with another policy than they saw.
        (
            33,
            put("terms", "house", "policy", "rack_limit_cents", value=10**9),
            33,
            "terms: stored",
        ),
    ],
)
def test_award_that_the_recorded_policy_treats_otherwise_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], found_at: int, message: str
) -> None:
    journal.forge(lambda records: change(records[seq - 1]["event"]))
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == found_at
    assert message in problem.message


def test_other_terms_need_a_reason_once_starts_are_recorded(journal: JournalFile) -> None:
    journal.forge(lambda records: put("reason", value=" ")(records[32]["event"]))
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (33, "approval of terms: no reason")
