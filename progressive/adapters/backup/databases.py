"""SQLite files of a data directory as they are at one moment, copied page by page.

The pages are read within one read transaction, or a copy would begin again whenever somebody has
written in between, and under a busy writer never end. A WAL's writer goes on meanwhile; writers of
`people.sqlite3` wait for milliseconds, so that file is read in one step. Not a byte of the source
changes (`sqlite/read_only`).
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from progressive.adapters.backup.manifest import BackedUpLink
from progressive.adapters.durable import FILE_MODE, sum_of, sync_file
from progressive.adapters.sqlite import journal_file, people_file
from progressive.adapters.sqlite.file import DRIVER_ERRORS, StoreFile
from progressive.adapters.sqlite.read_only import (
    open_read_only,
    open_wal_unchanged,
    private_copy,
)
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalEnd, StoreUnavailableError
from progressive.application.journal.segments import FileSum, Segment
from progressive.application.people.act_log import ActRecord, decode_act
from progressive.common.steps import step
from progressive.domain.ids import LinkId

PIECE_PAGES: Final = 256
"""A mebibyte in pages of 4 KiB."""
_ACT: Final = "SELECT body FROM act WHERE seq = ?"
_segments = msgspec.json.Decoder(Segment)


class JournalView(Struct, frozen=True):
    """What a journal file speaks of."""

    links: tuple[BackedUpLink, ...]
    segments: tuple[Segment, ...]


def copy_wal_file(file: StoreFile, data: Path, target: Path) -> FileSum:
    """The file with what its `-wal` holds; synced. Raises ChangedMeanwhileError."""
    with _translated(file), open_wal_unchanged(file, data) as db:
        file.refuse_newer(db)
        if _is_mostly_free(db):
            _copy_content(db, target)
        else:
            _copy_pages(db, target, pages=PIECE_PAGES)
    sync_file(target)
    return sum_of(target)


def copy_people(data: Path, target: Path) -> FileSum:
    """The people file; what a killed writer left half done is rolled back in the copy."""
    file = people_file.FILE
    path = data / file.name
    with _translated(file):
        try:
            with closing(open_read_only(path, busy_seconds=file.busy_seconds)) as db:
                file.refuse_newer(db)
                _copy_pages(db, target)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "") != "SQLITE_READONLY_ROLLBACK":
                raise
            target.unlink(missing_ok=True)
            with (
                private_copy(path) as copy,
                closing(open_read_only(copy, how="mode=rw")) as db,
            ):
                _copy_pages(db, target)
    sync_file(target)
    return sum_of(target)


def _is_mostly_free(db: sqlite3.Connection) -> bool:
    """Most of its pages hold nothing: their records have moved into segments."""
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    return bool(free * 2 > pages)


def _copy_content(db: sqlite3.Connection, target: Path) -> None:
    """Without the free pages, as the file is at this moment."""
    with _made(target):
        step(f"write {target.name}")
        db.execute("ROLLBACK")
        db.execute("VACUUM INTO ?", (str(target),))


@contextmanager
def _made(target: Path) -> Iterator[int]:
    """A new file, open until SQLite has closed it: closing it drops SQLite's locks on it."""
    step(f"make {target.name}")
    file = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        yield file
    finally:
        os.close(file)


def _copy_pages(db: sqlite3.Connection, target: Path, *, pages: int = -1) -> None:
    """`pages`: how many at a time, each piece synced; of a connection within a transaction."""
    with _made(target) as file, closing(sqlite3.connect(target, isolation_level=None)) as made:
        # It is synced as a whole afterwards, once the source is free again.
        made.execute("PRAGMA journal_mode = OFF")
        made.execute("PRAGMA synchronous = OFF")
        step(f"write {target.name}")
        if pages < 0:
            db.backup(made)
        else:
            # One large sync at the end would hold up the commits of a service on this disk.
            db.backup(made, pages=pages, progress=lambda *_: os.fdatasync(file))


