"""Money is neither made nor lost: by any message, in any order, at any rate."""

import copy
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from progressive.domain.commands import RegisterWagers, SettleRound, TableCommand, Wager
from progressive.domain.decide.decide import Repeat, decide, open_link
from progressive.domain.ids import BetId, MeterId, RoundId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.ledger import Account, postings
from progressive.domain.state.link_state import LinkState
from tests.properties.strategies import Action, actions, command_of, links
from tests.support.builders import BJ1, NOW, a_link, a_meter, opened_link


def moved(before: dict[Account, int], after: dict[Account, int]) -> dict[Account, int]:
    return {at: after[at] - before[at] for at in after if after[at] != before[at]}


@given(links(), actions)
def test_every_event_moves_exactly_its_postings_and_they_sum_to_zero(
    rules: LinkRules, todo: list[Action]
) -> None:
    state = opened_link(rules)
    sent: dict[tuple[str, int], TableCommand] = {}
    for action in todo:
        command = command_of(action, state, rules, sent)
        before = copy.deepcopy(state)
        decision = decide(state, rules, action.table, command, NOW)
        assert state == before
        if isinstance(decision, Refusal | Repeat):
            continue
        sent[action.table, command.seq] = command
        apply(state, decision)
        posted: Counter[Account] = Counter()
        for account, amount in postings(decision):
            posted[account] += amount
        assert sum(posted.values()) == 0
        assert moved(before.balances, state.balances) == {a: n for a, n in posted.items() if n}
        check_deeply(state)


@given(links(), actions)
def test_meters_hold_what_was_put_in_and_what_the_rates_took(
    rules: LinkRules, todo: list[Action]
) -> None:
    """The whole by one multiplication: seeds + contributions = meters + reset + overflow."""
    state = opened_link(rules)
    sent: dict[tuple[str, int], TableCommand] = {}
    staked: Counter[str] = Counter()
    open_stakes: dict[str, Counter[str]] = {}
    for action in todo:
        command = command_of(action, state, rules, sent)
        decision = decide(state, rules, action.table, command, NOW)
        if isinstance(decision, Refusal | Repeat):
            continue
        sent[action.table, command.seq] = command
        apply(state, decision)
        if isinstance(command, RegisterWagers):
            stakes: Counter[str] = Counter()
            for wager in command.wagers:
                stakes[wager.bet] += wager.amount_cents
            open_stakes[action.table] = stakes
            staked += stakes
        else:
            stakes = open_stakes.pop(action.table)
            if not isinstance(command, SettleRound):
                staked -= stakes
    for bet in rules.terms.bets:
        cents = staked[bet.id]
        for meter in bet.meters:
            on_meter = state.balances["primary", meter.id] + state.balances["overflow", meter.id]
            assert on_meter == meter.initial_cents * 1_000_000 + cents * meter.rate_ppm
            assert state.balances["reset", meter.id] == cents * meter.reset_rate_ppm
    taken = sum(
        staked[bet.id] * (m.rate_ppm + m.reset_rate_ppm)
        for bet in rules.terms.bets
        for m in bet.meters
    )
    assert state.balances["hold", ""] == staked.total() * 1_000_000 - taken


@given(links(), actions)
def test_refused_message_might_as_well_not_have_been_sent(
    rules: LinkRules, todo: list[Action]
) -> None:
    state, quiet = opened_link(rules), opened_link(rules)
    sent: dict[tuple[str, int], TableCommand] = {}
    for action in todo:
        command = command_of(action, state, rules, sent)
        decision = decide(state, rules, action.table, command, NOW)
        if isinstance(decision, Refusal | Repeat):
            continue
        sent[action.table, command.seq] = command
        apply(state, decision)
        # The other link hears only the accepted ones.
        assert decide(quiet, rules, action.table, command, NOW) == decision
        apply(quiet, decision)
    assert state == quiet


