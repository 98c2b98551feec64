"""decide: numbering, rounds, the order of refusals, and that nothing moves."""

import copy

import pytest

from progressive.domain.commands import RegisterWagers, TableCommand
from progressive.domain.decide.decide import Repeat, decide
from progressive.domain.ids import BetId
from progressive.domain.rejections import Refusal, Rejection
from progressive.domain.state.link_state import RECEIPTS_KEPT, LinkState
from progressive.wire.codec import decode_command
from tests.support.builders import (
    BJ1,
    BJ2,
    NOW,
    a_link,
    a_lock,
    a_settle,
    a_void,
    a_wager,
    accept,
    after,
    opened_link,
    wagers,
)

RULES = a_link()


def refusal_of(state: LinkState, command: TableCommand) -> Refusal:
    decision = decide(state, RULES, BJ1, command, NOW)
    assert isinstance(decision, Refusal), decision
    return decision


# --- exactly once -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "again"),
    [
        ([a_lock(1)], a_lock(1)),
        ([a_lock(1), a_settle(2)], a_lock(1)),
        ([a_lock(1), a_settle(2)], a_settle(2)),
        ([a_lock(1), a_void(2)], a_void(2)),
        ([a_lock(1), a_void(2), a_lock(3)], a_void(2)),
    ],
)
def test_same_message_again_is_given_its_receipt(
    history: list[TableCommand], again: TableCommand
) -> None:
    state = after(RULES, *history)
    receipt = next(r for r in state.tables[BJ1].receipts if r.event.table_seq == again.seq)
    assert decide(state, RULES, BJ1, again, NOW) == Repeat(receipt)


def test_field_order_and_defaults_do_not_make_another_message() -> None:
    first = decode_command(
        b'{"type":"lock","seq":1,"round":"r1","wagers":[{"seat":1,"bet":"blazing7",'
        b'"amount_cents":500,"base_cents":2500,"tender":"chip"}],"chips_counted":1}'
    )
    again = decode_command(
        b' {"chips_counted":1, "wagers":[{"base_cents":2500,"amount_cents":500,'
        b'"bet":"blazing7","seat":1}], "round":"\\u00721", "seq":1, "type":"lock"}\n'
    )
    assert isinstance(first, RegisterWagers)
    assert isinstance(again, RegisterWagers)
    assert isinstance(decide(after(RULES, first), RULES, BJ1, again, NOW), Repeat)


@pytest.mark.parametrize(
    ("kept", "sent"),
    [
        (a_lock(1), a_lock(1, round="other")),
        (a_lock(1), a_lock(1, wagers=wagers(2))),
        (a_lock(1), a_lock(1, wagers=wagers(1, 2))),
        (a_lock(1), a_lock(1, wagers=())),
        (a_lock(1), a_lock(1, wagers=[a_wager(1, base_cents=2_400)])),
        (a_lock(1), a_lock(1, wagers=wagers(1, tender="coupon"), chips_counted=1)),
        (a_lock(1), a_lock(1, chips_counted=2)),
        (a_lock(1, wagers=wagers(1, 2)), a_lock(1, wagers=wagers(2, 1))),
        (a_lock(1), a_settle(1, round="r1")),
        (a_lock(1), a_void(1, round="r1")),
    ],
)
def test_another_lock_under_a_used_number_is_refused(
    kept: TableCommand, sent: TableCommand
) -> None:
    assert refusal_of(after(RULES, kept), sent).code is Rejection.SEQ_REUSED


@pytest.mark.parametrize(
    "sent",
    [
        a_settle(2, seats={1: "2s 3s"}),
        a_settle(2, dealer="2s"),
        a_settle(2, complete=True),
        a_settle(2, round="r2"),
        a_void(2),
        a_lock(2, round="r1"),
    ],
)
def test_another_message_under_a_settlements_number_is_refused(sent: TableCommand) -> None:
    assert refusal_of(after(RULES, a_lock(1), a_settle(2)), sent).code is Rejection.SEQ_REUSED


