"""Journals whose oldest segments were purged: proved from there on; every lie about it is found."""

from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.adapters.segments.files import INDEX, STATE
from progressive.entry.commands.proving import verify
from progressive.verifier.findings import Problem
from tests.support.journals import JournalFile, JournalShelf, Row
from tests.support.segment_mischief import Mischief, close_segments, sum_of


@pytest.fixture
def purged(tmp_path: Path) -> Mischief:
    """Records 1 to 10 are purged; the state after them is confirmed by record 11."""
    journal: JournalFile = JournalShelf(tmp_path / "data").journal
    close_segments(journal)
    mischief = Mischief(journal)
    mischief.purge(3)
    return mischief


def problem_of(mischief: Mischief) -> Problem:
    (link,) = verify(mischief.journal.directory).links
    assert link.problem is not None
    return link.problem


def test_journal_whose_oldest_records_were_purged_is_proved_from_there_on(
    purged: Mischief, tmp_path: Path
) -> None:
    whole = JournalShelf(tmp_path / "whole").journal.verified()
    (link,) = verify(purged.journal.directory).links
    assert link.problem is None
    assert (link.totals, link.meters, link.records) == (whole.totals, whole.meters, 16)
    assert link.purged is not None
    assert (link.purged.count, link.purged.last_seq) == (3, 10)
    assert link.first_at == purged.journal.records()[0]["at"]


def test_state_behind_the_purged_records_must_be_confirmed(purged: Mischief) -> None:
    purged.edit_state(3, lambda state: state.update(documents=7))
    problem = problem_of(purged)
    assert problem.file == purged.name(3, STATE)
    assert "SHA-256" in problem.message or "bytes" in problem.message
    # With a row that fits, the record after it does not.
    purged.edit_row(3, lambda row: row.update(state=sum_of(purged.path(3, STATE))))
    problem = problem_of(purged)
    assert (problem.seq, problem.file) == (11, purged.name(3, STATE))
    assert "state_digest" in problem.message


def test_purged_segments_without_a_state_cannot_be_gone_on_from(purged: Mischief) -> None:
    purged.edit_row(3, lambda row: row.update(state=None))
    assert "no state was kept" in problem_of(purged).message


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (1, lambda index: index["landmarks"].clear(), "the index, landmark 1"),
        (2, lambda index: index["landmarks"].clear(), "the index, landmark 1"),
        (2, lambda index: index.update(head="1" * 64), "the index, head"),
        (2, lambda index: index["tables"].pop("BJ-01"), "the index, table BJ-01"),
        (3, lambda index: index["tables"]["BJ-01"].__setitem__(0, 99), "the index, table BJ-01"),
        (1, lambda index: index["blocks"][1].__setitem__(1, 7), "the index, block 2"),
        (1, lambda index: index["acts"][0].__setitem__(0, 77), "act of record 77"),
    ],
)
def test_index_of_a_purged_segment_is_held_against_the_others(
    purged: Mischief, number: int, change: Callable[[Row], object], message: str
) -> None:
    purged.edit_index(number, change)
    fit_index(purged, number)
    problem = problem_of(purged)
    assert message in problem.message
    assert problem.file == purged.name(number, INDEX)


def fit_index(mischief: Mischief, number: int) -> None:
    path = mischief.path(number, INDEX)
    mischief.edit_row(number, lambda row: row.update(index=sum_of(path)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"last_number": 2}, "segment 3 is marked as purged, and no record says so"),
        ({"last_seq": 9}, "purge, last_seq: stored 9, recomputed 10"),
        ({"head": "1" * 64}, "purge, head: stored 1111"),
        ({"last_at": "2026-01-02T03:04:06.000000Z"}, "purge, last_at"),
        ({"kept": []}, "purge, kept: stored [], recomputed [(1, 'link_opened')]"),
        ({"kept": ["x"]}, "purge: a kept record is unreadable"),
    ],
)
def test_purge_is_held_against_the_record_that_speaks_of_it(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    close_segments(journal)
    mischief = Mischief(journal)
    mischief.purge(3, **changes)
    assert problem_of(mischief).message.startswith(message)


def test_segments_that_no_record_calls_purged_are_missing(tmp_path: Path) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    close_segments(journal)
    mischief = Mischief(journal)
    mischief.purge(3, recorded=False)
    problem = problem_of(mischief)
    assert problem.message.startswith("segment 3 is marked as purged, and no record says so")
    assert problem.file == "segments/main/000003-2026-01-02.jsonl.gz"
