"""evolve: it enters what the event says, and leaves the state before as it was."""

import copy

import pytest

from progressive.domain.commands import TableCommand
from progressive.domain.decide.decide import decide, open_link
from progressive.domain.events import (
    Checkpointed,
    Event,
    RoundSettled,
    RoundVoided,
    WagersRegistered,
)
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply, evolve
from progressive.domain.state.link_state import RECEIPTS_KEPT, BetCounters, LinkState, MeterCounters
from tests.support.builders import (
    BET,
    BJ1,
    BJ2,
    LINK,
    NOW,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    a_void,
    accept,
    after,
    opened_link,
    wagers,
)

RULES = a_link()
LOCKED = after(RULES, a_lock(1, wagers=wagers(1, 2)))


def event_of(state: LinkState, rules: LinkRules, command: TableCommand) -> Event:
    event = decide(state, rules, BJ1, command, NOW)
    assert isinstance(event, WagersRegistered | RoundSettled | RoundVoided)
    return event


@pytest.mark.parametrize(
    "event",
    [
        event_of(LOCKED, RULES, a_settle(2)),
        event_of(LOCKED, RULES, a_void(2)),
        Checkpointed(state_digest="d", meters=LOCKED.primaries),
    ],
    ids=lambda event: type(event).__name__,
)
def test_evolving_leaves_the_state_before_untouched(event: Event) -> None:
    was = copy.deepcopy(LOCKED)
    now = evolve(LOCKED, event)
    assert was == LOCKED
    assert now is not LOCKED
    assert now.seq == LOCKED.seq + 1
    assert evolve(LOCKED, event) == now


def test_evolving_and_applying_agree() -> None:
    pure, moved = LinkState(link=LINK), LinkState(link=LINK)
    live = opened_link(RULES)
    for event in [
        open_link(RULES),
        accept(live, RULES, a_lock(1)),
        accept(live, RULES, a_void(2)),
        accept(live, RULES, a_lock(3, wagers=wagers(1, 2, 3))),
        accept(live, RULES, a_settle(4)),
    ]:
        pure = evolve(pure, event)
        apply(moved, event)
    assert pure == moved == live


def test_opening_a_link_puts_the_houses_money_on_the_meters() -> None:
    rules = a_link(bets=(a_bet(), a_buster()))
    state = opened_link(rules)
    assert state.seq == 1
    assert state.terms == rules.terms
    assert state.terms_version == 1
    assert state.primaries == (10_000_000_000_000, 1_500_000_000_000, 300_000_000_000)
    assert state.balances["funding", ""] == -11_800_000_000_000
    assert state.bet_counters == {"blazing7": BetCounters(), "buster": BetCounters()}
    assert state.meter_counters == dict.fromkeys(("mega", "major", "minor"), MeterCounters())
    assert state.tables == {}


def test_link_without_a_journal_shows_no_meter() -> None:
    assert LinkState(link=LINK).primaries == ()


def test_states_share_no_mapping() -> None:
    one, other = LinkState(link=LINK), LinkState(link=LINK)
    apply(one, open_link(RULES))
    assert other == LinkState(link=LINK)


def test_copy_can_be_moved_without_the_original() -> None:
    was = copy.deepcopy(LOCKED)
    accept(LOCKED.copy(), RULES, a_void(2))
    accept(LOCKED.copy(), RULES, a_lock(1), table=BJ2)
    assert was == LOCKED


def test_lock_opens_a_round_with_all_that_it_put_where() -> None:
    state = opened_link(RULES)
    event = accept(state, RULES, a_lock(1, wagers=wagers(1, 2)))
    assert isinstance(event, WagersRegistered)
    opened = state.tables[BJ1].round
    assert opened is not None
    assert (opened.round, opened.wagers, opened.stakes, opened.flows, opened.hold) == (
        event.round,
        event.wagers,
        event.stakes,
        event.flows,
        event.hold,
    )


@pytest.mark.parametrize("end", [a_settle(2), a_void(2)], ids=["settled", "voided"])
def test_settling_or_voiding_closes_the_round(end: TableCommand) -> None:
    state = after(RULES, a_lock(1), end)
    at_table = state.tables[BJ1]
    assert (at_table.round, at_table.last_round, at_table.last_seq) == (None, "r1", 2)


def test_table_remembers_its_newest_answers_only() -> None:
    state = after(RULES, *[a_lock(n) if n % 2 else a_settle(n) for n in range(1, 12)])
    receipts = state.tables[BJ1].receipts
    assert [receipt.event.table_seq for receipt in receipts] == [10, 11]
    assert len(receipts) == RECEIPTS_KEPT
    # The link was opened by record 1, so message n is record n + 1.
    assert [receipt.journal_seq for receipt in receipts] == [11, 12]


def test_wagers_ever_made_only_grow() -> None:
    state = after(RULES, a_lock(1), a_void(2), a_lock(3, wagers=wagers(1, 2)), a_settle(4))
    assert state.bet_counters[BET] == BetCounters(wagers_cents=1_500, voided_cents=500)
