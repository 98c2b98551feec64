"""Books that begin in the middle: the same totals and the same findings as from the beginning."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from progressive.adapters.segments.files import INDEX, STATE
from progressive.application.audit.findings import DiscrepancyError, FindingError, Problem
from progressive.application.audit.link import LinkAudit
from progressive.application.audit.purged import books_after
from progressive.application.audit.report import LinkReport, StoredLink
from progressive.application.journal.record import decode_record
from progressive.application.link.snapshot import encode_state
from progressive.domain.ids import LinkId
from progressive.domain.state.evolve import evolve
from progressive.domain.state.link_state import LinkState
from progressive.entry.commands.verify import verify
from tests.support.award_journals import AwardShelf
from tests.support.forgeries import places
from tests.support.journals import JournalFile, JournalShelf, Row
from tests.support.segment_mischief import Mischief, close_segments, sum_of
from tests.support.validated_journals import ValidatedShelf

Shelf = JournalShelf | AwardShelf | ValidatedShelf


@pytest.fixture(scope="module", params=[JournalShelf, AwardShelf, ValidatedShelf])
def lines(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The records of journals with all kinds of rounds, awards, acts and changes of terms."""
    folder = tmp_path_factory.mktemp("shelf")
    make: Callable[[Path], Shelf] = request.param
    return make(folder / "good").copy_to(folder / "copy").lines()


@pytest.fixture(scope="module")
def states(lines: list[bytes]) -> list[bytes]:
    """The state after each record, as the writer saves it; the first is after none."""
    state = LinkState(LinkId("main"))
    saved = [encode_state(state)]
    for line in lines:
        state = evolve(state, decode_record(line).event)
        saved.append(encode_state(state))
    return saved


def audited(lines: list[bytes], *, begun: tuple[int, bytes] | None = None) -> LinkReport:
    """The audit of all records, or of those after one with the state saved there."""
    head = sha256(lines[-1]).hexdigest()
    audit = LinkAudit(StoredLink("main", 9, len(lines), head))
    problem: Problem | None = None
    try:
        audit.begin()
        if begun is not None:
            seq, body = begun
            books = books_after(body, link="main", seq=seq)
            before = lines[seq - 1]
            at = msgspec.json.decode(before)["at"]
            audit.go_on_from(books, seq=seq, head=sha256(before).hexdigest(), last_at=at)
        for line in lines[audit.seq :]:
            audit.feed(line)
        audit.finish()
    except FindingError as finding:
        problem = finding.problem
    return audit.report(problem)


def test_begun_after_any_record_the_books_end_with_the_same_amounts(
    lines: list[bytes], states: list[bytes]
) -> None:
    whole = audited(lines)
    assert whole.problem is None
    assert whole.awards is not None
    for seq in range(1, len(lines)):
        part = audited(lines, begun=(seq, states[seq]))
        assert part.problem is None, seq
        assert (part.totals, part.meters) == (whole.totals, whole.meters), seq
        assert part.awards is not None
        assert part.awards.meters == whole.awards.meters
        assert part.awards.documents == whole.awards.documents
        assert (part.awards.pending, part.awards.validated) == (
            whole.awards.pending,
            whole.awards.validated,
        )
        assert part.open == whole.open


def forged(lines: list[bytes], after: int) -> list[list[bytes]]:
    """One journal for every number in the records after one: that number is one higher."""
    made: list[list[bytes]] = []
    for seq in range(after, len(lines)):
        for place in places(msgspec.json.decode(lines[seq])["event"]):
            records: list[Row] = [msgspec.json.decode(line) for line in lines]
            inner = records[seq]["event"]
            for key in place[:-1]:
                inner = inner[key]
            if type(inner[place[-1]]) is not int:
                continue
            inner[place[-1]] += 1
            chained = list(lines[:seq])
            for record in records[seq:]:
                record["prev"] = sha256(chained[-1]).hexdigest()
                chained.append(msgspec.json.encode(record))
            made.append(chained)
    return made


@pytest.mark.slow
def test_begun_in_the_middle_the_same_forgeries_are_found(
    lines: list[bytes], states: list[bytes]
) -> None:
    middle = len(lines) // 2
    journals = forged(lines, middle)
    assert len(journals) > 40
    for journal in journals:
        whole = audited(journal)
        part = audited(journal, begun=(middle, states[middle]))
        assert part.problem == whole.problem


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kept: kept.update(link="other"), "link: stored other"),
        (lambda kept: kept.update(seq=3), "seq: stored 3"),
        (lambda kept: kept["balances"].pop(0), "no account|do not balance"),
        (lambda kept: kept["balances"][0].__setitem__(2, 7), "do not balance"),
        (lambda kept: kept.update(terms=None), "is unreadable"),
        (lambda kept: kept["terms"]["bets"].append(kept["terms"]["bets"][0]), "twice"),
    ],
)
def test_state_that_cannot_be_one_is_refused(
    tmp_path: Path, change: Callable[[Row], object], message: str
) -> None:
    journal = JournalShelf(tmp_path / "data").journal
    ((body,),) = journal.execute("SELECT body FROM snapshot")
    kept: Row = msgspec.json.decode(body)
    change(kept)
    with pytest.raises(DiscrepancyError, match=message):
        books_after(msgspec.json.encode(kept), link="main", seq=10)


# --- as files ------------------------------------------------------------------------------------


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
    whole = JournalShelf(tmp_path / "whole").journal.audited()
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
