"""`progressive backup` and `progressive restore` on real directories: what they do and refuse."""

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.backup import check
from progressive.adapters.backup.place import backup_names
from progressive.adapters.committed import FileMemory
from progressive.adapters.data_directory import DirectoryLock
from progressive.application.link.memory import CommittedMark
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId
from progressive.entry.cli import main
from progressive.entry.commands import restore
from tests.support.backed_up import laid_by, lay, run_watched, write_directory
from tests.support.service import FLOOR

NEVER = "2026-01-02T03:07:17.500000Z"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def backed_up(data: Path, place: Path, *options: object) -> dict[str, object]:
    result = run("backup", "--data", data, "--to", place, "--json", *options)
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = json.loads(result.stdout)
    return answer


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    data = tmp_path_factory.mktemp("pit") / "data"
    asyncio.run(write_directory(data))
    return laid_by(data)


@pytest.fixture
def data(pit: dict[str, bytes], tmp_path: Path) -> Path:
    lay(tmp_path / "data", pit)
    return tmp_path / "data"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


def end_of(data: Path) -> tuple[int, str]:
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        seq, head = db.execute("SELECT seq, head FROM link").fetchone()
    return seq, head


def remember(data: Path, seq: int, head: str) -> None:
    mark = CommittedMark(LinkId("main"), JournalPlace(1, seq, head, NEVER))
    asyncio.run(FileMemory(data).remember(mark, instead=True))


# --- backup -----------------------------------------------------------------------------------


def test_a_backup_tells_what_it_holds_and_leaves_the_directory_alone(
    data: Path, place: Path
) -> None:
    before = laid_by(data)
    answer = backed_up(data, place)
    seq, head = end_of(data)
    assert answer["links"] == [
        {"link": "main", "last_seq": seq, "head": head, "at": NEVER, "segments": 2}
    ]
    assert laid_by(data) == before
    folder = place / str(answer["backup"])
    listed = json.loads((folder / "manifest.json").read_text())["files"]
    assert {each["path"] for each in listed} == {
        name for name in before if not name.endswith(("-wal", "-shm"))
    }
    for path in place.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_segments_are_copied_once_and_hashed_every_time(data: Path, place: Path) -> None:
    first = backed_up(data, place)
    second = backed_up(data, place, "--verify", "hashes")
    assert first["bytes_shared"] == 0
    shared = sum(path.stat().st_size for path in (place / "segments" / "main").iterdir())
    assert second["bytes_shared"] == shared
    # A bit that fell over in the place is found, said, and mended from the good file.
    rotten = sorted((place / "segments" / "main").iterdir())[1]
    good = rotten.read_bytes()
    rotten.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert run("restore", "--drill", "--from", place).exit_code == 1
    assert backed_up(data, place)["replaced"] == [f"segments/main/{rotten.name}"]
    assert rotten.read_bytes() == good
    assert not os.path.samefile(rotten, data / "segments" / "main" / rotten.name)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-3]),
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!"),
    ],
)
def test_a_damaged_segment_is_a_finding_and_the_place_stays(
    data: Path, place: Path, damage: Callable[[Path], None]
) -> None:
    backed_up(data, place)
    whole = laid_by(place)
    (place / "segments" / "main" / "000001-2026-01-01.jsonl.gz").unlink()
    path = data / "segments" / "main" / "000001-2026-01-01.jsonl.gz"
    damage(path)
    result = run("backup", "--data", data, "--to", place)
    assert result.exit_code == 1
    assert "segments/main/000001-2026-01-01.jsonl.gz" in result.stderr
    assert set(laid_by(place)) == set(whole) - {"segments/main/000001-2026-01-01.jsonl.gz"}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE segment SET body = CAST(body AS TEXT) WHERE number = 2",
            "segment row 2 of main is not bytes",
        ),
        ("UPDATE segment SET body = x'7b7d' WHERE number = 2", "segment row 2 of main: Object"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_and_no_backup_is_made(
    data: Path, place: Path, statement: str, said: str
) -> None:
    """Passed over, its segment was missing from a copy that then failed its check as if the file
    were gone."""
    with closing(sqlite3.connect(data / "journal.sqlite3", isolation_level=None)) as db:
        db.execute(statement)
    result = run("backup", "--data", data, "--to", place)
    assert result.exit_code == 1
    assert said in result.stderr
    assert not backup_names(place)


def test_a_backup_that_is_not_good_stays_under_a_dot_name(data: Path, place: Path) -> None:
    backed_up(data, place)
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
        db.execute("UPDATE batch SET body = CAST(replace(body, 'chip', 'chop') AS BLOB)")
    result = run("backup", "--data", data, "--to", place)
    assert result.exit_code == 1
    (failed,) = place.glob(".failed-*")
    assert [path for path in place.iterdir() if path.name[0] == "."] == [failed]
    # Why, is said once, in the last line.
    *_, last = result.stderr.splitlines()
    begin = f"Error: the backup is not good and lies in {failed}: "
    assert last.startswith(begin)
    assert result.stderr.count(last.removeprefix(begin)) == 1
    # The good one of before is still the one that is taken.
    assert run("restore", "--drill", "--from", place).exit_code == 0


def records_of(answer: dict[str, Any]) -> int:
    (link,) = answer["links"]
    return int(link["last_seq"])


def test_an_older_journal_is_not_backed_up_over_a_newer_one(
    data: Path, place: Path, tmp_path: Path
) -> None:
    backed_up(data, place)
    older = tmp_path / "older"
    asyncio.run(write_directory(older, segments=False))
    with closing(sqlite3.connect(older / "journal.sqlite3")) as db, db:
        db.execute("DELETE FROM batch WHERE first_seq = 15")
        prev = json.loads(
            db.execute("SELECT body FROM batch ORDER BY first_seq DESC")
            .fetchone()[0]
            .splitlines()[-1]
        )
        assert prev["seq"] == 14
        db.execute("UPDATE link SET seq = 14, head = 'x'")
    last = backed_up(data, place)
    before = laid_by(place)
    refused = run("backup", "--data", older, "--to", place)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: link main: the backup {last['backup']} has {records_of(last)} records, and "
        f"{older} has 14. Nothing was copied\n"
    )
    assert laid_by(place) == before
    assert run("restore", "--drill", "--from", place, "--json").stdout.count(str(last["backup"]))


