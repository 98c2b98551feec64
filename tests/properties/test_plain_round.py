"""The short way through a lock-out comes to the same as the long one, whatever is sent."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from progressive.domain.commands import RegisterWagers, TableCommand, Wager
from progressive.domain.decide import decide
from progressive.domain.evolve import apply
from progressive.domain.ids import BetId
from progressive.domain.plain_round import PlainRounds
from progressive.domain.rules import LinkRules, TableRules
from progressive.domain.state import LinkState
from tests.support.builders import (
    BJ1,
    BJ2,
    LINK,
    MINOR,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    after,
    opened_link,
    wagers,
)

# Mostly the plain round, with anything that may be wrong in it now and then.
WAGER = st.builds(
    Wager,
    seat=st.integers(min_value=0, max_value=8) | st.just(3),
    bet=st.sampled_from([BetId("blazing7")] * 6 + [BetId("buster"), BetId("nothing")]),
    amount_cents=st.sampled_from([500, 500, 500, 500, 100, 0]),
    base_cents=st.sampled_from([2500, 500, 500, 499, 0]),
    tender=st.sampled_from(["chip", "chip", "chip", "coupon"]),
)
LINKS = [
    a_link(),
    a_link(capped_by_base_wager=True),
    a_link(needs_base_wager=False),
    a_link(bets=(a_bet(), a_buster())),
    # The meters of the bet are not the first of the link.
    a_link(bets=(a_buster(wager_cents=100, meters=(a_meter("other"),)), a_bet())),
    a_link(meters=()),
    a_link(meters=(MINOR, a_meter(limit_cents=1))),
    a_link(tables=(TableRules(id=BJ1, link=LINK, seats=5), TableRules(id=BJ2, link=LINK, seats=7))),
    a_link(wager_cents=None, min_cents=100),
]
BEFORE: list[tuple[TableCommand, ...]] = [
    (),
    (a_lock(1, wagers=[]),),
    (a_lock(1, wagers=[]), a_settle(2)),
]


def comes_to_the_same(rules: LinkRules, state: LinkState, command: RegisterWagers) -> bool:
    """Whether the short way is open, after a look that it leads where the long one does."""
    short = PlainRounds(rules).lock(state, BJ1, command)
    if short is None:
        return False
    event, moved = short
    assert event == decide(state, rules, BJ1, command, NOW)
    long_way = state.copy()
    apply(long_way, event)
    apply(state, event, moved)
    assert state == long_way
    return True


@given(
    rules=st.sampled_from(LINKS),
    placed=st.lists(WAGER, max_size=8),
    chips_counted=st.integers(min_value=0, max_value=8),
    right_count=st.booleans(),
)
def test_both_ways_decide_and_move_alike(
    rules: LinkRules, placed: list[Wager], chips_counted: int, right_count: bool
) -> None:
    if right_count:
        chips_counted = sum(w.tender == "chip" and w.bet == "blazing7" for w in placed)
    command = a_lock(1, wagers=placed, chips_counted=chips_counted)
    comes_to_the_same(rules, opened_link(rules), command)


@given(
    rules=st.sampled_from(LINKS),
    before=st.sampled_from(BEFORE),
    seq=st.integers(min_value=1, max_value=4),
    round_name=st.sampled_from(["r1", "r2"]),
    seats=st.sets(st.integers(min_value=1, max_value=7), min_size=1),
)
def test_both_ways_look_at_the_table_alike(
    rules: LinkRules,
    before: tuple[TableCommand, ...],
    seq: int,
    round_name: str,
    seats: set[int],
) -> None:
    command = a_lock(seq, round=round_name, wagers=wagers(*sorted(seats)))
    comes_to_the_same(rules, after(rules, *before), command)


@given(seats=st.sets(st.integers(min_value=1, max_value=7), min_size=1))
def test_plain_rounds_take_the_short_way(seats: set[int]) -> None:
    rules = a_link()
    state = after(rules, a_lock(1), a_settle(2))
    assert comes_to_the_same(rules, state, a_lock(3, wagers=wagers(*sorted(seats))))


def test_meter_with_a_limit_takes_the_long_way() -> None:
    rules = a_link(meters=(structs.replace(MINOR, limit_cents=10**9),))
    assert PlainRounds(rules).lock(opened_link(rules), BJ1, a_lock(1)) is None
