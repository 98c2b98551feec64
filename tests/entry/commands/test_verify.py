"""`progressive verify` on real files: beside a running service, after a stop, after a crash."""

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME
from progressive.entry.cli import main
from progressive.entry.commands.proving import verify
from progressive.verifier.program.text import exact
from progressive.verifier.reading.journal_file import open_journal
from tests.support.builders import BJ1, BJ2, a_desk, a_link, a_lock, a_settle, wagers
from tests.support.journals import JournalFile, JournalShelf, Row, without_promise, write_journal
from tests.support.killed_writers import contents, kill_while_writing


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> JournalShelf:
    return JournalShelf(tmp_path_factory.mktemp("shelf") / "good")


@pytest.fixture
def journal(shelf: JournalShelf, tmp_path: Path) -> JournalFile:
    return shelf.copy_to(tmp_path / "data")


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["verify", *[str(each) for each in arguments]])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


# --- good -------------------------------------------------------------------------------------


def test_good_journal_is_told_in_full(journal: JournalFile) -> None:
    result = run("--data", journal.directory)
    assert result.exit_code == 0
    assert result.stderr == ""
    head = journal.execute("SELECT head FROM link")[0][0]
    assert result.stdout.splitlines() == [
        "link main: 15 records, 7 rounds (2 voided, 1 open), 22 wagers",
        "  from 2026-01-02T03:04:05.000000Z to 2026-01-02T03:07:17.500000Z",
        "  meter          primary       reset    overflow",
        "  mega    1,002.00000000  0.65006500  4.50000000",
        "  major  15,003.90000000  0.32500000  0.00000000",
        "  minor   3,002.60000000  0.32500000  0.00000000",
        "  in:  wagers 92.00000000 in chips, 18.00000000 in coupons, funding 19,000.00000000",
        "  now: meters 19,014.30006500, hold 50.69993500, "
        "refunds 37.00000000 in chips, 8.00000000 in coupons",
        "  chain ok, books balance to 0",
        f"  head {head}",
        "  not sealed",
        "act log: none is here",
    ]


def test_good_journal_for_machines(journal: JournalFile) -> None:
    result = run("--data", journal.directory, "--json", "--store", "sqlite")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["ok"] is True
    (link,) = told["links"]
    assert (link["link"], link["records"], link["rounds"], link["wagers"]) == ("main", 15, 7, 22)
    assert link["head"] == journal.execute("SELECT head FROM link")[0][0]
    assert link["problem"] is None
    assert link["meters"][0] == {
        "id": "mega",
        "primary_microcents": 100_200_000_000,
        "reset_microcents": 65_006_500,
        "overflow_microcents": 450_000_000,
    }


