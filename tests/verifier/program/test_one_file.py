"""The verifier as one file, on a Python without packages, environment or this repository."""

import asyncio
import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.entry.cli import main
from progressive.entry.verifier_file import verifier_file
from tests.support.builders import a_desk, a_link, a_lock, a_settle
from tests.support.journals import JournalFile, JournalShelf
from tests.support.killed_writers import contents, kill_while_writing
from tests.support.sealing import SealedFolder, Sealer
from tests.support.segment_mischief import Mischief, close_segments

pytestmark = pytest.mark.slow

HOUSE = Sealer("casino.example", b"h" * 32)
PYTHON = Path(sys.base_prefix) / "bin" / "python3"


@pytest.fixture(scope="module")
def pyz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("auditor") / "verifier.pyz"
    command("verifier", "--out", path)
    return path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def command(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    return result


def run(pyz: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [PYTHON, "-I", "-S", pyz, *[str(each) for each in arguments]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={},
        cwd=pyz.parent,
    )
    assert "Traceback" not in ended.stderr
    return ended


# --- what it is -------------------------------------------------------------------------------


def test_the_same_modules_give_the_same_bytes(pyz: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pyz"
    told = command("verifier", "--out", again).stdout
    assert again.read_bytes() == pyz.read_bytes() == verifier_file()
    assert told == f"{hashlib.sha256(again.read_bytes()).hexdigest()}  {again}\n"


def test_a_file_that_is_there_is_not_written_over(pyz: Path) -> None:
    before = pyz.read_bytes()
    refused = CliRunner().invoke(main, ["verifier", "--out", str(pyz)])
    assert refused.exit_code == 2
    assert "is there already" in refused.stderr
    assert pyz.read_bytes() == before


# --- good ones --------------------------------------------------------------------------------


def test_a_data_directory_is_told_in_one_page_and_left_as_it_is(
    pyz: Path, journal: JournalFile
) -> None:
    before = contents(journal.directory)
    ended = run(pyz, journal.directory)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[:2] == [
        f"{journal.directory}: a data directory",
        "verified: all of it is good",
    ]
    assert "chain ok, books balance to 0" in ended.stdout
    assert len(ended.stdout.splitlines()) < 40
    assert contents(journal.directory) == before


async def test_beside_a_writer(pyz: Path, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    async with a_desk(store, a_link()) as desk:
        await desk.ask(a_lock(1))
        before = contents(tmp_path)
        ended = await asyncio.to_thread(run, pyz, tmp_path, "--json")
        assert contents(tmp_path) == before
        await desk.ask(a_settle(2))
    await store.close()
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["links"][0]["records"] == 2


@pytest.mark.parametrize("remains", ["-shm", None])
def test_after_a_kill(pyz: Path, journal: JournalFile, remains: str | None) -> None:
    kill_while_writing(
        journal.directory / "journal.sqlite3",
        mode="WAL",
        insert="INSERT INTO batch VALUES ('main', ?, 1, 1, ?)",
    )
    if remains is None:
        (journal.directory / "journal.sqlite3-shm").unlink()
    before = contents(journal.directory)
    ended = run(pyz, journal.directory)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert contents(journal.directory) == before


def test_segments_and_their_folder_alone(pyz: Path, journal: JournalFile) -> None:
    close_segments(journal)
    assert run(pyz, journal.directory).returncode == 0
    ended = run(pyz, journal.directory / "segments" / "main")
    assert ended.returncode == 0
    assert "main: 10 records" in ended.stdout


def test_purged_segments(pyz: Path, journal: JournalFile) -> None:
    close_segments(journal)
    Mischief(journal).purge(3)
    ended = run(pyz, journal.directory)
    assert ended.returncode == 0, ended.stdout
    assert "purged: the first 3, with 10 records" in ended.stdout


def test_a_backup_and_the_place_that_it_lies_in(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    close_segments(journal)
    place = tmp_path / "place"
    command("backup", "--data", journal.directory, "--to", place)
    [folder] = [each for each in place.iterdir() if each.name.startswith("20")]
    for path in (place, folder):
        ended = run(pyz, path)
        assert ended.returncode == 0, ended.stdout
        assert folder.name in ended.stdout.splitlines()[0]


def test_an_export_from_the_first_record_or_from_a_later_one(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    command("export", "--data", journal.directory, "--link", "main", "--out", whole)
    command("export", "--data", journal.directory, "--link", "main", "--from", 6, "--out", part)
    assert "books balance to 0" in run(pyz, whole).stdout
    ended = run(pyz, part)
    assert ended.returncode == 0
    assert "records from 6 on: 10 records" in ended.stdout
    assert "no amount" in ended.stdout


def test_a_seal_with_its_key(pyz: Path, journal: JournalFile, tmp_path: Path) -> None:
    seals = SealedFolder(journal.directory, "main", HOUSE)
    seals.seal_all({})
    keys = tmp_path / "keys"
    keys.write_text(f"{HOUSE.key_line}\n")
    ended = run(pyz, seals.newest, "--key", keys)
    assert ended.returncode == 0
    assert "signed with the key that was given" in ended.stdout
    ended = run(pyz, journal.directory, "--key", keys)
    assert ended.returncode == 0
    assert "sealed: 1 seal of casino.example/main fits the records, up to record 15" in ended.stdout


def test_an_export_is_held_against_a_seal_that_was_taken_away(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    keys, kept, part = tmp_path / "keys", tmp_path / "kept.note", tmp_path / "part.jsonl"
    keys.write_text(f"{HOUSE.key_line}\n")
    kept.write_bytes(SealedFolder(journal.directory, "main", HOUSE).note(9))
    for name in ("whole.jsonl", "whole.jsonl.gz"):
        whole = tmp_path / name
        command("export", "--data", journal.directory, "--link", "main", "--out", tmp_path / "e")
        body = (tmp_path / "e").read_bytes()
        (tmp_path / "e").unlink()
        whole.write_bytes(gzip.compress(body) if name.endswith("gz") else body)
        assert "seals lie beside a journal: none is here" in run(pyz, whole).stdout
        ended = run(pyz, whole, "--seal", kept, "--key", keys)
        assert ended.returncode == 0, ended.stdout
        assert "1 seal of casino.example/main fits the records, up to record 9; 6" in ended.stdout

    # Cut off, and of another key: each is named.
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join(lines[:8]))
    ended = run(pyz, part, "--seal", kept)
    assert ended.returncode == 1
    assert "9 records are sealed, the journal ends at 8" in ended.stdout
    keys.write_text(f"{Sealer('casino.example', b'o' * 32).key_line}\n")
    ended = run(pyz, tmp_path / "whole.jsonl", "--seal", kept, "--key", keys)
    assert (ended.returncode, "sealed with another key" in ended.stdout) == (1, True)


def test_an_export_that_was_written_again_does_not_fit_the_seal(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    kept, forged, other = tmp_path / "kept.note", tmp_path / "forged.jsonl", tmp_path / "other"
    kept.write_bytes(SealedFolder(journal.directory, "main", HOUSE).note())
    journal.forge(lambda records: records[1].update(at="2026-01-02T03:04:06.000000Z"))
    command("export", "--data", journal.directory, "--link", "main", "--out", forged)
    assert run(pyz, forged).returncode == 0
    ended = run(pyz, forged, "--seal", kept)
    assert ended.returncode == 1
    assert "the first 15 records are not those that were sealed" in ended.stdout
    # What is said of a link that is not good is true.
    assert "Without seals" not in ended.stdout
    assert "nothing is known behind the broken thing" in ended.stdout

    other.write_bytes(kept.read_bytes().replace(b"casino.example/main", b"casino.example/high"))
    ended = run(pyz, forged, "--seal", other)
    assert (ended.returncode, "casino.example/high: not here" in ended.stdout) == (1, True)


def test_a_seal_says_nothing_of_an_export_from_a_later_record(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    kept, part = tmp_path / "kept.note", tmp_path / "part.jsonl"
    kept.write_bytes(SealedFolder(journal.directory, "main", HOUSE).note())
    command("export", "--data", journal.directory, "--link", "main", "--from", 6, "--out", part)
    ended = run(pyz, part, "--seal", kept)
    assert ended.returncode == 2
    assert "begins with a later one" in ended.stderr
    ended = run(pyz, kept, "--seal", kept)
    assert (ended.returncode, "backups, exports and proofs" in ended.stderr) == (2, True)


# --- bad ones ---------------------------------------------------------------------------------


def test_a_changed_record_is_named(pyz: Path, journal: JournalFile) -> None:
    journal.forge(lambda records: records[4].update(at="2027-01-01T00:00:00.000000Z"))
    ended = run(pyz, journal.directory)
    assert ended.returncode == 1
    assert "NOT GOOD" in ended.stdout
    assert "link main, record 6" in ended.stdout


def flip(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def test_a_damaged_segment_in_a_data_directory_a_folder_and_a_backup(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    close_segments(journal)
    place = tmp_path / "place"
    command("backup", "--data", journal.directory, "--to", place)
    for folder in (journal.directory / "segments", place / "segments"):
        flip(next((folder / "main").glob("000002-*.jsonl.gz")))
    for path in (journal.directory, journal.directory / "segments" / "main", place):
        ended = run(pyz, path)
        assert ended.returncode == 1, path
        assert "000002-" in ended.stdout


def _without_line(body: bytes, number: int) -> bytes:
    lines = body.splitlines(keepends=True)
    return b"".join([*lines[: number - 1], *lines[number:]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.replace(b'"seq":9,', b'"seq":8,'), "record 9"),
        (lambda body: body[:-1], "cut off"),
        (lambda body: _without_line(body, 6), "record 6"),
        (lambda body: body.replace(b'"table":"BJ-01"', b'"table":"BJ-02"', 1), "record 2"),
    ],
)
def test_a_damaged_export(
    pyz: Path,
    journal: JournalFile,
    tmp_path: Path,
    change: Callable[[bytes], bytes],
    said: str,
) -> None:
    path = tmp_path / "export.jsonl"
    command("export", "--data", journal.directory, "--link", "main", "--out", path)
    path.write_bytes(change(path.read_bytes()))
    ended = run(pyz, path)
    assert ended.returncode == 1
    assert said in ended.stdout


def test_a_manifest_that_was_edited(pyz: Path, journal: JournalFile, tmp_path: Path) -> None:
    place = tmp_path / "place"
    command("backup", "--data", journal.directory, "--to", place)
    [folder] = [each for each in place.iterdir() if each.name.startswith("20")]
    manifest = folder / "manifest.json"
    good = manifest.read_bytes()
    for old, new, said in (
        (b'"last_seq": 15', b'"last_seq": 14', "does not end where the manifest says"),
        (b'"path": "journal.sqlite3"', b'"path": "../journal.sqlite3"', "which no backup holds"),
        (good, b"{", "manifest.json cannot be read"),
    ):
        manifest.write_bytes(good.replace(old, new))
        ended = run(pyz, place)
        assert ended.returncode == 1
        assert said in ended.stdout


# --- bad input --------------------------------------------------------------------------------


def test_what_is_not_a_journal_is_bad_input(
    pyz: Path, journal: JournalFile, tmp_path: Path
) -> None:
    empty, text, keys = tmp_path / "empty", tmp_path / "text", tmp_path / "keys"
    empty.mkdir()
    text.write_text("nothing of ours\n")
    keys.write_text("nothing of ours\n")
    for arguments, said in (
        ((), "PATH"),
        ((tmp_path / "nowhere",), "is not there"),
        ((empty,), "neither a data directory"),
        ((text,), "neither an export"),
        ((journal.directory, "--jobs", "0"), "--jobs: 1 or more"),
        ((journal.directory, "--jobs", "x"), "--jobs"),
        ((journal.directory, "--key", tmp_path / "nowhere"), "No such file"),
        ((journal.directory, "--key", keys), "line 1: a key is a line"),
        ((journal.directory, "--frobnicate"), "unrecognized"),
    ):
        ended = run(pyz, *arguments)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert said in ended.stderr
        assert ended.stderr.count("\n") == 1


def test_a_half_restored_folder_and_a_newer_file_are_bad_input(
    pyz: Path, journal: JournalFile
) -> None:
    (journal.directory / "restoring.json").write_text("{}")
    assert "half restored" in run(pyz, journal.directory).stderr
    (journal.directory / "restoring.json").unlink()
    journal.execute("PRAGMA user_version = 99")
    ended = run(pyz, journal.directory)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "newer version (99)" in ended.stderr


def test_nobody_reads_the_end_of_the_page(pyz: Path, journal: JournalFile) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [PYTHON, "-I", "-S", pyz, journal.directory],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        env={},
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_it_needs_no_package(pyz: Path, tmp_path: Path) -> None:
    """Whatever it imports comes from the file itself or from Python's own library."""
    listed = tmp_path / "list.py"
    listed.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(pyz)!r})\n"
        "import progressive.verifier.program.main\n"
        "own = [m for m in sys.modules if m.split('.')[0] == 'progressive']\n"
        "others = {m.split('.')[0] for m in sys.modules} - set(sys.stdlib_module_names)\n"
        "others = {m for m in others if not m.startswith('_')} - {'progressive'}\n"
        "print(len(own), sorted(others))\n"
    )
    told = subprocess.run(
        [PYTHON, "-I", "-S", listed], capture_output=True, text=True, check=True, env={}
    ).stdout
    count, others = told.split(" ", 1)
    assert int(count) > 60
    assert others == "[]\n"
