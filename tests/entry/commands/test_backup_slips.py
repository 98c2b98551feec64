"""What goes wrong around backups: clocks, full disks, slips of the hand, people since then."""

import asyncio
import json
import os
import re
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.backup import databases
from progressive.adapters.backup.place import free_name
from progressive.adapters.sqlite import journal_file
from progressive.entry.cli import main
from tests.support.backed_up import laid_by, write_directory
from tests.support.service import FLOOR, ROOT

LARGER_THAN_ANY_DISK_HERE = 15 << 40


def run(*arguments: object, said: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=said)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def backed_up(data: Path, place: Path, *options: object) -> str:
    result = run("backup", "--data", data, "--to", place, "--json", *options)
    assert result.exit_code == 0, result.output
    return str(json.loads(result.stdout)["backup"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asyncio.run(write_directory(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


def figure(path: Path, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", path.read_text(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_a_clock_that_was_ahead_once_hides_no_old_backup(
    data: Path, place: Path, tmp_path: Path
) -> None:
    began = int(time.time())
    (place / backed_up(data, place)).rename(place / "2099-01-01T00-00-00Z")
    figures = tmp_path / "backup.prom"
    # It is the newest by its name, and was not made in 2099.
    assert backed_up(data, place, "--metrics", figures) == "2099-01-01T00-00-01Z"
    made = figure(figures, "progressive_last_backup_timestamp_seconds")
    assert began <= made <= time.time()
    # As if that had been years ago: its name does not keep it young.
    long_ago = place / "2099-01-01T00-00-00Z"
    young = (long_ago / "manifest.json").read_bytes()
    old = re.sub(rb'"made_at": "[^"]*"', b'"made_at": "2020-01-01T00:00:00Z"', young)
    (long_ago / "manifest.json").write_bytes(old)
    stamp = (long_ago / "verified").read_text()
    (long_ago / "verified").write_text(
        stamp.replace(sha256(young).hexdigest(), sha256(old).hexdigest())
    )
    assert backed_up(data, place, "--keep-days", "30") == "2099-01-01T00-00-02Z"
    assert sorted(path.name for path in place.glob("2*")) == [
        "2099-01-01T00-00-01Z",
        "2099-01-01T00-00-02Z",
    ]


def test_a_name_is_never_given_twice(place: Path) -> None:
    now = datetime(2026, 11, 18, 7, 30, tzinfo=UTC)
    (place / ".failed-2026-11-18T07-30-00Z").mkdir(parents=True)
    # Somebody's own folder is no backup.
    (place / "2026-99-99T99-99-99Z").mkdir()
    assert free_name(place, now) == "2026-11-18T07-30-01Z"


def test_figures_say_so_where_a_run_could_not_even_begin(
    data: Path, place: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "figures.prom"
    backed_up(data, place, "--metrics", figures)
    (place / "in-use").unlink()
    (place / "in-use").mkdir()
    assert run("backup", "--data", data, "--to", place, "--metrics", figures).exit_code == 2
    assert figure(figures, "progressive_backup_ok") == 0
    empty, of_drill = tmp_path / "empty", tmp_path / "drill.prom"
    empty.mkdir()
    assert run("restore", "--drill", "--from", empty, "--metrics", of_drill).exit_code == 2
    assert figure(of_drill, "progressive_restore_drill_ok") == 0
    written = re.findall(
        r"^(progressive_\w+) ", figures.read_text() + of_drill.read_text(), re.MULTILINE
    )
    page = (ROOT / "docs" / "backup.md").read_text()
    assert sorted(written) == sorted(re.findall(r"^\| `(progressive_\w+)` \|", page, re.MULTILINE))


def test_a_lack_of_room_is_said_before_anything_is_copied(
    data: Path, place: Path, tmp_path: Path
) -> None:
    folder = place / backed_up(data, place)
    before = laid_by(place)
    large = data / "segments" / "main" / "000009-2026-01-09.jsonl.gz"
    large.touch()
    os.truncate(large, LARGER_THAN_ANY_DISK_HERE)
    refused = run("backup", "--data", data, "--to", place)
    assert refused.exit_code == 2
    assert f"no room in {place}: the backup and its check takes 31,457,2" in refused.stderr
    assert laid_by(place).keys() == before.keys()
    manifest = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(
        re.sub(rb'"bytes": \d+', b'"bytes": %d' % LARGER_THAN_ANY_DISK_HERE, manifest)
    )
    refused = run("restore", "--from", folder, "--data", tmp_path / "new", "--unverified")
    assert (refused.exit_code, "no room in" in refused.stderr) == (2, True)


def test_a_restore_among_the_backups_or_into_a_strange_folder_is_bad_input(
    data: Path, place: Path, tmp_path: Path
) -> None:
    name = backed_up(data, place)
    home = tmp_path / "home"
    (home / "letters").mkdir(parents=True)
    before = laid_by(tmp_path)
    for target in (place / name, place / "new", place / "segments", home):
        refused = run("restore", "--from", place, "--data", target)
        assert refused.exit_code == 2, refused.output
    assert laid_by(tmp_path) == before
    disk = tmp_path / "disk"
    (disk / "lost+found").mkdir(parents=True)
    assert run("restore", "--from", place, "--data", disk).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--floor", FLOOR, "--listen", "127.0.0.1:0"),
        ("verify",),
        ("export", "--link", "main"),
        ("key", "BJ-01"),
    ],
)
def test_a_backup_is_not_taken_for_a_data_directory(
    data: Path, place: Path, arguments: tuple[object, ...]
) -> None:
    folder = place / backed_up(data, place)
    before = {name: body for name, body in laid_by(place).items() if "in-use" not in name}
    refused = run(*arguments, "--data", folder)
    assert (refused.exit_code, "is a backup, not a data dir" in refused.stderr) == (2, True)
    assert {name: body for name, body in laid_by(place).items() if "in-use" not in name} == before


def test_an_older_backup_is_not_taken_in_silence(data: Path, place: Path, tmp_path: Path) -> None:
    older, newer = backed_up(data, place), backed_up(data, place)
    manifest = place / newer / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b" ")
    refused = run("restore", "--from", place, "--data", tmp_path / "new")
    assert (refused.exit_code, newer in refused.stderr) == (1, True)
    assert run("restore", "--drill", "--from", place).exit_code == 1
    (place / newer / "verified").unlink()
    taken = run("restore", "--from", place, "--data", tmp_path / "new")
    assert (taken.exit_code, f"restored {older}" in taken.stdout) == (0, True)
    assert f"passed over: the newer backup {newer} was never verified" in taken.stderr


def test_acts_of_people_since_the_backup_are_spoken_of(data: Path, place: Path) -> None:
    add = ("user", "add", "--role", "supervisor", "--department", "Table games", "--data", data)
    assert run(*add, "Ann", said="a long password of Ann\n").exit_code == 0
    older = backed_up(data, place)
    # The restore before is an act itself, and not one that anybody has to do again.
    for _ in range(3):
        assert "newer act" not in run("restore", "--from", place, "--data", data).stderr
    assert run("user", "disable", "Ann", "--data", data).exit_code == 0
    restored = run("restore", "--from", place, "--data", data)
    assert restored.exit_code == 0
    assert (
        "\n1 newer act of a person is not in the backup: accounts are as they were before it. "
        f"Look through {data}/before-restore-"
    ) in restored.stderr
    # Acts of another past are missing too, although the backup holds more acts.
    assert run("user", "disable", "Ann", "--data", data).exit_code == 0
    assert run("user", "enable", "Ann", "--data", data).exit_code == 0
    backed_up(data, place)
    assert run("restore", "--from", place / older, "--data", data).exit_code == 0
    assert run("user", "disable", "Ann", "--data", data).exit_code == 0
    restored = run("restore", "--from", place, "--data", data)
    assert "1 newer act of a person is" in restored.stderr


def test_free_pages_are_not_copied(data: Path, place: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        db.execute("CREATE TABLE moved (body BLOB)")
        db.execute("INSERT INTO moved VALUES (zeroblob(4000000))")
        db.execute("DROP TABLE moved")
        db.commit()
    name = backed_up(data, place)
    copy = place / name / "journal.sqlite3"
    assert copy.stat().st_size < (data / "journal.sqlite3").stat().st_size // 10
    assert copy.stat().st_mode & 0o777 == 0o600
    assert run("restore", "--from", place, "--data", tmp_path / "new").exit_code == 0
    assert run("verify", "--data", tmp_path / "new").exit_code == 0


def test_a_copy_in_pieces_is_of_one_moment(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "PIECE_PAGES", 1)
    pieces = 0
    with closing(sqlite3.connect(data / "journal.sqlite3", isolation_level=None)) as writer:
        writer.execute("UPDATE link SET epoch = 1000")
        sync = os.fdatasync

        def written_meanwhile(file: int) -> None:
            nonlocal pieces
            pieces += 1
            writer.execute("UPDATE link SET epoch = epoch + 1")
            writer.execute("INSERT INTO snapshot VALUES ('main', ?, ?)", (1000 + pieces, b"x"))
            sync(file)

        monkeypatch.setattr(os, "fdatasync", written_meanwhile)
        databases.copy_wal_file(journal_file.FILE, data, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy")) as db:
        assert db.execute("SELECT epoch FROM link").fetchall() == [(1000,)]
        assert db.execute("SELECT count(*) FROM snapshot WHERE seq > 1000").fetchone() == (0,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert pieces > 1
