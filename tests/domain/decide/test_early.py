"""decide, before the peek: two-card awards that the final settlement tops up, never pays twice.

NJ 13:69F-2.6(j)4: with an ace or a ten up, the wager is settled on two cards before the hole card
goes into the reader; 2.28(e): only the highest hand is paid in all.
"""

import pytest
from msgspec import structs

from progressive.domain.commands import SeatCards, SettleRound, TableCommand, Wager
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.events import RoundSettled, SettledEarly
from progressive.domain.ids import BetId
from progressive.domain.money import microcents
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.ledger import HOLD, PAID, PENDING, postings
from progressive.domain.state.link_state import LinkState
from tests.support.awards import MEGA_HAND, MIXED_HAND, NOTHING, assert_sound, only
from tests.support.builders import (
    BJ1,
    MEGA,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    a_void,
    accept,
    after,
    wagers,
)

RULES = a_link()
LOCKED = after(RULES, a_lock(1, wagers=wagers(1, 2, 3)))
PAID_EARLY = 12_500


def an_early(seats: dict[int, str], dealer: str = "As", *, seq: int = 2) -> SettleRound:
    return a_settle(seq, round="r1", seats=seats, dealer=dealer, early=True, complete=False)


def a_final(seats: dict[int, str], dealer: str = "As 9h", *, seq: int = 3) -> SettleRound:
    return a_settle(seq, round="r1", seats=seats, dealer=dealer, complete=False)


def paid_early(
    seats: dict[int, str], dealer: str = "As", rules: LinkRules = RULES
) -> tuple[LinkState, SettledEarly]:
    state = after(rules, a_lock(1, wagers=wagers(1, 2, 3)))
    event = accept(state, rules, an_early(seats, dealer))
    assert isinstance(event, SettledEarly)
    assert_sound(state)
    return state, event


def finished(state: LinkState, command: SettleRound, rules: LinkRules = RULES) -> RoundSettled:
    event = accept(state, rules, command)
    assert isinstance(event, RoundSettled)
    assert_sound(state)
    return event


def refusal(state: LinkState, command: TableCommand, rules: LinkRules = RULES) -> Rejection:
    decision = decide(state, rules, BJ1, command, NOW)
    assert isinstance(decision, Refusal), decision
    return decision.code


# --- early -------------------------------------------------------------------------------------


def test_two_card_awards_are_paid_and_the_round_stays_open() -> None:
    state, event = paid_early({1: "7s 7h", 3: "7c 2c"})
    assert [(a.award, a.seat, a.line, a.amount_cents, a.status) for a in event.awards] == [
        ("main.3.1", 3, "one_7", 1_000, "payable"),
        ("main.3.2", 1, "two_7", PAID_EARLY, "payable"),
    ]
    assert dict(postings(event)) == {HOLD: microcents(-13_500), PAID: microcents(13_500)}
    assert event.meters == LOCKED.primaries
    opened = state.tables[BJ1].round
    assert opened is not None
    assert opened.round == "r1"


@pytest.mark.parametrize("up", ["As", "Td", "Jh", "Qc", "Ks"])
def test_every_card_that_a_blackjack_begins_with_is_peeked_under(up: str) -> None:
    assert paid_early({1: "7s 7h"}, up)[1].awards


def test_early_awards_come_from_the_rack_however_low_its_limit() -> None:
    # What is settled before the peek is paid before the peek: nobody stops the deal for a slip.
    rules = a_link(policy=AwardPolicy(rack_limit_cents=0))
    state, event = paid_early({1: "7s 7h"}, rules=rules)
    assert [award.status for award in event.awards] == ["payable"]
    assert not state.awards


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (an_early({1: "7s 7h"}, ""), Rejection.IMPOSSIBLE_CARDS),
        (an_early({1: "7s 7h"}, "9s"), Rejection.IMPOSSIBLE_CARDS),
        (an_early({1: "7s 7h"}, "7s"), Rejection.IMPOSSIBLE_CARDS),
        (an_early({1: "7s 7h"}, "As Kd"), Rejection.IMPOSSIBLE_CARDS),
        # Nobody has drawn yet.
        (an_early({1: "7s 7h 7c"}), Rejection.IMPOSSIBLE_CARDS),
        (an_early({1: "7s"}), Rejection.INCOMPLETE_CARDS),
        (an_early({1: "7s 7x"}), Rejection.BAD_CARD),
        (an_early({9: "7s 7h"}), Rejection.UNKNOWN_SEAT),
        (an_early({5: "7s 7h"}), Rejection.NOT_WAGERED),
        (an_early({1: "7s 7h", 2: NOTHING}), Rejection.NOT_A_WINNER),
        (an_early({}), Rejection.NOT_A_WINNER),
    ],
)
def test_early_settlement_is_of_lit_winners_under_an_ace_or_a_ten(
    command: SettleRound, code: Rejection
) -> None:
    assert refusal(LOCKED, command) is code


