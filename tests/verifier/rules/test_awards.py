"""Lies about awards with a perfect chain: every record after them is hashed again.

Only someone who reads the cards again and takes from the meters again can find these.
`write_award_journal` tells what each record is.
"""

import contextlib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.award_journals import AwardShelf
from tests.support.forgeries import ODDITIES, all_of, as_written, drop, lie_at, places, put, swap
from tests.support.journals import JournalFile, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def test_journal_with_every_kind_of_award_is_proved(journal: JournalFile) -> None:
    report = journal.verified()
    assert report.problem is None
    assert report.totals is not None
    assert report.totals.came_in == report.totals.lies


SUE = {"name": "Sue", "department": "pit"}
DORA = {"name": "Dora", "department": "pit"}


def award(place: int, **changes: object) -> Callable[[Row], None]:
    return lambda event: event["awards"][place].update(changes)


def money(**changes: int) -> Callable[[Row], None]:
    return lambda event: event["money"].update(changes)


def named(person: Row) -> Callable[[Row], None]:
    """The dealer by name, as older versions wrote it."""

    def change(event: Row) -> None:
        del event["dealt_seq"]
        event["dealt_by"] = person

    return change


def cards(place: int, text: str) -> Callable[[Row], None]:
    return put("seats", place, "cards", value=text.split())


def dealer(text: str) -> Callable[[Row], None]:
    return put("dealer", "cards", value=text.split())


# Record 4: seats 5 and 1 hit the Mega, 2 has two 7s; 7 and 2 win Buster, 7 with a bonus.
OF_SEAT_5 = "award of seat 5 on blazing7, "
AMOUNTS = [
    (award(0, amount_cents=10_000_181), OF_SEAT_5 + "amount_cents: stored 10000181, recomputed 1"),
    (award(1, amount_cents=12_501), "award of seat 2 on blazing7, amount_cents: stored 12501"),
    (award(2, amount_cents=10_000_180), "award of seat 1 on blazing7, amount_cents: stored 1000"),
    (award(3, bonus_cents=50_000), "award of seat 7 on buster, bonus_cents: stored 50000, recom"),
    (award(4, bonus_cents=5_000), "award of seat 2 on buster, bonus_cents: stored 5000, recomput"),
    (award(3, stake_returned_cents=1_400), "seat 7 on buster, stake_returned_cents: stored 1400"),
    (award(0, wager_cents=100), OF_SEAT_5 + "wager_cents: stored 100, recomputed 500"),
    (award(0, paid_before_cents=5), OF_SEAT_5 + "paid_before_cents: stored 5, recomputed 0"),
    (award(0, funded_cents=2_600_000), OF_SEAT_5 + "funded_cents: stored 2600000, recomputed 25"),
    (award(0, from_reset=15_000_001), OF_SEAT_5 + "from_reset: stored 15000001, recomputed 15"),
    (award(0, from_overflow=1), OF_SEAT_5 + "from_overflow: stored 1, recomputed 0"),
    (award(0, meter_before=1), OF_SEAT_5 + "meter_before: stored 1, recomputed 10000180000000"),
    (award(0, meter_after=1), OF_SEAT_5 + "meter_after: stored 1, recomputed 2500015000000"),
    (
        # A reset that is too high, everything else made to fit it.
        all_of(
            award(0, funded_cents=2_600_000, meter_after=2_600_015_000_000),
            award(2, amount_cents=2_600_015, meter_before=2_600_015_000_000),
            money(funding=-5_100_000_000_000, pending=12_600_195_000_000),
        ),
        OF_SEAT_5 + "meter_after: stored 2600015000000, recomputed 2500015000000",
    ),
    (put("flows", 0, 1, value=-1), "flows of mega: stored -1, recomputed -7500180000000"),
    (put("flows", 0, 2, value=0), "flows of mega, reset meter: stored 0, recomputed -15000000"),
    (put("flows", value=[]), "meters of the flows: stored none, recomputed mega"),
    (put("flows", 0, 0, value="major"), "meters of the flows: stored major, recomputed mega"),
    (money(funding=-1), "money, funding: stored -1, recomputed -5000000000000"),
    (money(hold=-1), "money, hold: stored -1, recomputed -21700000000"),
    (money(pending=1), "money, pending: stored 1, recomputed 12500195000000"),
    (money(paid=1), "money, paid: stored 1, recomputed 20300000000"),
    (money(returned=1), "money, returned: stored 1, recomputed 1400000000"),
    (put("meters", 0, value=1), "meter mega: stored 1, recomputed 2500000000000"),
]

