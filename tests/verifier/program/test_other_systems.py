"""The verifier as one file where the system has less than Linux has, as on Windows."""

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from progressive.entry.cli import main
from progressive.entry.verifier_file import verifier_file
from progressive.verifier.proof.merkle import Range
from progressive.verifier.reading.opened_file import OpenedFile
from progressive.verifier.reading.sealed_tree import TreeStretch
from progressive.verifier.reading.side_by_side import can_fork
from tests.support.journals import JournalFile, JournalShelf
from tests.support.sealing import SealedFolder, Sealer
from tests.support.segment_mischief import close_segments

HOUSE = Sealer("casino.example", b"h" * 32)
ENDS = {f"{number:06}-2026-01-02": last for number, last in ((1, 4), (2, 7), (3, 10))}
PYTHON = Path(sys.base_prefix) / "bin" / "python3"

LESS = """
import os, runpy, sys
for name in ("pread", "preadv", "fork", "forkpty", "register_at_fork", "sched_getaffinity",
             "mkfifo", "posix_spawn", "sendfile", "statvfs", "O_CLOEXEC", "O_NONBLOCK",
             "O_NOFOLLOW", "O_DIRECTORY"):
    if hasattr(os, name):
        delattr(os, name)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("auditor") / "verifier.pyz"
    path.write_bytes(verifier_file())
    return path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    """Sealed, with three closed segments."""
    journal = shelf.copy_to(tmp_path / "data")
    close_segments(journal)
    seals = SealedFolder(journal.directory, "main", HOUSE)
    seals.seal_all(ENDS)
    return journal


def told(*command: object) -> tuple[int, str]:
    """Exit code and page."""
    ended = subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={},
    )
    assert ended.stderr == ""
    return ended.returncode, ended.stdout


def with_all(pyz: Path, *arguments: object) -> tuple[int, str]:
    return told(PYTHON, "-I", "-S", pyz, *arguments)


def with_less(pyz: Path, *arguments: object) -> tuple[int, str]:
    return told(PYTHON, "-I", "-S", "-c", LESS, pyz, *arguments)


def exported(journal: JournalFile, to: Path) -> Path:
    command = ["export", "--data", str(journal.directory), "--link", "main", "--out", str(to)]
    assert CliRunner().invoke(main, command).exit_code == 0
    return to


def compressed(journal: JournalFile, to: Path) -> Path:
    plain = exported(journal, to.with_suffix(".plain"))
    to.write_bytes(gzip.compress(plain.read_bytes()))
    return to


def damaged(journal: JournalFile, to: Path) -> Path:
    del to
    path = next((journal.directory / "segments" / "main").glob("000002-*.jsonl.gz"))
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    return journal.directory


Place = Callable[[JournalFile, Path], Path]
PLACES: dict[str, tuple[Place, int]] = {
    "a data directory": (lambda journal, _: journal.directory, 0),
    "a folder of segments": (lambda journal, _: journal.directory / "segments" / "main", 0),
    "an export": (exported, 0),
    "a compressed export": (compressed, 0),
    "a seal": (lambda journal, _: journal.directory / "seals" / "main" / "newest.note", 0),
    "a damaged segment": (damaged, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", PLACES)
def test_the_page_is_the_same_where_the_system_has_less(
    pyz: Path, journal: JournalFile, tmp_path: Path, what: str
) -> None:
    make, code = PLACES[what]
    path = make(journal, tmp_path / "export.jsonl")
    found = with_less(pyz, path, "--jobs", 4)
    assert found == with_all(pyz, path)
    assert found[0] == code, found[1]


def test_a_stretch_is_read_where_no_system_call_reads_beside_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 1000)
    monkeypatch.delattr(os, "pread")
    with OpenedFile(path, "file") as file:
        first = file.read()
        assert file.again(3, 4) == b"\x03\x04\x05\x06"
        # It goes on where it was.
        assert first + file.read() == path.read_bytes()


def test_a_stored_hash_is_held_against_the_records_there_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pread")
    tree = Range()
    tree.extend([b"x"] * 256)
    for stored, other in ((tree.root(), None), (b"y" * 32, (8, 1))):
        (tmp_path / "tree-8").write_bytes(tree.root() + stored)
        stretch = TreeStretch(Range(), (), tmp_path)
        stretch.feed(b"x\n" * 512)
        assert stretch.other_subtree == other


def test_no_process_is_made_where_none_can_inherit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert not can_fork()
