"""An audit that goes on where an earlier one has come to finds what one from record 1 on finds."""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from progressive.entry.commands.past_audits import decoded, encoded
from progressive.verifier.reading import audit_progress
from progressive.verifier.reading.audited import Audited
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.report import LinkReport
from tests.support.audits_kept import AuditsInMemory, records_read
from tests.support.journals import JournalShelf
from tests.support.long_journal import LongJournal
from tests.support.sealed_journals import sealed_week
from tests.support.segment_mischief import Mischief, close_segments
from tests.support.segmented import SegmentedJournal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def kept_at_every_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_progress, "KEPT_EVERY", 1)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> LongJournal:
    return sealed_week(tmp_path_factory.mktemp("long"))


@pytest.fixture(params=["sealed", "not sealed"])
def data(shelf: LongJournal, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    made = Path(shutil.copytree(shelf.data, tmp_path / "data"))
    if request.param == "not sealed":
        shutil.rmtree(made / "seals")
    return made


def report(data: Path, audits: AuditsInMemory | None) -> LinkReport:
    [found] = verify_data(data_place(data), How(audits=audits)).links
    return found


def without_seals(found: LinkReport) -> LinkReport:
    """How many seals could be compared is said differently: fewer records were read."""
    return replace(found, seals=None)


def all_kept(data: Path) -> AuditsInMemory:
    audits = AuditsInMemory()
    assert report(data, audits).problem is None
    assert [each.number for each in audits.all] == [
        each.number for each in SegmentedJournal(data).segments()
    ]
    return audits


def test_report_is_the_same_from_wherever_the_audit_goes_on(data: Path) -> None:
    whole = report(data, None)
    for each in all_kept(data).all:
        # As it is after a restart.
        audits = AuditsInMemory(decoded(encoded(each)))
        with records_read() as read:
            assert without_seals(report(data, audits)) == without_seals(whole)
        assert read == list(range(each.last_seq + 1, whole.records + 1))
        assert audits.began_again == 0


def test_what_is_kept_on_the_way_is_the_same_as_in_one_piece(data: Path) -> None:
    kept = all_kept(data).all
    audits = AuditsInMemory(decoded(encoded(kept[1])))
    report(data, audits)
    assert [encoded(each) for each in audits.all[1:]] == [encoded(each) for each in kept[2:]]


def test_nothing_is_kept_where_no_record_has_confirmed_the_state(data: Path) -> None:
    """The audit must have arrived at it, not only read it: the row, too, is made to fit."""
    journal = SegmentedJournal(data)
    second, third = journal.segments()[1:3]
    states = sorted(journal.folder.glob("*.state.json.gz"))
    shutil.copy(states[1], states[2])
    journal.edit_row(third.number, state=second.state)
    audits = AuditsInMemory()
    assert report(data, audits).problem is not None
    assert max(each.number for each in audits.all) == 2


Change = Callable[[Audited], Audited]
FOREIGN: dict[str, Change] = {
    "another head": lambda a: replace(a, head="f" * 64),
    "another state": lambda a: replace(a, state="f" * 64),
    "other rows": lambda a: replace(a, rows="f" * 64),
    "another link": lambda a: replace(a, link="side"),
    "ahead of the journal": lambda a: replace(a, number=99),
    "no number": lambda a: replace(a, number=0),
    "another place": lambda a: replace(a, last_seq=a.last_seq + 1),
    "an epoch to come": lambda a: replace(a, found=replace(a.found, epoch=99)),
    "seals that are others": lambda a: replace(a, seals="f" * 64),
    "other times": lambda a: replace(a, times_hold_from=a.times_hold_from + 7),
}


@pytest.mark.parametrize("change", FOREIGN)
def test_what_does_not_fit_is_dropped_and_the_audit_begins_at_record_1(
    data: Path, change: str
) -> None:
    kept = FOREIGN[change](all_kept(data).all[3])
    audits = AuditsInMemory()
    audits.recall = lambda _: kept  # type: ignore[method-assign]
    with records_read() as read:
        assert report(data, audits).problem is None
    assert read[0] == 1
    assert audits.began_again == 1


Forged = Callable[[Audited], Audited]
WRONG: dict[str, Forged] = {
    "an epoch that was not": lambda a: replace(a, found=replace(a.found, epoch=1)),
    "days that were not": lambda a: replace(
        a, found=replace(a.found, positions=replace(a.found.positions, ended={}))
    ),
    "hashes that are none": lambda a: replace(a, tree=a.tree[1:]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_memory_makes_no_finding(data: Path, wrong: str) -> None:
    """A healthy link must not stop: whatever is found is looked for from record 1 on."""
    kept = WRONG[wrong](all_kept(data).all[2])
    assert report(data, AuditsInMemory(kept)).problem is None


def rewritten(data: Path) -> None:
    """Another index of an old segment, with a row that fits it."""
    journal = SegmentedJournal(data)
    segment = journal.segments()[1]
    path = journal.folder / f"{segment.name}.index.json"
    index = msgspec.json.decode(path.read_bytes())
    index["acts"] = []
    index["tables"] = {}
    body = msgspec.json.encode(index)
    path.write_bytes(body)
    sums = {"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    journal.edit_row(segment.number, index=sums)


def test_rewritten_segment_whose_row_was_fitted_is_found_at_once(data: Path) -> None:
    """The rows are a part of what is kept."""
    audits = all_kept(data)
    rewritten(data)
    found = report(data, audits)
    assert found.problem is not None
    assert found.problem == report(data, None).problem


def test_a_damage_behind_the_part_that_was_passed_over_is_found(data: Path) -> None:
    audits = AuditsInMemory(all_kept(data).all[2])
    path = sorted((data / "segments" / "main").glob("*.jsonl.gz"))[4]
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    found = report(data, audits)
    assert found == report(data, None)
    assert found.problem is not None


def test_seal_of_a_segment_that_was_changed_since_is_found(
    shelf: LongJournal, tmp_path: Path
) -> None:
    data = Path(shutil.copytree(shelf.data, tmp_path / "data"))
    audits = all_kept(data)
    names = [each.name for each in SegmentedJournal(data).segments()]
    folder = data / "seals" / "main"
    for ending in (".note", ".range"):
        shutil.copy(folder / f"{names[2]}{ending}", folder / f"{names[1]}{ending}")
    found = report(data, audits)
    assert found.problem is not None
    assert found.problem == report(data, None).problem


def a_purged_journal(tmp_path: Path) -> Mischief:
    """Records 1 to 10 are purged, and a record behind them says so."""
    journal = JournalShelf(tmp_path / "purged").journal
    close_segments(journal)
    return Mischief(journal)


def test_purged_segments_are_no_part_of_what_is_passed_over(tmp_path: Path) -> None:
    mischief = a_purged_journal(tmp_path)
    data = mischief.journal.directory
    before = AuditsInMemory()
    assert report(data, before).problem is None
    mischief.purge(3)
    whole, purged = report(data, None), AuditsInMemory()
    assert report(data, purged) == whole
    # What was kept before the purge is of other rows.
    again = AuditsInMemory(*before.all)
    assert report(data, again) == whole
    assert again.began_again == len(before.all[:1])
    for each in purged.all:
        assert each.number > 3
        assert report(data, AuditsInMemory(decoded(encoded(each)))) == whole
