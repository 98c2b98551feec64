"""decide, awards: who wins what, in which order, from which meter; and which papers it takes."""

import msgspec
import pytest
from msgspec import structs

from progressive.domain.acts import SignOn
from progressive.domain.award_events import AwardMade
from progressive.domain.decide.decide import decide
from progressive.domain.events import RoundSettled
from progressive.domain.ids import BetId
from progressive.domain.money import microcents
from progressive.domain.options import AwardRounding, OverflowPolicy, PaymentOrder
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.policy import ApprovalRule, ApprovalStep, AwardPolicy, TaxFormRule
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.ledger import FUNDING, HOLD, PAID, PENDING, RETURNED, postings
from progressive.domain.time_text import Moment
from tests.support.awards import (
    DORA,
    MAJOR_HAND,
    MEGA_HAND,
    MINOR_HAND,
    MIXED_HAND,
    NOTHING,
    ONE_SEVEN,
    PAIR,
    TENTH,
    WHOLE,
    a_progressive,
    act,
    amounts,
    assert_sound,
    ids,
    one_meter,
    only,
    play,
)
from tests.support.builders import (
    BJ1,
    BJ2,
    MEGA,
    MINOR,
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

RULES = a_link()


# --- who wins, and what of ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "line", "meter", "amount_cents"),
    [
        (ONE_SEVEN, "one_7", None, 1_000),
        (PAIR, "two_7", None, 12_500),
        (MIXED_HAND, "three_7_mixed", None, 100_000),
        # NJ 13:69F-2.28(b): the wager that wins was on the meter before the first card.
        (MINOR_HAND, "three_7_color", "minor", 300_020),
        (MAJOR_HAND, "three_7_suited_other", "major", 1_500_030),
        (MEGA_HAND, "three_7_diamonds", "mega", 10_000_060),
    ],
)
def test_line_pays_its_meter_or_its_multiple(
    cards: str, line: str, meter: str | None, amount_cents: int
) -> None:
    award = only(play(opened_link(RULES), RULES, {1: cards}))
    assert (award.line, award.meter, award.amount_cents) == (line, meter, amount_cents)
    assert award.kind == ("fixed" if meter is None else "meter")
    assert award.status == ("payable" if meter is None else "pending")
    assert (award.wager_cents, award.stake_returned_cents) == (500, 0)


def test_every_wager_that_the_journal_holds_counts_from_whatever_table() -> None:
    state = after(RULES, a_lock(1, wagers=wagers(1, 2, 3)), table=BJ2)
    assert amounts(play(state, RULES, {1: MEGA_HAND})) == {1: 10_000_000 + 4 * 60}


def test_winners_alone_win_what_they_win_in_a_complete_round() -> None:
    winners = {2: MEGA_HAND, 4: PAIR, 6: ONE_SEVEN}
    state = after(RULES, a_lock(1, wagers=wagers(*range(1, 8))))
    whole = dict.fromkeys(range(1, 8), NOTHING[:2] + " 8c") | winners
    complete = accept(state.copy(), RULES, a_settle(2, seats=whole, dealer="5s"))
    alone = accept(state, RULES, a_settle(2, seats=winners, dealer="5s", complete=False))
    assert isinstance(complete, RoundSettled)
    assert isinstance(alone, RoundSettled)
    assert [award.seat for award in alone.awards] == [6, 4, 2]
    assert (alone.awards, alone.flows, alone.money) == (
        complete.awards,
        complete.flows,
        complete.money,
    )


def test_award_is_named_by_link_record_and_order() -> None:
    event = play(opened_link(RULES), RULES, {3: ONE_SEVEN, 5: PAIR})
    assert ids(event) == ["main.3.1", "main.3.2"]
    assert [award.order for award in event.awards] == [1, 2]


def test_only_awards_that_people_have_to_do_with_are_kept() -> None:
    state = opened_link(RULES)
    play(state, RULES, {1: MIXED_HAND, 2: MINOR_HAND})
    assert [award.made.seat for award in state.awards.values()] == [2]
    assert [won.meter for won in state.won[3]] == ["minor"]


def test_award_remembers_when_it_was_made_and_who_dealt() -> None:
    state = opened_link(RULES)
    act(state, RULES, SignOn(BJ1, DORA))
    signed_on = state.seq
    event = play(state, RULES, {1: MEGA_HAND})
    award = state.awards[ids(event)[0]]
    assert (award.at, award.table, award.round, award.dealt_by) == (NOW.at, BJ1, "r1", DORA)
    assert (event.dealt_seq, event.dealt_by) == (signed_on, None)
    nothing = play(state, RULES, {1: NOTHING})
    assert (nothing.dealt_seq, nothing.dealt_by) == (0, None)


