"""A data directory with a journal of any length, made in seconds instead of years.

    python -m tests.support.long_journal --records 1000000 --tables 200 --days 5 --out DIR

makes `DIR/floor.toml` and `DIR/data`, which `progressive serve` takes over as if it had written it
(`long_play` decides every record as the service does). `--schema 1` writes what the version before
segments wrote: one file, one snapshot.
"""

import argparse
import asyncio
import re
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive import __version__
from progressive.adapters.committed import FileMemory
from progressive.adapters.config.floor import load_floor, shipped_config
from progressive.adapters.operating_user import operating_user
from progressive.adapters.sqlite.journal_file import FILE, FILE_NAME
from progressive.application.journal.cut import CutLimits
from progressive.application.journal.gaming_day import GamingDays
from progressive.application.journal.record import GENESIS
from progressive.application.link.memory import CommittedMark
from progressive.domain.guard_events import JournalPlace
from progressive.domain.ids import LinkId, TableId
from progressive.domain.rulebook.floor_record import floor_record
from progressive.domain.rulebook.rules import LinkRules
from tests.support.long_archive import LongArchive
from tests.support.long_play import Committed, LongPlay, Pace

UNTIL: Final = datetime(2026, 3, 1, 11, tzinfo=UTC)
"""When the floor has played long enough: a gaming day of New York begins."""
TERMS_EVERY: Final = 400_000
"""Records between two changes of terms: the minor's rate goes up, and back."""
TERMS_RECORDS: Final = 3
"""A checkpoint, a proposal, a change."""
RATES_PPM: Final = (40_000, 41_000)
COMMIT_EVERY: Final = 2_000
"""Rows in one transaction of the maker; the rows are those of the service, one a commit."""


class LongJournal(Struct, frozen=True, kw_only=True):
    """What was made."""

    data: Path
    floor: Path
    link: LinkId
    records: int
    rounds: int
    first_at: str
    last_at: str
    awards: tuple[tuple[str, str], ...]
    """Awards that people had to do with, and when each was made."""
    first_messages: tuple[tuple[TableId, bytes], ...]
    """The first message of every table, as it was sent."""


def make_long_journal(
    out: Path,
    *,
    records: int,
    tables: int = 200,
    days: float = 5.0,
    until: datetime = UNTIL,
    batch: int = 0,
    schema: int | None = None,
    archived: bool = True,
    limits: CutLimits = CutLimits(),  # noqa: B008 - frozen
    terms_every: int = TERMS_EVERY,
    seed: int = 1,
) -> LongJournal:
    """A data directory with so many records, spread over so many days.

    `batch` is how many records one commit took, 0 for two to five. `schema` 1 is what the version
    before segments wrote; None is what this one writes. `archived`: whether what is due lies in
    segments, of these limits; else all of it is open, with every snapshot.
    """
    data, floor = out / "data", out / "floor.toml"
    data.mkdir(parents=True, mode=0o700)
    floors = [_floor_text(tables, rate) for rate in RATES_PPM]
    links = [_link(floor, text) for text in floors]
    day = GamingDays.of(links[0].time_zone, _day_starts(floor))
    pace = Pace(
        begins=until - timedelta(days=days),
        # A little faster, so that chance does not bring it behind `until`.
        seconds_a_record=days * 86_400 * 0.99 / records,
        batch=batch,
        days=None if schema == 1 else day,
    )
    record = floor_record(
        links[0],
        load_floor(floor).rules,
        program=__version__,
        started_by=operating_user(),
    )
    play = LongPlay(links[0], record, pace, seed=seed)
    first = play.open()
    with closing(_opened(data, schema)) as db:
        archive = None
        if archived and schema is None:
            archive = LongArchive(data, links[0].id, day, limits)
        writer = _Writer(db, links[0].id, archive, one_snapshot=schema == 1)
        writer.write([first])
        turn = 0
        while play.state.seq < records:
            writer.write(play.play(min(records, play.state.seq + terms_every)))
            if records - play.state.seq > TERMS_RECORDS:
                turn += 1
                writer.write(play.change_terms(links[turn % len(links)]))
        writer.finish(play)
    floor.write_text(floors[turn % len(floors)])
    place = JournalPlace(play.epoch, play.state.seq, play.head, play.at)
    mark = CommittedMark(links[0].id, place, times_hold_from=1)
    asyncio.run(FileMemory(data).remember(mark))
    return LongJournal(
        data=data,
        floor=floor,
        link=links[0].id,
        records=play.state.seq,
        rounds=play.rounds,
        first_at=first.at,
        last_at=play.at,
        awards=tuple(play.awards),
        first_messages=tuple(
            (table, msgspec.json.encode(sent)) for table, sent in play.first_messages.items()
        ),
    )


