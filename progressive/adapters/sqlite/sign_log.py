"""The sign log's writer: a thread of its own, a small commit a second, packed blocks now and then.

It shares nothing with the journal: no file, no thread, no lock. Where the file cannot be written,
entries wait in memory, the oldest are let go once there are too many, and `problem` says why;
nothing else notices.

Entries of signs without a key may be anybody's. They wait in a line of their own, and a file that
has reached its size gives up the oldest of them, then refuses new ones: strangers never cost an
entry of a sign that has a key.
"""

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from progressive.adapters.sqlite.sign_blocks import BlockBuilder
from progressive.adapters.sqlite.sign_log_file import (
    DRIVER_ERRORS,
    FILE,
    TailEntry,
    open_to_write,
    read_tail,
    tail_row,
)
from progressive.application.journal.ports import StoreError
from progressive.application.signs.reports import SignEntry

log = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 1.0
"""A crash loses what came since the last flush: at most this and the time of a commit."""
BLOCK_SECONDS: Final = 300.0
CUT_AFTER_MS: Final = 1_000
WAITING_MAX: Final = 100_000
"""Entries held while the file cannot be written: minutes of a large floor. So many of signs with
keys, and so many of the others."""
DAY_SECONDS: Final = 86_400
_DAY_MS: Final = DAY_SECONDS * 1000
PRUNED_AT_A_TIME: Final = 2_000
FULL_PERCENT: Final = 90
"""From here on room is made: SQLite writes some pages more before the next look."""


