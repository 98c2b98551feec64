"""Reading without changing the folder: at rest, beside a writer, after a kill, without rights."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from progressive.adapters.sqlite import read_only
from progressive.adapters.sqlite.file import StoreFile
from progressive.adapters.sqlite.read_only import (
    ChangedMeanwhileError,
    open_wal_beside_writer,
    open_wal_unchanged,
    private_copy,
)
from progressive.application.journal.ports import StoreCorruptError
from tests.support.killed_writers import contents, kill_while_writing, without_rights

FILE = StoreFile(
    name="x.sqlite3",
    called="x.sqlite3",
    prefix="",
    scripts="journal",
    pragmas=("journal_mode = WAL",),
    busy_seconds=5.0,
)
COMMITTED = ["INSERT INTO t VALUES (1, x'00')", "INSERT INTO t VALUES (2, x'00')"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A WAL file with one row, closed cleanly, alone in its folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE.name, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (number, noise)")
        db.execute("INSERT INTO t VALUES (0, x'00')")
    assert list(contents(folder)) == [FILE.name]
    return folder / FILE.name


def numbers(path: Path) -> list[int]:
    with open_wal_unchanged(FILE, path.parent) as db:
        return [row[0] for row in db.execute("SELECT number FROM t ORDER BY number")]


@contextmanager
def a_service(path: Path) -> Iterator[Callable[[str], None]]:
    """Another process that has the file open and does as it is told."""
    program = (
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.stdin:\n"
        "    db.execute(statement).fetchall(); print('done', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def execute(statement: str) -> None:
            process.stdin.write(statement + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"

        yield execute
        process.stdin.close()


# --- at rest ------------------------------------------------------------------------------------


def test_file_at_rest_is_read_and_nothing_appears_beside_it(path: Path) -> None:
    before = contents(path.parent)
    assert numbers(path) == [0]
    assert contents(path.parent) == before


@pytest.mark.parametrize("left", ["-wal", "-journal", "-shm"])
def test_empty_remains_beside_the_file_are_left_there(path: Path, left: str) -> None:
    path.with_name(f"{path.name}{left}").touch()
    before = contents(path.parent)
    assert numbers(path) == [0]
    assert contents(path.parent) == before


def read_while(path: Path, happens: Callable[[], None]) -> None:
    with open_wal_unchanged(FILE, path.parent) as db:
        db.execute("SELECT * FROM t").fetchall()
        happens()


def found() -> None:
    raise StoreCorruptError("as found")


def test_file_that_is_written_while_it_is_read_at_rest_has_to_be_read_again(path: Path) -> None:
    def written() -> None:
        with a_service(path) as execute:
            execute(COMMITTED[0])

    with pytest.raises(ChangedMeanwhileError, match="written while it was read: run again"):
        read_while(path, written)
    assert numbers(path) == [0, 1]


def test_service_that_is_only_started_meanwhile_is_noticed_too(path: Path) -> None:
    with a_service(path) as execute, pytest.raises(ChangedMeanwhileError):
        read_while(path, lambda: execute("SELECT * FROM t"))


def test_finding_in_a_file_that_was_written_meanwhile_is_no_finding(path: Path) -> None:
    def written_and_found() -> None:
        with a_service(path) as execute:
            execute(COMMITTED[0])
        found()

    with pytest.raises(ChangedMeanwhileError):
        read_while(path, written_and_found)


def test_finding_in_a_file_that_stayed_is_one(path: Path) -> None:
    with pytest.raises(StoreCorruptError, match="as found"):
        read_while(path, found)


# --- beside a writer ----------------------------------------------------------------------------


def test_beside_a_running_writer_one_view_is_read_and_the_writer_goes_on(path: Path) -> None:
    with a_service(path) as execute:
        execute(COMMITTED[0])
        before = contents(path.parent)
        assert len(before) == 3
        with open_wal_unchanged(FILE, path.parent) as db:
            assert db.execute("SELECT count(*) FROM t").fetchone() == (2,)
            assert contents(path.parent) == before
            execute(COMMITTED[1])
            assert db.execute("SELECT count(*) FROM t").fetchone() == (2,)
        assert numbers(path) == [0, 1, 2]
        execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert numbers(path) == [0, 1, 2]
        execute("INSERT INTO t VALUES (3, x'00')")
        assert numbers(path) == [0, 1, 2, 3]
    assert list(contents(path.parent)) == [FILE.name]


def test_process_that_writes_the_file_itself_reads_beside_its_own_connection(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute(COMMITTED[0])
        with open_wal_beside_writer(FILE, path.parent) as db:
            writer.execute(COMMITTED[1])
            assert db.execute("SELECT count(*) FROM t").fetchone() == (2,)


# --- after a kill -------------------------------------------------------------------------------

INSERT = "INSERT INTO t VALUES (?, ?)"

READ = """
import sys
from pathlib import Path
from progressive.application.journal.ports import StoreUnavailableError
from tests.adapters.sqlite.test_read_only import numbers
try:
    print(numbers(Path(sys.argv[1])))
