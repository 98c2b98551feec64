"""A table's own count: what a service may say to it, and what it may never say."""

import pytest
from msgspec import structs

from progressive.client.answers import ServerMessage, UnreadableAnswerError, decode_answer
from progressive.domain.commands import (
    DealerCards,
    RegisterWagers,
    SeatCards,
    SettleRound,
    Wager,
)
from progressive.domain.ids import BetId, RoundId
from progressive.domain.rejections import Rejection
from progressive.simulator.bookkeeping import Entry
from progressive.simulator.meter_track import MeterTerms
from progressive.simulator.plan import Spoiled
from progressive.simulator.standing import Standing, WrongAnswerError
from progressive.simulator.wins import Won
from progressive.wire.meters import MeterCents
from progressive.wire.table_messages import (
    AwardMessage,
    BetMessage,
    DealingMessage,
    ErrorMessage,
    LineMessage,
    Locked,
    OpenRoundMessage,
    ResetMessage,
    Settled,
    Welcome,
)

ROUND = RoundId("r5")
LOCK = RegisterWagers(
    seq=5,
    round=ROUND,
    wagers=(Wager(1, BetId("side"), 500, 1000), Wager(2, BetId("side"), 500, 1000, "coupon")),
    chips_counted=1,
)
OPEN = OpenRoundMessage(
    ROUND,
    (Wager(1, "side", 500, 1000, "chip"), Wager(2, "side", 500, 1000, "coupon")),
)
METERS = [MeterCents("mega", 1120)]
BET = BetMessage(
    "side",
    "nj-blazing-7s",
    "3",
    wager_cents=500,
    meters=["mega"],
    dealing_option=1,
    lines=[
        LineMessage("three_7_diamonds", meter="mega", share_percent=100),
        LineMessage("two_7", for_one=25),
    ],
    resets=[ResetMessage("mega", 900, 10_000)],
)
DEALING = DealingMessage(6, "card_reader", "hit", 200_000, "to_reset_meter")
LOCKED = Locked(5, ROUND, 40, METERS)


def welcome(next_seq: int, opened: OpenRoundMessage | None = None, **fields: object) -> Welcome:
    plain = Welcome("A", "main", 3, next_seq, opened, [BET], METERS, "live", None, DEALING)
    return structs.replace(plain, **fields)


@pytest.fixture
def at() -> Standing:
    """A table that has been welcomed; seq 5 comes next."""
    standing = Standing("A", [MeterTerms("mega", "side", 120_000)])
    standing.welcomed(welcome(5))
    return standing


def test_an_accepted_lock_is_entered_with_what_it_puts_on_the_meters(at: Standing) -> None:
    at.begins(LOCK)
    at.sends()
    accepted = at.accepted(LOCKED)
    assert accepted.entry == Entry(
        40, "A", 5, "lock", (120_000_000,), (1120,), put_by=(10_000_000,)
    )
    assert (accepted.won, accepted.awards) == ([], ())
    assert at.next_seq == 6
    assert at.open_lock is LOCK


@pytest.mark.parametrize(
    "answer",
    [
        structs.replace(LOCKED, seq=6),
        structs.replace(LOCKED, round="r4"),
        structs.replace(LOCKED, journal_seq=0),
        structs.replace(LOCKED, meters=[]),
        structs.replace(LOCKED, meters=[MeterCents("major", 1120)]),
        structs.replace(LOCKED, repeat=True),
        Settled(5, ROUND, 40, [], METERS),
        ErrorMessage(5, "ROUND_OPEN", "…"),
        welcome(5),
    ],
)
def test_any_other_answer_is_wrong(at: Standing, answer: ServerMessage) -> None:
    at.begins(LOCK)
    at.sends()
    with pytest.raises(WrongAnswerError):
        at.accepted(answer)


def test_the_journal_only_grows(at: Standing) -> None:
    at.begins(LOCK)
    at.sends()
    at.accepted(LOCKED)
    at.begins(SettleRound(seq=6, round=ROUND, complete=False))
    at.sends()
    with pytest.raises(WrongAnswerError, match="journal_seq above 40"):
        at.accepted(Settled(6, ROUND, 40, [], METERS))


# --- coming back --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("came", "sends", "good"),
    [
        (welcome(5), 0, True),
        (welcome(5), 1, True),
        (welcome(6, OPEN), 1, True),
        (welcome(6, OPEN), 0, False),
        (welcome(6), 1, False),
        (welcome(5, OPEN), 1, False),
        (welcome(6, structs.replace(OPEN, wagers=OPEN.wagers[:1])), 1, False),
        (welcome(4), 1, False),
        (welcome(7, OPEN), 1, False),
        (welcome(5, table="B"), 1, False),
        (welcome(5, epoch=2), 1, False),
        (welcome(5, epoch=4), 1, True),
    ],
)
def test_a_welcome_knows_all_that_was_answered(
    at: Standing, came: Welcome, sends: int, good: bool
) -> None:
    at.begins(LOCK)
    for _ in range(sends):
        at.sends()
    if good:
        at.welcomed(came)
    else:
        with pytest.raises(WrongAnswerError):
            at.welcomed(came)


def test_an_answered_lock_is_still_open_after_a_restart(at: Standing) -> None:
    at.begins(LOCK)
    at.sends()
    at.accepted(LOCKED)
    at.welcomed(welcome(6, OPEN, epoch=4))
    with pytest.raises(WrongAnswerError, match="open round"):
        at.welcomed(welcome(6, epoch=4))


def test_what_the_welcome_counted_is_answered_as_a_repeat(at: Standing) -> None:
    at.begins(LOCK)
    at.sends()
    at.welcomed(welcome(6, OPEN))
    at.sends()
    with pytest.raises(WrongAnswerError, match="a repeat"):
        at.accepted(LOCKED)
    at.accepted(structs.replace(LOCKED, repeat=True))


