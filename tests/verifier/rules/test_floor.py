"""Forged records of a floor: what needs nobody's approval must not change what does."""

from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest
from msgspec import structs

from progressive.application.journal.record import GENESIS, encode_record
from progressive.domain.decide.decide import decide, open_link
from progressive.domain.decide.floor import record_floor
from progressive.domain.events import Event, TableEvent
from progressive.domain.rulebook.floor_record import FloorRecord, floor_record
from progressive.domain.rulebook.policy import AwardPolicy
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState
from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.recorded.house import FloorRecord as RecordedFloor
from progressive.verifier.recorded.terms import LinkTerms
from progressive.verifier.rules.books import Books
from tests.support.awards import NOW
from tests.support.builders import BJ1, LINK, a_link, a_lock, a_settle, wagers
from tests.support.forgeries import drop, put, twice
from tests.support.journals import Row
from tests.support.recorded import as_recorded, decoded

RULES = a_link(policy=AwardPolicy(rack_limit_cents=100_000))
OLDER = structs.replace(RULES, terms=structs.replace(RULES.terms, house=None))
FLOOR = floor_record(RULES, program="0.2.0", started_by="ann")


class Journal:
    """The writer's state, and the records it led to."""

    def __init__(self, rules: LinkRules, floor: FloorRecord | None = None) -> None:
        self.rules = rules
        self.state = LinkState(link=LINK)
        self.records: list[bytes] = []
        self.write(open_link(rules, floor))

    def write(self, event: Event) -> None:
        apply(self.state, event)
        prev = sha256(self.records[-1]).hexdigest() if self.records else GENESIS
        self.records.append(encode_record(self.state.seq, NOW.at, prev, event))

    def lock(self, *seats: int) -> None:
        event = decide(self.state, self.rules, BJ1, a_lock(1, wagers=wagers(*seats)), NOW)
        assert isinstance(event, TableEvent)
        self.write(event)

    def start(self, floor: FloorRecord = FLOOR) -> None:
        event = record_floor(self.state, RULES.terms, floor)
        assert event is not None
        self.write(event)

    def enter_all(self) -> Books:
        books = Books(LINK)
        for stored in self.records:
            books.enter(decoded(stored), stored)
        books.check_balance()
        return books

    def forge_last(self, change: Callable[[Row], None]) -> None:
        record = msgspec.json.decode(self.records[-1])
        change(record["event"])
        self.records[-1] = msgspec.json.encode(record)


def test_true_record_is_accepted_and_completes_the_terms_of_an_older_program() -> None:
    journal = Journal(OLDER)
    journal.lock(1)
    journal.start()
    books = journal.enter_all()
    assert (books.floor, books.terms, books.terms_version) == (
        as_recorded(RecordedFloor, FLOOR),
        as_recorded(LinkTerms, RULES.terms),
        1,
    )


def test_a_record_of_an_older_program_says_nothing_of_the_close() -> None:
    journal = Journal(OLDER)
    journal.start()
    journal.forge_last(drop("floor", "close_within_hours"))
    floor = journal.enter_all().floor
    assert floor is not None
    assert floor.close_within_hours == 24


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("floor", "tables", 0, "seats", value=0), "BJ-01 has 0 seats"),
        (put("floor", "tables", 0, "base_min_cents", value=-1), "base wagers of -1 to 0"),
        (
            put("floor", "tables", 0, value={"id": "BJ-01", "seats": 7, "base_min_cents": 9,
                                             "base_max_cents": 8}),
            "base wagers of 9 to 8 cents",
        ),
        (put("floor", "close_within_hours", value=0), "closes its days within 0 hours"),
        (twice("floor", "tables"), "a table twice"),
        (put("floor", "signs", value=[{"id": "a"}, {"id": "a"}]), "a sign twice"),
        (put("floor", "started_by", value="a\nb"), "has the name"),
        (put("terms", "decks", value=8), "changes the terms, which takes two people"),
        (
            put("terms", "bets", 0, "meters", 0, "rate_ppm", value=1),
            "changes the terms, which takes two people",
        ),
        (drop("terms", "house"), "adds to terms that lacked nothing"),
        (drop("floor", "tables", 0), "lacks table BJ-01, or seat 6 of it, while its round r1"),
        (put("floor", "tables", 0, "seats", value=5), "or seat 6 of it, while its round r1"),
        (put("meters", 0, value=1), "meter mega"),
    ],
)  # fmt: skip
def test_forged_record_is_found(change: Callable[[Row], None], said: str) -> None:
    journal = Journal(OLDER)
    journal.lock(1, 6)
    journal.start()
    journal.enter_all()
    journal.forge_last(change)
    with pytest.raises(DiscrepancyError, match=said):
        journal.enter_all()


def test_terms_are_completed_once() -> None:
    """The policy of a journal that has one changes by approval and not by a second record."""
    journal = Journal(RULES, FLOOR)
    journal.start(structs.replace(FLOOR, started_by="bob"))
    richer = a_link(policy=AwardPolicy(rack_limit_cents=10**9)).terms
    journal.forge_last(put("terms", value=msgspec.to_builtins(richer)))
    with pytest.raises(DiscrepancyError, match="adds to terms that lacked nothing"):
        journal.enter_all()


def test_record_that_says_nothing_new_is_found() -> None:
    journal = Journal(RULES, FLOOR)
    journal.start(structs.replace(FLOOR, started_by="bob"))
    journal.forge_last(put("floor", "started_by", value="ann"))
    with pytest.raises(DiscrepancyError, match="nothing has changed"):
        journal.enter_all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("table", value="BJ-99"), "the recorded floor has no table BJ-99"),
        (put("plain", 2, 0, value=8), "a wager at seat 8 of BJ-01, which has 7"),
    ],
)
def test_wager_where_the_recorded_floor_has_no_seat_is_found(
    change: Callable[[Row], None], said: str
) -> None:
    journal = Journal(RULES, FLOOR)
    journal.lock(1)
    journal.enter_all()
    journal.forge_last(change)
    with pytest.raises(DiscrepancyError, match=said):
        journal.enter_all()


def test_settled_round_lets_its_table_go() -> None:
    journal = Journal(RULES, FLOOR)
    journal.lock(1)
    settled = decide(journal.state, RULES, BJ1, a_settle(2), NOW)
    assert isinstance(settled, TableEvent)
    journal.write(settled)
    journal.start(structs.replace(FLOOR, tables=FLOOR.tables[1:]))
    journal.enter_all()
