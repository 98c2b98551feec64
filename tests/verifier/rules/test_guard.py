"""Accepted losses, steps of the clock, and what is remembered outside: forged, and found."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from progressive.verifier.recorded.values import JournalPlace
from progressive.verifier.report import warnings_in
from progressive.verifier.rules.guard import Remembered
from tests.support.forgeries import put
from tests.support.journals import JournalFile, JournalShelf, Row, without_promise

CARA, FRED = {"name": "Cara", "department": "Cage"}, {"name": "Fred", "department": "Finance"}
HASH = "ab" * 32


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    copy = shelf.copy_to(tmp_path / "data")
    copy.execute("DELETE FROM snapshot")
    return copy


def appended(journal: JournalFile, make: Callable[[Row], Row]) -> None:
    """One more record at the end, made from the one before it."""

    def change(records: list[Row]) -> None:
        last = records[-1]
        event = {**make(last), "meters": last["event"]["meters"]}
        records.append({"seq": last["seq"] + 1, "at": last["at"], "prev": "", "event": event})

    journal.forge(change)


def found(journal: JournalFile, remembered: Remembered | None = None) -> str:
    problem = journal.verified(remembered).problem
    assert problem is not None, "nothing was found"
    return problem.message


def head_of(journal: JournalFile) -> str:
    head: str = journal.execute("SELECT head FROM link")[0][0]
    return head


# --- a loss -------------------------------------------------------------------------------------


def loss(journal: JournalFile, *changes: Callable[[Row], None]) -> None:
    head = head_of(journal)

    def make(last: Row) -> Row:
        event: Row = {
            "type": "loss_accepted",
            "remembered": {"epoch": 4, "seq": 4310, "head": HASH, "at": last["at"]},
            "found_seq": last["seq"],
            "found_head": head,
            "reason": "the disk burnt",
            "second_reason": "",
            "by": [CARA, FRED],
        }
        for change in changes:
            change(event)
        return event

    appended(journal, make)


def test_loss_that_two_departments_accepted_is_good(journal: JournalFile) -> None:
    loss(journal)
    assert journal.verified().problem is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("by", value=[CARA]), "signed by 1, it takes two people"),
        (put("by", value=[CARA, {**CARA, "name": "CARA "}]), "signed twice"),
        (put("by", value=[CARA, {**FRED, "department": "cage"}]), "it takes two departments"),
        (put("by", value=[CARA, {**FRED, "name": ""}]), "nobody signed"),
        (put("reason", value="  "), "no reason is given"),
        (put("found_seq", value=3), "says that the journal ended at record 3"),
        (put("found_head", value=HASH), "says that the journal ended at record"),
        (put("found_seq", value=0), "says that no record was left"),
        (put("remembered", "seq", value=0), "cannot have been"),
        (put("remembered", "head", value="x"), "is not a SHA-256"),
        (put("remembered", "at", value="yesterday"), "is not a time"),
    ],
)
def test_forged_loss_is_found(
    journal: JournalFile, change: Callable[[Row], None], says: str
) -> None:
    loss(journal, change)
    assert says in found(journal)


def test_loss_of_what_is_there_is_found(journal: JournalFile) -> None:
    head = head_of(journal)
    loss(journal, put("remembered", "seq", value=15), put("remembered", "head", value=head))
    assert "nothing is missing" in found(journal)


# --- what is remembered -------------------------------------------------------------------------


def place(journal: JournalFile, seq: int, head: str) -> JournalPlace:
    return JournalPlace(1, seq, head, journal.records()[0]["at"])


def test_journal_that_holds_what_is_remembered_is_good(journal: JournalFile) -> None:
    remembered = Remembered(place(journal, 15, head_of(journal)))
    assert journal.verified(remembered).problem is None
    # It has grown since.
    loss(journal)
    assert journal.verified(remembered).problem is None


def test_journal_cut_off_together_with_its_head_is_found_by_what_is_remembered(
    journal: JournalFile,
) -> None:
    remembered = Remembered(place(journal, 15, head_of(journal)))
    journal.forge(lambda records: records.pop())
    assert journal.verified().problem is None
    assert "the journal ends at 14, but this data directory has committed 15" in found(
        journal, remembered
    )


def test_other_record_in_the_place_of_the_remembered_one_is_found(journal: JournalFile) -> None:
    remembered = Remembered(place(journal, 7, HASH))
    problem = journal.verified(remembered).problem
    assert problem is not None
    assert problem.seq == 7
    assert "is not the one that this data directory has committed" in problem.message


def test_accepted_loss_explains_what_is_missing_and_no_other(journal: JournalFile) -> None:
    loss(journal)
    was = JournalPlace(**journal.records()[-1]["event"]["remembered"])
    assert journal.verified(Remembered(was)).problem is None
    other = replace(was, seq=4311)
    assert "has committed 4,311" in found(journal, Remembered(other))


# --- the clock ----------------------------------------------------------------------------------


def back(records: list[Row]) -> None:
    records[4]["at"] = "1966-01-01T00:00:00.000000Z"


def test_time_that_goes_back_is_found(journal: JournalFile) -> None:
    journal.forge(back)
    problem = journal.verified().problem
    assert problem is not None
    assert problem.seq == 5
    assert "times never go back after record 1" in problem.message


def test_promise_of_a_checkpoint_binds_what_follows_it(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        promising = next(
            place for place, each in enumerate(records) if each["event"]["type"] == "checkpointed"
        )
        del records[0]["event"]["times_hold"]
        records[promising - 1]["at"] = "1966-01-01T00:00:00.000000Z"
        for record in records[promising:]:
            record["at"] = "1966-01-01T00:00:00.000000Z"

    journal.forge(change)
    assert journal.verified().problem is None, "before it, an older version wrote"
    loss(journal)
    journal.forge(lambda records: records[-1].update(at="1965-01-01T00:00:00.000000Z"))
    assert "times never go back" in found(journal)


def test_forger_who_leaves_the_promise_out_is_found_by_what_is_remembered(
    journal: JournalFile,
) -> None:
    journal.forge(lambda records: (without_promise(records), back(records)))
    assert journal.verified().problem is None
    remembered = Remembered(place(journal, 15, head_of(journal)), times_hold_from=1)
    assert "times never go back" in found(journal, remembered)


def step(journal: JournalFile, clock_at: str, expected_at: str) -> None:
    appended(
        journal,
        lambda _: {"type": "clock_stepped", "clock_at": clock_at, "expected_at": expected_at},
    )


@pytest.mark.parametrize(
    ("clock_at", "expected_at", "says"),
    [
        ("2026-01-01T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z", None),
        ("2026-01-02T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z", None),
        ("2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.500000Z", "that is not a step"),
        ("2026-01-01T00:01:00.000000Z", "2026-01-01T00:00:00.000000Z", "that is not a step"),
        ("2066-01-01T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z", "after the time of the"),
        ("then", "2026-01-01T00:00:00.000000Z", "is not a time"),
    ],
)
def test_step_of_the_clock_is_one_or_is_found(
    journal: JournalFile, clock_at: str, expected_at: str, says: str | None
) -> None:
    step(journal, clock_at, expected_at)
    if says is None:
        assert journal.verified().problem is None
    else:
        assert says in found(journal)


@pytest.mark.parametrize(
    ("remembered", "says"),
    [
        (None, "records may be gone: {0} were found, and what had been committed could not be"),
        (100, "records are gone: {0} were found where 100 had been committed"),
        (2, "the records are others: {0} were found, and record 2 was not the committed one"),
    ],
)
def test_report_warns_of_what_was_accepted(
    journal: JournalFile, remembered: int | None, says: str
) -> None:
    place = {"epoch": 3, "seq": remembered, "head": HASH, "at": "2026-01-02T03:04:05.000000Z"}
    loss(journal, put("remembered", value=None if remembered is None else place))
    report = journal.verified()
    assert report.problem is None
    (warning,) = warnings_in(report)
    assert warning.startswith(says.format(report.records - 1))
    assert "as Cara and Fred accepted" in warning
