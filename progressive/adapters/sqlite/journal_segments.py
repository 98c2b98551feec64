"""COLD. What the writer's connection does about closed segments: it adopts one, and removes from
the file what segments hold. Never called within a batch.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from progressive.adapters.sqlite.file import transaction
from progressive.adapters.sqlite.journal_view import JournalView
from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.segments import Segment, refused_as_next
from progressive.domain.ids import LinkId


def adopt(db: sqlite3.Connection, segment: Segment, epoch: int) -> None:
    """Enter a segment where it is the next one of the link; raises StoreConflictError otherwise."""
    link = segment.link
    with transaction(db):
        row = db.execute("SELECT epoch FROM link WHERE id = ?", (link,)).fetchone()
        if row is None or row[0] != epoch:
            raise StoreConflictError(f"{link} is at epoch {row[0] if row else 0}, not {epoch}")
        view = JournalView(db)
        before = view.segments(link, after_number=view.newest_segment(link) - 1)
        why = refused_as_next(
            segment, before[-1] if before else None, last=view.record(link, segment.last_seq)
        )
        if why is not None:
            raise StoreConflictError(f"{link}: segment {segment.number} cannot be adopted: {why}")
        db.execute(
            "INSERT INTO segment (link, number, last_seq, body) VALUES (?, ?, ?, ?)",
            (link, segment.number, segment.last_seq, msgspec.json.encode(segment)),
        )


def mark_purged(
    db: sqlite3.Connection, link: LinkId, epoch: int, until_number: int, at: str
) -> None:
    """Mark the segments up to a number as purged, those that are not yet."""
    with transaction(db):
        row = db.execute("SELECT epoch FROM link WHERE id = ?", (link,)).fetchone()
        if row is None or row[0] != epoch:
            raise StoreConflictError(f"{link} is at epoch {row[0] if row else 0}, not {epoch}")
        for segment in JournalView(db).segments(link):
            if segment.number <= until_number and segment.purged is None:
                marked = msgspec.structs.replace(segment, purged=at)
                db.execute(
                    "UPDATE segment SET body = ? WHERE link = ? AND number = ?",
                    (msgspec.json.encode(marked), link, segment.number),
                )


@contextmanager
def _commits_not_synced(db: sqlite3.Connection) -> Iterator[None]:
    """For commits that nobody is told of. Where `FULL` cannot be set again it raises, and the
    connection is dropped."""
    db.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        db.execute("PRAGMA synchronous = FULL")


def trim(db: sqlite3.Connection, link: LinkId, batches_max: int) -> bool:
    """Remove some batches that segments hold whole, and one snapshot; whether more are left.

    It looks at none of them: what lay there when the process started was compared before.

    An append that comes meanwhile waits, so this commit is not synced: a sync takes ten times as
    long as the rest of it. After a power cut the batches are there once more and are removed again.
    The next append syncs the whole WAL, and SQLite does before it moves the WAL into the file.
    """
    with _commits_not_synced(db), transaction(db):
        row = db.execute(
            "SELECT last_seq FROM segment WHERE link = ? ORDER BY number DESC LIMIT 1", (link,)
        ).fetchone()
        if row is None:
            return False
        (seam,) = row
        # Bounded by the key as well, so that the open part is not walked through.
        removable = "link = :link AND first_seq <= :seam AND last_seq <= :seam"
        values = {"link": link, "seam": seam, "most": batches_max}
        db.execute(
            f"DELETE FROM batch WHERE rowid IN (SELECT rowid FROM batch WHERE {removable} "  # noqa: S608 - constants
            "ORDER BY first_seq LIMIT :most)",
            values,
        )
        # Never the newest one: a start replays from it.
        old = (
            "link = :link AND seq < :seam AND seq < (SELECT max(seq) FROM snapshot "
            "WHERE link = :link)"
        )
        db.execute(
            f"DELETE FROM snapshot WHERE link = :link AND seq = "  # noqa: S608 - constants
            f"(SELECT min(seq) FROM snapshot WHERE {old})",
            values,
        )
        left = db.execute(
            f"SELECT EXISTS (SELECT 1 FROM batch WHERE {removable}) "  # noqa: S608 - constants
            f"OR EXISTS (SELECT 1 FROM snapshot WHERE {old})",
            values,
        ).fetchone()
    return bool(left[0])