class _Writer:
    """The rows that the store would have written."""

    def __init__(
        self,
        db: sqlite3.Connection,
        link: LinkId,
        archive: LongArchive | None,
        *,
        one_snapshot: bool,
    ) -> None:
        """Without an archive all records stay in the file."""
        self._db = db
        self._link = link
        self._archive = archive
        self._one_snapshot = one_snapshot
        self._db.execute("INSERT INTO link VALUES (?, 1, 0, ?)", (link, GENESIS))

    def write(self, commits: Iterable[Committed]) -> None:
        """All of them; those that go into segments never see the file."""
        if self._archive is None:
            self._insert(commits)
            return
        for done in commits:
            self._archive.take(done)

    def finish(self, play: LongPlay) -> None:
        """What is still open, and where the journal ends."""
        if self._archive is not None:
            self._insert(self._archive.open)
            self._db.executemany(
                "INSERT INTO segment (link, number, last_seq, body) VALUES (?, ?, ?, ?)",
                [
                    (self._link, each.number, each.last_seq, msgspec.json.encode(each))
                    for each in self._archive.segments
                ],
            )
        self._db.execute(
            "UPDATE link SET epoch = ?, seq = ?, head = ? WHERE id = ?",
            (play.epoch, play.state.seq, play.head, self._link),
        )
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _insert(self, commits: Iterable[Committed]) -> None:
        """Many rows to a transaction: nobody waits for an answer here."""
        db = self._db
        db.execute("BEGIN")
        for row, done in enumerate(commits, 1):
            body = b"\n".join(done.records) + b"\n"
            db.execute(
                "INSERT INTO batch (link, first_seq, last_seq, epoch, body) VALUES (?, ?, ?, ?, ?)",
                (self._link, done.first_seq, done.last_seq, done.epoch, body),
            )
            if done.snapshot is not None:
                self._save(done.first_seq - 1, done.snapshot)
            if row % COMMIT_EVERY == 0:
                db.execute("COMMIT")
                db.execute("BEGIN")
        db.execute("COMMIT")

    def _save(self, seq: int, body: bytes) -> None:
        if self._one_snapshot:
            self._db.execute("DELETE FROM snapshot WHERE link = ?", (self._link,))
        self._db.execute(
            "INSERT INTO snapshot (link, seq, body) VALUES (?, ?, ?)", (self._link, seq, body)
        )


def _opened(data: Path, schema: int | None) -> sqlite3.Connection:
    """The journal file, empty, in the form of a version; nobody minds if this process dies."""
    if schema is None:
        db = FILE.open_to_write(data)
    else:
        db = sqlite3.connect(data / FILE_NAME, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        folder = resources.files("progressive.adapters.sqlite").joinpath("sql", "journal")
        scripts = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
        for name in scripts[:schema]:
            db.executescript(folder.joinpath(name).read_text("utf-8"))
        db.execute(f"PRAGMA user_version = {schema}")
    db.execute("PRAGMA synchronous = OFF")
    return db


# --- the floor ----------------------------------------------------------------------------------


def _floor_text(tables: int, minor_ppm: int) -> str:
    """The demo floor with other tables and another rate of its minor."""
    demo = (shipped_config() / "floor.toml").read_text("utf-8")
    text = demo[: demo.index("[[table]]")]
    text = re.sub(r"rate_ppm = 40000\b", f"rate_ppm = {minor_ppm}", text)
    return text + "\n".join(
        f'[[table]]\nid = "BJ-{number:03}"\nlink = "main"\nseats = 7\n'
        "base_min_cents = 1000\nbase_max_cents = 200000\n"
        for number in range(1, tables + 1)
    )


def _link(floor: Path, text: str) -> LinkRules:
    floor.write_text(text)
    (link,) = load_floor(floor).rules.links
    return link


def _day_starts(floor: Path) -> str:
    return load_floor(floor).rules.gaming_day_starts


def main() -> None:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=1_000_000)
    options.add_argument("--tables", type=int, default=200)
    options.add_argument("--days", type=float, default=5.0)
    options.add_argument("--until", type=datetime.fromisoformat, default=UNTIL)
    options.add_argument("--batch", type=int, default=0, help="records a commit; 0: two to five")
    options.add_argument("--schema", type=int, choices=(1,), help="as that version wrote it")
    options.add_argument(
        "--open", dest="archived", action="store_false", help="nothing lies in segments"
    )
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", type=Path, required=True)
    given = vars(options.parse_args())
    began = time.perf_counter()
    made = make_long_journal(**given)
    seconds = time.perf_counter() - began
    print(f"{made.records:,} records from {made.first_at} to {made.last_at} in {seconds:.1f} s")
    print(f"--floor {made.floor} --data {made.data}")


if __name__ == "__main__":
    main()
