"""COLD. The open part of a journal file at one moment: what `adapters/segments` joins from.

The service reads beside its own writer. Another process reads with `unchanged`: no byte and no
name in the data directory changes, whether a service runs, has stopped or was killed.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from progressive.adapters.segments.live_part import MovedBatch
from progressive.adapters.sqlite.file import DRIVER_ERRORS
from progressive.adapters.sqlite.journal_file import FILE, unpack, unpack_whole
from progressive.adapters.sqlite.read_only import open_wal_beside_writer, open_wal_unchanged
from progressive.application.journal.finding import stretch
from progressive.application.journal.ports import JournalEnd, StoredSnapshot
from progressive.application.journal.record import GENESIS
from progressive.application.journal.segments import Segment
from progressive.domain.ids import LinkId

READ_BATCHES: Final = 64
"""Rows fetched at a time."""
READ_BYTES: Final = 1 << 20
"""Read before a chunk is handed over, where rows are small: a start reads through all of the open
part, and handing over takes longer than reading."""
TEXTS_MAX: Final = 100
"""More texts than SQLite takes in one question are not looked for: all rows come."""
_LOOK_UP_EVERY: Final = 1_000
"""Steps of SQLite's between two looks whether a search is still wanted: some hundred rows."""

_FROM: Final = (
    "link = ? AND first_seq >= coalesce("
    "(SELECT max(first_seq) FROM batch WHERE link = ? AND first_seq <= ?), 0)"
)
"""From the batch on that holds a record: found by the primary key, not by walking there."""
_ENDLESS: Final = 2**63 - 1

_segment_decoder = msgspec.json.Decoder(Segment)


class JournalView:
    """Implements `LiveView` within one read transaction."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def links(self) -> Sequence[LinkId]:
        """Every link that has a record."""
        return [
            LinkId(row[0])
            for row in self._db.execute("SELECT id FROM link WHERE seq > 0 ORDER BY id")
        ]

    def journal_end(self, link: LinkId) -> JournalEnd:
        """Where the journal ends."""
        row = self._db.execute("SELECT seq, head FROM link WHERE id = ?", (link,)).fetchone()
        return JournalEnd(0, GENESIS) if row is None else JournalEnd(*row)

    def newest_segment(self, link: LinkId) -> int:
        """One look at the primary key."""
        query = "SELECT coalesce(max(number), 0) FROM segment WHERE link = ?"
        number = self._db.execute(query, (link,)).fetchone()[0]
        if not isinstance(number, int):
            raise FILE.damaged(f"a segment row of {link} has the number {number!r}")
        return number

    def segments(self, link: LinkId, *, after_number: int = 0) -> Sequence[Segment]:
        """The rows behind a number."""
        rows = self._db.execute(
            "SELECT number, last_seq, body FROM segment WHERE link = ? AND number > ? "
            "ORDER BY number",
            (link, after_number),
        )
        return [_segment(link, *row) for row in rows]

    def record(self, link: LinkId, seq: int) -> bytes | None:
        """One record: the batch it is in is found by the primary key."""
        row = self._db.execute(
            "SELECT first_seq, body FROM batch "
            "WHERE link = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1",
            (link, seq),
        ).fetchone()
        if row is None:
            return None
        first_seq, body = row
        records = unpack(first_seq, body)
        return records[seq - first_seq] if seq - first_seq < len(records) else None

    def stretch(
        self,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int | None = None,
        texts: Collection[bytes] = (),
    ) -> Iterator[list[bytes]]:
        """Records in order. SQLite looks through the batches for the texts, off Python's lock."""
        holding, needles = _holding(texts)
        last = _ENDLESS if until_seq is None else until_seq
        rows = self._db.execute(
            f"SELECT first_seq, last_seq, body FROM batch WHERE {_FROM} AND first_seq <= ? "  # noqa: S608 - constants
            f"{holding} ORDER BY first_seq",
            (link, link, after_seq + 1, last, *needles),
        )
        # A row that holds a text comes at once: the next one may be far.
        while chunk := rows.fetchmany(1) if holding else _fetched(rows):
            yield [
                record
                for first_seq, last_seq, body in chunk
                for record in stretch(
                    unpack_whole(first_seq, last_seq, body),
                    first_seq,
                    after_seq=after_seq,
                    until_seq=until_seq,
                )
            ]

    def moved(self, link: LinkId, *, after_seq: int, until_seq: int) -> Iterator[MovedBatch]:
        """The batches that begin in a stretch: found by the primary key."""
        for first_seq, last_seq, epoch, body in self._db.execute(
            "SELECT first_seq, last_seq, epoch, body FROM batch "
            "WHERE link = ? AND first_seq > ? AND first_seq <= ? ORDER BY first_seq",
            (link, after_seq, until_seq),
        ):
            records = unpack_whole(first_seq, last_seq, body)
            yield MovedBatch(first_seq, last_seq, epoch, records)

    def stretch_back(
        self, link: LinkId, *, before_seq: int, after_seq: int
    ) -> Iterator[list[bytes]]:
        """The same, newest first."""
        rows = self._db.execute(
            f"SELECT first_seq, body FROM batch WHERE {_FROM} AND first_seq < ? "  # noqa: S608 - constants
            "ORDER BY first_seq DESC",
            (link, link, after_seq + 1, before_seq),
        )
        until_seq = before_seq - 1
        while chunk := rows.fetchmany(READ_BATCHES):
            yield [
                record
                for first_seq, body in chunk
                for record in reversed(
                    stretch(
                        unpack(first_seq, body), first_seq, after_seq=after_seq, until_seq=until_seq
                    )
                )
            ]

    def load_snapshot(self, link: LinkId, *, until_seq: int | None = None) -> StoredSnapshot | None:
        """The newest saved state, or the newest up to a record."""
        row = self._db.execute(
            "SELECT seq, body FROM snapshot WHERE link = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
            (link, _ENDLESS if until_seq is None else until_seq),
        ).fetchone()
        if row is None:
            return None
        seq, body = row
        return StoredSnapshot(seq=seq, body=FILE.as_bytes(body, "the snapshot"))

    def snapshots(self, link: LinkId) -> Sequence[int]:
        """The records after which a state was saved."""
        query = "SELECT seq FROM snapshot WHERE link = ? ORDER BY seq"
        return [row[0] for row in self._db.execute(query, (link,))]