def test_dealer_who_signed_on_under_an_older_version_is_named() -> None:
    """Its snapshot says who deals, and not by which record."""
    state = opened_link(RULES)
    state.dealers[BJ1] = DORA
    event = play(state, RULES, {1: MEGA_HAND})
    assert (event.dealt_seq, event.dealt_by) == (0, DORA)
    assert state.awards[ids(event)[0]].dealt_by == DORA


def test_settlement_holds_no_name_of_a_person() -> None:
    state = opened_link(RULES)
    act(state, RULES, SignOn(BJ1, DORA))
    written = msgspec.json.encode(play(state, RULES, {1: MEGA_HAND}))
    assert b"dealt_seq" in written
    assert DORA.name.encode() not in written
    assert b"dealt_by" not in written


# --- several bets ------------------------------------------------------------------------------

BUSTER = BetId("buster")
TWO_BETS = a_link(bets=(a_bet(), a_buster()))


def two_bets(rules: LinkRules, seats: dict[int, str], dealer: str) -> RoundSettled:
    """A Blazing 7's wager of $5 and a Buster one of $10 at each seat."""
    placed = [*wagers(*seats), *[a_wager(s, bet=BUSTER, amount_cents=1_000) for s in seats]]
    state = after(rules, a_lock(1, wagers=placed))
    event = accept(state, rules, a_settle(2, seats=seats, dealer=dealer))
    assert isinstance(event, RoundSettled)
    assert_sound(state)
    return event


def test_all_bets_of_the_link_are_settled_at_once_in_the_order_of_the_terms() -> None:
    event = two_bets(TWO_BETS, {1: NOTHING, 2: MINOR_HAND, 5: PAIR}, BUSTS[6])
    assert [(a.order, a.bet, a.seat, a.amount_cents) for a in event.awards] == [
        (1, "blazing7", 5, 12_500),
        (2, "blazing7", 2, 300_060),
        (3, "buster", 5, 15_000),
        (4, "buster", 2, 15_000),
        (5, "buster", 1, 15_000),
    ]


def test_line_to_one_gives_the_stake_back_beside_the_award() -> None:
    event = two_bets(TWO_BETS, {1: NOTHING}, BUSTS[3])
    assert (only(event).amount_cents, only(event).stake_returned_cents) == (2_000, 1_000)
    assert dict(postings(event)) == {
        HOLD: microcents(-3_000),
        PAID: microcents(2_000),
        RETURNED: microcents(1_000),
    }


def test_free_bonus_comes_on_top_and_counts_for_the_rack() -> None:
    # NJ 13:69F-2.30(h): a blackjack beside a Buster wager of $5 or more.
    bonus = a_buster(free_bonus="B1", free_bonus_lines=(BonusLine(id="bust_7", cents=160_000),))
    event = two_bets(a_link(bets=(a_bet(), bonus)), {1: "As Kd", 2: NOTHING}, BUSTS[7])
    assert [
        (a.seat, a.amount_cents, a.bonus_cents, a.due_cents, a.status) for a in event.awards
    ] == [
        (2, 50_000, 0, 50_000, "payable"),
        (1, 50_000, 160_000, 210_000, "pending"),
    ]


# --- the order of payment, and the resets in between -------------------------------------------


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # 100 percent of $10,003.00; then $2,000 of the house and three reset contributions.
        ("counter_clockwise", {7: 1_000_300, 4: 200_015, 2: 200_000}),
        ("clockwise", {2: 1_000_300, 4: 200_015, 7: 200_000}),
        ("equal_share", {7: 333_433, 4: 333_433, 2: 333_433}),
    ],
)
def test_whole_meter_is_won_by_each_winner_as_the_one_before_left_it(
    order: PaymentOrder, expected: dict[int, int]
) -> None:
    rules = one_meter(payment_order=order, decks=8)
    state = opened_link(rules)
    event = play(state, rules, {2: WHOLE, 4: "7h 7h 7h", 7: "7c 7c 7c"})
    assert list(amounts(event).items()) == list(expected.items())


def test_tenths_are_taken_one_after_another() -> None:
    # B-13: 10%, 10%, 10% of what is left each time, whoever bet how much.
    rules = one_meter(decks=8)
    event = play(opened_link(rules), rules, {1: TENTH, 2: TENTH, 3: "7d 7h 7d"})
    assert amounts(event) == {3: 100_030, 2: 90_027, 1: 81_024}
    assert event.awards[-1].meter_after == microcents(1_000_300 - 100_030 - 90_027 - 81_024)