def read_view(folder: Path) -> JournalView:
    """What the copy of a journal file in a folder speaks of; nobody else may write it."""
    with _unopened(folder) as db:
        segments = tuple(_segment(*row) for row in _rows_of_segments(db))
        links = tuple(
            BackedUpLink(
                link=LinkId(link),
                last_seq=seq,
                head=head,
                at=_last_at(db, LinkId(link), segments),
                segments=sum(segment.link == link for segment in segments),
            )
            for link, seq, head in db.execute(
                "SELECT id, seq, head FROM link WHERE seq > 0 ORDER BY id"
            )
        )
    return JournalView(links, segments)


def journal_ends(data: Path) -> dict[LinkId, JournalEnd]:
    """Where each journal of a data directory ends, as its file says; nothing changes there.

    Raises StoreCorruptError where the file cannot be read.
    """
    file = journal_file.FILE
    with _translated(file, judged=True), open_wal_unchanged(file, data) as db:
        file.refuse_newer(db)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'link'").fetchall():
            return {}
        return {
            LinkId(str(link)): JournalEnd(int(seq), str(head))
            for link, seq, head in db.execute("SELECT id, seq, head FROM link WHERE seq > 0")
        }


def acts_missing(data: Path, copy: Path) -> list[ActRecord]:
    """What stands in the act log of one folder and not in that of another, newest first.

    Records are chained: below the first one that both have, all are the same.
    """
    missing: list[ActRecord] = []
    with _acts_of(data) as acts, _acts_of(copy) as known:
        if acts is None:
            return []
        for seq, body in acts.execute("SELECT seq, body FROM act ORDER BY seq DESC"):
            there = None if known is None else known.execute(_ACT, (seq,)).fetchone()
            if there == (body,):
                break
            missing.append(decode_act(people_file.FILE.as_bytes(body, f"act {seq}")))
    return missing


@contextmanager
def _acts_of(data: Path) -> Iterator[sqlite3.Connection | None]:
    """The people file of a folder to ask for acts; None where it holds no act log."""
    path = data / people_file.FILE_NAME
    if not path.is_file():
        yield None
        return
    with (
        _translated(people_file.FILE),
        private_copy(path) as copy,
        closing(open_read_only(copy, how="mode=rw")) as db,
    ):
        there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'act'").fetchall()
        yield db if there else None


def _rows_of_segments(db: sqlite3.Connection) -> list[tuple[object, object, object]]:
    """None where the file is of a version that had no segments."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'segment'").fetchall():
        return []
    return db.execute("SELECT link, number, body FROM segment ORDER BY link, number").fetchall()


def _segment(link: object, number: object, body: object) -> Segment:
    row = f"segment row {number} of {link}"
    try:
        return _segments.decode(journal_file.FILE.as_bytes(body, row))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise journal_file.FILE.damaged(f"{row}: {error}") from None


def _last_at(db: sqlite3.Connection, link: LinkId, segments: tuple[Segment, ...]) -> str:
    row = db.execute(
        "SELECT first_seq, body FROM batch WHERE link = ? ORDER BY first_seq DESC LIMIT 1", (link,)
    ).fetchone()
    if row is not None:
        return finding(journal_file.unpack(*row)[-1]).at
    return max((each.last_at for each in segments if each.link == link), default="")


@contextmanager
def _unopened(folder: Path) -> Iterator[sqlite3.Connection]:
    """A journal file that nobody has open and nothing lies beside."""
    path = folder / journal_file.FILE_NAME
    with (
        _translated(journal_file.FILE),
        closing(open_read_only(path, how="mode=ro&immutable=1")) as db,
    ):
        yield db


@contextmanager
def _translated(file: StoreFile, *, judged: bool = False) -> Iterator[None]:
    try:
        yield
    except DRIVER_ERRORS as error:
        raise (file.judged(error) if judged else file.translated(error)) from None
    except (msgspec.DecodeError, IndexError, TypeError) as error:
        raise file.damaged(str(error)) from None
    except OSError as error:
        raise StoreUnavailableError(f"{file.name}: {error.strerror}") from error
