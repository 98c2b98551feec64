"""Lies about awards with a perfect chain: every record after them is hashed anew.

Only someone who reads the cards again, takes from the meters again and looks at every signature
again can find these. `write_award_journal` tells what each record is.
"""

from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from progressive.domain.events import Event
from tests.support.award_journals import AwardShelf
from tests.support.forgeries import all_of, drop, put, swap
from tests.support.journals import JournalFile, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def test_journal_with_every_kind_of_award_is_proved(journal: JournalFile) -> None:
    report = journal.audited()
    assert report.problem is None
    assert report.totals is not None
    assert report.totals.came_in == report.totals.lies


SUE = {"name": "Sue", "department": "pit"}
SUE_AGAIN = {"name": " SUE ", "department": "office"}
SID = {"name": "Sid", "department": "pit"}
FIN = {"name": "Fin", "department": "finance"}


def award(place: int, **changes: object) -> Callable[[Row], None]:
    return lambda event: event["awards"][place].update(changes)


def money(**changes: int) -> Callable[[Row], None]:
    return lambda event: event["money"].update(changes)


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
        all_of(drop("awards"), drop("flows"), drop("money"), drop("dealt_by"), drop("awarded_at")),
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
    (drop("dealt_by"), "dealt_by: stored None, recomputed Signature(name='Dora'"),
    (put("dealt_by", value=SUE), "dealt_by: stored Signature(name='Sue'"),
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
    (dealer("Ts 6h"), "seat 7 has an award on buster that its cards did not win"),
    (dealer("Ts 6h 2h Kc"), "the dealer stands on Ts 6h 2h"),
    (dealer("Ts 6h Ac Kc"), "the dealer stands on Ts 6h Ac"),
    (dealer("Ts 5h Ac Kc"), "award of seat 7 on buster, line: stored bust_3, recomputed bust_4"),
    (dealer("As Kc"), "seat 7 has an award on buster that its cards did not win"),
    (dealer("Ts"), "the dealer's hole card is missing: it decides about three 7s"),
    (dealer(""), "the dealer's up card is missing: an award hangs on it"),
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
    (put("seats", 0, "seat", value=1), "seat 1 has no wager in this round"),
    (swap("awards"), "order of payment: stored seat 3 blazing7, seat 6 blazing7, recomputed seat"),
]

# Record 34: settled by the terms of its lock-out, though others hold by then. 36: Jack Magic.
FORMER_TERMS = [
    (award(1, amount_cents=1_401), "award of seat 1 on buster, amount_cents: stored 1401"),
    (all_of(dealer("Ts"), drop("awards", 1)), "the dealer's hand is not played out"),
]
JACKS = [
    (award(0, line="three_one_eyed_jacks"), "line: stored three_one_eyed_jacks, recomputed three"),
    (award(0, amount_cents=70_700), "amount_cents: stored 70700, recomputed 70000"),
    (dealer("7c Jh"), "line: stored three_jacks, recomputed two_jacks"),
    (dealer(""), "the dealer's up card is missing"),
]

