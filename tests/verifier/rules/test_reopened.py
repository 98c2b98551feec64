"""Forged re-openings with a perfect chain: only doing the sums again can find these."""

from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest

from progressive.application.journal.record import GENESIS, encode_record
from progressive.domain.decide.decide import decide, open_link
from progressive.domain.decide.terms import reopen_link
from progressive.domain.events import Event, LinkReopened, TableEvent
from progressive.domain.person_events import CorrectionLeg, CorrectionProposed
from progressive.domain.rulebook.rules import LinkRules
from progressive.domain.state.evolve import apply
from progressive.domain.state.link_state import LinkState
from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.rules.books import Books
from tests.support.awards import FRED, NOW
from tests.support.builders import BJ1, LINK, MAJOR, MEGA, MINOR, a_link, a_lock, a_meter
from tests.support.forgeries import drop, put, swap
from tests.support.journals import Row
from tests.support.recorded import decoded

RULES = a_link()
OTHER = a_link(meters=(MEGA, MAJOR, a_meter("mini", initial_cents=777)))


class Journal:
    """The writer's state, and the records it led to."""

    def __init__(self) -> None:
        self.state = LinkState(link=LINK)
        self.records: list[bytes] = []
        self.write(open_link(RULES))

    def write(self, event: Event) -> None:
        apply(self.state, event)
        prev = sha256(self.records[-1]).hexdigest() if self.records else GENESIS
        self.records.append(encode_record(self.state.seq, NOW.at, prev, event))

    def reopened(self, rules: LinkRules = OTHER) -> LinkReopened:
        event = reopen_link(self.state, rules.terms)
        assert event is not None
        return event


def enter_all(records: list[bytes]) -> None:
    books = Books(LINK)
    for stored in records:
        books.enter(decoded(stored), stored)
    books.check_balance()


def test_true_reopening_is_accepted() -> None:
    journal = Journal()
    journal.write(journal.reopened())
    enter_all(journal.records)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("terms_version", value=3), "terms_version: stored 3, recomputed 2"),
        (put("terms_version", value=1), "terms_version: stored 1, recomputed 2"),
        (put("funding", 1, 1, value=777_000_001), "funding of mini: stored 777000001"),
        (put("funding", 0, 1, value=-1), "funding of minor: stored -1"),
        (put("funding", 0, 2, value=-1), "funding of minor, reset meter: stored -1"),
        (drop("funding", 0), "meters of the funding: stored mini, recomputed minor, mini"),
        (swap("funding"), "meters of the funding: stored mini, minor"),
        (put("meters", 0, value=7), "meter mega"),
        (put("terms", "bets", 0, "meters", 2, "initial_cents", value=778), "funding of mini"),
    ],
)
def test_forged_reopening_is_found(change: Callable[[Row], None], said: str) -> None:
    journal = Journal()
    journal.write(journal.reopened())
    record = msgspec.json.decode(journal.records[-1])
    change(record["event"])
    forged = msgspec.json.encode(record)
    with pytest.raises(DiscrepancyError, match=said):
        enter_all([*journal.records[:-1], forged])


def test_reopening_after_a_wager_is_found() -> None:
    journal = Journal()
    late = journal.reopened()
    locked = decide(journal.state, RULES, BJ1, a_lock(1), NOW)
    assert isinstance(locked, TableEvent)
    journal.write(locked)
    journal.write(late)
    with pytest.raises(DiscrepancyError, match="though something was wagered before"):
        enter_all(journal.records)


def test_reopening_beside_a_proposed_correction_is_found() -> None:
    journal = Journal()
    late = journal.reopened()
    journal.write(
        CorrectionProposed(
            correction=f"{LINK}.2",  # type: ignore[arg-type]
            by=FRED,
            reason="a late invoice",
            legs=(CorrectionLeg(MINOR.id, "primary", 5),),
            meters=journal.state.primaries,
        )
    )
    journal.write(late)
    with pytest.raises(DiscrepancyError, match="while a correction is proposed"):
        enter_all(journal.records)


def test_reopening_after_a_meter_was_moved_is_found() -> None:
    journal = Journal()
    late = journal.reopened()
    books = Books(LINK)
    opened = journal.records[0]
    books.enter(decoded(opened), opened)
    books.accounts.meter_by_id["minor"].primary += 1
    journal.write(late)
    with pytest.raises(DiscrepancyError, match="though minor has moved before"):
        books.enter(decoded(journal.records[-1]), journal.records[-1])