def test_the_place_of_another_journal_is_refused_before_anything_is_copied(
    data: Path, place: Path
) -> None:
    last = backed_up(data, place)
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
        db.execute("UPDATE link SET head = ?", ("0" * 64,))
    before = laid_by(place)
    refused = run("backup", "--data", data, "--to", place)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"Error: link main: record {records_of(last)} is not the one of the backup "
        f"{last['backup']}: another journal. Nothing was copied\n"
    )
    assert laid_by(place) == before


def test_a_purge_meanwhile_does_not_tear_the_backup(
    data: Path, place: Path, tmp_path: Path
) -> None:
    """The row goes first, then the file: here right after the journal file was copied."""
    gone = data / "segments" / "main" / "000001-2026-01-01.jsonl.gz"

    def purge(number: int, name: str) -> None:
        if name == "sync journal.sqlite3" and gone.exists():
            with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
                (body,) = db.execute("SELECT body FROM segment WHERE number = 1").fetchone()
                purged = json.dumps({**json.loads(body), "purged": NEVER}).encode()
                db.execute("UPDATE segment SET body = ? WHERE number = 1", (purged,))
            gone.unlink()

    ended = run_watched(
        tmp_path, purge, "backup", "--data", data, "--to", place, "--verify", "hashes"
    )
    assert (ended.code, "looking at the journal again" in ended.said) == (0, True), ended.said
    (folder,) = place.glob("20*")
    listed = [each["path"] for each in json.loads((folder / "manifest.json").read_text())["files"]]
    assert "segments/main/000001-2026-01-01.index.json" in listed
    assert "segments/main/000001-2026-01-01.jsonl.gz" not in listed


def test_two_backups_at_once_are_refused(data: Path, place: Path) -> None:
    lock = DirectoryLock(place)
    try:
        result = run("backup", "--data", data, "--to", place)
        assert result.exit_code == 2
        assert "in use" in result.stderr
    finally:
        lock.release()
    backed_up(data, place)


def test_old_backups_go_and_the_last_verified_one_never(data: Path, place: Path) -> None:
    names = [backed_up(data, place)["backup"] for _ in range(4)]
    last = backed_up(data, place, "--keep", "2", "--verify", "hashes")
    assert last["removed"] == names[:3]
    assert {path.name for path in place.iterdir()} == {
        "in-use", "segments", str(names[3]), str(last["backup"])
    }  # fmt: skip
    assert run("restore", "--drill", "--from", place / str(names[3])).exit_code == 0


def test_segments_that_no_manifest_speaks_of_go_with_the_last_backup_that_did(
    data: Path, place: Path
) -> None:
    backed_up(data, place)
    stray = place / "segments" / "main" / "000009-2026-01-09.jsonl.gz"
    stray.write_bytes(b"of a backup that is gone")
    spoken = set(laid_by(data / "segments"))
    backed_up(data, place)
    assert stray.exists()
    backed_up(data, place, "--keep", "1")
    assert set(laid_by(place / "segments")) == spoken
    # Nothing of them is removed while a manifest cannot be read: it may speak of any.
    stray.write_bytes(b"again")
    broken = place / "2026-01-01T00-00-00Z"
    broken.mkdir()
    (broken / "manifest.json").write_text("{")
    assert run("backup", "--data", data, "--to", place, "--keep", "1").exit_code == 0
    assert stray.exists()