WINNERS = [
    (drop("awards", 4), "seat 2 wins bust_3 on buster, but has no award"),
    (drop("awards", 0), "seat 5 wins three_7_diamonds on blazing7, but has no award"),
    (
        all_of(drop("awards"), drop("flows"), drop("money"), drop("dealt_seq"), drop("awarded_at")),
        "seat 5 wins three_7_diamonds on blazing7, but has no award",
    ),
    (award(1, seat=7), "seat 2 wins two_7 on blazing7, but has no award"),
    (
        lambda event: event["awards"].append(dict(event["awards"][4], seat=5)),
        "seat 5 has an award on buster that its cards did not win",
    ),
    (
        lambda event: event["awards"].append(dict(event["awards"][4])),
        "seat 2 has an award on buster that its cards did not win",
    ),
    (swap("awards"), "order of payment: stored seat 2 buster, seat 7 buster, seat 1 blazing7"),
    (award(0, order=2), OF_SEAT_5 + "order: stored 2, recomputed 1"),
    (award(0, award="main.4.9"), OF_SEAT_5 + "award: stored main.4.9, recomputed main.4.1"),
    (award(0, award="main.3.1"), OF_SEAT_5 + "award: stored main.3.1, recomputed main.4.1"),
    (award(0, line="three_7_color"), OF_SEAT_5 + "line: stored three_7_color, recomputed three"),
    (award(0, meter="minor"), OF_SEAT_5 + "meter: stored minor, recomputed mega"),
    (award(0, share_percent=10), OF_SEAT_5 + "share_percent: stored 10, recomputed 100"),
    (award(1, kind="meter"), "award of seat 2 on blazing7, kind: stored meter, recomputed fixed"),
]

TREATMENT = [
    (award(0, status="payable"), "award main.4.1 is paid from the rack: a meter's award is valid"),
    (award(1, approvers=1), "award main.4.2 is paid from the rack, yet 1 must approve it"),
    (award(0, approvers=-1), "award main.4.1: -1 people to approve it"),
    (award(0, tax_form=" "), "award main.4.1: a tax form without a name"),
    (drop("dealt_seq"), "dealt_by: stored None, recomputed Signature(name='Dora'"),
    (put("dealt_seq", value=3), "dealt_seq: stored 3, recomputed 2"),
    (put("dealt_seq", value=-2), "dealt_seq: stored -2, recomputed 2"),
    (named(SUE), "dealt_by: stored Signature(name='Sue'"),
    (put("dealt_by", value=DORA), "the dealer is named twice, by dealt_by and by dealt_seq"),
    (
        put("awarded_at", value="2026-01-02T03:04:43.500000Z"),
        "awarded_at: stored 2026-01-02T03:04:43.500000Z, recomputed 2026-01-02T03:04:42.500000Z",
    ),
]

CARDS = [
    (cards(2, "7d 7d 7h"), OF_SEAT_5 + "line: stored three_7_diamonds, recomputed three_7_color"),
    (cards(2, "7d 7d 8h"), OF_SEAT_5 + "line: stored three_7_diamonds, recomputed two_7"),
    (cards(2, "7d 8d 7d"), OF_SEAT_5 + "line: stored three_7_diamonds, recomputed one_7"),
    (cards(2, "8d 7d"), OF_SEAT_5 + "line: stored three_7_diamonds, recomputed one_7"),
    (cards(2, "8d 9d"), "seat 5 has an award on blazing7 that its cards did not win"),
    (cards(2, "7d"), "seat 5 lacks its first two cards"),
    (cards(2, "7d 7x"), "7x is no card"),
    (cards(2, "7d 7d 7d 7d"), "6 decks do not hold that many copies of 7d"),
    (cards(3, "As Kd 2c"), "award of seat 7 on buster, bonus_cents: stored 5000, recomputed 0"),
    (put("seats", 3, "seat", value=5), "seat 5 is none, or given twice"),
    (put("seats", 3, "hands", value=[["As", "Kh"]]), "seat 7: its hands are not made of the car"),
    (drop("seats", 3), "the cards of seat 7 are missing"),
    (dealer("Ts 6h"), "a wager waits for the dealer's hand, which is not played out"),
    (dealer("Ts 6h 2h Kc"), "the dealer stands on Ts 6h 2h"),
    (dealer("Ts 6h Ac Kc"), "the dealer stands on Ts 6h Ac"),
    (dealer("Ts 5h Ac Kc"), "award of seat 7 on buster, line: stored bust_3, recomputed bust_4"),
    (dealer("As Kc"), "seat 7 has an award on buster that its cards did not win"),
    (dealer("Ts"), "a wager waits for the dealer's hand, which is not played out"),
    (dealer(""), "a wager waits for the dealer's hand, which is not played out"),
]

