"""The sign log on a real disk: kept within a second, packed, pruned, and never in anybody's way."""

import contextlib
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from progressive.adapters.sqlite import sign_log
from progressive.adapters.sqlite.sign_log import CUT_AFTER_MS, SqliteSignLog
from progressive.adapters.sqlite.sign_log_file import FILE_NAME, open_to_write
from progressive.adapters.sqlite.sign_log_reader import open_sign_log
from progressive.application.journal.ports import StoreCorruptError, StoreUnavailableError
from progressive.application.signs.reports import Glass, SignEntry

DAY_MS = 86_400_000
NOW_MS = 100 * DAY_MS


def a_report(at_ms: int, cents: int = 500) -> SignEntry:
    return SignEntry(at_ms, "showing", 1, 7, "live", (Glass("mega", cents),))


def a_log(
    directory: Path, *, days: int = 90, max_bytes: int = 2**40, block_seconds: float = 1e9
) -> SqliteSignLog:
    """One that is turned by hand."""
    return SqliteSignLog(
        directory,
        days=days,
        max_bytes=max_bytes,
        block_seconds=block_seconds,
        wall=lambda: NOW_MS / 1000,
    )


def kept(directory: Path, sign: str = "wall") -> list[SignEntry]:
    with open_sign_log(directory) as log:
        return list(log.between(sign, from_ms=-(2**60), to_ms=2**60))


def test_what_was_flushed_is_read_beside_the_writer(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    entries = [a_report(NOW_MS + 1000 * n, n) for n in range(5)]
    for entry in entries:
        log.note("wall", "main", entry, keyed=True)
    log._turn()
    assert kept(tmp_path) == entries
    assert log.problem is None
    assert log.kept == 5
    log._turn(last=True)
    assert kept(tmp_path) == entries


def test_blocks_and_tail_are_one_log(tmp_path: Path) -> None:
    log = a_log(tmp_path, block_seconds=0)
    entries = [a_report(NOW_MS + 1000 * n, n) for n in range(6)]
    for entry in entries[:5]:
        log.note("wall", "main", entry, keyed=True)
        log.note("door", "main", entry, keyed=True)
        log._turn()
    log._block_seconds = 1e9
    log.note("wall", "main", entries[5], keyed=True)
    log._turn()
    assert kept(tmp_path) == entries
    assert kept(tmp_path, "door") == entries[:5]
    with open_sign_log(tmp_path) as reader:
        assert reader.signs() == ["door", "wall"]
        assert list(reader.between("wall", from_ms=NOW_MS + 1500, to_ms=NOW_MS + 3000)) == [
            entries[2],
            entries[3],
        ]
        assert set(reader.around("wall", at_ms=NOW_MS + 2500)) >= {entries[2], entries[3]}
        assert reader.link_of("wall", at_ms=NOW_MS) == "main"
        assert reader.link_of("nobody", at_ms=NOW_MS) is None


def test_a_killed_writer_leaves_all_but_the_last_second_and_the_next_marks_the_cut(
    tmp_path: Path,
) -> None:
    log = a_log(tmp_path)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log.note("door", "main", a_report(NOW_MS), keyed=True)
    log.note("door", "main", SignEntry(NOW_MS + 5, "gone"), keyed=True)
    log._turn()
    log.note("wall", "main", a_report(NOW_MS + 1000), keyed=True)
    log._disconnect()  # The process is gone: what was not flushed is lost.
    assert kept(tmp_path) == [a_report(NOW_MS)]

    later = SqliteSignLog(tmp_path, days=90, max_bytes=2**40, wall=lambda: NOW_MS / 1000 + 60)
    later._turn()
    assert kept(tmp_path) == [a_report(NOW_MS), SignEntry(NOW_MS + CUT_AFTER_MS, "cut")]
    assert kept(tmp_path, "door") == [a_report(NOW_MS), SignEntry(NOW_MS + 5, "gone")]


async def test_the_thread_writes_by_itself_and_closes_cleanly(tmp_path: Path) -> None:
    log = SqliteSignLog(
        tmp_path, days=90, max_bytes=2**40, flush_seconds=0.001, wall=lambda: NOW_MS / 1000
    )
    log.start()
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    await log.close()
    assert not (tmp_path / f"{FILE_NAME}-wal").exists()
    assert kept(tmp_path) == [a_report(NOW_MS)]


def test_old_blocks_are_pruned_once_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_log, "PRUNED_AT_A_TIME", 2)
    log = a_log(tmp_path, days=30, block_seconds=0)
    ages = (40, 35, 32, 31, 29, 1)
    for age in ages:
        log.note("wall", "main", a_report(NOW_MS - age * DAY_MS), keyed=True)
        log._prune_at = float("inf")
        log._turn()
    log._prune_at = 0
    for _ in ages:
        log._turn()
    assert [entry.at_ms for entry in kept(tmp_path)] == [NOW_MS - 29 * DAY_MS, NOW_MS - DAY_MS]
    assert log._prune_at > 0


# --- broken surroundings ------------------------------------------------------------------------