# Records 5 to 11: the void of one Mega, and the way of the other to its payment.
VALIDATED = [
    (put("by", value={"name": "dora", "department": "x"}), "validated by dora, who dealt it"),
    (put("by", value={"name": " ", "department": "pit"}), "award main.4.3: nobody signed"),
    (put("award", value="main.4.2"), "no award main.4.2 is open"),
    (put("award", value="main.9.1"), "no award main.9.1 is open"),
]
VOIDED = [
    (put("by", value=SUE), "void of award main.4.1: Sue signed twice, it takes two people"),
    (put("by", value=SUE_AGAIN), "void of award main.4.1:  SUE  signed twice, it takes two"),
    (put("proposed_by", value=SID), "void of award main.4.1, proposed_by: stored Sid, recomputed"),
    (put("reason", value="x"), "void of award main.4.1, reason: stored x, recomputed the third 7"),
    (put("award", value="main.4.3"), "void of award main.4.3: nobody proposed it"),
    (put("changes", value=[]), "award main.4.3 is not settled anew"),
    (
        put("changes", 0, "amount_cents", value=2_500_015),
        "award main.4.3 anew, amount_cents: stored 2500015, recomputed 10000180",
    ),
    (put("changes", 0, "funded_cents", value=0), "anew, funded_cents: stored 0, recomputed 25000"),
    (put("changes", 0, "meter_before", value=0), "anew, meter_before: stored 0, recomputed 10000"),
    (put("changes", 0, "approvers", value=-2), "award main.4.3 anew: -2 people to approve it"),
    (
        lambda event: event["changes"].append(dict(event["changes"][0], award="main.4.2")),
        "awards settled anew: stored main.4.3, main.4.2, recomputed main.4.3",
    ),
    (put("flows", value=[]), "meters of the flows: stored none, recomputed mega"),
    (put("flows", 0, 1, value=1), "flows of mega: stored 1, recomputed 15000000"),
    (money(funding=0), "money, funding: stored 0, recomputed 2500000000000"),
    (money(pending=0), "money, pending: stored 0, recomputed -2500015000000"),
    (money(hold=7), "money, hold: stored 7, recomputed 0"),
    (put("meters", 0, value=1), "meter mega: stored 1, recomputed 2500015000000"),
]
APPROVED = [
    (put("by", value=SUE), "approval of award main.4.3: Sue signed twice, it takes two people"),
    (put("by", value=SID), "approval of award main.4.3: Sue and Sid are both of pit"),
    (
        put("by", value={"name": "Fay", "department": "x"}),
        "approval of award main.4.3: Fay signed twice, it takes two people",
    ),
    (put("award", value="main.4.1"), "award main.4.1 is void: it is not open any more"),
]
PAID = [
    (put("by", value=SUE), "payment of award main.4.3: Sue signed twice, it takes two people"),
    (
        put("by", value={"name": "Fay", "department": "finance"}),
        "payment of award main.4.3: Fay signed twice, it takes two people",
    ),
    (put("document", value="main-P000002"), "document: stored main-P000002, recomputed main-P0000"),
    (put("document", value="main-P1"), "document: stored main-P1, recomputed main-P000001"),
    (put("manual", value=True), "document main-P000001 is of no manual series"),
    (all_of(put("manual", value=True), put("document", value="")), "document  is of no manual"),
    (put("cents", value=10_000_181), "payment of award main.4.3, cents: stored 10000181, recompu"),
]
PAID_MANUALLY = [
    (put("manual", value=False), "document: stored CAGE-77, recomputed main-P000002"),
    (put("award", value="main.16.2"), "payment of award main.16.2: it is pending, not validated"),
]
PAID_LATER = [
    (put("document", value="main-P000001"), "document: stored main-P000001, recomputed main-P00"),
    (put("document", value="main-P000003"), "document: stored main-P000003, recomputed main-P00"),
    (
        all_of(put("manual", value=True), put("document", value="CAGE-77")),
        "document CAGE-77 pays a second award",
    ),
]
FIXED_VOIDED = [
    (put("flows", value=[["mega", 1, 0, 0]]), "award main.27.1 is of no meter: its void moves no"),
    (money(hold=1), "money, hold: stored 1, recomputed 100000000000"),
]

PROPOSED = [
    (put("reason", value="  "), "a void of award main.14.1 without a reason"),
    (put("award", value="main.4.3"), "no award main.4.3 is open"),
]
WITHDRAWN = [(put("award", value="main.16.2"), "no void of award main.16.2 is proposed")]

