"""Forgeries with a perfect chain: every record after them is hashed again, and so is the head.

Only doing the sums again can find these. Each row is a change to one record and what is said.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from progressive.verifier.findings import DiscrepancyError
from progressive.verifier.record import read_record
from progressive.verifier.recorded.table_events import RoundVoided
from progressive.verifier.recorded.values import MeterFlow
from progressive.verifier.rules.books import Books
from tests.support.forgeries import ODDITIES, all_of, drop, listed, places, put, swap, twice
from tests.support.journals import JournalFile, JournalShelf, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


MEGA = ("terms", "bets", 0, "meters", 0)

OPENING = [
    (put("funding", 0, 1, value=100_000_000_001), "funding of mega: stored 100000000001"),
    (put("funding", 1, 2, value=5), "funding of major, reset meter: stored 5, recomputed 0"),
    (put("funding", 2, 3, value=5), "funding of minor, overflow meter: stored 5, recomputed 0"),
    (drop("funding", 2), "meters of the funding: stored mega, major, recomputed mega, major"),
    (twice("funding"), "meters of the funding: stored mega, major, minor, mega"),
    (swap("funding"), "meters of the funding: stored minor, major, mega"),
    (put("link", value="other"), "this is the journal of other"),
    (put("terms_version", value=0), "0 is no version of terms"),
    (
        put(*MEGA, "initial_cents", value=100_001),
        "funding of mega: stored 100000000000, recomputed",
    ),
    (put(*MEGA, "rate_ppm", value=-1), "meter mega, rate_ppm: -1 is no share"),
    (put(*MEGA, "reset_rate_ppm", value=10**4000), "meter mega, reset_rate_ppm: 1000"),
    (put(*MEGA, "rate_ppm", value=900_000), "its meters take 1020001 ppm, more than the wager"),
    (put(*MEGA, "limit_cents", value=-1), "meter mega, limit_cents: -1 is not 0 to"),
    (put(*MEGA, "reset_cents", value=-1), "meter mega, reset_cents: -1 is not 0 to"),
    (put(*MEGA, "id", value="major"), "the terms have meter major twice"),
    (put("terms", "bets", 1, "id", value="blazing7"), "the terms have bet blazing7 twice"),
    (put("terms", "bets", 0, "wager_cents", value=0), "bet blazing7, wager_cents: 0 is not 1 to"),
    (put("terms", "bets", 1, "min_cents", value=-5), "bet buster, min_cents: -5 is not 1 to"),
    (put("terms", "bets", 1, "max_cents", value=10**12), "bet buster, max_cents: 1000"),
]

# Record 6: seven chips on Blazing 7's at BJ-03, beyond the Mega's limit.
LOCK = [
    (put("table_seq", value=2), "table_seq of table BJ-03: stored 2, recomputed 1"),
    (put("table_seq", value=0), "table_seq of table BJ-03: stored 0, recomputed 1"),
    (put("table", value="BJ-01"), "table_seq of table BJ-01: stored 1, recomputed 3"),
    (put("terms_version", value=2), "terms_version: stored 2, recomputed 1"),
    (
        all_of(listed, put("wagers", 0, "seat", value=0)),
        "wager on blazing7 at seat 0: no such seat",
    ),
    (
        all_of(listed, put("wagers", 0, "seat", value=-(10**30))),
        "`$.event.wagers[0].seat`: less than -1000000",
    ),
    (
        all_of(listed, put("wagers", 0, "bet", value="nine_lives")),
        "the terms have no bet nine_lives",
    ),
    (
        all_of(listed, put("wagers", 0, "amount_cents", value=499)),
        "seat 1: 499 cents where 500 to 500 are allowed",
    ),
    (
        all_of(listed, put("wagers", 0, "amount_cents", value=-500)),
        "`$.event.wagers[0].amount_cents`: less than 0",
    ),
    (all_of(listed, put("wagers", 0, "amount_cents", value=10**4000)), "unreadable"),
    (all_of(listed, put("wagers", 0, "base_cents", value=0)), "seat 1: no base wager"),
    (
        all_of(listed, put("wagers", 0, "base_cents", value=-1)),
        "`$.event.wagers[0].base_cents`: less than 0",
    ),
    (
        all_of(listed, put("wagers", 0, "base_cents", value=10**12)),
        "`$.event.wagers[0].base_cents`: more than 100000000000",
    ),
    (
        all_of(listed, put("wagers", 0, "tender", value="coupon")),
        "chips_counted: stored 7, recomputed 6",
    ),
    (all_of(listed, put("wagers", 6, "seat", value=1)), "seat 1 has two wagers on blazing7"),
    (all_of(listed, drop("wagers", 6)), "chips_counted: stored 7, recomputed 6"),
    (put("plain", 0, value="nine_lives"), "the terms have no bet nine_lives"),
    (put("plain", 1, value=499), "seat 1: 499 cents where 500 to 500 are allowed"),
    (put("plain", 2, 0, value=0), "wager on blazing7 at seat 0: no such seat"),
    (put("plain", 2, 6, value=1), "seat 1 has two wagers on blazing7"),
    (put("plain", 3, 0, value=0), "seat 1: no base wager"),
    (drop("plain", 3, 6), "seats and base wagers are not as many"),
    (put("plain", 2, 0, value=10**30), "`$.event.plain[2][0]`: more than 1000000"),
    (put("chips_counted", value=6), "chips_counted: stored 6, recomputed 7"),
    (
        all_of(listed, drop("wagers", 6), put("chips_counted", value=6)),
        "stake of blazing7 in chips: stored 3500, recomputed 3000",
    ),
    (put("stakes", 0, 1, value=3000), "stake of blazing7 in chips: stored 3000, recomputed 3500"),
    (put("stakes", 0, 2, value=500), "stake of blazing7 in coupons: stored 500, recomputed 0"),
    (put("stakes", 0, 0, value="buster"), "bets of the stakes: stored buster, recomputed blazing7"),
    (put("stakes", value=[]), "bets of the stakes: stored none, recomputed blazing7"),
    (put("flows", 0, 1, value=60_000_000), "flows of mega: stored 60000000, recomputed 50000000"),
    (put("flows", 0, 2, value=0), "flows of mega, reset meter: stored 0, recomputed 35003500"),
    (
        all_of(put("flows", 0, 1, value=350_000_000), put("flows", 0, 3, value=0)),
        "flows of mega: stored 350000000, recomputed 50000000",
    ),
    (
        put("flows", 0, 3, value=300_000_001),
        "flows of mega, overflow meter: stored 300000001, recomputed 300000000",
    ),
    (put("flows", 1, 0, value="royal"), "meters of the flows: stored mega, royal, minor"),
    (swap("flows"), "meters of the flows: stored minor, major, mega"),
    (put("flows", value=[]), "meters of the flows: stored none, recomputed mega, major, minor"),
    (put("hold", value=2_729_996_501), "hold: stored 2729996501, recomputed 2729996500"),
    (put("meters", 0, value=100_200_000_001), "meter mega: stored 100200000001, recomputed 10020"),
    (put("meters", 2, value=-1), "meter minor: stored -1, recomputed 300200000000"),
    (drop("meters", 2), "2 meters stored, the terms have 3"),
]

# Record 10: both bets at BJ-02, chips and coupons; the buster wager is the fourth, $7.
MIXED_LOCK = [
    (
        put("wagers", 3, "amount_cents", value=99),
        "wager on buster at seat 1: 99 cents where 100 to 10000",
    ),
    (
        put("wagers", 3, "amount_cents", value=10_001),
        "wager on buster at seat 1: 10001 cents where 100 to",
    ),
    (
        put("wagers", 3, "amount_cents", value=2_501),
        "2501 cents are more than the base wager of 2500",
    ),
    (
        put("wagers", 3, "tender", value="coupon"),
        "stake of buster in chips: stored 700, recomputed 0",
    ),
    (put("chips_counted", value=3), "chips_counted: stored 3, recomputed 2"),
    (swap("stakes"), "bets of the stakes: stored buster, blazing7, recomputed blazing7, buster"),
    (drop("stakes", 1), "bets of the stakes: stored blazing7, recomputed blazing7, buster"),
]

SETTLEMENT = [
    (put("round", value="r2"), "table BJ-03 closes round r2, but the open one is r1"),
    (put("table", value="BJ-09"), "table_seq of table BJ-09: stored 2, recomputed 1"),
    (put("table_seq", value=3), "table_seq of table BJ-03: stored 3, recomputed 2"),
    (put("meters", 0, value=0), "meter mega: stored 0, recomputed 100200000000"),
    (put("meters", value=[]), "0 meters stored, the terms have 3"),
]

# Record 5: BJ-02 voids four chips, of which a part had gone above the limit.
VOID = [
    (put("round", value="r9"), "table BJ-02 closes round r9, but the open one is r1"),
    (put("table_seq", value=1), "table_seq of table BJ-02: stored 1, recomputed 2"),
    (put("stakes", 0, 1, value=1500), "stake of blazing7 in chips: stored 1500, recomputed 2000"),
    (put("stakes", value=[]), "bets of the stakes: stored none, recomputed blazing7"),
    (put("flows", 0, 1, value=0), "flows of mega: stored 0, recomputed -50000000"),
    (put("flows", 0, 2, value=0), "flows of mega, reset meter: stored 0, recomputed -20002000"),
    (put("flows", 0, 3, value=0), "flows of mega, overflow meter: stored 0, recomputed -150000000"),
    (put("flows", value=[]), "meters of the flows: stored none"),
    (put("hold", value=0), "hold: stored 0, recomputed -1559998000"),
    (put("meters", 1, value=1), "meter major: stored 1, recomputed 1500090000000"),
]

CHECKPOINT = [
    (put("meters", 0, value=1), "meter mega: stored 1, recomputed 100200000000"),
    (put("state_digest", value="f" * 64), "the stored snapshot at 10: state_digest: stored ffff"),
]

FORGERIES = [
    (seq, change, message)
    for seq, rows in (
        (1, OPENING),
        (6, LOCK),
        (10, MIXED_LOCK),
        (7, SETTLEMENT),
        (5, VOID),
        (11, CHECKPOINT),
    )
    for change, message in rows
]


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_record_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    journal.forge(lambda records: change(records[seq - 1]["event"]))
    report = journal.verified()
    assert report.problem is not None
    assert report.problem.seq == seq
    assert message in report.problem.message
    assert report.problem.type == journal.records()[seq - 1]["event"]["type"]
    assert report.records == seq - 1


# --- order of events --------------------------------------------------------------------------


def renumbered(records: list[Row]) -> None:
    for seq, record in enumerate(records, start=1):
        record["seq"] = seq


def test_journal_must_begin_with_link_opened(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        del records[0]
        renumbered(records)

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (1, "a journal begins with link_opened")


def test_link_is_opened_once(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        records.insert(7, deepcopy(records[0]))
        renumbered(records)

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (8, "the link is opened a second time")


def test_removed_lock_out_is_missed_by_its_table(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        del records[5]
        renumbered(records)

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 6
    assert problem.message == "table_seq of table BJ-03: stored 2, recomputed 1"


def test_no_round_is_locked_while_another_is_open(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        records[2]["event"] = deepcopy(records[1]["event"]) | {"table_seq": 2, "round": "r2"}

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (3, "table BJ-01 locks a round while r1 is open")


def test_no_round_is_locked_twice(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        records[7]["event"]["round"] = "r1"

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (8, "table BJ-01 locks round r1 a second time")


def test_no_round_is_closed_twice(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        records.insert(3, deepcopy(records[2]))
        records[3]["event"]["table_seq"] = 3
        renumbered(records)

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 4
    assert problem.message == "table BJ-01 closes round r1, but the open one is none"


def test_seat_that_wins_nothing_was_once_given_among_winners(journal: JournalFile) -> None:
    """Earlier versions settled such a round; nothing hangs on it where there is no award."""
    seats = [{"seat": 2, "cards": ["2s", "3s"], "hands": []}]
    journal.forge(lambda records: records[6]["event"].update(seats=seats))
    assert journal.verified().problem is None


@pytest.mark.parametrize("cards", ["7d 2s", "7d 7h", "7s 7h 7c"])
def test_winner_among_the_losers_is_found(journal: JournalFile, cards: str) -> None:
    """Record 3 settled all cards of a round, and says that nobody won."""
    journal.forge(
        lambda records: put("seats", 0, "cards", value=cards.split())(records[2]["event"])
    )
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 3
    assert problem.message.startswith("seat 1 wins ")
    assert problem.message.endswith("on blazing7, but has no award")


def test_digest_must_be_one_even_without_a_snapshot(journal: JournalFile) -> None:
    journal.execute("DELETE FROM snapshot")
    journal.forge(lambda records: records[10]["event"].update(state_digest="0x" + "f" * 62))
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 11
    assert "is no SHA-256" in problem.message


# --- what a journal cannot show yet -----------------------------------------------------------


def books_after(journal: JournalFile, seq: int) -> Books:
    books = Books(journal.link)
    for line in journal.lines()[:seq]:
        books.enter(read_record(line), line)
    return books


def test_void_never_takes_a_meter_below_zero_and_the_house_bears_the_rest(
    journal: JournalFile,
) -> None:
    """BJ-02's round put 120 on the Major, 10 on its reset meter; all was won elsewhere since."""
    books = books_after(journal, 4)
    meters = books.accounts.meters
    major = meters[1]
    major.primary, major.reset = 20_000_000, 0
    line = journal.lines()[4]
    record = read_record(line)
    void = record.event
    assert isinstance(void, RoundVoided)
    mega, _, minor = void.flows
    primaries = (meters[0].primary - 50_000_000, 0, meters[2].primary - 80_000_000)
    borne = 100_000_000 + 10_000_000
    changed = replace(
        void,
        flows=(mega, MeterFlow("major", -20_000_000, 0, 0), minor),
        hold=void.hold - borne,
        meters=primaries,
    )
    books.enter(replace(record, event=changed), line)
    assert (major.primary, major.reset) == (0, 0)

    books = books_after(journal, 4)
    books.accounts.meters[1].primary, books.accounts.meters[1].reset = 20_000_000, 0
    with pytest.raises(DiscrepancyError, match="flows of major: stored -120000000, recomputed -2"):
        books.enter(record, line)