# Record 13: two 7s are paid before the peek. Record 14: they become the Mega.
EARLY = [
    (dealer("9s"), "settled early: that takes an ace or a ten up"),
    (dealer("As 5h"), "settled early: that takes an ace or a ten up"),
    (cards(0, "7d 7d 7d"), "settled early: nobody draws before the peek"),
    (cards(0, "7d 8d"), "award of seat 4 on blazing7, line: stored two_7, recomputed one_7"),
    (cards(0, "8d 8d"), "seat 4 has an award on blazing7 that its cards did not win"),
    (
        all_of(cards(0, "8d 8d"), drop("awards"), drop("money")),
        "settled early: a seat that wins nothing yet, or none at all",
    ),
    (put("seats", 0, "seat", value=7), "seat 7 has no wager in this round"),
    (award(0, amount_cents=25_000), "award of seat 4 on blazing7, amount_cents: stored 25000"),
    (award(0, status="pending"), "settled early: what is paid before the peek is paid from the"),
    (money(hold=0), "money, hold: stored 0, recomputed -12500000000"),
    (put("dealt_by", value=SUE), "dealt_by: stored Signature(name='Sue'"),
    (put("dealt_seq", value=2), "dealt_seq: stored 2, recomputed None"),
    (put("round", value="r9"), "table BJ-02 closes round r9, but the open one is r1"),
]
TOPPED_UP = [
    (drop("awards", 0, "paid_before_cents"), "paid_before_cents: stored 0, recomputed 12500"),
    (award(0, paid_before_cents=1), "paid_before_cents: stored 1, recomputed 12500"),
    (cards(1, "7h 7d 7d"), "seat 4 was paid early on 7d 7d"),
    (dealer("Ac 5h"), "the round was paid early with As up"),
    (dealer("As Kh"), "seat 4 has an award on blazing7 that its cards did not win"),
]

# Record 16, winners only: the Minor, twice.
WINNERS_ONLY = [
    (
        lambda event: event["seats"].append({"seat": 7, "cards": ["2s", "3s"], "hands": []}),
        "seat 7 is given as a winner, and wins nothing",
    ),
    (put("complete", value=True), "the cards of seat 7 are missing"),
    (dealer("Ts"), "the dealer's hole card is missing: it decides about three 7s"),
    (dealer(""), "the dealer's up card is missing: an award hangs on it"),
    (put("dealer_decides", value=True), "no wager of the round waits for the dealer's hand"),
    (put("seats", 0, "seat", value=1), "seat 1 has no wager in this round"),
    (swap("awards"), "order of payment: stored seat 3 blazing7, seat 6 blazing7, recomputed seat"),
]

# Record 34: settled by the terms of its lock-out, though others hold by then. 36: Jack Magic.
FORMER_TERMS = [
    (award(1, amount_cents=1_401), "award of seat 1 on buster, amount_cents: stored 1401"),
    (all_of(dealer("Ts"), drop("awards", 1)), "waits for the dealer's hand, which is not played"),
]
JACKS = [
    (award(0, line="three_one_eyed_jacks"), "line: stored three_one_eyed_jacks, recomputed three"),
    (award(0, amount_cents=70_700), "amount_cents: stored 70700, recomputed 70000"),
    (dealer("7c Jh"), "line: stored three_jacks, recomputed two_jacks"),
    (dealer(""), "the dealer's up card is missing"),
]

