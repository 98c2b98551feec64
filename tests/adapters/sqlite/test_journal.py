"""The SQLite store's own promises: on the disk when it says so, damaged when it is, never both."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.read_only import open_read_only
from progressive.application.journal.ports import (
    StoreConflictError,
    StoreCorruptError,
    StoredSnapshot,
    StoreError,
    StoreLostError,
    StoreUnavailableError,
)
from progressive.application.journal.record import JournalBrokenError
from progressive.application.link.ports import OpenedLink
from progressive.application.link.take_over import take_over
from progressive.domain.state.invariants import InvariantBrokenError
from tests.support.builders import LINK, a_desk, a_link, a_lock, a_settle, journal_of
from tests.support.fake_clock import FakeClock

RULES = a_link()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path)
    yield opened
    await opened.close()


async def keep(
    store: SqliteStore, opened: OpenedLink, *records: bytes, after: int, head: str = "h"
) -> None:
    await store.append(LINK, epoch=opened.epoch, expected_seq=after, records=records, head=head)


async def a_played_journal(directory: Path, *, rounds: int = 10) -> None:
    """A journal with a snapshot, closed cleanly."""
    store = SqliteStore(directory)
    async with a_desk(store, RULES) as desk:
        for seq in range(1, 2 * rounds + 1):
            await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
    await store.close()


# --- durable ----------------------------------------------------------------------------------


async def test_file_is_wal_and_every_commit_is_synced(store: SqliteStore) -> None:
    await store.open_link(LINK)

    def pragmas(db: sqlite3.Connection) -> tuple[object, ...]:
        return tuple(
            db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys")
        )

    # 2 is FULL: the WAL is synced at every commit, not only at checkpoints.
    assert await store._in_writer(pragmas) == ("wal", 2, 1)


async def test_another_connection_sees_a_batch_as_soon_as_append_returns(
    store: SqliteStore, tmp_path: Path
) -> None:
    opened = await store.open_link(LINK)
    for seq in range(5):
        await keep(store, opened, b"%d" % seq, after=seq)
        other = open_read_only(tmp_path / FILE_NAME)
        assert other.execute("SELECT seq FROM link").fetchone() == (seq + 1,)
        assert other.execute("SELECT count(*) FROM batch").fetchone() == (seq + 1,)
        other.close()


async def test_everything_acknowledged_survives_without_a_clean_end(
    store: SqliteStore, tmp_path: Path
) -> None:
    opened = await store.open_link(LINK)
    copy = tmp_path / "copy"
    for seq in range(10):
        await keep(store, opened, b"%d" % seq, after=seq, head=f"h{seq}")
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        # What a power cut leaves: the files as they lie there, nobody having closed them. The
        # -shm file is memory that the next start makes anew.
        for name in (FILE_NAME, f"{FILE_NAME}-wal"):
            shutil.copy(tmp_path / name, copy / name)
        after = SqliteStore(copy)
        again = await after.open_link(LINK)
        assert (again.seq, again.head) == (seq + 1, f"h{seq}")
        assert await journal_of(after) == [b"%d" % n for n in range(seq + 1)]
        await after.close()


async def test_half_written_commit_is_as_if_it_never_was(
    store: SqliteStore, tmp_path: Path
) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"kept", after=0, head="kept")
    wal = tmp_path / f"{FILE_NAME}-wal"
    whole = wal.stat().st_size
    await keep(store, opened, b"x" * 20_000, after=1, head="torn")
    torn = wal.read_bytes()
    for number, size in enumerate(range(whole, len(torn), 3_001)):
        copy = tmp_path / f"copy-{number}"
        copy.mkdir()
        shutil.copy(tmp_path / FILE_NAME, copy / FILE_NAME)
        (copy / wal.name).write_bytes(torn[:size])
        after = SqliteStore(copy)
        again = await after.open_link(LINK)
        assert (again.seq, again.head) == (1, "kept")
        assert await journal_of(after) == [b"kept"]
        await after.close()


async def test_closing_leaves_one_file(tmp_path: Path) -> None:
    await a_played_journal(tmp_path)
    assert os.listdir(tmp_path) == [FILE_NAME]


async def test_cancelled_append_is_kept_whole_or_not_at_all(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    task = asyncio.create_task(keep(store, opened, b"a", b"b", after=0))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    again = await store.open_link(LINK)
    assert await journal_of(store) == ([b"a", b"b"] if again.seq else [])


# --- one writer -------------------------------------------------------------------------------


async def test_readers_cannot_write(store: SqliteStore, tmp_path: Path) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0)
    reader = open_read_only(tmp_path / FILE_NAME)
    for statement in (
        "UPDATE link SET seq = 0",
        "DELETE FROM batch",
        "CREATE TABLE t (a)",
        "PRAGMA user_version = 9",
    ):
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute(statement)
    reader.close()
    assert await journal_of(store) == [b"a"]


def test_reader_does_not_create_a_file(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        open_read_only(tmp_path / FILE_NAME).execute("SELECT 1")
    assert list(tmp_path.iterdir()) == []


async def test_path_with_unusual_characters_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "data 100% #1? ü&mode=rwc"
    folder.mkdir()
    store = SqliteStore(folder)
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0)
    assert await journal_of(store) == [b"a"]
    await store.close()
    assert (folder / FILE_NAME).exists()


async def test_store_of_a_fenced_process_can_append_no_more(
    store: SqliteStore, tmp_path: Path
) -> None:
    former = await store.open_link(LINK)
    newer = SqliteStore(tmp_path)
    newest = await newer.open_link(LINK)
    with pytest.raises(StoreConflictError):
        await keep(store, former, b"x", after=0)
    await keep(newer, newest, b"a", after=0)
    assert await journal_of(store) == [b"a"]
    await newer.close()


async def test_reader_that_stops_half_way_holds_nothing_up(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    for seq in range(200):
        await keep(store, opened, b"x", after=seq)
    reading = store.read(LINK)
    assert await anext(reading)
    await keep(store, opened, b"y", after=200)
    await reading.aclose()
    assert len(await journal_of(store)) == 201


# --- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"not a database at all" + content[21:],
        lambda content: b"\x00" * 100 + content[100:],
        lambda content: content[:4096] + b"\xa5" * 4096 + content[8192:],
        lambda content: content[: len(content) // 2],
    ],
    ids=["garbage header", "zeroed header", "lost page", "cut off"],
)
async def test_damaged_file_is_reported_as_damaged(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    await a_played_journal(tmp_path)
    path = tmp_path / FILE_NAME
    path.write_bytes(damage(path.read_bytes()))
    store = SqliteStore(tmp_path)
    with pytest.raises(StoreCorruptError):
        await store.open_link(LINK)
    await store.close()


async def test_flipped_byte_in_a_pages_structure_is_reported_as_damage(tmp_path: Path) -> None:
    await a_played_journal(tmp_path)
    path = tmp_path / FILE_NAME
    content = bytearray(path.read_bytes())
    content[4096 + 3] ^= 0xFF  # number of cells on the second page
    path.write_bytes(content)
    store = SqliteStore(tmp_path)
    with pytest.raises(StoreCorruptError, match="damaged"):
        await store.open_link(LINK)
    await store.close()


async def test_damaged_file_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"not a database" * 1_000)
    store = SqliteStore(tmp_path)
    for _ in range(3):
        with pytest.raises(StoreCorruptError):
            await store.open_link(LINK)
    await store.close()
    assert path.read_bytes() == b"not a database" * 1_000


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has one: thousands of files, and no promise of theirs."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


async def outcomes_of_damage(folder: Path, damages: Iterable[tuple[int, int]]) -> list[str]:
    """Flip bits at an offset of a played journal's file, one at a time; tells every outcome that
    is neither the same state as before nor a reason why not."""
    whole, damaged = folder / "whole", folder / "damaged"
    whole.mkdir()
    damaged.mkdir()
    await a_played_journal(whole, rounds=4)
    content = (whole / FILE_NAME).read_bytes()
    store = SqliteStore(whole)
    expected = (await take_over(store, RULES, FakeClock())).state
    await store.close()
    surprises: list[str] = []
    for at, bits in damages:
        shutil.rmtree(damaged)
        damaged.mkdir()
        at %= len(content)
        flipped = content[:at] + bytes((content[at] ^ bits,)) + content[at + 1 :]
        (damaged / FILE_NAME).write_bytes(flipped)
        store = SqliteStore(damaged)
        try:
            if (await take_over(store, RULES, FakeClock())).state != expected:
                surprises.append(f"byte {at} ^ {bits}: another state")
        except (StoreError, JournalBrokenError, InvariantBrokenError):
            pass
        except Exception as error:  # noqa: BLE001 - it would stop the service, not this link
            surprises.append(f"byte {at} ^ {bits}: {error!r}")
        finally:
            await store.close()
    return surprises


@pytest.mark.slow
async def test_no_flipped_byte_leads_to_another_amount(memory_path: Path) -> None:
    """Whatever byte is damaged: the same amounts as before, or a reason why not."""
    spread = [(at * 97, bits) for at in range(380) for bits in (1 << at % 8,)]
    assert await outcomes_of_damage(memory_path, spread) == []


async def test_damage_to_the_files_schema_is_a_reason_not_a_crash(memory_path: Path) -> None:
    # The schema is text at the end of the first page; SQLite quotes it in its errors, as bytes.
    in_schema = [(at, 0x80) for at in range(3_200, 4_096, 12)]
    assert await outcomes_of_damage(memory_path, in_schema) == []


@pytest.mark.slow
async def test_flipped_bits_all_over_the_file_lead_to_no_other_amount(memory_path: Path) -> None:
    many = [(at, 1 << at % 8) for at in range(0, 36_864, 11)]
    assert await outcomes_of_damage(memory_path, many) == []


@pytest.mark.parametrize("kept", ["batch", "snapshot"])
@pytest.mark.parametrize("kind", ["TEXT", "INTEGER"])
async def test_bytes_turned_into_something_else_are_a_reason_not_a_crash(
    tmp_path: Path, kept: str, kind: str
) -> None:
    # One flipped bit in a row's header does this: SQLite keeps a type with every value.
    await a_played_journal(tmp_path)
    db = sqlite3.connect(tmp_path / FILE_NAME)
    db.execute(f"UPDATE {kept} SET body = CAST(body AS {kind})")
    db.commit()
    db.close()
    store = SqliteStore(tmp_path)
    try:
        with pytest.raises((StoreError, JournalBrokenError)):
            await take_over(store, RULES, FakeClock())
    finally:
        await store.close()


# --- no room, no disk -------------------------------------------------------------------------


async def limit_pages(store: SqliteStore, *, more: int | None) -> None:
    def limit(db: sqlite3.Connection) -> None:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {1_000_000 if more is None else pages + more}")

    await store._in_writer(limit)


async def test_full_disk_keeps_nothing_of_the_batch(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0, head="a")
    await limit_pages(store, more=1)
    with pytest.raises(StoreUnavailableError, match="full"):
        await keep(store, opened, b"b", b"x" * 50_000, after=1, head="x")
    assert await journal_of(store) == [b"a"]
    again = await store.open_link(LINK)
    assert (again.seq, again.head) == (1, "a")


async def test_store_works_again_once_there_is_room(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0)
    for _ in range(3):
        # The limit is the connection's own, and a failed one is thrown away.
        await limit_pages(store, more=1)
        with pytest.raises(StoreUnavailableError):
            await keep(store, opened, b"x" * 50_000, after=1)
    await limit_pages(store, more=None)
    await keep(store, opened, b"x" * 50_000, after=1)
    await keep(store, opened, b"c", after=2)
    assert await journal_of(store) == [b"a", b"x" * 50_000, b"c"]


async def test_full_disk_refuses_a_snapshot_and_keeps_the_former(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0)
    await store.save_snapshot(LINK, epoch=opened.epoch, seq=1, body=b"former")
    await limit_pages(store, more=1)
    with pytest.raises(StoreUnavailableError):
        await store.save_snapshot(LINK, epoch=opened.epoch, seq=1, body=b"x" * 50_000)
    assert await store.load_snapshot(LINK) == StoredSnapshot(seq=1, body=b"former")


async def test_append_after_an_error_continues_at_the_right_sequence(store: SqliteStore) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"a", after=0)

    def fail(db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE link SET seq = 99")
        db.execute("SELECT * FROM nowhere")

    with pytest.raises(StoreUnavailableError, match="nowhere"):
        await store._in_writer(fail)
    with pytest.raises(StoreConflictError):
        await keep(store, opened, b"x", after=99)
    await keep(store, opened, b"b", after=1)
    assert await journal_of(store) == [b"a", b"b"]


async def test_missing_folder_is_unavailable_until_it_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "not-mounted"
    store = SqliteStore(folder)
    with pytest.raises(StoreUnavailableError):
        await store.open_link(LINK)
    folder.mkdir()
    assert (await store.open_link(LINK)).seq == 0
    await store.close()


# The kernel refuses every byte beyond the limit (EFBIG, seen by SQLite as an I/O error or a full
# disk): the nearest to a failing disk that needs no privileges.
_IN_A_SMALL_WORLD = """
import asyncio, pathlib, resource, signal, sys
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreUnavailableError

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore(pathlib.Path(sys.argv[1]))
    opened = await store.open_link("main")
    kept = 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    while True:
        try:
            await store.append("main", epoch=opened.epoch, expected_seq=kept,
                               records=[b"%d" % kept, b"x" * 9_000], head=str(kept))
        except StoreUnavailableError as error:
            print("failed:", error, file=sys.stderr)
            break
        kept += 2
    for _ in range(2):
        try:
            opened = await store.open_link("main")
        except StoreUnavailableError as error:
            print("open:", error, file=sys.stderr)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    opened = await store.open_link("main")
    found = [record async for records in store.read("main") for record in records]
    print(kept, opened.seq, len(found))
    await store.append("main", epoch=opened.epoch, expected_seq=opened.seq,
                       records=[b"again"], head="again")
    await store.close()