# Records 19 to 22: a correction that was made, and one that was refused.
CORRECTION_PROPOSED = [
    (put("correction", value="main.18"), "correction: stored main.18, recomputed main.19"),
    (put("legs", value=[]), "correction main.19 has no legs"),
    (put("legs", 1, value=["major", "reset", 1]), "or names a part of a meter twice"),
    (put("legs", 0, 0, value="royal"), "correction main.19: the terms have no meter royal"),
    (put("legs", 0, 2, value=0), "correction main.19: a leg that moves nothing"),
    (put("reason", value=" "), "correction main.19 has no reason"),
]
CORRECTION_APPROVED = [
    (put("by", value={"name": "Fay", "department": "office"}), "main.19: Fay signed twice"),
    (put("by", value=FIN), "correction main.19: Fay and Fin are both of finance"),
    (put("correction", value="main.3"), "no correction main.3 waits to be decided"),
    (put("before", 0, value=1), "correction main.19, before: stored (1, 2500190000000), recompu"),
    (put("flows", 1, 1, value=9), "flows of mega: stored 9, recomputed 1500000"),
    (swap("flows"), "meters of the flows: stored mega, major, recomputed major, mega"),
    (put("corrected", value=0), "correction main.19, corrected: stored 0, recomputed -500000"),
    (put("meters", 0, value=0), "meter mega: stored 0, recomputed 2500191500000"),
]
CORRECTION_REFUSED = [
    (put("correction", value="main.19"), "no correction main.19 waits to be decided"),
    (put("by", value={"name": "", "department": ""}), "refusal of correction main.21: nobody sig"),
]

# Records 32 and 33: another floor file.
TERMS = [
    (put("terms", "bets", 0, "meters", 0, "rate_ppm", value=50_000), "terms: stored "),
    (put("terms", "bets", 0, "lines", 5, "pays", "for_one", value=1), "terms: stored "),
    (put("terms_version", value=3), "terms_version: stored 3, recomputed 2"),
    (put("by", 1, "name", value="Fay"), "approval of terms: Fay signed twice"),
    (put("by", 1, "department", value="Finance"), "approval of terms: Fay and Ada are both of Fi"),
    (put("by", 0, "name", value="Fin"), "other terms signed by 2, not as they were proposed"),
    (drop("by", 1), "other terms signed by 1, not as they were proposed"),
    (put("funding", 0, 1, value=1), "funding of mini: stored 1, recomputed 5000000000"),
    (put("funding", value=[]), "meters of the funding: stored none, recomputed mini"),
    (put("meters", 3, value=0), "meter mini: stored 0, recomputed 5000000000"),
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
        (34, FORMER_TERMS),
        (36, JACKS),
        (5, VALIDATED),
        (7, VOIDED),
        (10, APPROVED),
        (11, PAID),
        (18, PAID_MANUALLY),
        (39, PAID_LATER),
        (41, FIXED_VOIDED),
        (23, PROPOSED),
        (24, WITHDRAWN),
        (19, CORRECTION_PROPOSED),
        (20, CORRECTION_APPROVED),
        (22, CORRECTION_REFUSED),
        (33, TERMS),
    )
    for change, message in rows
]


def as_written(event: Row) -> Row:
    """The event as the service would write it: fields in their order, none that says nothing."""
    written: Row = msgspec.to_builtins(msgspec.convert(event, Event))
    return written


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_record_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    def lie(records: list[Row]) -> None:
        change(records[seq - 1]["event"])
        records[seq - 1]["event"] = as_written(records[seq - 1]["event"])

    journal.forge(lie)
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.type) == (seq, journal.records()[seq - 1]["event"]["type"])
    assert message in problem.message


# --- what was left out, and what came too soon ------------------------------------------------


def without(*seqs: int) -> Callable[[list[Row]], None]:
    """Take records out and close the gap."""

    def change(records: list[Row]) -> None:
        records[:] = [record for record in records if record["seq"] not in seqs]
        for seq, record in enumerate(records, start=1):
            record["seq"] = seq

    return change


@pytest.mark.parametrize(
    ("gone", "seq", "message"),
    [
        ((6,), 6, "void of award main.4.1: nobody proposed it"),
        ((8,), 8, "approval of award main.4.3: it is pending, not validated"),
        ((8, 9, 10), 8, "payment of award main.4.3: it is pending, not validated"),
        ((9,), 10, "payment of award main.4.3: 1 of 2 approvals missing"),
        ((13,), 13, "table_seq of table BJ-02: stored 3, recomputed 2"),
        ((19,), 19, "no correction main.19 waits to be decided"),
        ((32,), 32, "other terms, though nobody proposed any"),
        ((38,), 38, "payment of award main.16.2: it is pending, not validated"),
    ],
)
def test_act_without_the_one_before_it_is_found(
    journal: JournalFile, gone: tuple[int, ...], seq: int, message: str
) -> None:
    # Later acts name later records: the first thing that is missed comes before them.
    journal.execute("DELETE FROM snapshot")
    journal.forge(without(*gone))
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (seq, message)