class SqliteSignLog:
    """`application.signs.reports.SignLog`."""

    def __init__(
        self,
        directory: Path,
        *,
        days: int,
        max_bytes: int,
        flush_seconds: float = FLUSH_SECONDS,
        block_seconds: float = BLOCK_SECONDS,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._directory = directory
        self._days = days
        self._max_bytes = max_bytes
        self._flush_seconds = flush_seconds
        self._block_seconds = block_seconds
        self._wall = wall
        self._began_ms = int(wall() * 1000)
        # Appended to by the loop, taken from by the thread; each step of a deque is atomic.
        self._waiting: deque[TailEntry] = deque()
        self._waiting_anonymous: deque[TailEntry] = deque()
        self._connection: sqlite3.Connection | None = None
        self._open_blocks: dict[tuple[str, str], BlockBuilder] = {}
        self._anonymous: set[tuple[str, str]] = set()
        """Of the open blocks: those without any entry of a sign with a key."""
        self._full = False
        self._recovered = False
        self._blocks_began = 0.0
        self._prune_at = 0.0
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._problem: str | None = None
        self.kept = 0
        """Entries written since the start."""
        self.lost = 0
        """Entries dropped since the start: the file could not be written, or was full."""

    @property
    def problem(self) -> str | None:
        """Why nothing is kept at present; None while all is well."""
        return self._problem

    def note(self, sign: str, link: str, entry: SignEntry, *, keyed: bool) -> None:
        """One more entry; never waits."""
        waiting = self._waiting if keyed else self._waiting_anonymous
        waiting.append(TailEntry(sign, link, entry, keyed))
        if len(waiting) > WAITING_MAX:
            waiting.popleft()
            self.lost += 1

    def start(self) -> None:
        """Begin to write."""
        self._thread = threading.Thread(
            target=self._write_forever, name="sign-log-writer", daemon=True
        )
        self._thread.start()

    async def close(self) -> None:
        """Write what waits and let go of the file."""
        self._stopping.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    # --- in the writer's thread ----------------------------------------------------------------

    def _write_forever(self) -> None:
        while not self._stopping.wait(self._flush_seconds):
            self._turn()
        self._turn(last=True)
        self._disconnect()

    def _turn(self, *, last: bool = False) -> None:
        try:
            db = self._connected()
            self._make_room(db)
            self._flush(db)
            if last or time.monotonic() - self._blocks_began >= self._block_seconds:
                self._store_blocks(db)
            self._prune(db)
        except (*DRIVER_ERRORS, StoreError, OSError) as error:
            self._fail(error)
        else:
            problem = self._full_in_words() if self._full else None
            if self._problem is not None and problem is None:
                log.warning("sign log writable again")
            elif self._problem != problem:
                log.error("the sign log is full", extra={"why": problem})
            self._problem = problem

    def _full_in_words(self) -> str:
        mib = self._max_bytes // 2**20
        return f"the sign log has {mib} MiB: reports of signs without a key are not stored"

    def _fail(self, error: Exception) -> None:
        reason = str(error if isinstance(error, StoreError) else FILE.translated(error))
        if self._problem != reason:
            log.error("the sign log cannot be kept", extra={"why": reason})
        self._problem = reason
        # What the connection believes of the file can no longer be trusted: start from the disk.
        self._disconnect()

    # --- the size of the file -------------------------------------------------------------------

    def _make_room(self, db: sqlite3.Connection) -> None:
        """Of a file near its size, the oldest of what anybody may have written goes first."""
        limit_bytes = self._max_bytes * FULL_PERCENT // 100
        if _used_bytes(db) < limit_bytes:
            self._full = False
            return
        removed = db.execute(
            "DELETE FROM block WHERE rowid IN "
            "(SELECT rowid FROM block WHERE keyed = 0 ORDER BY rowid LIMIT ?)",
            (PRUNED_AT_A_TIME,),
        ).rowcount
        self._full = removed == 0

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            db = open_to_write(self._directory)
            try:
                self._open_blocks, self._anonymous = {}, set()
                for each in read_tail(db):
                    self._add(each)
                if not self._recovered:
                    # An earlier life left these: it ended without a word.
                    self._cut()
                    self._store_blocks(db)
                    self._recovered = True
            except BaseException:
                db.close()
                raise
            self._connection = db
        return self._connection

    def _cut(self) -> None:
        for block in self._open_blocks.values():
            if block.last_kind not in ("gone", "cut"):
                # A sign reports every second: that long its last report still speaks for it. But
                # not beyond this life's beginning: from then on the signs speak for themselves.
                at_ms = min(block.last_ms + CUT_AFTER_MS, self._began_ms)
                block.add(SignEntry(max(at_ms, block.last_ms), "cut"))

    def _add(self, each: TailEntry) -> None:
        of_sign = (each.sign, each.link)
        block = self._open_blocks.get(of_sign)
        if block is None:
            block = self._open_blocks[of_sign] = BlockBuilder()
            self._anonymous.add(of_sign)
        if each.keyed:
            self._anonymous.discard(of_sign)
        block.add(each.entry)

    def _flush(self, db: sqlite3.Connection) -> None:
        """What waits, as one row; it is let go of only once it is committed."""
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        anonymous = [self._waiting_anonymous.popleft() for _ in range(len(self._waiting_anonymous))]
        if self._full:
            self.lost += len(anonymous)
            anonymous = []
        if not batch and not anonymous:
            return
        try:
            db.execute("INSERT INTO tail (body) VALUES (?)", (tail_row(batch + anonymous),))
        except BaseException:
            self._waiting.extendleft(reversed(batch))
            self._waiting_anonymous.extendleft(reversed(anonymous))
            raise
        batch += anonymous
        for each in batch:
            self._add(each)
        self.kept += len(batch)

    def _store_blocks(self, db: sqlite3.Connection) -> None:
        self._blocks_began = time.monotonic()
        if not self._open_blocks:
            return
        rows = [
            (
                sign,
                link,
                block.first_ms,
                block.last_ms,
                block.packed(),
                (sign, link) not in self._anonymous,
            )
            for (sign, link), block in self._open_blocks.items()
        ]
        db.execute("BEGIN IMMEDIATE")
        db.executemany(
            "INSERT INTO block (sign, link, first_ms, last_ms, body, keyed) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )
        db.execute("DELETE FROM tail")
        db.execute("COMMIT")
        self._open_blocks, self._anonymous = {}, set()

    def _prune(self, db: sqlite3.Connection) -> None:
        """Once a day: what is older than the floor wants it kept. Its room is used again."""
        if time.monotonic() < self._prune_at:
            return
        before_ms = int(self._wall() * 1000) - self._days * _DAY_MS
        # The oldest come first by their number, so that only they are looked at.
        pruned = db.execute(
            "DELETE FROM block WHERE last_ms < ? "
            "AND rowid IN (SELECT rowid FROM block ORDER BY rowid LIMIT ?)",
            (before_ms, PRUNED_AT_A_TIME),
        ).rowcount
        if pruned < PRUNED_AT_A_TIME:
            self._prune_at = time.monotonic() + DAY_SECONDS

    def _disconnect(self) -> None:
        if self._connection is not None:
            try:
                self._connection.close()
            except sqlite3.Error:
                log.exception("closing the sign log failed")
            self._connection = None


def _used_bytes(db: sqlite3.Connection) -> int:
    """The file without the pages that are free to be used again."""
    used, page_bytes = (
        db.execute(
            "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
        ).fetchone()[0],
        db.execute("PRAGMA page_size").fetchone()[0],
    )
    return int(used) * int(page_bytes)
