"""The file helper: scripts applied once and whole, and one meaning for each of the driver's
errors."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.sqlite import file as file_module
from progressive.adapters.sqlite import journal, people_file, sign_log_file
from progressive.adapters.sqlite.file import StoreFile, transaction
from progressive.adapters.sqlite.sign_blocks import BadBlockError
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError

FILES = [journal.FILE, people_file.FILE, sign_log_file.FILE]

A_FILE = StoreFile(
    name="x.sqlite3",
    called="x.sqlite3",
    prefix="x.sqlite3: ",
    scripts="of a test",
    pragmas=("journal_mode = WAL",),
    busy_seconds=10.0,
)


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Scripts of `A_FILE` that a test may add to."""
    given: list[str] = []
    monkeypatch.setattr(file_module, "_scripts", lambda folder: given)
    return given


def tables(path: Path) -> tuple[int, list[str]]:
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return db.execute("PRAGMA user_version").fetchone()[0], [row[0] for row in names]


# --- the form of the file -----------------------------------------------------------------------


def test_only_the_scripts_that_are_missing_are_applied(tmp_path: Path, scripts: list[str]) -> None:
    scripts.append("-- the first\nCREATE TABLE a (x);\nCREATE TABLE b (x);\n")
    A_FILE.open_to_write(tmp_path).close()
    assert tables(tmp_path / A_FILE.name) == (1, ["a", "b"])
    scripts += ["CREATE TABLE c (x);", "DROP TABLE a;"]
    A_FILE.open_to_write(tmp_path).close()
    A_FILE.open_to_write(tmp_path).close()
    assert tables(tmp_path / A_FILE.name) == (3, ["b", "c"])


def test_script_that_fails_leaves_nothing_of_itself(tmp_path: Path, scripts: list[str]) -> None:
    scripts += ["CREATE TABLE a (x);", "CREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);"]
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        A_FILE.open_to_write(tmp_path)
    assert tables(tmp_path / A_FILE.name) == (1, ["a"])


def test_a_trigger_is_one_statement_of_a_script(tmp_path: Path, scripts: list[str]) -> None:
    scripts.append(
        "CREATE TABLE a (x);\n"
        "CREATE TRIGGER t BEFORE DELETE ON a\nBEGIN SELECT RAISE(ABORT, 'no; never'); END;\n"
        "INSERT INTO a VALUES (1);"
    )
    with closing(A_FILE.open_to_write(tmp_path)) as db:
        with pytest.raises(sqlite3.IntegrityError, match="no; never"):
            db.execute("DELETE FROM a")
        assert db.execute("SELECT count(*) FROM a").fetchone() == (1,)


def test_two_processes_may_make_the_people_file_at_the_same_moment(tmp_path: Path) -> None:
    """The service and `progressive user` on an empty folder: one of them applies each script."""
    folders = [tmp_path / str(number) for number in range(20)]
    start = threading.Barrier(4)
    errors = []

    def open_each() -> None:
        for folder in folders:
            start.wait()
            try:
                people_file.FILE.open_to_write(folder).close()
            except sqlite3.Error as error:
                errors.append(error)

    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=open_each) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    people_file.FILE.open_to_write(tmp_path).close()
    alone = tables(tmp_path / people_file.FILE_NAME)
    assert [tables(folder / people_file.FILE_NAME) for folder in folders] == [alone] * len(folders)


@pytest.mark.parametrize("stored", FILES, ids=lambda each: each.scripts)
@pytest.mark.parametrize(
    ("version", "refusal", "says"),
    [
        (99, StoreUnavailableError, r"is of a newer version \(99\) than this program"),
        (-7, StoreCorruptError, "is damaged: its version is -7"),
    ],
)
def test_file_of_an_unknown_version_is_refused_and_left_alone(
    tmp_path: Path, stored: StoreFile, version: int, refusal: type[Exception], says: str
) -> None:
    with closing(stored.open_to_write(tmp_path)) as db:
        db.execute(f"PRAGMA user_version = {version}")
        before = tables(tmp_path / stored.name)
    with pytest.raises(refusal, match=f"^{stored.called} {says}$"):
        stored.open_to_write(tmp_path)
    assert tables(tmp_path / stored.name) == before


