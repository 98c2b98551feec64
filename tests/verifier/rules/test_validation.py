"""Lies about who confirmed payouts and voids of rounds, with a perfect chain.

`write_validated_journal` says what each record is.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from tests.support.forgeries import all_of, as_written, drop, lie_at, put
from tests.support.journals import JournalFile, Row
from tests.support.validated_journals import ValidatedShelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> ValidatedShelf:
    return ValidatedShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: ValidatedShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


SUE = {"name": "Sue", "department": "pit"}
SID = {"name": "Sid", "department": "pit"}
DORA = {"name": " DORA ", "department": "office"}
NOBODY = {"name": " ", "department": "pit"}
PAYABLE = all_of(put("awards", 1, "status", value="payable"), drop("awards", 1, "pays_from"))

# Record 4: seats 3 (the Mega), 2 and 1 of Blazing 7's, then seat 1 of Buster.
SETTLED = [
    (PAYABLE, "award main.4.2 is paid from the rack at once: a supervisor confirms it first"),
    (put("awards", 0, "pays_from", value="rack"), "main.4.1 waits for a supervisor's confirmation"),
    (put("awards", 1, "approvers", value=1), "award main.4.2 is paid from the rack, yet 1 must"),
    (
        all_of(
            put("awards", 3, "status", value="pending"), put("awards", 3, "pays_from", value="rack")
        ),
        "award main.4.4 waits for a supervisor's confirmation that no terms ask for",
    ),
]
CONFIRMED = [
    (put("by", value=DORA), "award main.4.2 is validated by  DORA , who dealt it"),
    (put("by", value=NOBODY), "round r1 at BJ-01: nobody signed"),
    (put("awards", value=[]), "confirmed: stored none, recomputed main.4.2, main.4.3"),
    (drop("awards", 1), "round r1 at BJ-01, confirmed: stored main.4.2, recomputed main.4.2, main"),
    (
        put("awards", value=["main.4.1", "main.4.2", "main.4.3"]),
        "confirmed: stored main.4.1, main.4.2, main.4.3, recomputed main.4.2, main.4.3",
    ),
    (put("table", value="BJ-02"), "round r1 at BJ-02, confirmed: stored main.4.2, main.4.3, recom"),
    (put("round", value="r2"), "round r2 at BJ-01, confirmed: stored main.4.2, main.4.3, recomput"),
    (put("cents", value=13_501), "round r1 at BJ-01, cents: stored 13501, recomputed 13500"),
    (put("meters", 0, value=1), "meter mega: stored 1, recomputed"),
]
EARLY = [
    (
        all_of(put("awards", 0, "status", value="payable"), drop("awards", 0, "pays_from")),
        "award main.7.1 is paid from the rack at once",
    ),
    (drop("awards", 0, "pays_from"), "what is paid before the peek is paid from the rack"),
    (put("awarded_at", value="2026-01-01T00:00:00.000000Z"), "awarded_at: stored 2026-01-01"),
    (drop("awarded_at"), "awarded_at: stored "),
    (put("money", value={"hold": -12_500_000_000, "paid": 12_500_000_000}), "money, pending"),
]
SETTLED_ANEW = [
    # The voided two 7s were never paid: nothing is taken off for them.
    (
        put("awards", 0, "paid_before_cents", value=500),
        "paid_before_cents: stored 500, recomputed 0",
    ),
]
VOIDED = [
    (drop("by"), "void of round r2: no supervisor signed it, and the terms ask for one"),
    (put("by", value=DORA), "void of round r2 is signed by  DORA , who dealt it"),
    (put("by", value=NOBODY), "void of round r2: nobody signed"),
]
VOIDED_BY_DEALER = [
    (put("by", value=SUE), "void of round r2: a supervisor signed it, and no terms ask for one"),
]

FORGERIES = [
    (seq, change, message)
    for seq, rows in (
        (4, SETTLED),
        (5, CONFIRMED),
        (7, EARLY),
        (14, SETTLED_ANEW),
        (17, VOIDED),
        (19, VOIDED_BY_DEALER),
    )
    for change, message in rows
]


def test_good_journal_is_good(journal: JournalFile) -> None:
    report = journal.verified()
    assert report.problem is None
    assert report.records == 23


@pytest.mark.parametrize(("seq", "change", "message"), FORGERIES)
def test_forged_record_is_found(
    journal: JournalFile, seq: int, change: Callable[[Row], None], message: str
) -> None:
    journal.forge(lie_at(seq, change))
    problem = journal.verified().problem
    assert problem is not None
    assert (problem.seq, problem.type) == (seq, journal.records()[seq - 1]["event"]["type"])
    assert message in problem.message


def inserted(seq: int, *events: Row) -> Callable[[list[Row]], None]:
    """More records before `seq`, with the meters of the one before them."""

    def change(records: list[Row]) -> None:
        before = records[seq - 2]
        for place, event in enumerate(events):
            record = deepcopy(before)
            record["event"] = as_written(event | {"meters": before["event"]["meters"]})
            records.insert(seq - 1 + place, record)
        for number, record in enumerate(records, start=1):
            record["seq"] = number

    return change


PROPOSED = {"type": "void_proposed", "by": SUE, "reason": "no light"}
CONFIRM = {"type": "round_validated", "table": "BJ-01", "round": "r1", "by": SID}


@pytest.mark.parametrize(
    ("seq", "events", "message"),
    [
        (
            5,
            [{"type": "award_validated", "award": "main.4.2", "by": SUE}],
            "award main.4.2 is of the rack: it is confirmed with its round",
        ),
        (
            6,
            [CONFIRM | {"awards": ["main.4.2", "main.4.3"], "cents": 13_500}],
            "confirmed: stored main.4.2, main.4.3, recomputed none",
        ),
        (
            5,
            [
                PROPOSED | {"award": "main.4.2"},
                CONFIRM | {"awards": ["main.4.2", "main.4.3"], "cents": 13_500},
            ],
            "confirmed: stored main.4.2, main.4.3, recomputed main.4.3",
        ),
        (
            9,
            [
                PROPOSED | {"award": "main.7.1"},
                {
                    "type": "award_voided",
                    "award": "main.7.1",
                    "by": SID,
                    "proposed_by": SUE,
                    "reason": "no light",
                    "changes": [],
                    "flows": [],
                    "money": {"hold": 12_500_000_000, "pending": -12_500_000_000},
                },
            ],
            "void of award main.7.1: main.8.1 counts it as paid",
        ),
    ],
)
def test_act_that_nobody_could_do_is_found(
    journal: JournalFile, seq: int, events: list[Row], message: str
) -> None:
    journal.execute("DELETE FROM snapshot")
    journal.forge(inserted(seq, *events))
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == seq + len(events) - 1
    assert message in problem.message


def test_snapshot_says_which_settlement_counts_an_early_award(journal: JournalFile) -> None:
    def lie(kept: Row) -> None:
        [early] = [each for each in kept["awards"] if each["made"]["award"] == "main.21.1"]
        assert early["settled_seq"] == 22
        early["settled_seq"] = 0

    journal.forge_snapshot(lie)
    problem = journal.verified().problem
    assert problem is not None
    assert "the stored snapshot at 22: award main.21.1: stored" in problem.message
