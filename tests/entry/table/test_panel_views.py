"""What the dealer is told to do about an award, at every point of its life."""

import pytest
from msgspec import structs

from progressive.application.awards.next_step import what_to_do
from progressive.domain.award_events import AwardMade
from progressive.domain.ids import AwardId, BetId, MeterId, RoundId, TableId
from progressive.domain.signatures import Signature
from progressive.domain.state.award_state import Award

SUE = Signature("Sue", "Table games")
FAY = Signature("Fay", "Cage")

PENDING = Award(
    made=AwardMade(
        award=AwardId("main.7.1"),
        order=1,
        seat=5,
        bet=BetId("blazing7"),
        line="three_7_diamonds",
        kind="meter",
        meter=MeterId("mega"),
        share_percent=100,
        amount_cents=6_000_000,
        wager_cents=500,
        status="pending",
        approvers=2,
    ),
    journal_seq=7,
    at="2026-01-02T03:04:05.000000Z",
    table=TableId("BJ-01"),
    round=RoundId("r1"),
)


@pytest.mark.parametrize(
    ("changes", "step", "todo"),
    [
        ({}, "hold", "hold the cards of seat 5: supervisor"),
        ({"void_proposed_by": SUE}, "hold", "hold the cards of seat 5: a void is proposed"),
        (
            {"status": "validated", "validated_by": SUE},
            "hold",
            "hold the cards of seat 5: validated, 2 more approvals",
        ),
        (
            {"status": "validated", "validated_by": SUE, "approved_by": (FAY,)},
            "hold",
            "hold the cards of seat 5: validated, 1 more approval",
        ),
        (
            {"status": "validated", "validated_by": SUE, "approved_by": (FAY, SUE)},
            "hold",
            "hold the cards of seat 5: validated, being paid",
        ),
        (
            {"status": "paid", "paid_by": FAY, "document": "main-P000001"},
            "done",
            "paid, main-P000001: collect the cards",
        ),
        ({"status": "void", "voided_by": SUE}, "void", "void: nothing is paid"),
    ],
)
def test_the_cards_are_held_until_the_award_is_paid_or_void(
    changes: dict[str, object], step: str, todo: str
) -> None:
    assert what_to_do(structs.replace(PENDING, **changes)) == (step, todo)