@pytest.mark.parametrize("sent", [a_void(2, reason="again"), a_settle(2), a_void(2, round="r0")])
def test_another_message_under_a_voids_number_is_refused(sent: TableCommand) -> None:
    assert refusal_of(after(RULES, a_lock(1), a_void(2)), sent).code is Rejection.SEQ_REUSED


@pytest.mark.parametrize(
    ("history", "seq", "expected"),
    [
        ([], 2, 1),
        ([], 2**53, 1),
        ([a_lock(1)], 3, 2),
        ([a_lock(1), a_settle(2)], 99, 3),
    ],
)
def test_gap_names_the_number_that_comes_next(
    history: list[TableCommand], seq: int, expected: int
) -> None:
    refusal = refusal_of(after(RULES, *history), a_lock(seq))
    assert (refusal.code, refusal.expected) == (Rejection.SEQ_GAP, expected)


def test_number_older_than_the_kept_receipts_is_left_to_the_journal() -> None:
    locks = [a_lock(seq) if seq % 2 else a_settle(seq) for seq in range(1, RECEIPTS_KEPT + 3)]
    state = after(RULES, *locks)
    oldest_kept = state.tables[BJ1].receipts[0].event.table_seq
    assert oldest_kept == 3
    assert decide(state, RULES, BJ1, locks[oldest_kept - 2], NOW) == Repeat(None)
    assert decide(state, RULES, BJ1, locks[oldest_kept - 1], NOW) == Repeat(
        state.tables[BJ1].receipts[0]
    )


def test_refused_message_leaves_its_number_free() -> None:
    state = after(RULES, a_lock(1))
    refusal_of(state, a_lock(2))
    assert decide(state, RULES, BJ1, a_settle(2), NOW) is not None
    accept(state, RULES, a_settle(2))
    assert state.tables[BJ1].last_seq == 2


def test_each_table_counts_for_itself() -> None:
    state = after(RULES, a_lock(1), a_settle(2), table=BJ1)
    accept(state, RULES, a_lock(1), table=BJ2)
    assert (state.tables[BJ1].last_seq, state.tables[BJ2].last_seq) == (2, 1)


# --- rounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "command", "code"),
    [
        ([a_lock(1)], a_lock(2), Rejection.ROUND_OPEN),
        ([a_lock(1)], a_lock(2, round="r1"), Rejection.ROUND_OPEN),
        ([], a_settle(1, round="r1"), Rejection.NO_ROUND),
        ([], a_void(1, round="r1"), Rejection.NO_ROUND),
        ([a_lock(1), a_settle(2)], a_settle(3, round="r1"), Rejection.NO_ROUND),
        ([a_lock(1), a_settle(2)], a_void(3, round="r1"), Rejection.NO_ROUND),
        ([a_lock(1), a_void(2)], a_settle(3, round="r1"), Rejection.NO_ROUND),
        ([a_lock(1), a_void(2)], a_void(3, round="r1"), Rejection.NO_ROUND),
        ([a_lock(1)], a_settle(2, round="other"), Rejection.WRONG_ROUND),
        ([a_lock(1)], a_void(2, round="other"), Rejection.WRONG_ROUND),
        ([a_lock(1), a_settle(2)], a_lock(3, round="r1"), Rejection.WRONG_ROUND),
        ([a_lock(1), a_void(2)], a_lock(3, round="r1"), Rejection.WRONG_ROUND),
    ],
)
def test_round_is_locked_then_settled_or_voided_once(
    history: list[TableCommand], command: TableCommand, code: Rejection
) -> None:
    assert refusal_of(after(RULES, *history), command).code is code


def test_two_tables_may_use_the_same_round_id() -> None:
    state = after(RULES, a_lock(1, round="r1"), table=BJ1)
    accept(state, RULES, a_lock(1, round="r1"), table=BJ2)
    assert state.tables[BJ1].round is not None
    assert state.tables[BJ2].round is not None


# --- the order of refusals --------------------------------------------------------------------