@pytest.mark.parametrize("where", ["data", "data/backups", "."])
def test_a_place_in_the_directory_or_around_it_is_bad_input(
    data: Path, tmp_path: Path, where: str
) -> None:
    before = laid_by(data)
    assert run("backup", "--data", data, "--to", tmp_path / where).exit_code == 2
    assert laid_by(data) == before


def test_figures_for_the_node_exporter_also_after_a_failure(
    data: Path, place: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "backup.prom"
    backed_up(data, place, "--metrics", figures)
    good = figures.read_text()
    assert "\nprogressive_backup_ok 1\n" in good
    (data / "segments" / "main" / "000001-2026-01-01.index.json").unlink()
    (place / "segments" / "main" / "000001-2026-01-01.index.json").unlink()
    assert run("backup", "--data", data, "--to", place, "--metrics", figures).exit_code == 1
    bad = figures.read_text()
    assert "\nprogressive_backup_ok 0\n" in bad
    stamp = "progressive_last_backup_timestamp_seconds 1"
    assert [line for line in bad.splitlines() if line.startswith(stamp)] == [
        line for line in good.splitlines() if line.startswith(stamp)
    ]


# --- restore ----------------------------------------------------------------------------------


def test_a_restore_brings_all_back_and_moves_aside_what_was_there(data: Path, place: Path) -> None:
    before = laid_by(data)
    backed_up(data, place)
    (data / "keys" / "BJ-01.json").write_text("{}")
    result = run("restore", "--from", place, "--data", data, "--json")
    assert result.exit_code == 0, result.output
    note = json.loads(result.stdout)
    assert (note["links"][0]["from_seq"], note["links"][0]["to_seq"]) == (15, 15)
    assert (data / note["aside"] / "keys" / "BJ-01.json").read_text() == "{}"
    after = laid_by(data)
    for name in before:
        if not name.endswith(("-wal", "-shm", "journal.sqlite3")):
            assert after[name] == before[name]
    assert json.loads(after["restores.jsonl"]) == note
    assert run("verify", "--data", data).exit_code == 0


def test_newer_money_is_never_replaced(data: Path, place: Path, tmp_path: Path) -> None:
    asyncio.run(write_directory(tmp_path / "young", segments=False))
    young = tmp_path / "young"
    with closing(sqlite3.connect(young / "journal.sqlite3")) as db, db:
        db.execute("UPDATE link SET seq = 16")
    backed_up(data, place)
    before = laid_by(young)
    result = run("restore", "--from", place, "--data", young)
    assert result.exit_code == 1
    assert "16 records" in result.stderr
    assert {k: v for k, v in laid_by(young).items() if k != "in-use"} == before


def test_another_record_under_the_same_number_is_another_journal(data: Path, place: Path) -> None:
    backed_up(data, place)
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
        db.execute("UPDATE link SET head = ?", ("0" * 64,))
    result = run("restore", "--from", place, "--data", data)
    assert result.exit_code == 1
    assert "another journal" in result.stderr


def test_what_was_committed_counts_where_the_journal_is_lost(
    data: Path, place: Path, tmp_path: Path
) -> None:
    backed_up(data, place)
    empty = tmp_path / "lost"
    empty.mkdir()
    remember(empty, 40, "a" * 64)
    result = run("restore", "--from", place, "--data", empty)
    assert result.exit_code == 1
    assert "--lost" in result.stderr
    assert run("restore", "--from", place, "--data", empty, "--lost").exit_code == 0
    # The mark stays: two people have to accept the loss, and until then `verify` names it.
    told = run("verify", "--data", empty)
    assert told.exit_code == 1
    assert "40" in told.stdout


def test_lost_is_not_for_a_journal_that_can_be_read(data: Path, place: Path) -> None:
    backed_up(data, place)
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db, db:
        db.execute("UPDATE link SET seq = 16")
    assert run("restore", "--from", place, "--data", data, "--lost").exit_code == 1


def test_a_mark_that_the_backup_holds_is_no_hindrance(data: Path, place: Path) -> None:
    backed_up(data, place)
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        (body,) = db.execute("SELECT body FROM segment WHERE number = 1").fetchone()
    segment = json.loads(body)
    remember(data, segment["last_seq"], segment["head"])
    for path in data.glob("journal.sqlite3*"):
        path.unlink()
    assert run("restore", "--from", place, "--data", data).exit_code == 0
    assert run("verify", "--data", data).exit_code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_restores_belongs_to_the_owner_of_the_directory(data: Path, place: Path) -> None:
    backed_up(data, place)
    for path in (data, *data.rglob("*")):
        os.chown(path, 12345, 12345)
    assert run("restore", "--from", place, "--data", data).exit_code == 0
    assert {(path.stat().st_uid, path.name) for path in data.rglob("*")} == {
        (12345, path.name) for path in data.rglob("*")
    }


def test_a_directory_in_use_is_refused(data: Path, place: Path) -> None:
    backed_up(data, place)
    lock = DirectoryLock(data)
    try:
        assert run("restore", "--from", place, "--data", data).exit_code == 2
    finally:
        lock.release()


def test_a_backup_that_was_edited_is_refused(data: Path, place: Path, tmp_path: Path) -> None:
    folder = place / str(backed_up(data, place)["backup"])
    manifest = folder / "manifest.json"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole.replace(b'"last_seq": 15', b'"last_seq": 14'))
    new = tmp_path / "new"
    # Not the manifest that was verified.
    assert run("restore", "--from", place, "--data", new).exit_code == 1
    assert run("restore", "--from", place, "--data", new, "--unverified").exit_code == 1
    manifest.write_bytes(whole.replace(b"keys/BJ-01.json", b"../../BJ-01.json"))
    refused = run("restore", "--from", folder, "--data", new, "--unverified")
    assert (refused.exit_code, "which no backup holds" in refused.stderr) == (1, True)
    manifest.write_bytes(whole)
    (folder / "keys" / "BJ-01.json").write_bytes(b"another key")
    assert run("restore", "--from", folder, "--data", new).exit_code == 1
    assert laid_by(new).keys() <= {"in-use"}