@pytest.mark.parametrize("procedure", ["hole_face_up", "no_peek"])
def test_only_a_card_readers_table_settles_early(procedure: str) -> None:
    rules = a_link(dealer_procedure=procedure)
    state = after(rules, a_lock(1))
    assert refusal(state, an_early({1: "7s 7h"}), rules) is Rejection.BAD_MESSAGE


def test_dealing_option_2_is_settled_early_too_and_has_nothing_to_top_up() -> None:
    # 13:69F-2.6(j)4 names no dealing option. An ace or a ten up is never the third 7.
    rules = a_link(dealing_option=2)
    state = after(rules, a_lock(1, wagers=wagers(1, 3)))
    early = accept(state, rules, an_early({1: "7s 7h", 3: "7c 2c"}))
    assert isinstance(early, SettledEarly)
    assert [(made.seat, made.line) for made in early.awards] == [(3, "one_7"), (1, "two_7")]
    cards = {1: "7s 7h 7d", 3: "7c 2c"}
    settled = accept(state, rules, a_settle(3, round="r1", seats=cards, dealer="As Kd"))
    assert isinstance(settled, RoundSettled)
    assert settled.awards == ()


def test_no_answers_are_taken_before_the_peek() -> None:
    seats = (SeatCards(1, ("7s", "7h"), blackjack=False),)
    assert refusal(LOCKED, a_settle(2, seats=seats, dealer="As", early=True)) is (
        Rejection.BAD_MESSAGE
    )


def test_round_is_settled_early_once() -> None:
    state, _ = paid_early({1: "7s 7h"})
    assert refusal(state, an_early({3: "7c 2c"}, seq=3)) is Rejection.ROUND_HAS_AWARDS


def test_round_that_paid_early_is_no_misdeal_any_more() -> None:
    state, _ = paid_early({1: "7s 7h"})
    assert refusal(state, a_void(3, round="r1")) is Rejection.ROUND_HAS_AWARDS


def test_early_settlement_sent_again_gets_its_answer_and_no_money() -> None:
    state, event = paid_early({1: "7s 7h"})
    decision = decide(state, RULES, BJ1, an_early({1: "7s 7h"}), NOW)
    assert isinstance(decision, Repeat)
    assert decision.receipt is not None
    assert decision.receipt.event == event


@pytest.mark.parametrize(
    "command",
    [an_early({1: "7s 7c"}), an_early({1: "7s 7h"}, "Ks"), a_final({1: "7s 7h"}, "As", seq=2)],
)
def test_other_message_under_the_early_number_is_refused(command: SettleRound) -> None:
    state, _ = paid_early({1: "7s 7h"})
    assert refusal(state, command) is Rejection.SEQ_REUSED


# --- and what comes on top ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        # The same line, in a complete round, among the winners, or not mentioned any more.
        a_settle(3, round="r1", seats={1: "7s 7h 2c", 2: NOTHING, 3: NOTHING}, dealer="As 9h"),
        a_final({1: "7s 7h"}),
        a_final({1: "7s 7h"}, "As Kd"),
        a_final({}, ""),
        # With a dealer's blackjack the two-card result is final (B-6).
        a_final({1: MIXED_HAND}, "As Kd"),
    ],
)
def test_line_that_was_paid_early_is_not_paid_again(command: SettleRound) -> None:
    state, _ = paid_early({1: "7s 7h"})
    was = state.balances.copy()
    assert finished(state, command).awards == ()
    assert state.balances == was
    assert not state.early


def test_better_fixed_line_pays_the_difference() -> None:
    state, _ = paid_early({1: "7s 7h"})
    event = finished(state, a_final({1: MIXED_HAND}))
    award = only(event)
    assert (award.amount_cents, award.paid_before_cents, award.due_cents) == (
        100_000,
        PAID_EARLY,
        87_500,
    )
    assert dict(postings(event)) == {HOLD: microcents(-87_500), PAID: microcents(87_500)}
    assert state.balances[PAID] == microcents(100_000)