def test_what_cannot_be_written_waits_and_is_written_later(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.write_text("a file where the folder should be")
    log = a_log(folder)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log._turn()
    assert log.problem is not None
    folder.unlink()
    log._turn()
    assert log.problem is None
    assert kept(folder) == [a_report(NOW_MS)]


def test_a_write_that_fails_midway_loses_and_doubles_nothing(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log._turn()
    assert log._connection is not None
    log._connection.execute("PRAGMA query_only = ON")
    log.note("wall", "main", a_report(NOW_MS + 1000), keyed=True)
    log._turn()
    assert "readonly" in str(log.problem)
    log._turn(last=True)
    assert log.problem is None
    assert kept(tmp_path) == [a_report(NOW_MS), a_report(NOW_MS + 1000)]


def test_a_log_that_stays_broken_holds_so_many_and_counts_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_log, "WAITING_MAX", 10)
    (tmp_path / "data").write_text("no folder")
    log = a_log(tmp_path / "data")
    for number in range(25):
        log.note("wall", "main", a_report(NOW_MS + number), keyed=True)
    log._turn()
    assert log.lost == 15
    assert [each.entry.at_ms - NOW_MS for each in log._waiting] == list(range(15, 25))


def _cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:700])


def _flip_blocks(file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE block SET body = x'00ff00'")
        db.commit()


@pytest.mark.parametrize("damage", [_cut_short, _flip_blocks])
def test_a_damaged_file_is_said_to_be(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    log = a_log(tmp_path)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log._turn(last=True)
    log._disconnect()
    damage(tmp_path / FILE_NAME)
    with pytest.raises(StoreCorruptError):
        kept(tmp_path)


def test_no_log_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="there is no sign log"):
        kept(tmp_path)


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    db = open_to_write(tmp_path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreUnavailableError, match="newer version"):
        kept(tmp_path)
    log = a_log(tmp_path)
    log._turn()
    assert "newer version" in str(log.problem)


def test_a_day_of_reports_is_small_on_the_disk(tmp_path: Path) -> None:
    """An hour of it: the file, with all that SQLite adds, stays near six bytes a report."""
    dice = random.Random(3)
    log = a_log(tmp_path)
    cents, seq, reports = [10_000_000, 1_500_000, 300_000], 0, 3_600
    for number in range(reports):
        if dice.random() < 0.27:  # Twelve tables, a round every 45 s.
            wagers = dice.randint(1, 7)
            cents = [a + wagers * b for a, b in zip(cents, (60, 30, 20), strict=True)]
            seq += 2
        glass = [Glass(m, c) for m, c in zip(("mega", "major", "minor"), cents, strict=True)]
        at_ms = NOW_MS + 1000 * number + dice.randrange(10)
        log.note(
            "wall", "main", SignEntry(at_ms, "showing", 1, seq, "live", tuple(glass)), keyed=True
        )
        if number % 300 == 299:
            log._turn(last=True)
    log._disconnect()
    assert len(kept(tmp_path)) == reports
    assert (tmp_path / FILE_NAME).stat().st_size <= 10 * reports


# --- signs without a key --------------------------------------------------------------------------


def test_strangers_push_out_no_entry_of_a_keyed_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_log, "WAITING_MAX", 10)
    log = a_log(tmp_path)
    for number in range(10):
        log.note("wall", "main", a_report(NOW_MS + number), keyed=True)
        for _ in range(50):
            log.note("door", "main", a_report(NOW_MS + number), keyed=False)
    log._turn()
    assert [entry.at_ms - NOW_MS for entry in kept(tmp_path)] == list(range(10))
    assert len(kept(tmp_path, "door")) == 10
    assert log.lost == 490


@pytest.mark.slow
def test_a_full_log_gives_up_its_oldest_anonymous_entries_and_stays_below_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_log, "PRUNED_AT_A_TIME", 20)
    max_bytes = 512 * 1024
    log = a_log(tmp_path, max_bytes=max_bytes, block_seconds=0)
    dice = random.Random(5)
    for number in range(150):
        log.note("wall", "main", a_report(NOW_MS + number), keyed=True)
        for _ in range(1_000):
            # Nothing alike: no compression helps whoever writes it.
            said = a_report(NOW_MS + number, dice.randrange(10**12))
            log.note(f"door{number % 7}", "main", said, keyed=False)
        log._turn()
    assert log._connection is not None
    log._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert (tmp_path / FILE_NAME).stat().st_size < max_bytes
    assert [entry.at_ms - NOW_MS for entry in kept(tmp_path)] == list(range(150))
    newest = [entry.at_ms - NOW_MS for entry in kept(tmp_path, f"door{149 % 7}")]
    assert newest[-1] == 149
    assert newest[0] > 0
    assert (log.lost, log.problem) == (0, None)


def test_a_log_full_of_keyed_entries_refuses_anonymous_ones_and_says_so(tmp_path: Path) -> None:
    log = a_log(tmp_path, max_bytes=1, block_seconds=0)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log.note("door", "main", a_report(NOW_MS), keyed=False)
    log._turn()
    assert log.problem is not None
    assert "signs without a key are not stored" in log.problem
    log._turn()
    assert (kept(tmp_path), kept(tmp_path, "door")) == ([a_report(NOW_MS)], [])
    assert log.lost == 1


def test_blocks_of_before_keys_were_noted_are_kept_like_keyed_ones(tmp_path: Path) -> None:
    log = a_log(tmp_path, max_bytes=1, block_seconds=0)
    log.note("wall", "main", a_report(NOW_MS), keyed=True)
    log._turn()
    with contextlib.closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        db.execute(
            "INSERT INTO block (sign, link, first_ms, last_ms, body) "
            "SELECT 'old', link, first_ms, last_ms, body FROM block"
        )
        db.commit()
    log._turn()
    assert kept(tmp_path, "old") == [a_report(NOW_MS)]
