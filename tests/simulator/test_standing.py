"""A table's own count: what a service may say to it, and what it may never say."""

import pytest
from msgspec import structs

from progressive.domain.commands import RegisterWagers, SettleRound, Wager
from progressive.domain.ids import BetId, RoundId
from progressive.domain.rejections import Rejection
from progressive.simulator.answers import ServerMessage, UnreadableAnswerError, decode_answer
from progressive.simulator.bookkeeping import Entry, MeterTerms
from progressive.simulator.plan import Spoiled
from progressive.simulator.standing import Standing, WrongAnswerError
from progressive.wire.messages import (
    ErrorMessage,
    Locked,
    MeterCents,
    OpenRoundMessage,
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
LOCKED = Locked(5, ROUND, 40, METERS)


def welcome(next_seq: int, opened: OpenRoundMessage | None = None, **fields: object) -> Welcome:
    plain = Welcome("A", "main", 3, next_seq, opened, [], METERS, "live")
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
    assert at.accepted(LOCKED) == Entry(40, "A", 5, "lock", (120_000_000,), (1120,))
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