def test_connection_that_cannot_be_set_up_is_closed(tmp_path: Path, scripts: list[str]) -> None:
    scripts.append("CREATE TABLE a (x);\nBEGIN;")
    with pytest.raises(sqlite3.OperationalError, match="within a transaction") as held:
        A_FILE.open_to_write(tmp_path)
    # The error still holds the frame that opened it. The last to close a file removes its WAL.
    assert held.tb is not None
    assert [path.name for path in tmp_path.iterdir()] == [A_FILE.name]


# --- a transaction ------------------------------------------------------------------------------


def test_transaction_is_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x", isolation_level=None)) as db:
        db.execute("CREATE TABLE a (x)")
        with transaction(db):
            db.execute("INSERT INTO a VALUES (1)")
        with pytest.raises(sqlite3.ProgrammingError), transaction(db):
            db.executemany("INSERT INTO a VALUES (?)", [(2,), (1, 2)])
        assert not db.in_transaction
        assert db.execute("SELECT x FROM a").fetchall() == [(1,)]


# --- errors -------------------------------------------------------------------------------------


def sqlite_error(code: str, text: str = "it says why") -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    if code:
        error.sqlite_errorname = code
    return error


NOT_TEXT = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no")
UNREADABLE = "x.sqlite3 is damaged: its own text is unreadable"
DAMAGED = "x.sqlite3 is damaged: it says why"


@pytest.mark.parametrize(
    ("error", "as_written", "as_audited"),
    [
        (sqlite_error("SQLITE_CORRUPT"), DAMAGED, DAMAGED),
        (sqlite_error("SQLITE_CORRUPT_INDEX"), DAMAGED, DAMAGED),
        (sqlite_error("SQLITE_NOTADB"), DAMAGED, DAMAGED),
        (NOT_TEXT, UNREADABLE, UNREADABLE),
        (ValueError("it says why"), DAMAGED, DAMAGED),
        (BadBlockError("it says why"), DAMAGED, DAMAGED),
        # A table that is missing may be the program's mistake; to an audit the file is not one of
        # ours.
        (sqlite_error("SQLITE_ERROR"), "x.sqlite3: it says why (SQLITE_ERROR)", DAMAGED),
        (sqlite_error(""), "x.sqlite3: it says why", DAMAGED),
        (sqlite_error("SQLITE_FULL"), *["x.sqlite3: it says why (SQLITE_FULL)"] * 2),
        (sqlite_error("SQLITE_BUSY"), *["x.sqlite3: it says why (SQLITE_BUSY)"] * 2),
        (sqlite_error("SQLITE_CANTOPEN"), *["x.sqlite3: it says why (SQLITE_CANTOPEN)"] * 2),
        (
            sqlite_error("SQLITE_READONLY_DBMOVED"),
            *["x.sqlite3: it says why (SQLITE_READONLY_DBMOVED)"] * 2,
        ),
    ],
    ids=lambda each: repr(each)[:40],
)
def test_each_error_of_the_driver_has_one_meaning(
    error: Exception, as_written: str, as_audited: str
) -> None:
    for told, said in ((A_FILE.translated(error), as_written), (A_FILE.judged(error), as_audited)):
        assert str(told) == said
        damage = "is damaged" in said
        assert isinstance(told, StoreCorruptError if damage else StoreUnavailableError)


def test_what_a_forged_file_puts_into_a_message_is_one_printable_line() -> None:
    told = A_FILE.judged(sqlite_error("SQLITE_ERROR", "no such column: \x1b[2J\n" + "x" * 10_000))
    assert str(told).isprintable()
    assert len(str(told)) < 300


@pytest.mark.parametrize("value", ["text", 7, None])
def test_value_that_is_not_bytes_is_damage(value: object) -> None:
    with pytest.raises(StoreCorruptError, match=r"^x\.sqlite3 is damaged: a row is not bytes$"):
        A_FILE.as_bytes(value, "a row")
    assert A_FILE.as_bytes(b"\x00", "a row") == b"\x00"