asyncio.run(main())
"""


def test_io_error_keeps_what_was_acknowledged_and_heals(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IN_A_SMALL_WORLD, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    kept, reopened, read = map(int, done.stdout.split())
    assert kept > 0
    assert (reopened, read) == (kept, kept)
    db = sqlite3.connect(tmp_path / FILE_NAME)
    assert db.execute("SELECT seq, head FROM link").fetchone() == (kept + 1, "again")
    db.close()


# --- versions ---------------------------------------------------------------------------------


async def test_file_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    await a_played_journal(tmp_path)
    db = sqlite3.connect(tmp_path / FILE_NAME)
    db.execute("PRAGMA user_version = 999")
    db.close()
    store = SqliteStore(tmp_path)
    with pytest.raises(StoreUnavailableError, match=r"newer version \(999\)"):
        await store.open_link(LINK)
    await store.close()
    db = sqlite3.connect(tmp_path / FILE_NAME)
    assert db.execute("PRAGMA user_version").fetchone() == (999,)
    assert db.execute("SELECT epoch FROM link").fetchone() == (1,)
    db.close()


async def test_new_file_carries_its_version(store: SqliteStore) -> None:
    await store.open_link(LINK)
    version = await store._in_writer(lambda db: db.execute("PRAGMA user_version").fetchone()[0])
    assert version >= 1


async def test_journal_can_be_read_with_a_plain_sqlite_shell(tmp_path: Path) -> None:
    await a_played_journal(tmp_path, rounds=1)
    db = sqlite3.connect(tmp_path / FILE_NAME)
    rows = db.execute("SELECT first_seq, CAST(body AS TEXT) FROM batch ORDER BY 1").fetchall()
    db.close()
    assert [first for first, _ in rows] == [1, 2, 3, 4]
    assert rows[0][1].startswith('{"seq":1,"at":"')


# --- the file in its place ----------------------------------------------------------------------


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal"])
async def test_store_whose_file_was_taken_away_is_lost_for_good(
    store: SqliteStore, tmp_path: Path, name: str
) -> None:
    opened = await store.open_link(LINK)
    await keep(store, opened, b"one", after=0)
    await store.check()
    away = tmp_path / "away"
    (tmp_path / name).rename(away)
    with pytest.raises(StoreLostError, match=f"{name} was removed"):
        await keep(store, opened, b"two", after=1)
    # Put back or made new: what this process wrote to the other one meanwhile is not in it.
    (tmp_path / name).touch()
    for attempt in (store.check(), store.open_link(LINK), keep(store, opened, b"2", after=1)):
        with pytest.raises(StoreLostError):
            await attempt


async def test_store_that_reconnects_takes_its_own_new_wal_for_its_own(
    store: SqliteStore, tmp_path: Path
) -> None:
    opened = await store.open_link(LINK)
    with pytest.raises(StoreUnavailableError):
        await store._in_writer(lambda db: db.execute("SELECT no_such_column"))
    await keep(store, opened, b"one", after=0)
    await store.check()
    assert await journal_of(store) == [b"one"]


@pytest.mark.parametrize("content", [None, b""])
async def test_missing_or_empty_file_reads_as_no_journal_and_is_left_alone(
    store: SqliteStore, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / FILE_NAME
    if content is not None:
        path.write_bytes(content)
    assert (await store.journal_end(LINK)).seq == 0
    assert await store.links() == []
    assert (path.read_bytes() if path.exists() else None) == content