def test_meter_line_makes_good_what_the_rack_gave() -> None:
    state, _ = paid_early({1: "7d 7d"})
    event = finished(state, a_final({1: MEGA_HAND}))
    amount = 10_000_000 + 3 * 60
    assert (only(event).amount_cents, only(event).due_cents) == (amount, amount - PAID_EARLY)
    moved = dict(postings(event))
    assert moved[PENDING] == microcents(amount - PAID_EARLY)
    assert moved[HOLD] == microcents(PAID_EARLY)
    assert state.balances[PAID] + state.balances[PENDING] == microcents(amount)


def test_meter_that_holds_less_than_was_paid_owes_nothing_more() -> None:
    # B-17: a Mega of $0 pays $0; the pair stays paid.
    mega = structs.replace(MEGA, initial_cents=0, rate_ppm=20_000, reset_cents=0)
    rules = a_link(bets=(a_bet(meters=(mega,)),))
    state, _ = paid_early({1: "7d 7d"}, rules=rules)
    event = finished(state, a_final({1: MEGA_HAND}), rules)
    assert (only(event).amount_cents, only(event).due_cents) == (30, 0)
    assert dict(postings(event))[HOLD] == microcents(30)
    assert state.balances[PENDING] == 0


def test_winner_who_was_not_paid_early_is_paid_in_full() -> None:
    state, _ = paid_early({1: "7s 7h"})
    event = finished(state, a_final({1: MIXED_HAND, 3: "7d 7c"}))
    assert [(award.seat, award.due_cents) for award in event.awards] == [
        (3, 12_500),
        (1, 87_500),
    ]


@pytest.mark.parametrize(
    "command",
    [
        a_final({1: "7s 7c 7d"}),
        a_final({1: "7h 7s 7c"}),
        a_final({1: MIXED_HAND}, "Ah 9h"),
        a_final({3: "7c 2c"}, "5h 9h"),
    ],
)
def test_cards_that_were_paid_upon_are_the_cards_of_the_round(command: SettleRound) -> None:
    state, _ = paid_early({1: "7s 7h"})
    assert refusal(state, command) is Rejection.IMPOSSIBLE_CARDS


def test_next_round_knows_nothing_of_an_early_award() -> None:
    state, _ = paid_early({1: "7s 7h"})
    finished(state, a_final({}, ""))
    accept(state, RULES, a_lock(4))
    event = finished(state, a_settle(5, seats={1: MIXED_HAND}, dealer="5s"))
    assert only(event).due_cents == 100_000


# --- beside a Buster wager that asks about a blackjack -------------------------------------------

BUST_7 = "As 2h Ac Ad 2s 8d 9c"
WITH_BONUS = a_link(
    bets=(
        a_bet(),
        a_buster(
            free_bonus="B1",
            free_bonus_lines=(BonusLine(id="bust_7", cents=100_000),),
            free_bonus_min_cents=500,
        ),
    )
)


@pytest.mark.parametrize(
    "seats",
    [(), (SeatCards(1, blackjack=False),), (SeatCards(1, ("7s", "7h")),)],
    ids=["nothing said", "no blackjack", "its cards again"],
)
def test_whoever_was_paid_on_sevens_is_not_asked_about_a_blackjack(
    seats: tuple[SeatCards, ...],
) -> None:
    placed = [*wagers(1), Wager(1, BetId("buster"), 700, 2_500)]
    state = after(WITH_BONUS, a_lock(1, wagers=placed), an_early({1: "7s 7h"}))
    final = a_settle(3, round="r1", seats=seats, dealer=BUST_7, complete=False)
    made = only(finished(state, final, WITH_BONUS))
    assert (made.bet, made.line, made.bonus_cents) == ("buster", "bust_7", 0)


def test_whoever_was_paid_on_sevens_cannot_have_a_blackjack_after_all() -> None:
    placed = [*wagers(1), Wager(1, BetId("buster"), 700, 2_500)]
    state = after(WITH_BONUS, a_lock(1, wagers=placed), an_early({1: "7s 7h"}))
    for seat in (SeatCards(1, ("As", "Kd")), SeatCards(1, blackjack=True)):
        final = a_settle(3, round="r1", seats=(seat,), dealer=BUST_7, complete=False)
        assert refusal(state, final, WITH_BONUS) is Rejection.IMPOSSIBLE_CARDS