@pytest.mark.parametrize("repeat", [False, True])
def test_what_it_did_not_count_may_have_been_on_its_way(at: Standing, repeat: bool) -> None:
    at.begins(LOCK)
    at.sends()
    at.welcomed(welcome(5))
    at.sends()
    at.accepted(structs.replace(LOCKED, repeat=repeat))


def test_a_round_left_open_by_an_earlier_run_is_taken_over() -> None:
    standing = Standing("A", [])
    standing.welcomed(welcome(6, OPEN))
    assert standing.open_lock is not None
    assert (standing.open_lock.round, standing.open_lock.wagers) == (ROUND, LOCK.wagers)


def test_other_terms_than_before_end_the_tables_play(at: Standing) -> None:
    with pytest.raises(WrongAnswerError, match="the terms of before"):
        at.welcomed(welcome(5, bets=[structs.replace(BET, lines=BET.lines[:1])]))


# --- before the peek ----------------------------------------------------------------------------

EARLY = SettleRound(
    seq=6,
    round=ROUND,
    dealer=DealerCards(("Ts",)),
    seats=(SeatCards(1, ("7d", "7d")),),
    complete=False,
    early=True,
)
TWO_SEVENS = AwardMessage(
    "main.41.1", 1, 1, "side", "two_7", "fixed", None, None, 12_500, 0, "payable", None, None,
    500, None, 0, 12_500, 0,
)  # fmt: skip


@pytest.fixture
def paid_early(at: Standing) -> Standing:
    """A table whose seat 1 was paid for two sevens before the peek."""
    at.begins(LOCK)
    at.sends()
    at.accepted(LOCKED)
    at.begins(EARLY)
    at.sends()
    accepted = at.accepted(Settled(6, ROUND, 41, [TWO_SEVENS], METERS, early=True))
    assert accepted.entry.kind == "early"
    return at


def test_the_round_is_still_open_after_an_early_settlement(paid_early: Standing) -> None:
    assert paid_early.open_lock is LOCK
    paid_early.welcomed(welcome(7, OPEN))
    with pytest.raises(WrongAnswerError, match="open round"):
        paid_early.welcomed(welcome(7))


def test_what_was_paid_early_is_not_paid_again(paid_early: Standing) -> None:
    paid_early.begins(
        SettleRound(
            7, ROUND, DealerCards(("Ts", "Kd")), (SeatCards(1, ("7d", "7d", "9c")),), complete=False
        )
    )
    paid_early.sends()
    again = structs.replace(TWO_SEVENS, award="main.42.1")
    with pytest.raises(WrongAnswerError, match="0 awards"):
        paid_early.accepted(Settled(7, ROUND, 42, [again], METERS))
    assert paid_early.accepted(Settled(7, ROUND, 42, [], METERS)).awards == []


def test_a_better_line_is_due_less_what_was_paid_early(paid_early: Standing) -> None:
    paid_early.begins(
        SettleRound(
            7, ROUND, DealerCards(("Ts", "Kd")), (SeatCards(1, ("7d", "7d", "7d")),), complete=False
        )
    )
    paid_early.sends()
    jackpot = AwardMessage(
        "main.42.1", 1, 1, "side", "three_7_diamonds", "meter", "mega", 100, 20_000, 0, "pending",
        20_000, 910, 500, None, 12_500, 7_500, 0,
    )  # fmt: skip
    answer = Settled(7, ROUND, 42, [jackpot], [MeterCents("mega", 910)])
    for field in ("paid_before_cents", "due_cents"):
        lie = structs.replace(answer, awards=[structs.replace(jackpot, **{field: 0})])
        with pytest.raises(WrongAnswerError, match=f"with {field}"):
            paid_early.accepted(lie)
    accepted = paid_early.accepted(answer)
    assert accepted.won == [Won("main.42.1", 42, "A", 1, "mega", "three_7_diamonds", 20_000, 910)]
    (take,) = accepted.entry.takes
    assert (take.amount_cents, take.before_cents, take.after_cents) == (20_000, 20_000, 910)
    assert (take.share_percent, take.reset_cents) == (100, 900)


# --- repeats and refusals -----------------------------------------------------------------------


def test_a_repeat_is_the_same_answer_marked(at: Standing) -> None:
    at.begins(LOCK)
    at.sends()
    at.accepted(LOCKED)
    at.repeated(structs.replace(LOCKED, repeat=True))
    for other in (
        LOCKED,
        structs.replace(LOCKED, repeat=True, journal_seq=41),
        structs.replace(LOCKED, repeat=True, meters=[MeterCents("mega", 1121)]),
    ):
        with pytest.raises(WrongAnswerError):
            at.repeated(other)


def test_a_refusal_names_the_number_the_reason_and_what_was_expected(at: Standing) -> None:
    spoiled = Spoiled(b"", 9, Rejection.SEQ_GAP, 5)
    at.refused(spoiled, ErrorMessage(9, "SEQ_GAP", "…", 5))
    for other in (
        ErrorMessage(9, "SEQ_GAP", "…"),
        ErrorMessage(9, "SEQ_GAP", "…", 6),
        ErrorMessage(8, "SEQ_GAP", "…", 5),
        ErrorMessage(9, "SEQ_REUSED", "…", 5),
        LOCKED,
    ):
        with pytest.raises(WrongAnswerError):
            at.refused(spoiled, other)


@pytest.mark.parametrize("frame", [b"", b"{}", b'{"type":"hello"}', b"\xff", b"[" * 100_000])
def test_a_frame_that_is_no_message_is_unreadable(frame: bytes) -> None:
    with pytest.raises(UnreadableAnswerError):
        decode_answer(frame)
