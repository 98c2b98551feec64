"""Lies about the hand that decides every Buster wager, each with a perfect chain."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.domain.commands import SeatCards, TableCommand, Wager
from progressive.domain.ids import BetId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.paytable import BonusLine
from progressive.domain.rulebook.rules import LinkRules
from tests.support.builders import (
    BJ1,
    Desk,
    a_bet,
    a_buster,
    a_link,
    a_lock,
    a_settle,
    kill,
    wagers,
)
from tests.support.fake_clock import FakeClock
from tests.support.forgeries import all_of, as_written, drop, lie_at, put
from tests.support.journals import JournalFile, Row

BUST_3, BUST_7 = "Ts 6h Kc", "2s 2h 2d 3c 3d 3s Kc"
BUST_7_ON_ACE = "As 2h Ac Ad 2s 8d 9c"


def a_washington_link() -> LinkRules:
    bonus = (BonusLine(id="bust_7", cents=100_000),)
    buster = a_buster(player_points_max=27, free_bonus_lines=bonus, free_bonus_min_cents=500)
    return a_link(bets=(a_bet(), buster))


def busters(*seats: int) -> list[Wager]:
    return [Wager(seat, BetId("buster"), 700, 2_500) for seat in seats]


async def write(directory: Path) -> None:
    """
    | seq | what |
    |---|---|
    | 1 | link_opened |
    | 2, 3 | two Buster wagers, the dealer stands: nobody is keyed |
    | 4, 5 | a bust of three: seat 1 has 27 or less, seat 2 has 28 or more, seat 3 shows a 20 |
    | 6, 7 | a bust of seven: seat 1 has no blackjack, seat 2 shows one |
    | 8, 9 | Blazing 7's alone: nobody won, nothing is keyed |
    | 10, 11, 12 | seat 1 is paid on two 7s before the peek, then a bust of seven: no blackjack |
    """
    store = SqliteStore(directory)
    # No stop: no checkpoint, and no snapshot to forge along.
    desk = Desk(a_washington_link(), store, FakeClock())
    await desk.worker.start()
    rounds: list[TableCommand] = [
        a_lock(1, wagers=busters(1, 2)),
        a_settle(2, dealer="Ts 9s", complete=False),
        a_lock(3, wagers=busters(1, 2, 3)),
        a_settle(
            4,
            dealer=BUST_3,
            seats=(
                SeatCards(1, points_over=False),
                SeatCards(2, points_over=True),
                SeatCards(3, ("Ts", "Td")),
            ),
            complete=False,
        ),
        a_lock(5, wagers=busters(1, 2)),
        a_settle(
            6,
            dealer=BUST_7,
            seats=(
                SeatCards(1, blackjack=False, points_over=False),
                SeatCards(2, ("As", "Kd")),
            ),
            complete=False,
        ),
        a_lock(7, wagers=wagers(1, 2)),
        a_settle(8),
        a_lock(9, wagers=[*wagers(1), *busters(1)]),
        a_settle(10, dealer="As", seats={1: "7s 7h"}, complete=False, early=True),
        a_settle(
            11,
            round="r9",
            dealer=BUST_7_ON_ACE,
            seats=(SeatCards(1, points_over=False),),
            complete=False,
        ),
    ]
    for command in rounds:
        answered = await desk.ask(command, table=BJ1)
        assert not isinstance(answered.answer, Refusal), answered.answer
    await kill(desk)
    await store.close()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("shelf") / "good"
    directory.mkdir()
    asyncio.run(write(directory))
    return directory


@pytest.fixture
def journal(shelf: Path, tmp_path: Path) -> JournalFile:
    shutil.copytree(shelf, tmp_path / "data")
    return JournalFile(tmp_path / "data")


def test_journal_of_answers_is_proved(journal: JournalFile) -> None:
    assert journal.verified().problem is None


def dealer(text: str) -> Callable[[Row], None]:
    return put("dealer", "cards", value=text.split())


def seats(*given: Row) -> Callable[[Row], None]:
    return put("seats", value=[{"cards": [], "hands": []} | each for each in given])


UNMARKED = drop("dealer_decides")
NO_AWARDS = all_of(drop("awards"), drop("money"), drop("awarded_at"))

FORGERIES = [
    # The wagers are closed as lost without the hand that decides them.
    (3, dealer(""), "a wager waits for the dealer's hand, which is not played out"),
    (3, dealer("Ts"), "a wager waits for the dealer's hand, which is not played out"),
    (3, dealer("Ts 6h"), "a wager waits for the dealer's hand, which is not played out"),
    (3, all_of(dealer(""), UNMARKED), "a wager on the dealer's hand is settled without it"),
    (5, all_of(UNMARKED, NO_AWARDS), "a wager on the dealer's hand is settled without it"),
    (9, put("dealer_decides", value=True), "no wager of the round waits for the dealer's hand"),
    # A bust pays all, keyed or not.
    (5, drop("awards", 1), "seat 1 wins bust_3 on buster, but has no award"),
    (5, NO_AWARDS, "seat 3 wins bust_3 on buster, but has no award"),
    # Somebody has to say what the hand leaves open.
    (5, drop("seats", 0), "seat 1: whether it has more than 27 points is not said"),
    (5, drop("seats", 2), "seat 3: whether it has more than 27 points is not said"),
    (7, drop("seats", 0), "seat 1: whether it has more than 27 points is not said"),
    (7, drop("seats", 0, "blackjack"), "seat 1: whether it has a blackjack is not said"),
    (5, put("seats", 1, "points_over", value=False), "seat 2 wins bust_3 on buster, but has no"),
    (5, put("seats", 0, "points_over", value=True), "seat 1 has an award on buster that its car"),
    # And nothing else.
    (5, put("seats", 0, "blackjack", value=False), "seat 1: nothing depends on a blackjack"),
    (3, seats({"seat": 1, "points_over": True}), "seat 1: nothing depends on its points"),
    (9, seats({"seat": 1, "points_over": True}), "seat 1 answers what nobody asked"),
    # Cards give an answer the lie.
    (7, put("seats", 1, "blackjack", value=False), "seat 2: its cards and its blackjack do not"),
    (7, put("seats", 0, "blackjack", value=True), "seat 1: whether it has a blackjack is not sa"),
    (
        7,
        all_of(
            put("seats", 0, "blackjack", value=True),
            put("seats", 0, "cards", value=["As", "2d"]),
        ),
        "seat 1: its cards and its blackjack do not agree",
    ),
    (
        5,
        all_of(
            put("seats", 2, "cards", value=["Ts", "8d", "Tc"]),
            put("seats", 2, "points_over", value=False),
        ),
        "seat 3: its cards count otherwise than it is said",
    ),
    (12, put("seats", 0, "blackjack", value=True), "seat 1: its cards and its blackjack do not"),
    (12, put("seats", 0, "cards", value=["As", "Kd"]), "seat 1 "),
    (5, put("complete", value=True), "seat 1 lacks its first two cards"),
    (5, put("seats", 0, "cards", value=["Ts"]), "seat 1 lacks its first two cards"),
]


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_settlement_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    journal.forge(lie_at(seq, change))
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == seq
    assert message in problem.message


def _as_before(records: list[Row]) -> None:
    """The journal as a program wrote it that settled the seats keyed and no other."""
    del records[9:]
    del records[0]["event"]["dealer_decides"]
    for record in records:
        record["event"].pop("dealer_decides", None)
    first = records[2]["event"]
    first["dealer"]["cards"] = []
    for place in (4, 6):
        event = records[place]["event"]
        only = [made for made in event["awards"] if made["seat"] == event["seats"][-1]["seat"]]
        event["seats"], event["awards"] = event["seats"][-1:], only
        made = only[0]
        made |= {"order": 1, "award": f"main.{place + 1}.1"}
        due = (made["amount_cents"] + made.get("bonus_cents", 0)) * 1_000_000
        stake = made["stake_returned_cents"] * 1_000_000
        lies = "paid" if made["status"] == "payable" else "pending"
        event["money"] = {"hold": -due - stake, lies: due, "returned": stake}
        records[place]["event"] = as_written(event)


def test_journal_of_a_program_that_settled_the_seats_keyed_is_still_proved(
    journal: JournalFile,
) -> None:
    journal.forge(_as_before)
    problem = journal.verified().problem
    assert problem is None, problem


def test_what_was_lawful_before_is_a_lie_once_the_journal_has_the_mark(
    journal: JournalFile,
) -> None:
    def opened_with_it(records: list[Row]) -> None:
        _as_before(records)
        records[0]["event"]["dealer_decides"] = True
        records[0]["event"] = as_written(records[0]["event"])

    def marked_later(records: list[Row]) -> None:
        was = records[2]["event"] | {}
        hand = dict(was["dealer"])
        _as_before(records)
        records[2]["event"] = as_written(was | {"dealer": hand, "dealer_decides": True})

    good = journal.lines()
    for lie, seq in ((opened_with_it, 3), (marked_later, 5)):
        journal.forge(lie)
        problem = journal.verified().problem
        assert problem is not None
        assert (problem.seq, problem.message) == (
            seq,
            "a wager on the dealer's hand is settled without it",
        )
        journal.store(good)
