"""The short way through a lock-out comes to the same as the long one, whatever is sent."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from progressive.application.journal.record import GENESIS, decode_record
from progressive.application.link.batch import Batch
from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand, Wager
from progressive.domain.decide.decide import command_of as message_of
from progressive.domain.decide.decide import decide
from progressive.domain.decide.plain_round import PlainRounds, PlainRun
from progressive.domain.events import TableEvent
from progressive.domain.ids import BetId, TableId
from progressive.domain.rulebook.rules import LinkRules, TableRules
from progressive.domain.state.evolve import apply, evolve
from progressive.domain.state.link_state import LinkState
from tests.properties.strategies import TABLES, Action, actions, command_of, honest, links
from tests.support.builders import (
    BJ1,
    BJ2,
    LINK,
    MINOR,
    NOW,
    Answers,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    a_wager,
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
    base_cents=st.sampled_from([2500, 2501, 501, 500, 500, 499, 0]),
    tender=st.sampled_from(["chip", "chip", "chip", "coupon"]),
)
SMALLER_TABLE = a_link(
    tables=(TableRules(id=BJ1, link=LINK, seats=5), TableRules(id=BJ2, link=LINK, seats=7))
)
LIMITED = a_link(
    tables=(
        TableRules(id=BJ1, link=LINK, seats=7, base_min_cents=501, base_max_cents=2500),
        TableRules(id=BJ2, link=LINK, seats=7),
    )
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
    SMALLER_TABLE,
    LIMITED,
    a_link(wager_cents=None, min_cents=100),
]
BEFORE: list[tuple[TableCommand, ...]] = [
    (),
    (a_lock(1, wagers=[]),),
    (a_lock(1, wagers=[]), a_settle(2)),
]


def comes_to_the_same(rules: LinkRules, state: LinkState, command: RegisterWagers) -> bool:
    """Whether the short way is open, after a look that it leads where the long one does."""
    draft = state.copy()
    run = PlainRun(PlainRounds(rules), draft)
    event = run.lock(BJ1, command)
    run.post()
    if event is None:
        assert draft == state
        return False
    assert event == decide(state, rules, BJ1, command, NOW)
    assert draft == evolve(state, event)
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
    round_name=st.sampled_from(["r1", "r2", "r\n1", "r2 ", "Zo\u00eb", "\u202er"]),
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
    for rules in (a_link(), LIMITED):
        state = after(rules, a_lock(1), a_settle(2))
        assert comes_to_the_same(rules, state, a_lock(3, wagers=wagers(*sorted(seats))))


@pytest.mark.parametrize(
    ("rules", "command"),
    [
        (a_link(), a_lock(1, wagers=[])),
        (a_link(), a_lock(1, wagers=wagers(1, 1))),
        (a_link(), a_lock(1, wagers=wagers(2, 1))),
        (a_link(), a_lock(1, wagers=wagers(0))),
        (a_link(), a_lock(1, wagers=wagers(1, 8))),
        (SMALLER_TABLE, a_lock(1, wagers=wagers(6))),
        (LIMITED, a_lock(1, wagers=[a_wager(1), a_wager(2, base_cents=500)])),
        (LIMITED, a_lock(1, wagers=[a_wager(1), a_wager(2, base_cents=2501)])),
        (a_link(), a_lock(1, chips_counted=2)),
        (a_link(), a_lock(1, wagers=[a_wager(1), a_wager(2, amount_cents=400)])),
        (a_link(), a_lock(1, wagers=[a_wager(1), a_wager(2, base_cents=400)])),
        (a_link(), a_lock(1, wagers=wagers(1, tender="coupon"), chips_counted=1)),
        (a_link(), a_lock(1, wagers=[a_wager(bet=BetId("nothing"))], chips_counted=1)),
        (a_link(meters=()), a_lock(1)),
        (a_link(wager_cents=None), a_lock(1)),
        (a_link(meters=(structs.replace(MINOR, limit_cents=10**9),)), a_lock(1)),
        (a_link(), a_lock(2)),
    ],
)
def test_any_other_round_takes_the_long_way(rules: LinkRules, command: RegisterWagers) -> None:
    assert not comes_to_the_same(rules, opened_link(rules), command)


PLAIN_LOCK = st.builds(
    Action,
    table=st.sampled_from(TABLES),
    kind=st.just("lock"),
    places=st.sets(st.integers(1, 7), min_size=1).map(
        lambda seats: tuple((seat, 0, False) for seat in sorted(seats))
    ),
)


def batch_comes_to_the_same(rules: LinkRules, said: Sequence[tuple[TableId, TableCommand]]) -> bool:
    """Whether one batch leads where one message after the other does."""
    opened = state = opened_link(rules)
    events: list[TableEvent] = []
    for table, command in said:
        decision = decide(state, rules, table, command, NOW)
        if isinstance(decision, TableEvent):
            state = evolve(state, decision)
            events.append(decision)
    decided = Batch(opened, GENESIS, rules=rules, plain=PlainRounds(rules), when=NOW)
    for table, command in said:
        decided.decide((table, command, Answers()))
    decided.close()
    return (decided.draft, [decode_record(record).event for record in decided.records]) == (
        state,
        events,
    )


def test_books_are_posted_before_a_void_looks_at_them() -> None:
    rules = a_link(meters=(a_meter(initial_cents=0),))
    assert batch_comes_to_the_same(rules, [(BJ1, a_lock(1)), (BJ2, a_lock(1)), (BJ1, a_void(2))])


@given(rules=links(), todo=st.lists(PLAIN_LOCK | PLAIN_LOCK | honest, max_size=40))
def test_batch_comes_to_what_one_message_after_the_other_does(
    rules: LinkRules, todo: list[Action]
) -> None:
    state = opened_link(rules)
    said = []
    for action in todo:
        command = command_of(action, state, rules, {})
        said.append((action.table, command))
        decision = decide(state, rules, action.table, command, NOW)
        if isinstance(decision, TableEvent):
            apply(state, decision)
    assert batch_comes_to_the_same(rules, said)


def settles_alike(rules: LinkRules, state: LinkState, command: SettleRound) -> bool:
    """Whether the short way is open, after a look that it leads where the long one does.

    It must not look at the books: they are behind while it is taken.
    """
    draft = state.copy()
    draft.balances, draft.bet_counters, draft.meter_counters = {}, {}, {}
    event = PlainRun(PlainRounds(rules), draft).settle(BJ1, command)
    draft.balances = state.balances
    draft.bet_counters, draft.meter_counters = state.bet_counters, state.meter_counters
    if event is None:
        assert draft == state
        return False
    assert event == decide(state, rules, BJ1, command, NOW)
    assert draft == evolve(state, event)
    return True


@given(
    before=st.sampled_from([*BEFORE, (a_lock(1),), (a_lock(1), a_settle(2), a_lock(3))]),
    command=st.builds(
        a_settle,
        st.integers(min_value=1, max_value=5),
        round=st.sampled_from(["r1", "r2", "r3"]),
        seats=st.sampled_from([{}, {1: "7s 7h"}]),
        dealer=st.sampled_from(["", "5s"]),
        complete=st.booleans(),
        early=st.booleans(),
    ),
)
def test_both_ways_settle_alike(before: tuple[TableCommand, ...], command: SettleRound) -> None:
    rules = a_link()
    settles_alike(rules, after(rules, *before), command)


def test_settlement_without_winners_takes_the_short_way() -> None:
    rules = a_link()
    assert settles_alike(rules, after(rules, a_lock(1)), a_settle(2))


@pytest.mark.parametrize(
    "command",
    [
        a_settle(2, seats={1: "7s 7h"}, dealer="5s", complete=False),
        a_settle(2, dealer="5s"),
        a_settle(2, complete=True),
        a_settle(2, early=True),
        a_settle(2, round="r9"),
        a_settle(3, round="r1"),
    ],
)
def test_any_other_settlement_takes_the_long_way(command: SettleRound) -> None:
    rules = a_link()
    assert not settles_alike(rules, after(rules, a_lock(1)), command)


def test_settlement_after_an_early_one_takes_the_long_way() -> None:
    rules = a_link()
    early = a_settle(2, round="r1", seats={1: "7s 7h"}, dealer="As", complete=False, early=True)
    state = after(rules, a_lock(1), early)
    assert state.early
    assert not settles_alike(rules, state, a_settle(3, round="r1"))


@given(rules=links(), todo=actions)
def test_event_tells_the_message_that_led_to_it(rules: LinkRules, todo: list[Action]) -> None:
    state = opened_link(rules)
    for action in todo:
        command = command_of(action, state, rules, {})
        decision = decide(state, rules, action.table, command, NOW)
        if isinstance(decision, TableEvent):
            assert message_of(decision) == command
            apply(state, decision)
