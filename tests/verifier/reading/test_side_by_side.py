"""Segments walked side by side give the same report as one walk, of good journals and of bad."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.verifier.findings import FindingError
from progressive.verifier.program.as_json import encoded
from progressive.verifier.proof.checkpoint import read_keys
from progressive.verifier.reading import side_by_side
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.reading.handover import Handover, NotProvedError, joined
from progressive.verifier.reading.journal_file import open_journal
from progressive.verifier.reading.journal_walk import JournalWalk
from progressive.verifier.reading.seals import read_seals
from progressive.verifier.reading.segment_files import SegmentFiles
from tests.support.long_journal import LongJournal
from tests.support.sealed_journals import HOUSE, sealed_week
from tests.support.segmented import SegmentedJournal

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "STRETCH_RECORDS", 100)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> LongJournal:
    return sealed_week(tmp_path_factory.mktemp("long"))


@pytest.fixture
def data(shelf: LongJournal, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shelf.data, tmp_path / "data"))


def report(data: Path, jobs: int) -> str:
    keys = read_keys(HOUSE.key_line.encode())
    return encoded(verify_data(data_place(data), How(keys=keys, jobs=jobs)))


def walk(data: Path, jobs: int) -> JournalWalk:
    """The walk itself, which does not begin again in one piece."""
    with open_journal(data) as journal:
        [(row, stored)] = journal.links()
        made = JournalWalk(
            journal.live(row),
            SegmentFiles(data / "segments"),
            remembered=None,
            on_progress=lambda _: None,
            seals=read_seals(data, stored.link),
            jobs=jobs,
        )
        try:
            made.run()
        finally:
            made.close()
    return made


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_report_is_the_same_with_every_number_of_jobs(data: Path, jobs: int) -> None:
    one = walk(data, 1)
    split = walk(data, jobs)

    assert split.is_split
    assert split.report(None) == one.report(None)
    assert report(data, jobs) == report(data, 1)


def flip(path: Path, *, at: float) -> None:
    body = bytearray(path.read_bytes())
    body[int(len(body) * at)] ^= 1
    path.write_bytes(body)


def files(data: Path, ending: str) -> list[Path]:
    return sorted((data / "segments" / "main").glob(f"*{ending}"))


def old_state(data: Path) -> None:
    """A state of another segment in the place of one, and a row that fits."""
    journal = SegmentedJournal(data)
    second, third = journal.segments()[1:3]
    states = files(data, ".state.json.gz")
    shutil.copy(states[1], states[2])
    journal.edit_row(third.number, state=second.state)


Damage = Callable[[Path], object]
DAMAGES: dict[str, Damage] = {
    "first segment": lambda data: flip(files(data, ".jsonl.gz")[0], at=0.5),
    "middle segment": lambda data: flip(files(data, ".jsonl.gz")[3], at=0.9),
    "last segment": lambda data: flip(files(data, ".jsonl.gz")[-1], at=0.1),
    "two segments": lambda data: [
        flip(path, at=0.5) for path in (files(data, ".jsonl.gz")[2], files(data, ".jsonl.gz")[4])
    ],
    "index": lambda data: flip(files(data, ".index.json")[2], at=0.5),
    "state": lambda data: flip(files(data, ".state.json.gz")[1], at=0.5),
    "state gone": lambda data: files(data, ".state.json.gz")[3].unlink(),
    "records gone": lambda data: files(data, ".jsonl.gz")[3].unlink(),
    "an older state": old_state,
    "row": lambda data: SegmentedJournal(data).edit_row(3, last_at="2026-02-25T00:00:00.000000Z"),
    "seal": lambda data: (data / "seals" / "main" / "newest.note").write_bytes(b""),
    "stored tree": lambda data: flip(data / "seals" / "main" / "tree-8", at=0.5),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_first_broken_thing_is_the_same(data: Path, damage: str) -> None:
    DAMAGES[damage](data)
    one = report(data, 1)

    assert '"ok":false' in one
    assert report(data, 3) == one


@pytest.mark.parametrize("damage", [each for each in DAMAGES if each != "seal"])
def test_stretches_alone_find_it_too(data: Path, damage: str) -> None:
    """Without the walk in one piece behind them: nothing that is broken joins."""
    DAMAGES[damage](data)

    with pytest.raises((NotProvedError, FindingError)):
        walk(data, 3)


def a_stretch(**changes: object) -> Handover:
    values: dict[str, object] = {
        "first_epoch": 2, "epoch": 3, "times_hold_after": 1, "clock_steps_back": 0,
        "first_at": "a", "last_at": "b", "holds_remembered": False, "rounds": 1, "voided": 0,
        "wagers": 7, "awards_made": 0, "awards_from_rack": 0, "paid": 0, "void": 0,
        "corrections": 0,
    }  # fmt: skip
    return Handover(**values | changes)  # type: ignore[arg-type]


def test_counts_of_stretches_add_up_and_the_first_promise_holds() -> None:
    whole = joined(a_stretch(), a_stretch(first_epoch=3, epoch=4, times_hold_after=9, rounds=5))

    assert (whole.rounds, whole.wagers, whole.first_epoch, whole.epoch) == (6, 14, 2, 4)
    assert whole.times_hold_after == 1


@pytest.mark.parametrize(
    "after",
    [a_stretch(first_epoch=2, epoch=4), a_stretch(first_epoch=3, clock_steps_back=1)],
    ids=["older epoch", "time went back"],
)
def test_stretches_that_do_not_join_are_refused(after: Handover) -> None:
    with pytest.raises(NotProvedError):
        joined(a_stretch(), after)


def test_a_process_that_dies_is_no_proof(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise SystemExit(9)

    expected = report(data, 1)
    monkeypatch.setattr(side_by_side, "_walk", die)

    with pytest.raises(NotProvedError, match="the process has ended"):
        walk(data, 3)
    assert report(data, 3) == expected
