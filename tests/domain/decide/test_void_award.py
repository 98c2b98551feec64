"""decide_act, void: the money goes back, and the rest of the round is settled anew."""

import pytest
from msgspec import structs

from progressive.domain.acts import (
    ApprovePayment,
    ApproveVoid,
    PayAward,
    ProposeVoid,
    ValidateAward,
)
from progressive.domain.award_events import AwardVoided
from progressive.domain.decide.acts import decide_act
from progressive.domain.ids import AwardId, BetId, MeterId
from progressive.domain.money import microcents
from progressive.domain.options import PaymentOrder
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy, TaxFormRule
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.signatures import Signature
from progressive.domain.state.ledger import FUNDING, HOLD, PAID, PENDING, RETURNED
from progressive.domain.state.link_state import LinkState
from tests.support.awards import (
    ANN,
    BEN,
    CARA,
    FRED,
    MEGA_HAND,
    MINOR_HAND,
    NOTHING,
    PAIR,
    TENTH,
    WHOLE,
    a_progressive,
    act,
    ids,
    of,
    one_meter,
    pay,
    play,
    refused,
    void,
)
from tests.support.builders import (
    BJ2,
    BJ3,
    MEGA,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    a_wager,
    accept,
    after,
    opened_link,
    wagers,
)
from tests.support.hands import BUSTS

RULES = one_meter(decks=8)
WHOLES = {1: "7h 7h 7h", 2: "7c 7c 7c", 3: WHOLE}
"""Three who win the whole meter: seat 3 is paid first, then 2, then 1."""
PROGRESSIVE = ("primary", "progressive")


def owed(state: LinkState) -> dict[int, int]:
    """What is due to each seat whose award is open."""
    return {
        award.made.seat: award.made.due_cents for award in state.awards.values() if not award.final
    }


def by_seat(state: LinkState, seat: int) -> AwardId:
    return next(award for award, each in state.awards.items() if each.made.seat == seat)


# --- as if it had never been -------------------------------------------------------------------


@pytest.mark.parametrize("order", ["counter_clockwise", "clockwise", "equal_share"])
@pytest.mark.parametrize("overflow", ["to_reset_meter", "stay"])
@pytest.mark.parametrize(
    ("hands", "voided"),
    [
        # The second winner behind a void gets the full meter; the third what the second had.
        (WHOLES, [3]),
        (WHOLES, [2]),
        (WHOLES, [1]),
        (WHOLES, [3, 2]),
        (WHOLES, [2, 3]),
        (WHOLES, [1, 3]),
        (WHOLES, [1, 2, 3]),
        (WHOLES, [3, 2, 1]),
        # Tenths are tenths of more.
        ({1: TENTH, 2: TENTH, 3: "7d 7h 7d"}, [3]),
        ({1: TENTH, 2: TENTH, 3: "7d 7h 7d"}, [2, 1]),
        ({1: TENTH, 2: "7h 7h 7h", 3: "7d 7h 7d"}, [2]),
        ({1: TENTH, 2: "7h 7h 7h", 3: "7d 7h 7d"}, [3]),
        ({1: TENTH, 2: "7h 7h 7h", 3: "7d 7h 7d"}, [1, 3]),
        ({1: "7d 7d 7d", 2: TENTH, 3: "7h 7h 7h"}, [3, 1]),
    ],
)
@pytest.mark.parametrize("limit_cents", [0, 1_000_100])
def test_round_stands_as_if_the_void_claim_had_never_been(
    hands: dict[int, str],
    voided: list[int],
    order: PaymentOrder,
    overflow: str,
    limit_cents: int,
) -> None:
    rules = one_meter(
        a_progressive(limit_cents=limit_cents), decks=8, payment_order=order, overflow=overflow
    )
    state, honest = opened_link(rules), opened_link(rules)
    play(state, rules, hands)
    for seat in voided:
        void(state, rules, by_seat(state, seat))
    play(honest, rules, hands | dict.fromkeys(voided, NOTHING))
    assert owed(state) == owed(honest)
    assert state.balances == honest.balances
    for mine, true in zip(
        [award.made for award in state.awards.values() if not award.final],
        [award.made for award in honest.awards.values()],
        strict=True,
    ):
        # Numbers and places stay; all that is about money is as it would have been.
        assert structs.replace(mine, award=true.award, order=true.order) == true
    counted, true_count = (each.meter_counters[MeterId("progressive")] for each in (state, honest))
    assert counted.hits - counted.voided_hits == true_count.hits
    assert counted.wins_cents - counted.voided_cents == true_count.wins_cents