# Record 27: Dora, who signed on by record 2, has signed off.
NOBODY_DEALS = [
    (put("dealt_seq", value=2), "dealt_seq: stored 2, recomputed None"),
    (put("dealt_seq", value=25), "dealt_seq: stored 25, recomputed None"),
    (put("dealt_by", value=DORA), "dealt_by: stored Signature(name='Dora'"),
]

FORGERIES = [
    (seq, change, message)
    for seq, rows in (
        (4, AMOUNTS),
        (4, WINNERS),
        (4, TREATMENT),
        (4, CARDS),
        (13, EARLY),
        (14, TOPPED_UP),
        (16, WINNERS_ONLY),
        (27, NOBODY_DEALS),
        (34, FORMER_TERMS),
        (36, JACKS),
    )
    for change, message in rows
]


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_record_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    journal.forge(lie_at(seq, change))
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.type) == (seq, journal.records()[seq - 1]["event"]["type"])
    assert message in problem.message


def test_dealer_named_as_older_versions_did_is_good(journal: JournalFile) -> None:
    journal.forge(lie_at(4, all_of(named(DORA), _in_order)))
    assert journal.verified().problem is None


def _in_order(event: Row) -> None:
    written = as_written(event)
    event.clear()
    event.update(written)


def test_round_that_was_paid_early_is_no_misdeal(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        lock, settled = records[11]["event"], records[13]["event"]
        records[13]["event"] = {
            "type": "round_voided",
            "table": settled["table"],
            "table_seq": settled["table_seq"],
            "round": settled["round"],
            "reason": "misdeal",
            "stakes": lock["stakes"],
            "flows": [[flow[0], *[-part for part in flow[1:]]] for flow in lock["flows"]],
            "hold": -lock["hold"],
            "meters": records[10]["event"]["meters"],
        }

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 14
    assert problem.message == "a misdeal, though the round was paid upon before the peek"


def test_round_is_settled_early_once(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        again = deepcopy(records[12]["event"]) | {"table_seq": 3}
        again["awards"][0]["award"] = "main.14.1"
        records[13]["event"] = again

    journal.forge(change)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (14, "the round is settled early a second time")


@pytest.mark.parametrize(
    "change",
    [
        {"flows": [["mega", -1, 0, 0]]},
        {"money": {"hold": 1}},
        {"dealt_by": SUE},
        {"dealt_seq": 2},
        {"awarded_at": "2026-01-02T03:04:05.000000Z"},
    ],
)
@pytest.mark.parametrize("seats", [[], [{"seat": 3, "cards": ["2s", "3s"], "hands": []}]])
def test_round_without_awards_moves_nothing(
    journal: JournalFile, change: Row, seats: list[Row]
) -> None:
    def strip(records: list[Row]) -> None:
        event = records[15]["event"]
        for key in ("awards", "flows", "money", "awarded_at"):
            del event[key]
        event |= {"seats": seats, "dealer": {"cards": []}, "complete": False} | change
        event["meters"] = records[14]["event"]["meters"]

    journal.forge(strip)
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (16, "a round without awards moves nothing")


# --- anything at all --------------------------------------------------------------------------

VALUES = [
    *ODDITIES,
    "main.27.2",
    "main.4.3",
    "mega",
    "mini",
    "buster",
    "BJ-02",
    "7d",
    ["7d", "7d"],
    7,
]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.data())
def test_whatever_a_record_says_the_audit_ends_in_a_report(
    journal: JournalFile, data: st.DataObject
) -> None:
    good = journal.lines()
    try:
        records = journal.records()
        index = data.draw(st.integers(1, len(records) - 1))
        event = records[index]["event"]
        place = data.draw(st.sampled_from(places(event)))
        put(*place, value=data.draw(st.sampled_from(VALUES)))(event)
        with contextlib.suppress(msgspec.ValidationError, msgspec.MsgspecError):
            # Where it can be one of ours it is written as such, to get past the first look.
            records[index]["event"] = as_written(event)
        journal.forge(lambda stored: stored.__setitem__(slice(None), records))
        problem = journal.verified().problem
        if problem is not None:
            assert problem.seq >= min(index + 1, 31)
            assert problem.message.isprintable()
            assert len(problem.message) < 1000
    finally:
        journal.store(good)