class JournalFileViews:
    """Implements `LivePart`: views of the journal file in a data directory."""

    def __init__(self, directory: Path, *, unchanged: bool) -> None:
        self._directory = directory
        self._opened = open_wal_unchanged if unchanged else open_wal_beside_writer

    @contextmanager
    def view(self, stopped: Callable[[], bool]) -> Iterator[JournalView]:
        """The file now; an empty journal where there is none."""
        if not (self._directory / FILE.name).exists():
            with closing(FILE.empty()) as db:
                yield JournalView(db)
            return
        try:
            with self._opened(FILE, self._directory) as db:
                db.set_progress_handler(stopped, _LOOK_UP_EVERY)
                version = FILE.refuse_newer(db)
                # A file of no bytes, or one whose making was cut short, holds no journal.
                if not version:
                    with closing(FILE.empty()) as empty:
                        yield JournalView(empty)
                    return
                if version == 1:
                    # Written by a version that had no segments.
                    db.execute("CREATE TEMP TABLE segment (link, number, last_seq, body)")
                yield JournalView(db)
        except DRIVER_ERRORS as error:
            raise FILE.translated(error) from error


def _fetched(rows: sqlite3.Cursor) -> list[tuple[int, int, bytes]]:
    fetched: list[tuple[int, int, bytes]] = []
    size = 0
    while size < READ_BYTES and (some := rows.fetchmany(READ_BATCHES)):
        fetched += some
        size += sum([len(body) for _, _, body in some if isinstance(body, bytes)])
    return fetched


def _holding(texts: Collection[bytes]) -> tuple[str, Collection[bytes]]:
    if not texts or len(texts) > TEXTS_MAX:
        return "", ()
    return f"AND ({' OR '.join(['instr(body, ?) > 0'] * len(texts))})", texts


def _segment(link: LinkId, number: int, last_seq: int, body: object) -> Segment:
    try:
        segment = _segment_decoder.decode(FILE.as_bytes(body, f"segment row {number}"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FILE.damaged(f"segment row {number} of {link}: {error}") from None
    if (segment.link, segment.number, segment.last_seq) != (link, number, last_seq):
        raise FILE.damaged(f"segment row {number} of {link} speaks of another segment")
    return segment
