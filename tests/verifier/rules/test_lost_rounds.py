"""Keyed rounds that nobody won, entered without decoding: nothing is found less by it."""

from collections.abc import Callable
from copy import deepcopy
from random import Random

import msgspec
import pytest

from progressive.application.journal.record import GENESIS, encode_record, hash_record
from progressive.domain.cards import total
from progressive.domain.commands import DealerCards, RegisterWagers, SeatCards, SettleRound
from progressive.domain.decide.decide import open_link
from progressive.domain.events import Event
from progressive.domain.ids import RoundId
from progressive.domain.rulebook.floor_record import floor_record
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState
from progressive.verifier.record import Record
from tests.support.builders import NOW, a_bet, a_buster, a_link, accept, wagers
from tests.support.forgeries import all_of, drop, places, put, twice
from tests.support.journals import Row, a_buster_wager
from tests.support.predictions import Counting, audited, chained

ROUNDS = 300
OTHER_CARDS = ("7d", "Ah", "Tc", "2s", "1s", "Tx", "T", "", 'T","c', "7d]", None, 7)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """One table, keyed card by card; every other round has wagers on the dealer's hand too."""
    random = Random(3)
    deck = [rank + suit for rank in "A23456789TJQK" for suit in "shdc"]
    rules = a_link(bets=(a_bet(), a_buster()))
    state = LinkState(link=rules.id)
    made: list[bytes] = []

    def write(event: Event) -> None:
        before = hash_record(made[-1]) if made else GENESIS
        made.append(encode_record(state.seq, NOW.at, before, event))

    opening = open_link(rules, floor_record(rules, program="x", started_by="a"))
    apply(state, opening)
    write(opening)
    for number in range(1, ROUNDS + 1):
        shoe = random.sample(deck, len(deck))
        on_dealer = [a_buster_wager(seat) for seat in (1, 3)] if number % 2 else []
        dealer = [shoe.pop(), shoe.pop()]
        while (points := total(dealer)).points < 17 or (points.points == 17 and points.soft):
            dealer.append(shoe.pop())
        seats = [
            SeatCards(seat, tuple([shoe.pop() for _ in range(random.choice((2, 3)))]))
            for seat in (1, 2, 3)
        ]
        round_ = RoundId(f"r{number}")
        lock = RegisterWagers(2 * number - 1, round_, (*wagers(1, 2, 3), *on_dealer), 3)
        write(accept(state, rules, lock))
        cards = DealerCards(tuple(dealer)), tuple(seats)
        write(accept(state, rules, SettleRound(2 * number, round_, *cards, complete=True)))
    return made


def lost(lines: list[bytes], *, on_dealer: bool) -> int:
    """The number of a settlement without awards, not the first of its kind."""
    return next(
        number
        for number, line in enumerate(lines, start=1)
        if number > 10
        and b'"round_settled"' in line
        and b'"awards"' not in line
        and (b'"dealer_decides"' in line) is on_dealer
    )


def test_lost_rounds_are_entered_as_they_are_stored(lines: list[bytes], counting: Counting) -> None:
    entered: list[Record] = []
    report = audited(lines, entered.append)
    assert report.problem is None
    assert counting.predicted["wagers_registered"] == ROUNDS - 1
    assert 100 < counting.predicted["round_settled"] < ROUNDS
    counting.forbidden = True
    read: list[Record] = []
    assert audited(lines, read.append) == report
    assert entered == read


@pytest.mark.slow
@pytest.mark.parametrize("on_dealer", [False, True])
def test_any_other_card_or_number_is_judged_as_without_prediction(
    lines: list[bytes], counting: Counting, on_dealer: bool
) -> None:
    seq = lost(lines, on_dealer=on_dealer)
    record = msgspec.json.decode(lines[seq - 1])
    found = 0
    for place in places(record["event"]):
        inner = record["event"]
        for key in place[:-1]:
            inner = inner[key]
        was = inner[place[-1]]
        others = [was + 1, -was, 1, 10**6] if type(was) is int else OTHER_CARDS
        for other in others:
            inner[place[-1]] = other
            journal = chained([deepcopy(record)], lines[: seq - 1])
            inner[place[-1]] = was
            counting.forbidden = False
            report = audited(journal)
            found += report.problem is not None
            counting.forbidden = True
            assert audited(journal) == report, (place, other)
    assert found > 100


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("seats", 0, "cards", 0, value="7d"), "seat 1 wins"),
        (put("seats", 0, "cards", 0, value="7x"), "7x is no card"),
        (put("seats", 0, "cards", value=["2c"]), "seat 1 lacks its first two cards"),
        (put("seats", 0, "seat", value=3), "seat 3 is none, or given twice"),
        (put("seats", 0, "seat", value=4), "the cards of seat 1 are missing"),
        (put("seats", 0, "seat", value=0), "seat 0 is none"),
        (twice("seats"), "seat 1 is none, or given twice"),
        (drop("seats", 0), "the cards of seat 1 are missing"),
        (put("seats", 0, "hands", value=[["2c", "3c"]]), "its hands are not made of the cards"),
        (put("seats", 0, "cards", value=["2c"] * 20), "do not hold that many copies of 2c"),
        (put("seats", 0, "blackjack", value=False), "nothing depends on a blackjack"),
        (put("dealer", "cards", value=["Ts", "8s", "2s"]), "the dealer stands on Ts 8s"),
        (put("dealer", "cards", value=["Ts", "6s"]), "which is not played out"),
        (put("dealer", "cards", value=["Ts", "6s", "9s"]), "seat 3 wins"),
        (put("dealer", "cards", value=[]), "which is not played out"),
        (drop("dealer_decides"), "is settled without it"),
        (
            all_of(put("complete", value=False), put("seats", 0, "seat", value=4)),
            "seat 4 has no wager in this round",
        ),
        (put("meters", value=[1]), "1 meters stored"),
    ],
)
def test_lie_about_a_lost_round_is_found(
    lines: list[bytes], counting: Counting, change: Callable[[Row], None], message: str
) -> None:
    seq = lost(lines, on_dealer=True)
    record = msgspec.json.decode(lines[seq - 1])
    change(record["event"])
    journal = chained([record], lines[: seq - 1])
    report = audited(journal)
    assert report.problem is not None
    assert (report.problem.seq, report.problem.type) == (seq, "round_settled")
    assert message in report.problem.message
    counting.forbidden = True
    assert audited(journal) == report


def test_winning_seats_alone_may_be_keyed_and_nobody_win(
    lines: list[bytes], counting: Counting
) -> None:
    """The dealer's hand and no seat: what a table with Buster keys when the dealer is not bust."""
    seq = lost(lines, on_dealer=True)
    record = msgspec.json.decode(lines[seq - 1])
    all_of(put("complete", value=False), put("seats", value=[]))(record["event"])
    journal = chained([record], lines[: seq - 1])
    before = audited(lines[: seq - 1])
    counting.predicted.clear()
    report = audited(journal)
    assert report.problem is None
    assert report.meters == before.meters
    settled = counting.predicted["round_settled"]
    counting.predicted.clear()
    audited(lines[: seq - 1])
    assert settled == counting.predicted["round_settled"] + 1
