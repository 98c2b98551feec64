"""What the verifier reads of the journal file, in short looks on connections that cannot
write.

The service may run, have stopped or have been killed. A look is one consistent view of the file;
between two looks the service goes on. Nothing found in the file is trusted: rows come out as they
are, and a damaged file is a finding, not a crash.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from progressive.verifier.findings import StoreCorruptError, shown
from progressive.verifier.reading.errors import StoreUnavailableError
from progressive.verifier.reading.ports import LiveLook, SegmentRow
from progressive.verifier.reading.sqlite_file import (
    DRIVER_ERRORS,
    FileKind,
    lenient_text,
    open_wal_unchanged,
    unchanged_place,
)
from progressive.verifier.report import StoredBatch, StoredLink

FILE_NAME: Final = "journal.sqlite3"
FILE: Final = FileKind(
    name=FILE_NAME, called="the journal file", prefix="", newest=2, busy_seconds=5.0
)
DAMAGES_MAX: Final = 3
"""Damages of the file that are listed: one is enough to act on."""
LOOK_BYTES: Final = 4 << 20
"""Batches read in one look: some milliseconds, in which the `-wal` cannot be reset."""
LOOKS_MAX: Final = 5
"""A file at rest that is written at every look has a writer, and is read beside it then."""
LOOK_AGAIN_SECONDS: Final = 0.02
"""Longer each time: a service that starts or stops is done with its files in less."""
_WITH_SEGMENTS: Final = 2
"""The version of the file from which on it holds rows of segments."""

T = TypeVar("T")


class StoredJournal:
    """The file of a data directory. Made by `open_journal`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def damages(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        try:
            found = self.look(
                lambda db: [
                    shown(row[0]) for row in db.execute(f"PRAGMA integrity_check({DAMAGES_MAX})")
                ]
            )
        except StoreCorruptError as error:
            return [str(error)]
        return [] if found == ["ok"] else [str(FILE.damaged(each)) for each in found]

    def strays(self) -> list[str]:
        """Rows of links that the store does not list."""
        return self.look(_strays)

    def links(self) -> list[tuple[int, StoredLink]]:
        """Every link with the number of its row, by name."""
        return self.look(
            lambda db: [
                (row, StoredLink(link, epoch, seq, head))
                for row, link, epoch, seq, head in db.execute(
                    "SELECT rowid, id, epoch, seq, head FROM link ORDER BY id"
                )
            ]
        )

    def segment_bodies(self) -> list[object]:
        """What the rows of all segments of all links hold."""
        return self.look(
            lambda db: (
                [row[0] for row in db.execute("SELECT body FROM segment")]
                if _holds_segments(db)
                else []
            )
        )

    def live(self, row: int) -> "StoredLinkRows":
        """The link in that row."""
        return StoredLinkRows(self, row)

    def look(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """What is read of one moment of the file."""
        looks = 0
        while True:
            looks += 1
            try:
                with _translated(), open_wal_unchanged(FILE, self._directory) as db:
                    db.text_factory = lenient_text
                    return read(db)
            except StoreUnavailableError:
                # A service that starts or stops makes and removes files beside it at this moment.
                if looks == LOOKS_MAX:
                    raise
                time.sleep(LOOK_AGAIN_SECONDS * looks)


class StoredLinkRows:
    """Implements `LiveJournal`: one link in the file."""

    def __init__(self, journal: StoredJournal, row: int) -> None:
        self._journal = journal
        self._row = row

    def look(self, *, after: object) -> LiveLook:
        """One short look, with some of the batches."""
        return self._journal.look(lambda db: self._look(db, after))

    def snapshot(self, seq: int) -> object:
        """One saved state."""
        row = self._journal.look(
            lambda db: db.execute(
                "SELECT body FROM snapshot WHERE link = (SELECT id FROM link WHERE rowid = ?) "
                "AND seq = ?",
                (self._row, seq),
            ).fetchone()
        )
        return None if row is None else row[0]

    def record(self, seq: int) -> bytes | None:
        """One record, in the batch that holds it."""
        batch = self._journal.look(
            lambda db: db.execute(
                "SELECT first_seq, body FROM batch WHERE link = (SELECT id FROM link WHERE "
                "rowid = ?) AND first_seq <= ? AND last_seq >= ? ORDER BY first_seq DESC LIMIT 1",
                (self._row, seq, seq),
            ).fetchone()
        )
        if batch is None or not isinstance(batch[0], int) or not isinstance(batch[1], bytes):
            return None
        lines = batch[1].split(b"\n")
        return lines[seq - batch[0]] if seq - batch[0] < len(lines) else None

    def _look(self, db: sqlite3.Connection, after: object) -> LiveLook:
        link = db.execute(
            "SELECT id, epoch, seq, head FROM link WHERE rowid = ?", (self._row,)
        ).fetchone()
        if link is None:
            raise FILE.damaged("a link was removed from it meanwhile")
        batches, complete = self._batches(db, after)
        return LiveLook(
            stored=StoredLink(*link),
            segments=self._segments(db),
            snapshots=[
                seq
                for (seq,) in db.execute(
                    "SELECT seq FROM snapshot WHERE link = (SELECT id FROM link WHERE rowid = ?) "
                    "ORDER BY seq",
                    (self._row,),
                )
            ],
            batches=batches,
            complete=complete,
        )

    def _segments(self, db: sqlite3.Connection) -> list[SegmentRow]:
        if not _holds_segments(db):
            return []
        rows = db.execute(
            "SELECT number, last_seq, body FROM segment "
            "WHERE link = (SELECT id FROM link WHERE rowid = ?) ORDER BY number, rowid",
            (self._row,),
        )
        return [SegmentRow(*row) for row in rows]

    def _batches(self, db: sqlite3.Connection, after: object) -> tuple[list[StoredBatch], bool]:
        if after is None:
            rows = db.execute(f"{_BATCHES} ORDER BY first_seq", (self._row,))
        else:
            rows = db.execute(
                f"{_BATCHES} AND first_seq > ? ORDER BY first_seq", (self._row, after)
            )
        batches: list[StoredBatch] = []
        size = 0
        for row in rows:
            batches.append(StoredBatch(*row))
            size += len(row[3]) if isinstance(row[3], bytes) else 0
            if size >= LOOK_BYTES:
                return batches, False
        return batches, True


_BATCHES: Final = (
    "SELECT first_seq, last_seq, epoch, body FROM batch "
    "WHERE link = (SELECT id FROM link WHERE rowid = ?)"
)


@contextmanager
def open_journal(directory: Path) -> Iterator[StoredJournal]:
    """The journal in a data directory.

    Raises StoreUnavailableError where there is none or it may not be read (ChangedMeanwhileError
    where services were started on it again and again), StoreCorruptError where the file is no
    journal.
    """
    if not (directory / FILE.name).is_file():
        raise StoreUnavailableError(f"there is no journal in {directory}")
    with _translated(), unchanged_place(FILE, directory) as place:
        journal = StoredJournal(place)
        journal.look(_check_form)
        yield journal


def _check_form(db: sqlite3.Connection) -> None:
    # What a newer form must hold, this program does not know.
    FILE.refuse_newer(db)
    present = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    if missing := {"link", "batch", "snapshot"} - present:
        raise StoreCorruptError(f"{FILE.name} holds no journal: no {min(missing)} rows")
    if _holds_segments(db) and "segment" not in present:
        raise StoreCorruptError(f"{FILE.name} holds no journal: no segment rows")


def _strays(db: sqlite3.Connection) -> list[str]:
    found: list[str] = []
    kinds = ("batch", "snapshot", "segment") if _holds_segments(db) else ("batch", "snapshot")
    for rows in kinds:
        found += [
            f"{rows} rows of {shown(row[0])}, a link that is not listed"
            for row in db.execute(
                f"SELECT DISTINCT link FROM {rows} AS stray "  # noqa: S608 - constants
                "WHERE NOT EXISTS (SELECT 1 FROM link WHERE id = stray.link) "
                f"LIMIT {DAMAGES_MAX}"
            )
        ]
    return found


def _holds_segments(db: sqlite3.Connection) -> bool:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version >= _WITH_SEGMENTS


@contextmanager
def _translated() -> Iterator[None]:
    """A driver's errors in the port's terms."""
    try:
        yield
    except DRIVER_ERRORS as error:
        raise FILE.judged(error) from None