def test_void_takes_the_reset_back_that_never_was() -> None:
    state = opened_link(RULES)
    event = play(state, RULES, {1: "7h 7h 7h", 3: WHOLE})
    assert owed(state) == {3: 1_000_200, 1: 200_010}
    assert state.balances[FUNDING] == microcents(-1_000_000 - 2 * 200_000)
    voided = void(state, RULES, ids(event)[0])
    assert owed(state) == {1: 1_000_200}
    assert state.balances[FUNDING] == microcents(-1_000_000 - 200_000)
    assert voided.money.funding == microcents(200_000)
    assert [(change.award, change.amount_cents) for change in voided.changes] == [
        (ids(event)[1], 1_000_200)
    ]


def test_award_that_nothing_changed_for_keeps_its_signatures() -> None:
    state = opened_link(RULES)
    first, second = ids(play(state, RULES, {1: TENTH, 3: WHOLE}))
    act(state, RULES, ValidateAward(first, ANN))
    event = void(state, RULES, second)
    assert event.changes == ()
    assert (of(state, first).status, of(state, first).validated_by) == ("validated", ANN)


def test_award_that_was_worked_out_anew_is_looked_at_anew() -> None:
    policy = AwardPolicy(
        approvals=(
            ApprovalRule(
                from_day="2000-01-01",
                clause="steps",
                steps=(
                    ApprovalStep(from_cents=200_000, approvers=1),
                    ApprovalStep(from_cents=1_000_000, approvers=2),
                ),
            ),
        ),
        tax_forms=(
            TaxFormRule(
                from_day="2000-01-01",
                form="W-2G",
                least_cents=300_000,
                least_multiple=300,
                clause="a form",
            ),
        ),
    )
    rules = one_meter(policy=policy)
    state = opened_link(rules)
    first, second = ids(play(state, rules, {1: "7h 7h 7h", 3: WHOLE}))
    assert (of(state, second).made.approvers, of(state, second).made.tax_form) == (1, None)
    act(state, rules, ValidateAward(second, ANN))
    act(state, rules, ApprovePayment(second, FRED))
    void(state, rules, first)
    again = of(state, second)
    assert (again.status, again.validated_by, again.approved_by) == ("pending", None, ())
    assert (again.made.approvers, again.made.tax_form) == (2, "W-2G")
    assert refused(state, rules, PayAward(second, CARA)) is Rejection.WRONG_STATUS


def test_awards_of_another_meter_of_the_round_are_not_touched() -> None:
    rules = a_link()
    state = opened_link(rules)
    play(state, rules, {1: MINOR_HAND, 3: MEGA_HAND})
    act(state, rules, ValidateAward(by_seat(state, 1), ANN))
    was = of(state, by_seat(state, 1))
    event = void(state, rules, by_seat(state, 3))
    assert event.changes == ()
    assert of(state, by_seat(state, 1)) == was


# --- what happened since -----------------------------------------------------------------------


def test_winners_on_other_tables_keep_theirs_and_the_money_joins_the_meter() -> None:
    state = opened_link(RULES)
    mine = ids(play(state, RULES, {1: WHOLE}))[0]
    theirs = ids(play(state, RULES, {1: WHOLE}, table=BJ2))[0]
    assert of(state, theirs).made.amount_cents == 200_000 + 5 + 100
    was = of(state, theirs)
    void(state, RULES, mine)
    assert of(state, theirs) == was
    # $10,001.00 and 5 cents of the reset meter come back; $2,000.05 had been put in their place.
    assert state.balances[PROGRESSIVE] == microcents(200_005 + 1_000_100 - 200_005)
    assert state.balances["reset", "progressive"] == microcents(5)
    # The house's reset at this table never was; the one at the other table stays.
    assert state.balances[FUNDING] == microcents(-1_000_000 - 200_000)


