"""The made-up journal is one that the service would have written: the audit finds nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.long_journal import LongJournal, make_long_journal
from tests.support.service import ServiceProcess, run_command

RECORDS = 20_000


@pytest.fixture(scope="module")
def long_journal(tmp_path_factory: pytest.TempPathFactory) -> LongJournal:
    return make_long_journal(
        tmp_path_factory.mktemp("long") / "link",
        records=RECORDS,
        tables=40,
        days=2,
        terms_every=9_000,
    )


@pytest.mark.slow
def test_audit_accepts_every_record(long_journal: LongJournal) -> None:
    verified = run_command("verify", "--data", long_journal.data)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert f"{RECORDS:,} records" in verified.stdout
    assert "chain ok, books balance to 0" in verified.stdout


def test_same_seed_makes_the_same_journal(tmp_path: Path) -> None:
    made = [make_long_journal(tmp_path / name, records=500, tables=5) for name in ("a", "b")]
    first, second = [_heads(each.data) for each in made]
    assert first == second


def test_older_version_has_its_form_and_its_one_snapshot(tmp_path: Path) -> None:
    made = make_long_journal(tmp_path / "old", records=1_000, tables=5, schema=1, terms_every=400)
    with closing(sqlite3.connect(made.data / "journal.sqlite3")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM snapshot").fetchone() == (1,)


def test_newest_state_stays_in_the_live_file(tmp_path: Path) -> None:
    """As the service leaves it, also where a segment holds it too: a start replays from it."""
    made = make_long_journal(tmp_path / "link", records=2_000, tables=5, days=1.1, terms_every=900)
    with closing(sqlite3.connect(made.data / "journal.sqlite3")) as db:
        assert db.execute("SELECT count(*) FROM segment").fetchone() != (0,)
        (newest,) = db.execute("SELECT max(seq) FROM snapshot").fetchone()
        (seam,) = db.execute("SELECT max(last_seq) FROM segment").fetchone()
        assert newest >= seam


@pytest.mark.slow
def test_service_takes_it_over(long_journal: LongJournal) -> None:
    """The floor file is the one of the last terms, and what was committed is remembered."""
    with ServiceProcess(long_journal.data, floor=long_journal.floor) as service:
        assert "inoperable" not in service.log()
        assert service.terminate() == 0


def _heads(data: Path) -> list[tuple[int, str]]:
    with closing(sqlite3.connect(data / "journal.sqlite3")) as db:
        return list(db.execute("SELECT seq, head FROM link"))