except StoreUnavailableError as error:
    print(error)
"""


@pytest.mark.parametrize("index", ["left", "lost", "empty"])
def test_wal_of_a_killed_writer_is_read_and_left_as_it_was(path: Path, index: str) -> None:
    """The index may be missing in a copy of the folder: it can always be made again."""
    kill_while_writing(path, *COMMITTED, mode="WAL", insert=INSERT)
    shm = path.with_name(f"{path.name}-shm")
    assert path.with_name(f"{path.name}-wal").stat().st_size > 900_000
    if index != "left":
        shm.unlink()
    if index == "empty":
        shm.touch()
    before = contents(path.parent)
    assert numbers(path) == [0, 1, 2]
    assert numbers(path) == [0, 1, 2]
    assert contents(path.parent) == before


def test_rolled_back_copy_holds_what_was_committed_and_the_folder_stays(path: Path) -> None:
    kill_while_writing(path, *COMMITTED, mode="TRUNCATE", insert=INSERT)
    journal = path.with_name(f"{path.name}-journal")
    assert journal.stat().st_size > 0
    assert path.stat().st_size > 900_000
    before = contents(path.parent)
    assert numbers(path) == [0, 1, 2]
    assert contents(path.parent) == before


@pytest.mark.parametrize("left_by", ["nobody", "WAL", "TRUNCATE"])
def test_folder_that_takes_no_files_is_no_obstacle(path: Path, left_by: str) -> None:
    if left_by != "nobody":
        kill_while_writing(path, *COMMITTED, mode=left_by, insert=INSERT)
    before = contents(path.parent)
    for each in (path.parent, *path.parent.iterdir()):
        each.chmod(0o500 if each.is_dir() else 0o400)
    try:
        ended = without_rights(sys.executable, "-c", READ, path)
    finally:
        path.parent.chmod(0o700)
    assert ended.stdout == ("[0]\n" if left_by == "nobody" else "[0, 1, 2]\n"), ended.stderr
    assert contents(path.parent) == before


# --- the private copy ---------------------------------------------------------------------------


def test_copy_is_private_and_gone_afterwards(path: Path) -> None:
    with private_copy(path) as copy:
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
        assert copy.read_bytes() == path.read_bytes()
        assert copy.parent != path.parent
    assert not copy.parent.exists()
    with pytest.raises(ZeroDivisionError), private_copy(path) as copy:
        _ = 1 // 0
    assert not copy.parent.exists()


def test_file_that_is_written_while_it_is_copied_is_copied_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that starts after a crash: it rolls back, and it writes."""
    kill_while_writing(path, mode="TRUNCATE", insert=INSERT)
    copyfile = shutil.copyfile
    copied: list[Path] = []

    def recovered_after_the_first(source: Path, target: Path) -> None:
        copyfile(source, target)
        copied.append(source)
        if len(copied) == 1:
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("INSERT INTO t VALUES (7, x'00')")

    monkeypatch.setattr(read_only.shutil, "copyfile", recovered_after_the_first)
    with private_copy(path) as copy, closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT number FROM t").fetchall() == [(0,), (7,)]
    assert copied.count(path) == 2


def test_file_that_is_written_all_the_time_is_not_copied(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copyfile = shutil.copyfile

    def and_written(source: Path, target: Path) -> None:
        copyfile(source, target)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("INSERT INTO t VALUES (7, x'00')")

    monkeypatch.setattr(read_only.shutil, "copyfile", and_written)
    copying = private_copy(path)
    with pytest.raises(ChangedMeanwhileError, match="written while it was copied: run again"):
        copying.__enter__()


def test_no_room_for_a_copy_is_said_and_is_no_damage(path: Path) -> None:
    kill_while_writing(path, mode="TRUNCATE", insert=INSERT)
    small_world = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    )
    ended = without_rights(sys.executable, "-c", small_world + READ, path)
    assert ended.stdout.startswith("x.sqlite3 has to be copied to be read, and /"), ended.stderr
    assert "File too large" in ended.stdout
