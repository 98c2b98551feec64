"""Records that are predicted: the same books and the same findings as without any prediction."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from pathlib import Path

import msgspec
import pytest

from progressive.verifier.record import Record
from tests.support.forgeries import places, put
from tests.support.journals import JournalShelf, Row
from tests.support.long_journal import make_long_journal
from tests.support.predictions import Counting, audited, chained

RECORDS = 1_500


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """A floor of twelve tables; nearly all of its rounds are plain."""
    made = make_long_journal(
        tmp_path_factory.mktemp("long") / "floor",
        records=RECORDS,
        tables=12,
        archived=False,
        terms_every=600,
    )
    with closing(sqlite3.connect(made.data / "journal.sqlite3")) as db:
        bodies = [body for (body,) in db.execute("SELECT body FROM batch ORDER BY first_seq")]
    return b"".join(bodies).splitlines()


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def test_predicted_records_are_the_records_that_are_stored(
    lines: list[bytes], counting: Counting
) -> None:
    predicted: list[Record] = []
    report = audited(lines, predicted.append)
    assert report.problem is None
    assert counting.predicted["wagers_registered"] > 600
    assert counting.predicted["round_settled"] > 600
    counting.forbidden = True
    read: list[Record] = []
    assert audited(lines, read.append) == report
    assert predicted == read


def test_meter_at_its_limit_is_predicted_too(tmp_path: Path, counting: Counting) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    journal.execute("DELETE FROM snapshot")
    report = audited(journal.lines())
    assert counting.predicted == {"wagers_registered": 3, "round_settled": 4}
    assert report.problem is None
    assert report.meters[0].overflow_microcents > 0


def place_of(text: bytes, lines: list[bytes]) -> int:
    """The number of a record that holds this, when all tables have played."""
    return next(n for n, line in enumerate(lines, start=1) if n > 60 and text in line)


def forged(lines: list[bytes], seq: int) -> Iterator[tuple[tuple[object, ...], list[bytes]]]:
    """The journal up to a few records after one, with every number in that one other by one."""
    record = msgspec.json.decode(lines[seq - 1])
    rest = [msgspec.json.decode(line) for line in lines[seq : seq + 3]]
    for place in places(record["event"]):
        other: Row = deepcopy(record)
        inner = other["event"]
        for key in place[:-1]:
            inner = inner[key]
        if type(inner[place[-1]]) is int:
            for by in {1, -1, -inner[place[-1]]} - {0}:
                inner[place[-1]] += by
                yield place, chained([deepcopy(other), *deepcopy(rest)], lines[: seq - 1])
                inner[place[-1]] -= by


def test_every_forged_number_is_found_with_and_without_prediction(
    lines: list[bytes], counting: Counting
) -> None:
    tried = 0
    for seq in (place_of(b'"plain":[', lines), place_of(b'"seats":[],', lines)):
        for place, journal in forged(lines, seq):
            counting.forbidden = False
            report = audited(journal)
            # A base wager of another amount may have been one: nothing is computed from it.
            if place[:2] != ("plain", 3):
                assert report.problem is not None, place
                assert report.problem.seq == seq, place
            counting.forbidden = True
            assert audited(journal) == report, place
            tried += 1
    assert tried > 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("round", value=" r1"), "characters that cannot be seen"),
        (put("round", value="r\u200b1"), "characters that cannot be seen"),
        (put("table", value="BJ-99"), "table_seq of table BJ-99"),
        (put("plain", 0, value="roulette"), "the terms have no bet roulette"),
        (put("plain", 2, value=[1, 1]), "are not as many"),
        (put("plain", 3, 0, value=0), "no base wager"),
        (put("plain", 3, 0, value=10**11 + 1), "more than 100000000000"),
        (put("plain", 2, 0, value=8), "a wager at seat 8 of"),
        (put("terms_version", value=7), "terms_version: stored 7"),
        (put("chips_counted", value=0), "chips_counted: stored 0"),
    ],
)
def test_lie_about_a_plain_lock_out_is_left_to_the_rules(
    lines: list[bytes], change: Callable[[Row], None], message: str
) -> None:
    seq = place_of(b'"plain":[', lines)
    record = msgspec.json.decode(lines[seq - 1])
    change(record["event"])
    problem = audited(chained([record], lines[: seq - 1])).problem
    assert problem is not None
    assert problem.seq == seq
    assert message in problem.message


def test_time_of_a_predicted_record_is_held_against_the_one_before(lines: list[bytes]) -> None:
    seq = place_of(b'"plain":[', lines)
    record = msgspec.json.decode(lines[seq - 1])
    record["at"] = "2025" + record["at"][4:]
    problem = audited(chained([record], lines[: seq - 1])).problem
    assert problem is not None
    assert (problem.seq, problem.type) == (seq, "wagers_registered")
    assert "its time is before that of the record before it" in problem.message
    record["at"] = record["at"].replace("T", "t")
    problem = audited(chained([record], lines[: seq - 1])).problem
    assert problem is not None
    assert "is not a time in RFC 3339 UTC" in problem.message