def test_books_that_do_not_balance_are_told(journal: JournalFile) -> None:
    books = books_after(journal, 15)
    books.check_balance()
    books.accounts.totals.hold += 1
    with pytest.raises(DiscrepancyError, match="the books do not balance"):
        books.check_balance()


# --- anything at all --------------------------------------------------------------------------


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.data())
def test_whatever_a_record_says_the_audit_ends_in_a_report(
    journal: JournalFile, data: st.DataObject
) -> None:
    good = journal.lines()
    try:
        records = [msgspec.json.decode(line) for line in good]
        index = data.draw(st.integers(0, len(records) - 1))
        place = data.draw(st.sampled_from(places(records[index])))
        put(*place, value=data.draw(st.sampled_from(ODDITIES)))(records[index])
        journal.forge(lambda stored: stored.__setitem__(slice(None), records))
        report = journal.verified()
        if report.problem is not None:
            assert report.problem.seq >= min(index + 1, 11)
            assert report.problem.message.isprintable()
            assert len(report.problem.message) < 1000
    finally:
        journal.store(good)


def test_plain_wagers_told_one_by_one_are_as_good(journal: JournalFile) -> None:
    """Journals from before the short form must verify for ever."""
    journal.forge(lambda records: listed(records[5]["event"]))
    assert journal.verified().problem is None
