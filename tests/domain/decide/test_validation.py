"""decide, where a supervisor confirms fixed awards before the rack pays them.

NJ 13:69F-2.28(g)3: "Have a casino supervisor validate the progressive blackjack payout pursuant to
the casino licensee's internal control procedures." A floor chooses which payouts: those of meters,
every one, or from an amount on.
"""

import pytest
from msgspec import structs

from progressive.domain.acts import (
    ApproveVoid,
    PayAward,
    ProposeVoid,
    SignOn,
    ValidateAward,
    ValidateRound,
    VoidLockedRound,
    WithdrawVoid,
)
from progressive.domain.award_events import RoundValidated
from progressive.domain.commands import SettleRound
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.events import RoundSettled, RoundVoided, SettledEarly
from progressive.domain.ids import AwardId, RoundId
from progressive.domain.money import microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.ledger import HOLD, PAID, PENDING
from progressive.domain.state.link_state import LinkState
from tests.support.awards import (
    ANN,
    BEN,
    DORA,
    MEGA_HAND,
    MIXED_HAND,
    NOTHING,
    ONE_SEVEN,
    PAIR,
    act,
    assert_sound,
    ids,
    of,
    only,
    play,
    refused,
    void,
)
from tests.support.builders import (
    BJ1,
    BJ2,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    a_void,
    a_wager,
    accept,
    after,
    wagers,
)

EVERY = a_link(validation="every", policy=AwardPolicy(rack_limit_cents=50_000))
R1 = RoundId("r1")
ONE, TWO = 1_000, 12_500
"""What one 7 and two 7s pay at $5: 2 and 25 for 1."""


def opened(rules: LinkRules = EVERY) -> LinkState:
    return after(rules)


def confirm(state: LinkState, rules: LinkRules = EVERY, **changes: object) -> RoundValidated:
    asked = structs.replace(ValidateRound(BJ1, R1, ANN), **changes)
    event = act(state, rules, asked)
    assert isinstance(event, RoundValidated)
    return event


@pytest.mark.parametrize(
    ("setting", "from_cents", "hand", "status", "pays_from"),
    [
        ("meters", 0, ONE_SEVEN, "payable", None),
        ("meters", 0, PAIR, "payable", None),
        ("meters", 0, MIXED_HAND, "pending", None),
        ("every", 0, ONE_SEVEN, "pending", "rack"),
        ("every", 0, PAIR, "pending", "rack"),
        # Too much for the rack: the way to the cage is stricter, and stays.
        ("every", 0, MIXED_HAND, "pending", None),
        ("every", 0, MEGA_HAND, "pending", None),
        ("from_amount", TWO, ONE_SEVEN, "payable", None),
        ("from_amount", TWO, PAIR, "pending", "rack"),
        ("from_amount", TWO + 1, PAIR, "payable", None),
        ("from_amount", TWO, MEGA_HAND, "pending", None),
    ],
)
def test_terms_say_which_awards_wait_for_a_supervisor(
    setting: str, from_cents: int, hand: str, status: str, pays_from: str | None
) -> None:
    rules = a_link(
        validation=setting,
        validation_from_cents=from_cents,
        policy=AwardPolicy(rack_limit_cents=50_000),
    )
    made = only(play(opened(rules), rules, {1: hand}))
    assert (made.status, made.pays_from) == (status, pays_from)


def test_money_is_owed_until_a_supervisor_confirms_and_paid_from_then_on() -> None:
    state = opened()
    event = play(state, EVERY, {1: ONE_SEVEN, 2: PAIR, 3: NOTHING})
    assert state.balances[PENDING] == microcents(ONE + TWO)
    assert state.balances[PAID] == 0
    hold = state.balances[HOLD]
    done = confirm(state)
    assert done.awards == tuple(ids(event))
    assert done.cents == ONE + TWO
    assert (state.balances[PENDING], state.balances[PAID]) == (0, microcents(ONE + TWO))
    assert state.balances[HOLD] == hold
    for award in ids(event):
        stands = of(state, award)
        assert (stands.status, stands.validated_by, stands.document) == ("paid", ANN, None)
    assert not state.awards
    assert state.documents == 0


def test_round_is_confirmed_once() -> None:
    state = opened()
    play(state, EVERY, {1: ONE_SEVEN})
    confirm(state)
    assert refused(state, EVERY, ValidateRound(BJ1, R1, BEN)) is Rejection.WRONG_STATUS


def test_dealer_of_the_table_confirms_nothing() -> None:
    state = opened()
    act(state, EVERY, SignOn(BJ1, DORA))
    play(state, EVERY, {1: ONE_SEVEN})
    asked = ValidateRound(BJ1, R1, DORA)
    assert refused(state, EVERY, asked) is Rejection.DEALER_OF_TABLE
    # Nor once she has left the table: she dealt this round.
    act(state, EVERY, SignOn(BJ1, None))
    assert refused(state, EVERY, asked) is Rejection.DEALER_OF_TABLE
    confirm(state)