def test_clock_that_went_back_in_an_older_version_is_a_warning(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        without_promise(records)
        records[4]["at"] = "2026-01-01T00:00:00.000000Z"

    journal.forge(change)
    result = run("--data", journal.directory)
    assert result.exit_code == 0
    assert "  warning: the clock went back 1 time\n" in result.stdout


def test_journal_without_links_is_empty_and_good(tmp_path: Path) -> None:
    FILE.open_to_write(tmp_path).close()
    result = run("--data", tmp_path)
    assert result.exit_code == 0
    assert result.stdout == "the journal is empty: no link has been opened yet\n"
    assert json.loads(run("--data", tmp_path, "--json").stdout)["links"] == []


async def test_link_that_was_only_opened_is_good(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.open_link(a_link().id)
    await store.close()
    result = run("--data", tmp_path)
    assert result.exit_code == 0
    assert "nothing has been recorded yet" in result.stdout


async def test_link_without_meters_is_good(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    async with a_desk(store, a_link(meters=())) as desk:
        await desk.ask(a_lock(1, wagers=wagers(1, 2), chips_counted=0))
        await desk.ask(a_settle(2))
    await store.close()
    result = run("--data", tmp_path)
    assert result.exit_code == 0, result.output
    assert "  in:  wagers 10.00000000 in chips" in result.stdout
    assert "primary" not in result.stdout


@pytest.mark.parametrize(
    ("amount_microcents", "text"),
    [
        (0, "0.00000000"),
        (1, "0.00000001"),
        (-1, "-0.00000001"),
        (100_000_000, "1.00000000"),
        (10_000_060_000_000, "100,000.60000000"),
        (-250_000_000_123, "-2,500.00000123"),
    ],
)
def test_amounts_are_shown_with_all_their_digits(amount_microcents: int, text: str) -> None:
    assert exact(amount_microcents) == text


# --- findings ---------------------------------------------------------------------------------


def test_first_broken_record_is_named(journal: JournalFile) -> None:
    def change(records: list[Row]) -> None:
        records[5]["event"]["flows"][0][1] += 10_000_000
        records[11]["event"]["hold"] = 0

    journal.forge(change)
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout == (
        "link main, record 6 (2026-01-02T03:05:32.500000Z, wagers_registered): "
        "flows of mega: stored 60000000, recomputed 50000000\n"
    )
    told = json.loads(run("--data", journal.directory, "--json").stdout)
    assert told["ok"] is False
    assert told["links"][0]["records"] == 5
    assert told["links"][0]["problem"] == {
        "seq": 6,
        "at": "2026-01-02T03:05:32.500000Z",
        "type": "wagers_registered",
        "message": "flows of mega: stored 60000000, recomputed 50000000",
        "file": None,
    }


def test_missing_record_is_named_though_nothing_is_known_of_it(journal: JournalFile) -> None:
    journal.execute("DELETE FROM batch WHERE first_seq = 8")
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout == "link main, record 8: missing: the next batch begins with record 10\n"


@pytest.mark.parametrize("part", range(24))
def test_changed_byte_in_the_file_is_found(journal: JournalFile, part: int) -> None:
    rows = journal.rows()
    row = rows[part % len(rows)]
    body = bytearray(row.body)
    body[(part * 37) % len(body)] ^= 0x55
    journal.execute("UPDATE batch SET body = ? WHERE first_seq = ?", bytes(body), row.first_seq)
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"link main, record {row.first_seq}")


def test_one_broken_link_does_not_hide_the_others(tmp_path: Path) -> None:
    for link in ("east", "main", "west"):
        asyncio.run(write_journal(tmp_path, link=link))
    JournalFile(tmp_path, link="main").forge(lambda records: records[3].update(at="noon"))
    result = run("--data", tmp_path)
    assert result.exit_code == 1
    assert "link east: 15 records" in result.stdout
    assert "link main, record 4 (noon, wagers_registered): noon is not a time" in result.stdout
    assert "link west: 15 records" in result.stdout


def test_records_of_an_unlisted_link_are_found(journal: JournalFile) -> None:
    journal.execute("DELETE FROM link")
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "the store: batch rows of main, a link that is not listed",
        "the store: snapshot rows of main, a link that is not listed",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE link SET id = CAST(x'ff1b' AS TEXT)",
        "UPDATE link SET id = NULL",
        "UPDATE link SET id = 7",
        "UPDATE link SET id = x'6d61696e'",
        "DROP TABLE snapshot",
        "ALTER TABLE batch RENAME COLUMN epoch TO era",
        "ALTER TABLE link RENAME COLUMN head TO tail",
    ],
)
def test_spoilt_tables_are_findings(journal: JournalFile, sql: str) -> None:
    journal.execute(sql)
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout.strip()
    assert result.stdout.replace("\n", "").isprintable()
    assert run("--data", journal.directory, "--json").exit_code == 1


def test_file_that_is_no_database_is_a_finding(journal: JournalFile) -> None:
    journal.path.write_bytes(b"no database at all " * 1000)
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert result.stdout == "the store: the journal file is damaged: file is not a database\n"
    told = json.loads(run("--data", journal.directory, "--json").stdout)
    assert told == {
        "ok": False,
        "links": [],
        "file_problems": ["the journal file is damaged: file is not a database"],
        "files": [
            {
                "about": "journal",
                "message": "the journal file is damaged: file is not a database",
                "link": None,
            }
        ],
        "acts": None,
        "strays": [],
        "warnings": [],
    }