@given(links())
def test_opening_a_link_takes_the_meters_amounts_from_the_house(rules: LinkRules) -> None:
    event = open_link(rules)
    state = LinkState(link=rules.id)
    apply(state, event)
    check_deeply(state)
    seeds = sum(meter.initial_cents for meter in rules.terms.meters) * 1_000_000
    assert state.balances["funding", ""] == -seeds
    assert sum(state.primaries) == seeds


# --- drift ------------------------------------------------------------------------------------

AWKWARD = (
    a_meter("odd", rate_ppm=123_457, reset_rate_ppm=99_991, initial_cents=1),
    a_meter("least", rate_ppm=1, reset_rate_ppm=1),
    a_meter("third", rate_ppm=333_333, reset_rate_ppm=7, initial_cents=250_000),
)


def play_wagers(rules: LinkRules, count: int, *, wager_cents: int) -> LinkState:
    """So many wagers, seven a round, settled; pure decide and apply."""
    state = opened_link(rules)
    full = tuple(Wager(seat, BetId("blazing7"), wager_cents, 1_000) for seat in range(1, 8))
    seq = 0
    while count:
        placed = full[: min(7, count)]
        count -= len(placed)
        seq += 1
        name = RoundId(str(seq))
        locked = decide(state, rules, BJ1, RegisterWagers(seq, name, placed, len(placed)), NOW)
        assert not isinstance(locked, Refusal | Repeat)
        apply(state, locked)
        seq += 1
        settled = decide(state, rules, BJ1, SettleRound(seq, name, complete=False), NOW)
        assert not isinstance(settled, Refusal | Repeat)
        apply(state, settled)
    return state


def assert_no_drift(state: LinkState, *, staked_cents: int) -> None:
    for meter in AWKWARD:
        at = MeterId(meter.id)
        assert state.balances["primary", at] == (
            meter.initial_cents * 1_000_000 + staked_cents * meter.rate_ppm
        )
        assert state.balances["reset", at] == staked_cents * meter.reset_rate_ppm
    taken_ppm = sum(meter.rate_ppm + meter.reset_rate_ppm for meter in AWKWARD)
    assert state.balances["hold", ""] == staked_cents * (1_000_000 - taken_ppm)
    check_deeply(state)


@pytest.mark.parametrize("wager_cents", [100, 500])
def test_thirty_thousand_wagers_at_awkward_rates_drift_by_nothing(wager_cents: int) -> None:
    rules = a_link(meters=AWKWARD, wager_cents=wager_cents)
    state = play_wagers(rules, 30_000, wager_cents=wager_cents)
    assert_no_drift(state, staked_cents=30_000 * wager_cents)


@pytest.mark.slow
def test_a_million_wagers_at_awkward_rates_drift_by_nothing() -> None:
    rules = a_link(meters=AWKWARD)
    state = play_wagers(rules, 1_000_000, wager_cents=500)
    assert_no_drift(state, staked_cents=500_000_000)


@given(
    st.lists(st.integers(0, 500_000), min_size=1, max_size=6),
    st.lists(st.integers(0, 10**11), min_size=1, max_size=20),
)
def test_any_amounts_at_any_rates_drift_by_nothing(rates: list[int], amounts: list[int]) -> None:
    scale = max(1, -(-sum(rates) // 1_000_000))
    meters = tuple(a_meter(f"m{n}", rate_ppm=rate // scale) for n, rate in enumerate(rates))
    rules = a_link(meters=meters, wager_cents=None, min_cents=0, max_cents=None)
    state = opened_link(rules)
    for number, amount in enumerate(amounts):
        seq = 2 * number + 1
        name = RoundId(str(seq))
        placed = (Wager(1, BetId("blazing7"), amount, 1),)
        for command in (
            RegisterWagers(seq, name, placed, 1),
            SettleRound(seq + 1, name, complete=False),
        ):
            decision = decide(state, rules, BJ1, command, NOW)
            assert not isinstance(decision, Refusal | Repeat), decision
            apply(state, decision)
    for meter in meters:
        assert state.balances["primary", meter.id] == sum(amounts) * meter.rate_ppm
    check_deeply(state)
