"""What lies among the seals: none is larger than the newest, and none is something else."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealed_journals import WITNESS, Told, in_segments, sealed_by, teller
from tests.support.sealing import SealedFolder

FIRST = "000001-2026-01-02.note"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return in_segments(shelf, tmp_path / "data")


@pytest.fixture
def seals(journal: JournalFile) -> SealedFolder:
    return sealed_by(journal, WITNESS)


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Told:
    return teller(tmp_path / "keys", capsys)


def test_an_older_seal_in_the_place_of_the_newest_is_named(
    journal: JournalFile, seals: SealedFolder, told: Told
) -> None:
    shutil.copy(seals.folder / FIRST, seals.newest)
    code, page = told(journal.directory)
    assert code == 1
    assert (
        "link main, record 4, seals/main/newest.note: is not the newest seal: it is of 4 records, "
        "and 000003-2026-01-02.note is of 10"
    ) in page


def test_the_newest_seal_is_missed_where_others_are(
    journal: JournalFile, seals: SealedFolder, told: Told
) -> None:
    seals.newest.unlink()
    code, page = told(journal.directory)
    assert code == 1
    assert "newest.note: is not the newest seal: it is missing, and 000003-" in page


def test_what_a_witness_confirmed_is_never_larger_than_the_newest(
    journal: JournalFile, seals: SealedFolder, told: Told
) -> None:
    shutil.copy(seals.newest, seals.folder / "cosigned-9f3c21d4.note")
    assert told(journal.directory)[0] == 0
    seals.newest.write_bytes(seals.note(14))
    code, page = told(journal.directory)
    assert (code, "cosigned-9f3c21d4.note is of 15" in page) == (1, True)


def _a_pipe(path: Path) -> None:
    os.mkfifo(path)


def _a_folder(path: Path) -> None:
    path.mkdir()


def _a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _a_loop(path: Path) -> None:
    path.symlink_to(path.name)


def _to_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


NO_FILES = [
    (_a_pipe, "a pipe or a device"),
    (_a_folder, "Is a directory"),
    (_a_device, "a pipe or a device"),
    (_a_loop, "Too many levels"),
    (_to_nothing, "a link to a file that is not there"),
]


@pytest.mark.parametrize(("make", "said"), NO_FILES)
@pytest.mark.parametrize("name", ["newest.note", FIRST])
def test_something_else_in_the_place_of_a_seal_is_a_finding_and_holds_up_nobody(
    journal: JournalFile,
    seals: SealedFolder,
    told: Told,
    make: Callable[[Path], None],
    said: str,
    name: str,
) -> None:
    (seals.folder / name).unlink()
    make(seals.folder / name)
    code, page = told(journal.directory)
    assert code == 1
    assert f"seals/main/{name}: is not a seal: " in page
    assert said in page


@pytest.mark.parametrize("make", [_a_pipe, _a_folder, _a_device])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("journal.sqlite3", "journal.sqlite3 is no file"),
        ("people.sqlite3", "people.sqlite3 is no file"),
        ("committed/main.json", "what main has committed is remembered, and cannot be read"),
    ],
)
def test_something_else_in_the_place_of_another_file_is_a_finding_too(
    journal: JournalFile, told: Told, make: Callable[[Path], None], place: str, said: str
) -> None:
    path = journal.directory / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    make(path)
    code, page = told(journal.directory)
    assert code == 1
    assert said in page


@pytest.mark.parametrize("make", [_a_device, _a_loop])
def test_a_segment_that_leads_elsewhere_is_named(
    journal: JournalFile, told: Told, make: Callable[[Path], None]
) -> None:
    path = journal.directory / "segments" / "main" / "000002-2026-01-02.jsonl.gz"
    path.unlink()
    make(path)
    code, page = told(journal.directory)
    assert code == 1
    assert "000002-2026-01-02.jsonl.gz is no file" in page


def test_seals_of_a_link_that_the_journal_does_not_know_are_a_finding(
    journal: JournalFile, seals: SealedFolder, told: Told
) -> None:
    (seals.folder.parent / "README").mkdir()
    assert told(journal.directory)[0] == 0
    shutil.copytree(seals.folder, seals.folder.with_name("side"))
    code, page = told(journal.directory)
    assert code == 1
    assert "there is no journal of side, but seals of it lie there" in page


def test_that_no_act_log_is_there_is_said(
    journal: JournalFile, seals: SealedFolder, told: Told
) -> None:
    code, page = told(journal.directory)
    assert (code, "act log: none is here" in page) == (0, True)