def test_supervisor_confirms_what_she_was_shown() -> None:
    state = opened()
    first, second = ids(play(state, EVERY, {1: ONE_SEVEN, 2: PAIR}))
    for shown in ((first,), (first, second, AwardId("main.3.9")), ()):
        asked = ValidateRound(BJ1, R1, ANN, shown)
        assert refused(state, EVERY, asked) is Rejection.WRONG_STATUS
    confirm(state, awards=(second, first))


@pytest.mark.parametrize(
    ("table", "round_id", "code"),
    [
        (BJ2, "r1", Rejection.WRONG_STATUS),
        (BJ1, "r2", Rejection.WRONG_STATUS),
        ("BJ-99", "r1", Rejection.UNKNOWN_TABLE),
    ],
)
def test_another_table_or_round_has_nothing_to_confirm(
    table: str, round_id: str, code: Rejection
) -> None:
    state = opened()
    play(state, EVERY, {1: ONE_SEVEN})
    asked = ValidateRound(table, round_id, ANN)  # type: ignore[arg-type]
    assert refused(state, EVERY, asked) is code


def test_awards_of_meters_and_of_the_cage_keep_their_way() -> None:
    state = opened()
    event = play(state, EVERY, {1: ONE_SEVEN, 2: MIXED_HAND, 3: MEGA_HAND})
    by_seat = {made.seat: made.award for made in event.awards}
    assert confirm(state).awards == (by_seat[1],)
    for seat in (2, 3):
        act(state, EVERY, ValidateAward(by_seat[seat], ANN))
        act(state, EVERY, PayAward(by_seat[seat], BEN))
    assert not state.awards


def test_award_of_the_rack_is_neither_validated_nor_paid_on_its_own() -> None:
    state = opened()
    award = only(play(state, EVERY, {1: ONE_SEVEN})).award
    assert refused(state, EVERY, ValidateAward(award, ANN)) is Rejection.WRONG_STATUS
    assert refused(state, EVERY, PayAward(award, BEN)) is Rejection.WRONG_STATUS


def test_disputed_award_is_left_out_and_can_be_voided() -> None:
    state = opened()
    by_seat = {made.seat: made.award for made in play(state, EVERY, {1: ONE_SEVEN, 2: PAIR}).awards}
    act(state, EVERY, ProposeVoid(by_seat[2], ANN, "no light"))
    assert confirm(state).awards == (by_seat[1],)
    hold = state.balances[HOLD]
    act(state, EVERY, ApproveVoid(by_seat[2], BEN))
    assert state.balances[HOLD] == hold + microcents(TWO)
    assert not state.awards


def test_withdrawn_dispute_leaves_the_award_to_be_confirmed() -> None:
    state = opened()
    award = only(play(state, EVERY, {1: ONE_SEVEN})).award
    act(state, EVERY, ProposeVoid(award, ANN, "no light"))
    assert refused(state, EVERY, ValidateRound(BJ1, R1, BEN)) is Rejection.WRONG_STATUS
    act(state, EVERY, WithdrawVoid(award, ANN))
    assert confirm(state).awards == (award,)


def test_next_round_does_not_wait_for_the_confirmation_of_the_last() -> None:
    state = opened()
    play(state, EVERY, {1: ONE_SEVEN})
    accept(state, EVERY, a_lock(3, round="r2", wagers=wagers(1)))
    confirm(state)


# --- before the peek ---------------------------------------------------------------------------


def an_early(seats: dict[int, str], *, seq: int = 2) -> SettleRound:
    return a_settle(seq, round="r1", seats=seats, dealer="As", early=True, complete=False)


def a_final(seats: dict[int, str], *, seq: int = 3) -> SettleRound:
    return a_settle(seq, round="r1", seats=seats, dealer="As 9h", complete=False)


def early(seats: dict[int, str], rules: LinkRules = EVERY) -> tuple[LinkState, SettledEarly]:
    state = after(rules, a_lock(1, wagers=wagers(1, 2, 3)))
    event = accept(state, rules, an_early(seats))
    assert isinstance(event, SettledEarly)
    assert_sound(state)
    return state, event


def settled(state: LinkState, seats: dict[int, str]) -> RoundSettled:
    event = accept(state, EVERY, a_final(seats))
    assert isinstance(event, RoundSettled)
    assert_sound(state)
    return event


def test_early_award_waits_for_the_supervisor_whatever_its_amount() -> None:
    rules = a_link(validation="every", policy=AwardPolicy(rack_limit_cents=1))
    state, event = early({2: "7s 7h"}, rules)
    [made] = event.awards
    assert (made.status, made.pays_from, event.awarded_at) == ("pending", "rack", NOW.at)
    assert state.balances[PENDING] == microcents(TWO)
    assert confirm(state, rules).awards == (made.award,)
    assert state.balances[PAID] == microcents(TWO)


def test_settlement_pays_only_what_comes_on_top_confirmed_or_not() -> None:
    for confirmed in (True, False):
        state, event = early({2: "7s 7h"})
        if confirmed:
            confirm(state)
        made = only(settled(state, {2: MEGA_HAND.replace("7d 7d", "7s 7h", 1)}))
        assert made.paid_before_cents == TWO
        assert state.balances[PENDING] == microcents(made.due_cents + TWO * (not confirmed))
        if not confirmed:
            assert confirm(state).awards == (event.awards[0].award,)