def test_an_unverified_backup_is_taken_only_when_asked_for(
    data: Path, place: Path, tmp_path: Path
) -> None:
    folder = place / str(backed_up(data, place)["backup"])
    (folder / "verified").unlink()
    assert run("restore", "--from", place, "--data", tmp_path / "new").exit_code == 1
    assert run("restore", "--from", folder, "--data", tmp_path / "new").exit_code == 1
    taken = run("restore", "--from", place, "--data", tmp_path / "new", "--unverified")
    assert taken.exit_code == 0, taken.output


def test_no_backup_at_all_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source in ("empty", "nowhere"):
        result = run("restore", "--from", tmp_path / source, "--data", tmp_path / "new")
        assert result.exit_code == 2
    assert not (tmp_path / "new").exists()


def test_a_drill_leaves_nothing_behind(data: Path, place: Path, tmp_path: Path) -> None:
    backed_up(data, place)
    before = laid_by(place)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    result = run("restore", "--drill", "--from", place, "--scratch", scratch)
    assert result.exit_code == 0, result.output
    assert "restored and verified in" in result.stdout
    assert laid_by(place) == before
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("rest", [0, 19])
def test_a_drill_beside_the_service_takes_the_rests_that_it_is_told(
    data: Path, place: Path, rest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it, from the first file that is laid out to the last record that is proved."""
    backed_up(data, place)
    resting: list[int] = []

    @contextmanager
    def idle(rest: int) -> Iterator[None]:
        resting.append(rest)
        yield
        resting.clear()

    def problems_of(*arguments: Any, **named: Any) -> list[str]:  # noqa: ANN401
        assert resting == [rest]
        return check.problems_of(*arguments, **named)

    monkeypatch.setattr(restore, "idle", idle)
    monkeypatch.setattr(restore, "problems_of", problems_of)
    result = run("restore", "--drill", "--from", place, "--rest", rest)
    assert result.exit_code == 0, result.output
    assert resting == []


def test_a_restore_takes_no_rests(data: Path, place: Path, tmp_path: Path) -> None:
    backed_up(data, place)
    asked = run("restore", "--from", place, "--data", tmp_path / "new", "--rest", 19)
    assert asked.exit_code == 2
    assert "--rest goes with --drill" in asked.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--floor", FLOOR, "--listen", "127.0.0.1:0"),
        ("verify",),
        ("key", "BJ-01"),
        ("user", "list"),
        ("backup", "--to", "PLACE"),
    ],
)
def test_nothing_touches_a_directory_that_is_half_restored(
    data: Path, place: Path, arguments: tuple[object, ...]
) -> None:
    (data / "restoring.json").write_text("{}")
    (data / "people.sqlite3").touch()
    before = laid_by(data)
    given = [place if each == "PLACE" else each for each in arguments]
    result = run(*given, "--data", data)
    assert (result.exit_code, "half restored" in result.stderr) == (2, True), result.output
    assert {name: body for name, body in laid_by(data).items() if name != "in-use"} == before