def test_emptied_file_is_a_finding(journal: JournalFile) -> None:
    journal.path.write_bytes(b"")
    result = run("--data", journal.directory)
    assert result.exit_code == 1
    assert "holds no journal" in result.stdout


def test_truncated_or_overwritten_file_never_passes(journal: JournalFile) -> None:
    whole = journal.path.read_bytes()
    page = 4096
    assert len(whole) > 4 * page
    spoilt = [whole[:size] for size in range(page, len(whole), page)]
    spoilt += [
        whole[:start] + b"\xa5" * page + whole[start + page :]
        for start in range(page, len(whole), page)
    ]
    for content in spoilt:
        journal.path.write_bytes(content)
        for leftover in journal.directory.glob("*-*"):
            leftover.unlink()
        result = run("--data", journal.directory)
        assert result.exit_code == 1
        assert result.stdout.strip()


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the data directory is missing"),
        (["--data", "{tmp}/nowhere"], "is not a directory"),
        (["--data", "{tmp}"], "there is no journal in"),
        (["--data", "{tmp}/file"], "is not a directory"),
        (["--data", "{tmp}", "--store", "memory"], "memory keeps nothing to verify"),
        (["--store", "postgres://localhost"], "unknown store 'postgres://localhost'"),
        (["--data", "{tmp}", "--store", ""], "unknown store ''"),
    ],
)
def test_bad_input_exits_with_two(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "file").write_text("x")
    result = run(*[each.format(tmp=tmp_path) for each in arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr.replace("\n", "")
    assert "Traceback" not in result.stderr


def test_journal_of_a_newer_version_is_bad_input_and_no_finding(journal: JournalFile) -> None:
    journal.execute("PRAGMA user_version = 999")
    result = run("--data", journal.directory)
    assert result.exit_code == 2
    assert "newer version" in result.stderr


def test_nothing_is_created_where_there_is_no_journal(tmp_path: Path) -> None:
    run("--data", tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- beside the service -----------------------------------------------------------------------


async def test_running_service_is_verified_at_one_moment(tmp_path: Path) -> None:
    """The writer goes on appending while each audit reads; every audit sees a whole journal."""
    store = SqliteStore(tmp_path)
    seen: list[int] = []
    async with a_desk(store, a_link()) as desk:
        done = asyncio.Event()

        async def play() -> None:
            seq = 1
            while not done.is_set():
                await desk.ask(a_lock(seq, wagers=wagers(1, 4)), table=BJ1)
                await desk.ask(a_settle(seq + 1), table=BJ1)
                seq += 2

        playing = asyncio.create_task(play())
        while len(seen) < 5 or seen[-1] == seen[0]:
            result = await asyncio.to_thread(verify, tmp_path)
            assert result.ok, result
            seen.append(result.links[0].records if result.links else 0)
        done.set()
        await playing
    await store.close()
    assert seen == sorted(seen)
    result = verify(tmp_path)
    assert result.ok
    assert result.links[0].records > seen[-1]


async def test_crashed_service_is_verified_and_left_as_it_was(tmp_path: Path) -> None:
    """What a crash leaves: most of the journal in the WAL, and no one to merge it."""
    store = SqliteStore(tmp_path / "live")
    (tmp_path / "live").mkdir()
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    async with a_desk(store, a_link()) as desk:
        for seq in range(1, 20, 2):
            await desk.ask(a_lock(seq), table=BJ2)
            await desk.ask(a_settle(seq + 1), table=BJ2)
        for name in (FILE_NAME, f"{FILE_NAME}-wal"):
            shutil.copy(tmp_path / "live" / name, crashed / name)
    await store.close()
    before = contents(crashed)
    assert len(before) == 2
    for _ in range(2):
        result = verify(crashed)
        assert result.ok, result
        assert result.links[0].records == 21
    assert contents(crashed) == before


@pytest.mark.parametrize("index", ["left", "lost"])
def test_killed_writer_of_the_journal_leaves_what_is_verified_and_stays(
    journal: JournalFile, index: str
) -> None:
    kill_while_writing(
        journal.path,
        "UPDATE link SET epoch = epoch + 1",
        mode="WAL",
        insert="INSERT INTO batch VALUES ('main', ?1, ?1, 9, ?2)",
    )
    assert journal.path.with_name(f"{FILE_NAME}-wal").stat().st_size > 900_000
    if index == "lost":
        journal.path.with_name(f"{FILE_NAME}-shm").unlink()
    before = contents(journal.directory)
    result = run("--data", journal.directory)
    assert result.exit_code == 0, result.output
    assert "link main: 15 records" in result.stdout
    assert contents(journal.directory) == before


def test_stopped_service_is_verified_and_no_file_appears(journal: JournalFile) -> None:
    before = contents(journal.directory)
    assert list(before) == [FILE_NAME]
    assert run("--data", journal.directory).exit_code == 0
    assert contents(journal.directory) == before


@pytest.mark.slow
async def test_running_service_is_verified_and_no_byte_changes(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    async with a_desk(store, a_link()) as desk:
        await desk.ask(a_lock(1))
        before = contents(tmp_path)
        assert len(before) == 3
        verified = await asyncio.to_thread(program, "--data", tmp_path)
        assert contents(tmp_path) == before
        await desk.ask(a_settle(2))
    await store.close()
    assert verified.returncode == 0, verified


async def test_service_starts_again_after_a_verification(journal: JournalFile) -> None:
    assert verify(journal.directory).ok
    store = SqliteStore(journal.directory)
    opened = await store.open_link(a_link().id)
    assert opened.seq == 15
    await store.close()
    assert verify(journal.directory).ok


@pytest.mark.slow
def test_folder_that_takes_no_files_can_still_be_verified(journal: JournalFile) -> None:
    # Root may write anywhere, unless it gives that right away.
    as_anyone = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    journal.directory.chmod(0o500)
    try:
        verified = subprocess.run(
            [
                *(as_anyone if os.geteuid() == 0 else ()),
                *(sys.executable, "-m", "progressive", "verify"),
                *("--data", str(journal.directory)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        journal.directory.chmod(0o700)
    assert verified.returncode == 0, verified.stderr
    assert "books balance to 0" in verified.stdout
    assert {path.name for path in journal.directory.iterdir()} == {"journal.sqlite3"}


def test_odd_names_of_folders_are_no_obstacle(journal: JournalFile, tmp_path: Path) -> None:
    odd = tmp_path / "50% of ?mode=rwc&x=#1 ä"
    journal.directory.rename(odd)
    assert run("--data", odd).exit_code == 0


# --- as a program -----------------------------------------------------------------------------


def program(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "progressive", "verify", *[str(each) for each in arguments]],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )


@pytest.mark.slow
def test_program_keeps_stderr_free_where_nobody_watches(journal: JournalFile) -> None:
    ended = program("--data", journal.directory)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "chain ok, books balance to 0" in ended.stdout


@pytest.mark.slow
def test_program_survives_a_terminal_that_knows_only_ascii(journal: JournalFile) -> None:
    journal.forge(lambda records: records[3].update(at="ä" * 200))
    ended = program("--data", journal.directory, PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert ended.stdout.startswith("link main, record 4 (\\xe4")


STRANGE_BATCH = "INSERT INTO batch VALUES ('main', 16, 16, 2, x'7b7d0a')"


def test_journal_that_is_written_while_it_is_read_at_rest_is_read_again(
    journal: JournalFile,
) -> None:
    """Nobody had it open, and then a service was started: that look is taken again."""
    reads: list[int] = []

    def read(db: sqlite3.Connection) -> int:
        reads.append(1)
        if len(reads) == 1:
            journal.execute(STRANGE_BATCH)
        found: int = db.execute("SELECT max(last_seq) FROM batch").fetchone()[0]
        return found

    with open_journal(journal.directory) as stored:
        assert stored.look(read) == 16
    assert len(reads) == 2
