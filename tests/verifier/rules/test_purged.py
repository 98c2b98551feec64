"""Books that begin in the middle: the same totals and the same findings as from the beginning."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from progressive.application.journal.record import decode_record
from progressive.application.link.snapshot import encode_state
from progressive.domain.ids import LinkId
from progressive.domain.state.evolve import evolve
from progressive.domain.state.link_state import LinkState
from progressive.verifier.findings import DiscrepancyError, FindingError, Problem
from progressive.verifier.link_audit import LinkAudit
from progressive.verifier.report import LinkReport, StoredLink
from progressive.verifier.rules.purged import books_after
from tests.support.award_journals import AwardShelf
from tests.support.forgeries import places
from tests.support.journals import JournalShelf, Row
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


def open_round(kept: Row) -> Row:
    """The one round that is open after record 10."""
    found: Row = kept["tables"]["BJ-02"]["round"]
    return found


def won(meter: str, awards: tuple[str, ...]) -> Row:
    return {
        "meter": meter,
        "before": {"primary": 1},
        "reset": {},
        "order": "clockwise",
        "rounding": "down",
        "awards": awards,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kept: kept.update(link="other"), "link: stored other"),
        (lambda kept: kept.update(seq=3), "seq: stored 3"),
        (lambda kept: kept["balances"].pop(0), "no account|do not balance"),
        (lambda kept: kept["balances"][0].__setitem__(2, 7), "do not balance"),
        (lambda kept: kept.update(terms=None), "is unreadable"),
        (lambda kept: kept["terms"]["bets"].append(kept["terms"]["bets"][0]), "twice"),
        (lambda kept: open_round(kept)["wagers"][0].update(bet="x"), "its terms have no bet x"),
        (lambda kept: open_round(kept)["stakes"][0].__setitem__(0, "x"), "its terms have no bet x"),
        (lambda kept: open_round(kept)["flows"][0].__setitem__(0, "x"), "have no meter x"),
        (
            lambda kept: open_round(kept).update(plain=["buster", 5, [1], []]),
            "seats and base wagers are not as many",
        ),
        (lambda kept: kept["won"].update({"3": [won("x", ())]}), "x was won, and the terms lack"),
        (lambda kept: kept["won"].update({"3": [won("mega", ("a",))]}), "award a of a won meter"),
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


def test_sign_on_that_no_state_numbers_is_named_by_the_person(tmp_path: Path) -> None:
    """Dora signed on by record 2; the state after it is of a version that did not save that."""
    lines = AwardShelf(tmp_path / "good").copy_to(tmp_path / "copy").lines()
    state = LinkState(LinkId("main"))
    for line in lines[:3]:
        state = evolve(state, decode_record(line).event)
    problem = audited(lines, begun=(3, encode_state(state))).problem
    assert problem is None
    state.sign_ons.clear()
    problem = audited(lines, begun=(3, encode_state(state))).problem
    assert problem is not None
    assert (problem.seq, problem.message) == (4, "dealt_seq: stored 2, recomputed None")