def test_void_before_the_peek_frees_the_round_of_the_cards_it_stood_on() -> None:
    state, event = early({2: "7s 7h"})
    assert refused(state, EVERY, VoidLockedRound(BJ1, R1, "misdeal", ANN)) is (
        Rejection.ROUND_HAS_AWARDS
    )
    void(state, EVERY, event.awards[0].award)
    # The dealer had misread seat 2: it is settled early again, on the cards that lie there.
    again = accept(state, EVERY, an_early({2: "7c 2c"}, seq=3))
    assert isinstance(again, SettledEarly)
    assert [made.amount_cents for made in again.awards] == [ONE]


def test_void_before_the_peek_leaves_the_other_seat_bound() -> None:
    state, event = early({1: "7d 7c", 2: "7s 7h"})
    void(state, EVERY, next(made.award for made in event.awards if made.seat == 2))
    refusal = decide(state, EVERY, BJ1, a_final({1: "7d 2c"}), NOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code is Rejection.IMPOSSIBLE_CARDS
    made = only(settled(state, {2: "7c 2c"}))
    assert (made.paid_before_cents, made.amount_cents) == (0, ONE)
    assert confirm(state).cents == ONE + TWO
    assert not state.awards


def test_early_award_that_the_settlement_counts_is_voided_after_that_one() -> None:
    state, event = early({2: "7s 7h"})
    first = event.awards[0].award
    second = only(settled(state, {2: "7s 7h 7d"})).award
    act(state, EVERY, ProposeVoid(first, ANN, "no light"))
    assert refused(state, EVERY, ApproveVoid(first, BEN)) is Rejection.VOID_TOO_LATE
    void(state, EVERY, second)
    act(state, EVERY, ApproveVoid(first, BEN))
    assert state.balances[PENDING] == state.balances[PAID] == 0
    assert not state.awards


# --- voids of rounds ---------------------------------------------------------------------------


def locked(rules: LinkRules = EVERY, *seats: int) -> LinkState:
    state = after(rules, a_lock(1, wagers=wagers(*(seats or (1, 2)))))
    act(state, rules, SignOn(BJ1, DORA))
    return state


def test_dealers_void_waits_for_a_supervisor_who_makes_it_in_her_place() -> None:
    state = locked()
    before = state.primaries
    command = a_void(2, round="r1")
    refusal = decide(state, EVERY, BJ1, command, NOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code is Rejection.NEEDS_APPROVAL
    assert "POST /v1/tables/BJ-01/rounds/r1/void" in refusal.message
    event = act(state, EVERY, VoidLockedRound(BJ1, R1, "card exposed", ANN))
    assert isinstance(event, RoundVoided)
    assert (event.by, event.table_seq, event.reason) == (ANN, 2, "card exposed")
    assert state.primaries < before
    # The controller sends its void again, in its own words, and is answered.
    again = decide(state, EVERY, BJ1, command, NOW)
    assert isinstance(again, Repeat)
    other = decide(state, EVERY, BJ1, a_settle(2, round="r1"), NOW)
    assert isinstance(other, Refusal)
    assert other.code is Rejection.SEQ_REUSED
    accept(state, EVERY, a_lock(3, round="r2", wagers=wagers(1)))


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (VoidLockedRound(BJ1, R1, "misdeal", DORA), Rejection.DEALER_OF_TABLE),
        (VoidLockedRound(BJ1, RoundId("r2"), "misdeal", ANN), Rejection.WRONG_ROUND),
        (VoidLockedRound(BJ2, R1, "misdeal", ANN), Rejection.NO_ROUND),
        (VoidLockedRound("BJ-99", R1, "misdeal", ANN), Rejection.UNKNOWN_TABLE),  # type: ignore[arg-type]
    ],
)
def test_supervisors_void_is_refused(asked: VoidLockedRound, code: Rejection) -> None:
    assert refused(locked(), EVERY, asked) is code


def test_dealer_voids_alone_where_the_terms_ask_for_nobody() -> None:
    rules = a_link(validation="from_amount", validation_from_cents=1)
    state = locked(rules)
    asked = VoidLockedRound(BJ1, R1, "misdeal", ANN)
    assert refused(state, rules, asked) is Rejection.WRONG_STATUS
    event = accept(state, rules, a_void(2, round="r1"))
    assert isinstance(event, RoundVoided)
    assert event.by is None


def test_void_asks_for_a_supervisor_by_the_bets_that_were_made() -> None:
    """A strict bet that nobody made in this round does not concern it; nor does an empty round."""
    strict = a_buster(validation="every")
    rules = a_link(bets=(a_bet(), strict))
    accept(locked(rules), rules, a_void(2, round="r1"))
    accept(after(rules, a_lock(1, wagers=())), rules, a_void(2, round="r1"))
    both = [*wagers(1), a_wager(1, bet="buster", amount_cents=500)]
    refusal = decide(after(rules, a_lock(1, wagers=both)), rules, BJ1, a_void(2, round="r1"), NOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code is Rejection.NEEDS_APPROVAL