def test_tenth_behind_a_whole_is_of_the_reset_amount() -> None:
    rules = one_meter(decks=8)
    event = play(opened_link(rules), rules, {1: TENTH, 2: "7h 7h 7h", 3: "7d 7h 7d"})
    # $10,003.00: a tenth, then all the rest; then $2,000.15 to begin with, and a tenth of that.
    assert amounts(event) == {3: 100_030, 2: 900_270, 1: 20_002}
    assert [award.funded_cents for award in event.awards] == [0, 200_000, 0]
    assert [award.from_reset for award in event.awards] == [0, microcents(15), 0]
    assert [award.meter_after for award in event.awards] == [
        microcents(900_270),
        microcents(200_015),
        microcents(180_013),
    ]


def test_second_winner_of_a_meter_that_resets_to_nothing_is_awarded_nothing() -> None:
    # B-17: the hand stays a Mega hand, whatever is on the meter.
    mega = structs.replace(MEGA, reset_cents=0, reset_rate_ppm=0)
    rules = a_link(bets=(a_bet(meters=(mega,)),))
    state = opened_link(rules)
    event = play(state, rules, {1: MEGA_HAND, 2: MEGA_HAND})
    assert amounts(event) == {2: 10_000_120, 1: 0}
    assert [award.status for award in event.awards] == ["pending", "pending"]


def test_fraction_of_a_cent_stays_on_the_meter() -> None:
    rules = one_meter(a_progressive(rate_ppm=200_001, reset_cents=0, reset_rate_ppm=0))
    state = opened_link(rules)
    play(state, rules, {1: WHOLE})
    assert state.balances["primary", "progressive"] == 500


@pytest.mark.parametrize(
    ("rounding", "amount_cents"), [("nearest", 10_015), ("down", 10_014), ("up", 10_015)]
)
def test_tenth_is_rounded_once(rounding: AwardRounding, amount_cents: int) -> None:
    # B-14: a tenth of $1,001.45 is $100.145.
    rules = one_meter(a_progressive(initial_cents=100_045), award_rounding=rounding)
    state = opened_link(rules)
    event = play(state, rules, {1: TENTH})
    assert amounts(event) == {1: amount_cents}
    assert state.balances["primary", "progressive"] == microcents(100_145 - amount_cents)


def test_tables_that_hit_at_the_same_moment_have_one_recorded_order() -> None:
    state = after(RULES, a_lock(1))
    accept(state, RULES, a_lock(1), table=BJ2)
    first = accept(state, RULES, a_settle(2, seats={1: MEGA_HAND}, dealer="5s"), table=BJ2)
    second = accept(state, RULES, a_settle(2, seats={1: MEGA_HAND}, dealer="5s"))
    assert isinstance(first, RoundSettled)
    assert isinstance(second, RoundSettled)
    assert only(first).amount_cents == 10_000_120
    assert only(second).amount_cents == MEGA.reset_cents + 10


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "limit_cents", "after_cents", "waiting_cents"),
    [
        # 100 cents on top of a full meter wait in the overflow; with the reset they come back.
        ("to_reset_meter", 1_000_000, 200_000 + 5 + 100, 0),
        ("stay", 1_000_000, 200_000 + 5, 100),
        ("to_reset_meter", 0, 200_000 + 5, 0),
    ],
)
def test_money_above_the_limit_follows_the_policy_at_the_reset(
    policy: OverflowPolicy, limit_cents: int, after_cents: int, waiting_cents: int
) -> None:
    rules = one_meter(a_progressive(limit_cents=limit_cents), overflow=policy)
    state = opened_link(rules)
    award = only(play(state, rules, {1: WHOLE}))
    assert award.amount_cents == 1_000_000 + (0 if limit_cents else 100)
    assert award.from_overflow == microcents(100 if after_cents > 200_005 else 0)
    assert state.balances["primary", "progressive"] == microcents(after_cents)
    assert state.balances["overflow", "progressive"] == microcents(waiting_cents)


def test_reset_does_not_pass_the_limit_either() -> None:
    rules = one_meter(
        a_progressive(initial_cents=200_000, limit_cents=200_000, reset_cents=200_000)
    )
    state = opened_link(rules)
    play(state, rules, {1: WHOLE})
    assert state.balances["primary", "progressive"] == microcents(200_000)
    assert state.balances["overflow", "progressive"] == microcents(100 + 5)


# --- racks, approvals, forms -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit_cents", "status"), [(12_501, "payable"), (12_500, "pending"), (0, "pending")]
)
def test_fixed_award_below_the_racks_limit_is_payable_at_once(
    limit_cents: int, status: str
) -> None:
    rules = a_link(policy=AwardPolicy(rack_limit_cents=limit_cents))
    state = opened_link(rules)
    event = play(state, rules, {1: PAIR})
    assert only(event).status == status
    account = PAID if status == "payable" else PENDING
    assert dict(postings(event)) == {HOLD: microcents(-12_500), account: microcents(12_500)}