def test_second_winner_of_an_old_round_gets_what_the_meter_was_then() -> None:
    state = opened_link(RULES)
    first, second = ids(play(state, RULES, {1: "7h 7h 7h", 3: WHOLE}))
    play(state, RULES, {1: WHOLE}, table=BJ2)
    play(state, RULES, {2: TENTH}, table=BJ3)
    now = state.balances[PROGRESSIVE]
    void(state, RULES, first)
    assert of(state, second).made.amount_cents == 1_000_200
    # The second winner took the 10 cents of the reset meter; now they are of the first reset.
    assert state.balances[PROGRESSIVE] - now == microcents(10)


def test_meter_never_falls_below_nothing_where_the_reset_has_been_won_since() -> None:
    # A meter that held $1.00 when it was won, and was then reset to $2,000.
    rules = one_meter(a_progressive(initial_cents=0, reset_rate_ppm=0), decks=8)
    state = opened_link(rules)
    award = ids(play(state, rules, {1: WHOLE}))[0]
    play(state, rules, {1: TENTH}, table=BJ2)
    now = state.balances[PROGRESSIVE]
    assert now == microcents(200_100 - 20_010)
    event = void(state, rules, award)
    # $1.00 instead of $2,000: $1,999.00 too much, of which $1,800.90 are there.
    assert state.balances[PROGRESSIVE] == 0
    assert event.flows[0].primary == -now
    # The house gets back what the meter had, and the dollar that it owed the winner.
    assert event.money.funding == now + microcents(100)


def test_money_that_comes_back_does_not_pass_the_limit() -> None:
    rules = one_meter(a_progressive(limit_cents=1_000_000))
    state = opened_link(rules)
    award = ids(play(state, rules, {1: WHOLE}))[0]
    assert of(state, award).made.amount_cents == 1_000_000
    play(state, rules, {1: NOTHING}, table=BJ2)
    void(state, rules, award)
    assert state.balances[PROGRESSIVE] == microcents(1_000_000)
    assert state.balances["overflow", "progressive"] == microcents(2 * 100)
    assert state.balances["reset", "progressive"] == microcents(2 * 5)


# --- too late ----------------------------------------------------------------------------------


def proposed_void(state: LinkState, rules: LinkRules, award: AwardId) -> Rejection:
    act(state, rules, ProposeVoid(award, ANN, "wrong cards"))
    return refused(state, rules, ApproveVoid(award, BEN))


def test_void_is_too_late_once_an_award_behind_it_is_paid() -> None:
    state = opened_link(RULES)
    first, second, third = ids(play(state, RULES, WHOLES))
    pay(state, RULES, second)
    assert proposed_void(state, RULES, first) is Rejection.VOID_TOO_LATE
    # What stands behind the paid one can still be voided.
    void(state, RULES, third)


def test_refusal_of_a_late_void_names_the_way_out() -> None:
    state = opened_link(RULES)
    first, second = ids(play(state, RULES, {1: TENTH, 3: WHOLE}))
    pay(state, RULES, second)
    act(state, RULES, ProposeVoid(first, ANN, "wrong cards"))
    decision = decide_act(state, RULES, ApproveVoid(first, BEN), NOW)
    assert isinstance(decision, Refusal)
    assert second in decision.message
    assert "approved correction" in decision.message


@pytest.mark.parametrize("paid", [0, 1, 2])
def test_equal_shares_are_too_late_once_any_of_them_is_paid(paid: int) -> None:
    rules = one_meter(decks=8, payment_order="equal_share")
    state = opened_link(rules)
    awards = ids(play(state, rules, WHOLES))
    pay(state, rules, awards[paid])
    for award in awards[:paid] + awards[paid + 1 :]:
        assert proposed_void(state, rules, award) is Rejection.VOID_TOO_LATE


def test_paid_award_of_another_meter_or_round_is_no_obstacle() -> None:
    rules = a_link()
    state = opened_link(rules)
    play(state, rules, {1: MINOR_HAND, 3: MEGA_HAND})
    mega, minor = by_seat(state, 3), by_seat(state, 1)
    pay(state, rules, minor)
    pay(state, rules, ids(play(state, rules, {1: MEGA_HAND}, table=BJ2))[0])
    void(state, rules, mega)
    assert of(state, mega).status == "void"


