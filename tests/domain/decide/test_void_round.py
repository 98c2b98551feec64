"""decide, misdeal: contra entries for all that the lock-out posted."""

import pytest

from progressive.domain.decide.decide import decide
from progressive.domain.events import MeterFlow, RoundVoided, Stake
from progressive.domain.ids import BetId
from progressive.domain.state.evolve import apply
from progressive.domain.state.invariants import check_deeply
from progressive.domain.state.ledger import Account, postings
from progressive.domain.state.link_state import LinkState
from tests.support.builders import (
    BET,
    BJ1,
    BJ2,
    MAJOR,
    MEGA,
    MINOR,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_void,
    a_wager,
    accept,
    after,
    opened_link,
    wagers,
)

RULES = a_link()
METERS = [(kind, meter.id) for meter in (MEGA, MAJOR, MINOR) for kind in ("primary", "reset")]


def voided(state: LinkState) -> RoundVoided:
    event = decide(state, RULES, BJ1, a_void(2), NOW)
    assert isinstance(event, RoundVoided)
    return event


def test_void_puts_every_meter_back_where_it_was() -> None:
    state = after(RULES, a_lock(1, wagers=wagers(1, 2, 3)), a_void(2))
    was = opened_link(RULES)
    assert {at: state.balances[at] for at in METERS} == {at: was.balances[at] for at in METERS}
    assert state.balances["hold", ""] == 0


def test_void_keeps_the_gross_wagers_and_their_refunds_on_the_books() -> None:
    placed = (*wagers(1, 2), *wagers(3, tender="coupon"))
    state = after(RULES, a_lock(1, wagers=placed), a_void(2))
    assert state.balances["wagers", "chip"] == -1_000_000_000
    assert state.balances["refunds", "chip"] == 1_000_000_000
    assert state.balances["wagers", "coupon"] == -500_000_000
    assert state.balances["refunds", "coupon"] == 500_000_000
    counters = state.bet_counters[BET]
    assert (counters.wagers_cents, counters.voided_cents) == (1_500, 1_500)


def test_void_is_the_mirror_of_its_lock() -> None:
    state = after(RULES, a_lock(1))
    event = voided(state)
    assert event.flows == (
        MeterFlow(MEGA.id, -60_000_000, -5_000_000, 0),
        MeterFlow(MAJOR.id, -30_000_000, -2_500_000, 0),
        MeterFlow(MINOR.id, -20_000_000, -2_500_000, 0),
    )
    assert (event.stakes, event.hold) == ((Stake(BET, 500, 0),), -380_000_000)
    assert event.meters == opened_link(RULES).primaries


def test_void_leaves_what_other_tables_put_on_since() -> None:
    state = after(RULES, a_lock(1), table=BJ1)
    accept(state, RULES, a_lock(1, wagers=wagers(1, 2)), table=BJ2)
    accept(state, RULES, a_void(2), table=BJ1)
    alone = after(RULES, a_lock(1, wagers=wagers(1, 2)), table=BJ2)
    assert state.primaries == alone.primaries


def test_void_takes_overflow_back_out_of_the_overflow() -> None:
    rules = a_link(meters=(a_meter(initial_cents=1_000, limit_cents=1_030),))
    state = after(rules, a_lock(1))
    event = accept(state, rules, a_void(2))
    assert isinstance(event, RoundVoided)
    assert event.flows == (MeterFlow(MEGA.id, -30_000_000, 0, -20_000_000),)
    assert state.balances["primary", MEGA.id] == 1_000_000_000
    assert state.balances["overflow", MEGA.id] == 0


def test_void_of_a_round_nobody_bet_on_moves_nothing() -> None:
    state = after(RULES, a_lock(1, wagers=()))
    assert postings(voided(state)) == []


def test_void_of_a_bet_without_meters_gives_back_what_the_house_held() -> None:
    rules = a_link(bets=(a_bet(), a_buster()))
    placed = [a_wager(1, bet=BetId("buster"), amount_cents=700)]
    state = after(rules, a_lock(1, wagers=placed), a_void(2))
    assert state.balances["hold", ""] == 0
    assert state.balances["refunds", "chip"] == 700_000_000


def won_elsewhere(state: LinkState, account: Account, *, left: int) -> None:
    """Empty a meter by hand: the award that would do it is not in this version."""
    assert state.terms is not None
    state.balances["funding", ""] += state.balances[account] - left
    state.balances[account] = left
    state.primaries = tuple(state.balances["primary", meter.id] for meter in state.terms.meters)
    check_deeply(state)


@pytest.mark.parametrize(
    ("kind", "left", "taken"),
    [
        ("primary", 0, 0),
        ("primary", 1, 1),
        ("primary", 59_999_999, 59_999_999),
        ("primary", 60_000_000, 60_000_000),
        ("primary", 60_000_001, 60_000_000),
        ("reset", 0, 0),
        ("reset", 4_999_999, 4_999_999),
    ],
)
def test_void_never_takes_a_meter_below_zero_the_house_bears_it(
    kind: str, left: int, taken: int
) -> None:
    state = after(RULES, a_lock(1))
    account = next(at for at in state.balances if at == (kind, MEGA.id))
    won_elsewhere(state, account, left=left)
    was = state.copy()
    event = voided(state)
    flow = event.flows[0]
    assert (-flow.primary if kind == "primary" else -flow.reset) == taken
    short = (60_000_000 if kind == "primary" else 5_000_000) - taken
    assert event.hold == -380_000_000 - short
    assert sum(amount for _, amount in postings(event)) == 0
    apply(state, event)
    check_deeply(state)
    assert state.balances[account] == left - taken
    # The player gets the whole wager back, whoever pays for it.
    assert state.balances["refunds", "chip"] - was.balances["refunds", "chip"] == 500_000_000


def test_void_never_takes_an_emptied_overflow_below_zero() -> None:
    rules = a_link(meters=(a_meter(initial_cents=1_000, limit_cents=1_000),))
    state = after(rules, a_lock(1))
    won_elsewhere(state, ("overflow", MEGA.id), left=0)
    accept(state, rules, a_void(2))
    check_deeply(state)
    assert state.balances["overflow", MEGA.id] == 0
    assert state.balances["hold", ""] == -50_000_000
