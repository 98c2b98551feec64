"""Forged base wagers: two at one seat, or one that the recorded table does not take."""

from collections.abc import Callable

import pytest
from msgspec import structs

from progressive.domain.commands import Wager
from progressive.domain.decide.decide import decide
from progressive.domain.events import TableEvent
from progressive.domain.ids import BetId
from progressive.domain.rulebook.floor_record import FloorRecord, floor_record
from progressive.domain.rulebook.rules import LinkRules
from progressive.verifier.findings import DiscrepancyError
from tests.support.awards import NOW
from tests.support.builders import BJ1, a_bet, a_buster, a_link, a_lock, a_wager
from tests.support.forgeries import put
from tests.support.journals import Row
from tests.verifier.rules.test_floor import Journal

RULES = a_link(bets=(a_bet(), a_buster()))
BOTH = (a_wager(3), a_wager(3, bet=BetId("buster")))


def with_limits(base_min_cents: int, base_max_cents: int) -> LinkRules:
    limited = [
        structs.replace(table, base_min_cents=base_min_cents, base_max_cents=base_max_cents)
        for table in RULES.tables
    ]
    return structs.replace(RULES, tables=tuple(limited))


def locked(rules: LinkRules, floor: FloorRecord | None, *placed: Wager) -> Journal:
    """A journal with one lock-out at BJ-01, as the service writes it."""
    journal = Journal(rules, floor)
    event = decide(journal.state, rules, BJ1, a_lock(1, wagers=placed, chips_counted=1), NOW)
    assert isinstance(event, TableEvent), event
    journal.write(event)
    journal.enter_all()
    return journal


def test_two_base_wagers_at_one_seat_are_found() -> None:
    journal = locked(RULES, floor_record(RULES), *BOTH)
    journal.forge_last(put("wagers", 1, "base_cents", value=5_000))
    with pytest.raises(DiscrepancyError, match="seat 3 has two base wagers, 2500 and 5000 cents"):
        journal.enter_all()


def test_older_journal_may_have_them() -> None:
    """A program that recorded no floor took both, and the table had no limits."""
    journal = locked(RULES, None, *BOTH)
    journal.forge_last(put("wagers", 1, "base_cents", value=5_000))
    journal.enter_all()


LOW = "seat 3 has a base wager of {} cents, BJ-01 takes {}"


@pytest.mark.parametrize(
    ("limits", "placed", "change", "said"),
    [
        (
            (2_500, 50_000),
            BOTH[:1],
            put("plain", 3, 0, value=2_499),
            LOW.format(2_499, "2500 to 50000"),
        ),
        ((2_500, 0), BOTH[:1], put("plain", 3, 0, value=1), LOW.format(1, "2500 or more")),
        ((0, 2_500), BOTH[:1], put("plain", 3, 0, value=2_501), LOW.format(2_501, "2500 or less")),
        (
            (2_500, 50_000),
            (a_wager(3, tender="coupon"), a_wager(4)),
            put("wagers", 0, "base_cents", value=60_000),
            LOW.format(60_000, "2500 to 50000"),
        ),
    ],
)
def test_base_wager_that_the_recorded_table_does_not_take_is_found(
    limits: tuple[int, int],
    placed: tuple[Wager, ...],
    change: Callable[[Row], None],
    said: str,
) -> None:
    rules = with_limits(*limits)
    journal = locked(rules, floor_record(rules), *placed)
    journal.forge_last(change)
    with pytest.raises(DiscrepancyError, match=said):
        journal.enter_all()


def test_limits_are_those_of_the_last_record() -> None:
    """Houses change table minimums from day to day: what was lawful then stays so."""
    rules = with_limits(1_000, 0)
    journal = locked(rules, floor_record(rules), a_wager(3, base_cents=1_000))
    journal.rules = with_limits(2_500, 0)
    journal.start(floor_record(journal.rules))
    journal.enter_all()