def test_award_paid_before_its_elder_was_voided_keeps_its_amount() -> None:
    # Seat 3 is paid first in order: what stands behind it changes nothing for it.
    state = opened_link(RULES)
    first, second = ids(play(state, RULES, {1: TENTH, 3: "7d 7h 7d"}))
    pay(state, RULES, first)
    was = of(state, first)
    void(state, RULES, second)
    assert of(state, first) == was


# --- awards that no meter pays -----------------------------------------------------------------


def test_void_fixed_award_goes_back_with_its_stake() -> None:
    rules = a_link(bets=(a_bet(), a_buster()), policy=AwardPolicy(rack_limit_cents=0))
    state = after(rules, a_lock(1, wagers=[a_wager(bet=BetId("buster"), amount_cents=700)]))
    before = state.balances.copy()
    accept(state, rules, a_settle(2, seats={1: NOTHING}, dealer=BUSTS[5]))
    assert (state.balances[PENDING], state.balances[RETURNED]) == (
        microcents(2_800),
        microcents(700),
    )
    void(state, rules, by_seat(state, 1))
    assert state.balances == before


def test_void_of_a_fixed_award_leaves_the_round_as_it_is() -> None:
    rules = a_link(policy=AwardPolicy(rack_limit_cents=0))
    state = opened_link(rules)
    play(state, rules, {1: PAIR, 3: PAIR, 5: MEGA_HAND})
    pay(state, rules, by_seat(state, 5))
    pay(state, rules, by_seat(state, 1))
    event = void(state, rules, by_seat(state, 3))
    assert (event.changes, event.flows) == ((), ())


# --- lines that were partly paid before the peek -----------------------------------------------


def early_then(rules: LinkRules, final: dict[int, str]) -> LinkState:
    """Seat 1 is paid its pair early; then the round ends with these cards."""
    state = after(rules, a_lock(1, wagers=wagers(1, 2)))
    accept(
        state,
        rules,
        a_settle(2, round="r1", seats={1: "7d 7d"}, dealer="As", early=True, complete=False),
    )
    accept(state, rules, a_settle(3, round="r1", seats=final, dealer="As 9h"))
    return state


@pytest.mark.parametrize("reset_cents", [0, 2_500_000])
@pytest.mark.parametrize(
    ("hands", "voided", "honest"),
    [
        ({1: MEGA_HAND, 2: NOTHING}, [1], {1: "7d 7d 2c", 2: NOTHING}),
        ({1: MEGA_HAND, 2: MEGA_HAND}, [1], {1: "7d 7d 2c", 2: MEGA_HAND}),
        ({1: MEGA_HAND, 2: MEGA_HAND}, [2], {1: MEGA_HAND, 2: NOTHING}),
        ({1: MEGA_HAND, 2: MEGA_HAND}, [2, 1], {1: "7d 7d 2c", 2: NOTHING}),
        ({1: MEGA_HAND, 2: MEGA_HAND}, [1, 2], {1: "7d 7d 2c", 2: NOTHING}),
    ],
)
def test_line_that_was_partly_paid_early_is_settled_anew_too(
    hands: dict[int, str], voided: list[int], honest: dict[int, str], reset_cents: int
) -> None:
    # A Mega that resets to nothing owes less than the pair has been paid: nothing, not a debt.
    mega = structs.replace(MEGA, reset_cents=reset_cents, reset_rate_ppm=0)
    rules = a_link(bets=(a_bet(meters=(mega,)),))
    state = early_then(rules, hands)
    for seat in voided:
        void(state, rules, by_seat(state, seat))
    true = early_then(rules, honest)
    assert owed(state) == owed(true)
    assert state.balances == true.balances
    assert state.balances[PAID] == microcents(12_500)
    assert state.balances[HOLD] == true.balances[HOLD]


def test_proposal_and_approval_are_both_signed() -> None:
    state = opened_link(RULES)
    award = ids(play(state, RULES, {1: WHOLE}))[0]
    act(state, RULES, ProposeVoid(award, ANN, "the light was off"))
    event = act(state, RULES, ApproveVoid(award, Signature("Ben", "Table games")))
    assert isinstance(event, AwardVoided)
    assert (event.proposed_by, event.by, event.reason) == (ANN, BEN, "the light was off")
    assert (of(state, award).void_proposed_by, of(state, award).voided_by) == (ANN, BEN)
