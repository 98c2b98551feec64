"""Lies about what people did with awards, meters and terms, with a perfect chain.

One who signed twice, one act that is missing, a document that paid twice, money that came back to
nobody, terms that nobody approved. `write_award_journal` tells what each record is.
"""

from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from tests.support.award_journals import AwardShelf
from tests.support.forgeries import all_of, drop, lie_at, put, swap
from tests.support.journals import JournalFile, Row


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> AwardShelf:
    return AwardShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: AwardShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


SUE = {"name": "Sue", "department": "pit"}
SUE_AGAIN = {"name": " SUE ", "department": "office"}
SID = {"name": "Sid", "department": "pit"}
FIN = {"name": "Fin", "department": "finance"}


def money(**changes: int) -> Callable[[Row], None]:
    return lambda event: event["money"].update(changes)


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
    (put("changes", value=[]), "award main.4.3 is not settled again"),
    (
        put("changes", 0, "amount_cents", value=2_500_015),
        "award main.4.3 again, amount_cents: stored 2500015, recomputed 10000180",
    ),
    (put("changes", 0, "funded_cents", value=0), "again, funded_cents: stored 0, recomputed 25000"),
    (put("changes", 0, "meter_before", value=0), "again, meter_before: stored 0, recomputed 10000"),
    (put("changes", 0, "approvers", value=-2), "award main.4.3 again: -2 people to approve it"),
    (
        lambda event: event["changes"].append(dict(event["changes"][0], award="main.4.2")),
        "awards settled again: stored main.4.3, main.4.2, recomputed main.4.3",
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
    (
        all_of(put("manual", value=True), put("document", value="cage-77")),
        "document cage-77 pays a second award",
    ),
    (
        all_of(put("manual", value=True), put("document", value="MAIN-p000002")),
        "document MAIN-p000002 is of no manual series",
    ),
]
FIXED_VOIDED = [
    (put("flows", value=[["mega", 1, 0, 0]]), "award main.27.1 is of no meter: its void moves no"),
    (money(hold=1), "money, hold: stored 1, recomputed 100000000000"),
]

PROPOSED = [
    (put("reason", value="  "), "a void of award main.14.1 without a reason"),
    (put("reason", value="unsure\nof it"), "reason unsure\\nof it: characters that cannot be seen"),
    (put("reason", value="\u202eunsure"), "characters that cannot be seen"),
    (put("reason", value="e\u0301"), "not in Unicode's form NFC"),
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
    (put("legs", 0, 2, value=-(10**12)), "correction main.19 takes major, reset, to -99"),
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
    (put("reason", value=""), "refusal of correction main.21 has no reason"),
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


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_record_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    journal.forge(lie_at(seq, change))
    problem = journal.verified().problem
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
    problem = journal.verified().problem
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
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == seq
    assert message in problem.message


def test_journal_of_a_version_before_keeps_texts_and_documents_that_it_took(
    journal: JournalFile,
) -> None:
    """Without a record of the floor, nothing said yet that these are refused."""

    def older(records: list[Row]) -> None:
        for record in records:
            record["event"].pop("floor", None)
        paid_later = records[38]["event"]
        paid_later["document"], paid_later["manual"] = "cage-77", True
        records[22]["event"]["reason"] = "unsure\nof the light"

    journal.execute("DELETE FROM snapshot")
    journal.forge(older)
    assert journal.verified().problem is None


def test_void_before_an_award_that_was_paid_comes_too_late(journal: JournalFile) -> None:
    acts: list[Row] = [
        {"type": "award_validated", "award": "main.16.2", "by": SID},
        {
            "type": "award_paid",
            "award": "main.16.2",
            "by": SUE,
            "document": "CAGE-1",
            "manual": True,
            "cents": 250_020,
        },
        {"type": "void_proposed", "award": "main.16.1", "by": SUE, "reason": "no light"},
        {
            "type": "award_voided",
            "award": "main.16.1",
            "by": SID,
            "proposed_by": SUE,
            "reason": "no light",
            "changes": [],
            "flows": [["minor", 50_160_000_000, 20_000_000, 0]],
            "money": {"funding": 250_000_000_000, "pending": -300_160_000_000},
        },
    ]
    for seq, event in enumerate(acts, start=17):
        journal.forge(inserted(seq, event))
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 20
    assert problem.message == "void of award main.16.1: main.16.2 behind it has been paid"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop("bets", 0, "meters", 2), "meter minor goes, and there is money on it"),
        (
            put("bets", 0, "meters", 0, "limit_cents", value=1),
            "the limit of mega is below what is on it",
        ),
        (
            put("bets", 0, "lines", 0, "pays", "share_percent", value=101),
            "bet blazing7, line three_7_diamonds: 101 percent of a meter",
        ),
        (
            put("bets", 0, "lines", 3, "pays", "for_one", value=-1),
            "bet blazing7, line three_7_mixed: -1 is not 0 to",
        ),
        (
            put("bets", 1, "lines", 0, "pays", "per", value=0),
            "bet jack_magic, line three_one_eyed_jacks: 0 is not 1 to",
        ),
        (
            put("bets", 1, "free_bonus_lines", value=[{"id": "one_jack", "cents": -1}]),
            "bet jack_magic, free bonus on one_jack: -1 is not 0 to",
        ),
        (put("bets", 1, "id", value="blazing7"), "the terms have bet blazing7 twice"),
    ],
)
def test_terms_that_cannot_follow_are_found_though_two_approved_them(
    journal: JournalFile, change: Callable[[Row], None], message: str
) -> None:
    def lie(records: list[Row]) -> None:
        terms = records[32]["event"]["terms"]
        change(terms)
        records[31]["event"]["terms_digest"] = sha256(msgspec.json.encode(terms)).hexdigest()

    journal.forge(lie)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 33
    assert message in problem.message


def test_terms_are_proposed_once(journal: JournalFile) -> None:
    proposal = journal.records()[31]["event"]
    del proposal["meters"]
    journal.forge(inserted(33, proposal))
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (33, "the same terms are proposed a second time")


def test_terms_are_changed_once(journal: JournalFile) -> None:
    journal.forge(inserted(34, journal.records()[32]["event"]))
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.message) == (34, "other terms, though nobody proposed any")


def test_approved_terms_are_known_by_the_bytes_that_were_written(journal: JournalFile) -> None:
    """Fields may be added to terms with a default: what was approved is what was written then."""

    def older(records: list[Row]) -> None:
        terms = records[32]["event"]["terms"]
        del terms["overflow"]
        records[31]["event"]["terms_digest"] = sha256(msgspec.json.encode(terms)).hexdigest()

    journal.forge(older)
    assert journal.verified().problem is None
