"""Every line of an explanation names the very records behind it, and all of them are named."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from progressive.application.finance.questions.explain import Explanation
from progressive.application.finance.questions.explain_lines import ExplainLine
from tests.application.finance.test_explain import explained
from tests.application.finance.test_limits_and_ends import _written
from tests.support.award_journals import write_award_journal
from tests.support.journals import JournalFile

TYPES: Final = {
    "put there by the house at the beginning": {"link_opened", "link_reopened", "terms_changed"},
    "put there by the house at resets": {"round_settled", "award_voided"},
    "from the reset meter": {"round_settled", "award_voided"},
    "from the overflow meter": {"round_settled", "award_voided"},
    "back from awards that were voided": {"award_voided"},
    "corrections": {"correction_approved"},
    "transfers from and to other meters": {"correction_approved"},
    "parked at the end of the link": {"link_retired"},
    "voided rounds": {"round_voided"},
    "wagers": {"wagers_registered"},
    "above the limit, or won before it was given back": {"wagers_registered", "round_voided"},
    "awards that no entry accounts for": {"round_settled"},
}


def named(line: ExplainLine, records: list[dict[str, Any]]) -> set[int]:
    """The records that a line names: for wagers, the lock-outs of its table in its range."""
    if line.records:
        assert line.records == tuple(sorted(set(line.records)))
        assert (line.first_seq, line.last_seq) == (line.records[0], line.records[-1])
        return set(line.records)
    assert line.what == "wagers", line
    assert line.first_seq is not None
    assert line.last_seq is not None
    ends = [records[seq - 1]["event"] for seq in (line.first_seq, line.last_seq)]
    for event in ends:
        assert (event["type"], event["table"]) == ("wagers_registered", line.table)
    return {
        record["seq"]
        for record in records[line.first_seq - 1 : line.last_seq]
        if record["event"]["type"] == "wagers_registered" and record["event"]["table"] == line.table
    }


def assert_records(found: Explanation, records: list[dict[str, Any]], place: int) -> None:
    of_lines: set[int] = set()
    for line in found.lines:
        seqs = named(line, records)
        due = {"round_settled"} if line.award else TYPES[line.what]
        assert {records[seq - 1]["event"]["type"] for seq in seqs} <= due, line
        if line.what == "voided rounds":
            assert {records[seq - 1]["event"]["table"] for seq in seqs} == {line.table}
        of_lines |= seqs
    # The record that opened the link names no amounts.
    stood = [
        (each["seq"], each["event"]["meters"][place])
        for each in records[max(found.from_seq - 2, 1) : found.seq]
    ]
    moved = {seq for (_, before), (seq, after) in pairwise(stood) if before != after}
    assert moved <= of_lines, (found.seq, moved - of_lines)


def test_the_lines_of_a_day_with_everything_in_it_name_their_records(data: Path) -> None:
    (found,) = explained(data, "progressive", 35)
    by_what = {line.what: line.records for line in found.lines if line.what != "wagers"}
    records = JournalFile(data).records()
    corrections = [each for each in records if each["event"]["type"] == "correction_approved"]
    plain, moved = (each["seq"] for each in corrections)
    assert by_what["corrections"] == (plain,)
    assert by_what["transfers from and to other meters"] == (moved,)
    assert by_what["put there by the house at the beginning"] == (1,)
    assert by_what["back from awards that were voided"] == (13,)


@pytest.mark.slow
def test_at_any_record_all_that_moved_the_meter_is_named(data: Path) -> None:
    records = JournalFile(data).records()
    for found in explained(data, "progressive", *range(1, len(records) + 1)):
        assert_records(found, records, 0)


@pytest.mark.slow
def test_of_every_kind_of_award_all_that_moved_the_meter_is_named(tmp_path: Path) -> None:
    asyncio.run(write_award_journal(tmp_path))
    records = JournalFile(tmp_path).records()
    for place, meter in enumerate(("mega", "major", "minor")):
        for found in explained(tmp_path, meter, *range(2, len(records) + 1)):
            assert_records(found, records, place)


def test_above_a_limit_the_lock_outs_and_voids_that_it_kept_something_out_of(
    tmp_path: Path,
) -> None:
    """Two wagers fill the meter; from then on each lock-out goes over, and a void gives back less
    than the wagers times their rate."""
    journal = asyncio.run(_written(tmp_path))
    records = journal.records()
    for found in explained(tmp_path, "progressive", *range(2, len(records) + 1)):
        assert_records(found, records, 0)
        assert found.difference_microcents == 0
    (found,) = explained(tmp_path, "progressive", 9)
    line = next(line for line in found.lines if line.what.startswith("above the limit"))
    over = {
        record["seq"]
        for record in records[:9]
        if record["event"]["type"] in ("wagers_registered", "round_voided")
        and any(flow[3] for flow in record["event"].get("flows", ()))
    }
    assert set(line.records) == over
    assert len(over) >= 2