def inserted(seq: int, event: Row) -> Callable[[list[Row]], None]:
    """One more record before `seq`, with the meters of the one before it."""

    def change(records: list[Row]) -> None:
        before = records[seq - 2]
        records.insert(seq - 1, deepcopy(before))
        records[seq - 1]["event"] = event | {"meters": before["event"]["meters"]}
        for number, record in enumerate(records, start=1):
            record["seq"] = number

    return change


MAJOR, PAID_AWARD = "main.27.2", "main.4.3"


@pytest.mark.parametrize(
    ("seq", "event", "message"),
    [
        (
            30,
            {"type": "award_validated", "award": MAJOR, "by": SID},
            "award main.27.2: a void is proposed, and not withdrawn",
        ),
        (
            30,
            {"type": "void_proposed", "award": MAJOR, "by": SID, "reason": "again"},
            "a void of award main.27.2 is proposed already",
        ),
        (9, {"type": "award_validated", "award": PAID_AWARD, "by": SID}, "it is validated once"),
        (
            11,
            {"type": "payment_approved", "award": PAID_AWARD, "by": FIN},
            "approval of award main.4.3: 2 were asked for, not one more",
        ),
        (
            12,
            {"type": "void_proposed", "award": PAID_AWARD, "by": SID, "reason": "too late"},
            "no award main.4.3 is open",
        ),
    ],
)
def test_act_out_of_its_turn_is_found(
    journal: JournalFile, seq: int, event: Row, message: str
) -> None:
    journal.execute("DELETE FROM snapshot")
    journal.forge(inserted(seq, event))
    problem = journal.audited().problem
    assert problem is not None
    assert problem.seq == seq
    assert message in problem.message


def test_terms_are_proposed_once(journal: JournalFile) -> None:
    proposal = journal.records()[31]["event"]
    del proposal["meters"]
    journal.forge(inserted(33, proposal))
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (33, "the same terms are proposed a second time")


def test_terms_are_changed_once(journal: JournalFile) -> None:
    journal.forge(inserted(34, journal.records()[32]["event"]))
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (34, "other terms, though nobody proposed any")


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
    problem = journal.audited().problem
    assert problem is not None
    assert problem.seq == 14
    assert problem.message == "a misdeal, though the round was paid upon before the peek"


def test_round_is_settled_early_once(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        again = deepcopy(records[12]["event"]) | {"table_seq": 3}
        again["awards"][0]["award"] = "main.14.1"
        records[13]["event"] = again

    journal.forge(change)
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (14, "the round is settled early a second time")


@pytest.mark.parametrize(
    "change",
    [
        {"flows": [["mega", -1, 0, 0]]},
        {"money": {"hold": 1}},
        {"dealt_by": SUE},
        {"awarded_at": "2026-01-02T03:04:05.000000Z"},
    ],
)
@pytest.mark.parametrize("seats", [[], [{"seat": 1, "cards": ["2s", "3s"], "hands": []}]])
def test_round_without_awards_moves_nothing(
    journal: JournalFile, change: Row, seats: list[Row]
) -> None:
    def strip(records: list[Row]) -> None:
        event = records[3]["event"]
        for key in ("awards", "flows", "money", "dealt_by", "awarded_at"):
            del event[key]
        event |= {"seats": seats, "dealer": {"cards": []}, "complete": False} | change
        event["meters"] = records[2]["event"]["meters"]

    journal.forge(strip)
    problem = journal.audited().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (4, "a round without awards moves nothing")


def test_approved_terms_are_known_by_the_bytes_that_were_written(journal: JournalFile) -> None:
    """Fields may be added to terms with a default: what was approved is what was written then."""

    def older(records: list[Row]) -> None:
        terms = records[32]["event"]["terms"]
        del terms["overflow"]
        records[31]["event"]["terms_digest"] = sha256(msgspec.json.encode(terms)).hexdigest()

    journal.forge(older)
    assert journal.audited().problem is None