WRONG_IN_EVERY_WAY = a_wager(9, bet=BetId("nope"), amount_cents=1, base_cents=0)


@pytest.mark.parametrize(
    ("history", "command", "code"),
    [
        # Each message breaks its own rule and those of every row below that can apply to it.
        ([a_lock(1)], a_lock(1, round="r9", wagers=[WRONG_IN_EVERY_WAY]), Rejection.SEQ_REUSED),
        ([a_lock(1)], a_lock(9, round="r1", wagers=[WRONG_IN_EVERY_WAY]), Rejection.SEQ_GAP),
        ([a_lock(1)], a_lock(2, round="r1", wagers=[WRONG_IN_EVERY_WAY]), Rejection.ROUND_OPEN),
        (
            [a_lock(1), a_settle(2)],
            a_lock(3, round="r1", wagers=[WRONG_IN_EVERY_WAY]),
            Rejection.WRONG_ROUND,
        ),
        ([], a_lock(1, wagers=[WRONG_IN_EVERY_WAY], chips_counted=5), Rejection.UNKNOWN_SEAT),
        (
            [],
            a_lock(1, wagers=[a_wager(1, bet=BetId("nope"), amount_cents=1)], chips_counted=5),
            Rejection.UNKNOWN_BET,
        ),
        (
            [],
            a_lock(1, wagers=[a_wager(1), a_wager(1, amount_cents=1, base_cents=0)]),
            Rejection.DUPLICATE_WAGER,
        ),
        (
            [],
            a_lock(1, wagers=[a_wager(1, amount_cents=1, base_cents=0)], chips_counted=5),
            Rejection.NO_BASE_WAGER,
        ),
        (
            [],
            a_lock(1, wagers=[a_wager(1, amount_cents=1)], chips_counted=5),
            Rejection.WRONG_AMOUNT,
        ),
        ([], a_lock(1, chips_counted=5), Rejection.CHIP_COUNT_MISMATCH),
        ([a_lock(1)], a_settle(2, round="x", seats={9: "xx"}), Rejection.WRONG_ROUND),
        ([a_lock(1)], a_settle(2, seats={9: "xx"}), Rejection.UNKNOWN_SEAT),
        ([a_lock(1)], a_settle(2, seats={2: "xx"}), Rejection.BAD_CARD),
        ([a_lock(1)], a_settle(2, seats={2: "7s"}, complete=False), Rejection.NOT_WAGERED),
        ([a_lock(1)], a_settle(2, seats={1: "7s"}, dealer="7s " * 7), Rejection.INCOMPLETE_CARDS),
        (
            [a_lock(1)],
            a_settle(2, seats={1: "7s 2s"}, dealer="7s " * 6),
            Rejection.IMPOSSIBLE_CARDS,
        ),
        ([a_lock(1)], a_settle(2, seats={1: "8s 2s"}, complete=False), Rejection.NOT_A_WINNER),
    ],
)
def test_first_broken_rule_in_the_listed_order_is_the_one_named(
    history: list[TableCommand], command: TableCommand, code: Rejection
) -> None:
    assert refusal_of(after(RULES, *history), command).code is code


# --- nothing moves ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        a_settle(2),
        a_void(2),
        a_lock(2),
        a_lock(1),
        a_lock(1, round="other"),
        a_lock(7),
        a_settle(2, seats={1: "7d 7d 7d"}),
        a_settle(2, seats={1: "xx"}),
    ],
)
def test_deciding_changes_neither_state_nor_rules_nor_command(command: TableCommand) -> None:
    state = after(RULES, a_lock(1))
    was = copy.deepcopy((state, RULES, command))
    first = decide(state, RULES, BJ1, command, NOW)
    assert (state, RULES, command) == was
    assert decide(state, RULES, BJ1, command, NOW) == first


def test_deciding_on_a_new_table_does_not_create_it() -> None:
    state = opened_link(RULES)
    decide(state, RULES, BJ1, a_lock(1), NOW)
    assert state == opened_link(RULES)