def test_award_from_a_meter_is_pending_however_small() -> None:
    mega = structs.replace(MEGA, initial_cents=0, rate_ppm=0)
    rules = a_link(bets=(a_bet(meters=(mega,)),))
    assert only(play(opened_link(rules), rules, {1: MEGA_HAND})).status == "pending"


def test_money_of_a_meter_award_comes_off_the_meter_and_the_house_funds_the_reset() -> None:
    event = play(opened_link(RULES), RULES, {1: MINOR_HAND})
    assert dict(postings(event)) == {
        ("primary", "minor"): microcents(250_000) + 2_500_000 - microcents(300_020),
        ("reset", "minor"): -2_500_000,
        FUNDING: microcents(-250_000),
        PENDING: microcents(300_020),
    }


STEPS = AwardPolicy(
    approvals=(
        ApprovalRule(
            from_day="2026-03-01",
            clause="COMAR 36.05.03.18",
            steps=(
                ApprovalStep(from_cents=2_500_000, approvers=1),
                ApprovalStep(from_cents=5_000_000, approvers=2),
            ),
        ),
        ApprovalRule(
            from_day="2020-01-01",
            clause="as it was before",
            steps=(ApprovalStep(from_cents=1_000_000, approvers=3),),
        ),
    )
)


def award_of(cents: int, policy: AwardPolicy, day: str, *, wager_cents: int = 500) -> AwardMade:
    """An award of exactly so much from a meter that wagers do not feed."""
    meter = structs.replace(MINOR, initial_cents=cents, rate_ppm=0, reset_rate_ppm=0)
    rules = a_link(bets=(a_bet(meters=(meter,), wager_cents=wager_cents),), policy=policy)
    state = after(rules, a_lock(1, wagers=[a_wager(amount_cents=wager_cents)]))
    command = a_settle(2, seats={1: MINOR_HAND}, dealer="5s")
    event = decide(state, rules, BJ1, command, Moment(f"{day}T12:00:00Z", day))
    assert isinstance(event, RoundSettled)
    assert only(event).amount_cents == cents
    return only(event)


@pytest.mark.parametrize(
    ("cents", "day", "approvers"),
    [
        (2_499_999, "2026-03-01", 0),
        (2_500_000, "2026-03-01", 1),
        (4_999_999, "2026-03-01", 1),
        (5_000_000, "2026-03-01", 2),
        (90_000_000, "2030-01-01", 2),
        # The day before, the former rule holds; before all rules, none.
        (2_500_000, "2026-02-28", 3),
        (999_999, "2026-02-28", 0),
        (90_000_000, "2019-12-31", 0),
    ],
)
def test_large_awards_need_approvers_by_the_rule_of_the_day(
    cents: int, day: str, approvers: int
) -> None:
    assert award_of(cents, STEPS, day).approvers == approvers


W2G = AwardPolicy(
    tax_forms=(
        TaxFormRule(
            from_day="2026-01-01",
            form="W-2G",
            least_cents=200_000,
            least_multiple=300,
            clause="from 2026",
        ),
        TaxFormRule(
            from_day="1977-01-01",
            form="W-2G",
            least_cents=60_000,
            least_multiple=300,
            clause="until 2025",
        ),
    )
)


@pytest.mark.parametrize(
    ("amount_cents", "wager_cents", "day", "form"),
    [
        # $2,000 of winnings are the amount less the wager.
        (200_500, 500, "2026-01-01", "W-2G"),
        (200_499, 500, "2026-01-01", None),
        # Until 2025 it was $600; beside a $5 wager 300 times ($1,500) is the higher bar.
        (150_500, 500, "2025-12-31", "W-2G"),
        (150_499, 500, "2025-12-31", None),
        (60_100, 100, "2025-12-31", "W-2G"),
        (60_099, 100, "2025-12-31", None),
        (60_100, 100, "2026-01-01", None),
        # Exactly 300 times the wager is enough, one cent less is not.
        (300_000 + 1_000, 1_000, "2026-01-01", "W-2G"),
        (299_999 + 1_000, 1_000, "2026-01-01", None),
    ],
)
def test_tax_form_follows_winnings_multiple_and_day(
    amount_cents: int, wager_cents: int, day: str, form: str | None
) -> None:
    assert award_of(amount_cents, W2G, day, wager_cents=wager_cents).tax_form == form


def test_winnings_of_a_line_to_one_leave_the_stake_out_already() -> None:
    # 250 to 1 on $10 is $2,500 of winnings; with the stake taken off it would be less.
    rules = a_link(
        bets=(a_bet(), a_buster()),
        policy=structs.replace(
            W2G,
            tax_forms=(structs.replace(W2G.tax_forms[0], least_cents=250_000, least_multiple=250),),
        ),
    )
    event = two_bets(rules, {1: NOTHING}, BUSTS[8])
    assert (only(event).amount_cents, only(event).tax_form) == (250_000, "W-2G")
