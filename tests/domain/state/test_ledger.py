"""ledger: every event is a set of postings that sums to zero."""

from collections import Counter

import pytest

from progressive.domain.decide.decide import open_link
from progressive.domain.events import Checkpointed, Event
from progressive.domain.rulebook.rules import MeterRules
from progressive.domain.state.invariants import InvariantBrokenError, check, check_deeply
from progressive.domain.state.ledger import Account, accounts_of, postings
from progressive.domain.state.link_state import LinkState, Receipt, TableState
from tests.support.builders import (
    BJ1,
    LINK,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    a_wager,
    accept,
    after,
    opened_link,
    wagers,
)

LIMITED = a_meter("mega", initial_cents=1_000, limit_cents=1_020, reset_rate_ppm=7)
RULES = a_link(bets=(a_bet(meters=(LIMITED, a_meter("minor"))), a_buster()))


def history() -> list[Event]:
    state = opened_link(RULES)
    both = [a_wager(1), *wagers(2, tender="coupon"), a_wager(3, bet="buster", amount_cents=900)]
    return [
        open_link(RULES),
        accept(state, RULES, a_lock(1, wagers=both)),
        accept(state, RULES, a_void(2)),
        accept(state, RULES, a_lock(3, wagers=wagers(1, 2))),
        accept(state, RULES, a_settle(4)),
        Checkpointed(state_digest="d", meters=state.primaries),
    ]


@pytest.mark.parametrize("event", history(), ids=lambda event: type(event).__name__)
def test_postings_of_every_event_sum_to_zero(event: Event) -> None:
    assert sum(amount for _, amount in postings(event)) == 0


@pytest.mark.parametrize("event", history(), ids=lambda event: type(event).__name__)
def test_every_posting_goes_to_an_account_of_the_link(event: Event) -> None:
    assert {account for account, _ in postings(event)} <= set(accounts_of(RULES.terms))


def test_lock_is_booked_from_tender_to_meters_and_hold() -> None:
    booked: Counter[Account] = Counter()
    for account, amount in postings(history()[1]):
        booked[account] += amount
    assert booked == {
        ("wagers", "chip"): -(500 + 900) * 1_000_000,
        ("wagers", "coupon"): -500 * 1_000_000,
        ("primary", "mega"): 20_000_000,
        ("overflow", "mega"): 80_000_000,
        ("reset", "mega"): 7_000,
        ("primary", "minor"): 100_000_000,
        ("hold", ""): (500 + 500 + 900) * 1_000_000 - 200_000_000 - 7_000,
    }


def test_initial_amounts_are_booked_from_the_houses_funding() -> None:
    assert dict(postings(open_link(RULES))) == {
        ("primary", "mega"): 1_000_000_000,
        ("funding", ""): -1_000_000_000,
    }


def test_settlement_without_a_winner_and_checkpoint_book_nothing() -> None:
    assert [postings(event) for event in history()[4:]] == [[], []]


def test_accounts_of_a_link_are_listed_once() -> None:
    accounts = accounts_of(RULES.terms)
    assert len(accounts) == len(set(accounts)) == 11 + 2 * 3


# --- invariants -------------------------------------------------------------------------------


def test_sound_state_passes() -> None:
    check_deeply(after(RULES, a_lock(1), a_settle(2), a_lock(3)))
    check_deeply(LinkState(link=LINK))


def test_lost_microcent_is_noticed() -> None:
    state = after(RULES, a_lock(1))
    state.balances["hold", ""] -= 1
    with pytest.raises(InvariantBrokenError, match="sum to -1 microcents"):
        check(state)


def test_shown_amount_that_is_not_in_the_books_is_noticed() -> None:
    state = after(RULES, a_lock(1))
    state.primaries = (state.primaries[0] + 1, *state.primaries[1:])
    with pytest.raises(InvariantBrokenError, match="the books say"):
        check(state)


@pytest.mark.parametrize("kind", ["primary", "reset", "overflow"])
def test_meter_below_zero_is_noticed_even_when_the_sum_is_right(kind: str) -> None:
    state = opened_link(RULES)
    account = next(at for at in state.balances if at == (kind, "mega"))
    state.balances["hold", ""] += state.balances[account] + 1
    state.balances[account] = -1
    state.primaries = (state.balances["primary", "mega"], *state.primaries[1:])
    with pytest.raises(InvariantBrokenError, match=f"{kind} meter mega is below zero"):
        check(state)


@pytest.mark.parametrize("lost", [0, 1])
def test_gap_in_a_tables_answers_is_noticed(lost: int) -> None:
    state = after(RULES, a_lock(1), a_settle(2), a_lock(3))
    was = state.tables[BJ1]
    kept: tuple[Receipt, ...] = was.receipts[:lost] + was.receipts[lost + 1 :]
    state.tables[BJ1] = TableState(was.last_seq, was.round, was.last_round, kept)
    if lost == 0:
        check_deeply(state)  # only the oldest is gone: that is what forgetting looks like
        return
    with pytest.raises(InvariantBrokenError, match="BJ-01"):
        check_deeply(state)


def test_rates_above_the_whole_wager_are_noticed() -> None:
    greedy: MeterRules = a_meter(rate_ppm=900_000, reset_rate_ppm=100_001)
    with pytest.raises(InvariantBrokenError, match="more than the whole wager"):
        check_deeply(opened_link(a_link(meters=(greedy,))))
