"""A day and its close may lie in different stretches of a journal: they are joined and held."""

import shutil
from pathlib import Path

import pytest

from progressive.domain.ids import LinkId
from progressive.verifier.reading import side_by_side
from progressive.verifier.reading.data_directory import How, data_place, verify_data
from progressive.verifier.reading.journal_file import open_journal
from progressive.verifier.reading.journal_walk import JournalWalk
from progressive.verifier.reading.segment_files import SegmentFiles
from tests.support.archived import archive
from tests.support.closed_days import Office, run
from tests.support.finance_days import DAYS, FinanceShelf
from tests.support.journals import JournalFile, Row

pytestmark = pytest.mark.slow


async def close_all(office: Office) -> None:
    for day in DAYS:
        await office.closed(day)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five days, and their closes behind the last segment."""
    directory = FinanceShelf(tmp_path_factory.mktemp("closed") / "data").directory
    run(Office(directory), close_all)
    return directory


@pytest.fixture
def data(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(side_by_side, "STRETCH_RECORDS", 1)
    return Path(shutil.copytree(shelf, tmp_path / "data"))


def split_walk(data: Path) -> JournalWalk:
    """Side by side, and never again in one piece: raises where stretches do not join."""
    with open_journal(data) as journal:
        [(row, _)] = journal.links()
        walk = JournalWalk(
            journal.live(row),
            SegmentFiles(data / "segments"),
            remembered=None,
            on_progress=lambda _: None,
            seals=None,
            jobs=3,
        )
        try:
            walk.run()
        finally:
            walk.close()
    return walk


def test_closes_are_held_against_days_of_other_stretches(data: Path) -> None:
    segments = archive(data, LinkId("main"))
    assert len(segments) >= 3
    walk = split_walk(data)
    assert walk.is_split
    assert walk.report(None).problem is None


def forged(records: list[Row]) -> None:
    """One more round on a day, in its preparation and its close."""
    for record in records:
        event = record["event"]
        if event["type"] in ("day_prepared", "day_closed") and event["day"] == DAYS[1]:
            event["totals"]["rounds"] += 1


@pytest.mark.parametrize("jobs", [1, 3])
def test_totals_that_are_off_are_found_across_stretches(data: Path, jobs: int) -> None:
    JournalFile(data).forge(forged)
    archive(data, LinkId("main"))
    report = verify_data(data_place(data), How(keys=(), jobs=jobs))
    (link,) = report.links
    assert link.problem is not None
    assert f"day {DAYS[1]}: rounds" in link.problem.message
