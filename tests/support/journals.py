"""Real journals in real files, and the hand that tampers with them.

A journal is written by the service's own worker and store. `JournalFile.forge` then changes
records as a clever thief or a bug in the writer would: everything after them is hashed anew, so
that only someone who does the sums again can see it.
"""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.domain.commands import TableCommand, Wager
from progressive.domain.ids import BetId, LinkId, TableId
from progressive.domain.rejections import Refusal
from progressive.domain.rulebook.rules import LinkRules
from progressive.verifier.reading.journal_audit import audit_journal
from progressive.verifier.reading.journal_file import open_journal
from progressive.verifier.reading.segment_files import SegmentFiles
from progressive.verifier.report import LinkReport
from progressive.verifier.rules.guard import Remembered
from tests.support.builders import (
    BJ1,
    BJ2,
    BJ3,
    LINK,
    MAJOR,
    MINOR,
    Desk,
    a_bet,
    a_buster,
    a_desk,
    a_link,
    a_lock,
    a_meter,
    a_settle,
    a_void,
    kill,
    wagers,
)
from tests.support.fake_clock import FakeClock

LIMIT_CENTS = 100_200
"""Two dollars above the Mega's start: full after four wagers at half a dollar each."""

Row = dict[str, Any]


def audited_link(link: str = LINK) -> LinkRules:
    """Three meters, one with a limit that is soon reached, and a bet without meters."""
    mega = a_meter(
        "mega",
        rate_ppm=100_000,
        reset_rate_ppm=10_001,
        initial_cents=100_000,
        limit_cents=LIMIT_CENTS,
    )
    return a_link(id=LinkId(link), bets=(a_bet(meters=(mega, MAJOR, MINOR)), a_buster()))


def a_buster_wager(seat: int, amount_cents: int = 700, **changes: object) -> Wager:
    return msgspec.structs.replace(
        Wager(seat=seat, bet=BetId("buster"), amount_cents=amount_cents, base_cents=2_500),
        **changes,
    )


async def write_journal(directory: Path, *, link: str = LINK) -> "JournalFile":
    """Two days of a small pit: the first ends with a checkpoint, the second with a crash.

    | seq | what |
    |---|---|
    | 1 | link_opened |
    | 2, 3 | BJ-01 locks two chips and a coupon, settles with cards |
    | 4, 5 | BJ-02 locks four chips, which fill the Mega, and voids |
    | 6, 7 | BJ-03 locks seven chips, beyond the Mega's limit, settles |
    | 8, 9 | BJ-01 locks a round without wagers, settles |
    | 10 | BJ-02 locks both bets, chips and coupons; it is still open at the end of the day |
    | 11 | checkpointed, with a snapshot at 10 |
    | 12, 13 | BJ-01 locks one coupon, settles |
    | 14 | BJ-02 voids its round of yesterday |
    | 15 | BJ-03 locks two chips, above the Mega's limit; open at the end |
    """
    rules = audited_link(link)
    store = SqliteStore(directory)
    clock = FakeClock()
    async with a_desk(store, rules, clock=clock) as desk:
        await _accepted(desk, clock, BJ1, a_lock(1, wagers=_chips_and_coupon()))
        await _accepted(
            desk,
            clock,
            BJ1,
            a_settle(2, seats={1: "2h 9d Kc", 2: "3h Td", 3: "4s 4d"}, dealer="Ts 7d"),
        )
        await _accepted(desk, clock, BJ2, a_lock(1, wagers=wagers(1, 2, 3, 4)))
        await _accepted(desk, clock, BJ2, a_void(2, reason="card exposed — ärgerlich"))
        await _accepted(desk, clock, BJ3, a_lock(1, wagers=wagers(1, 2, 3, 4, 5, 6, 7)))
        await _accepted(desk, clock, BJ3, a_settle(2))
        # Two messages in one batch.
        both = desk.send(a_lock(3, wagers=()), a_settle(4), table=BJ1)
        assert [answered.seq for answered in await both.wait_for(2)] == [3, 4]
        mixed = [*wagers(1, 5), *wagers(3, tender="coupon"), a_buster_wager(1)]
        mixed.append(a_buster_wager(3, 300, tender="coupon"))
        await _accepted(desk, clock, BJ2, a_lock(3, wagers=mixed))
    desk = Desk(rules, store, clock)
    await desk.worker.start()
    await _accepted(desk, clock, BJ1, a_lock(5, wagers=wagers(7, tender="coupon")))
    await _accepted(desk, clock, BJ1, a_settle(6))
    await _accepted(desk, clock, BJ2, a_void(4, round="r3"))
    await _accepted(desk, clock, BJ3, a_lock(3, wagers=wagers(2, 4)))
    await kill(desk)
    await store.close()
    return JournalFile(directory, link=link)


def _chips_and_coupon() -> list[Wager]:
    return [*wagers(1, 2), *wagers(3, tender="coupon")]


async def _accepted(desk: Desk, clock: FakeClock, table: TableId, command: TableCommand) -> None:
    clock.advance(17.5)
    answered = await desk.ask(command, table=table)
    assert answered.answer is not None
    assert not isinstance(answered.answer, Refusal), answered.answer


class JournalShelf:
    """One good journal, written once; every test gets a copy of its own to spoil."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir()
        self.journal = asyncio.run(write_journal(directory))

    def copy_to(self, directory: Path) -> "JournalFile":
        shutil.copytree(self.directory, directory)
        return JournalFile(directory)


class StoredRow(Struct):
    """One row of the batches."""

    first_seq: Any
    last_seq: Any
    epoch: Any
    body: Any


class JournalFile:
    """A link's journal in a file, open to every kind of mischief."""

    def __init__(self, directory: Path, *, link: str = LINK) -> None:
        self.directory = directory
        self.link = link
        self.path = directory / FILE_NAME

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Anything, committed at once; no rule of the file is kept."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            db.execute("PRAGMA foreign_keys = OFF")
            return db.execute(sql, values).fetchall()

    def rows(self) -> list[StoredRow]:
        return [
            StoredRow(*row)
            for row in self.execute(
                "SELECT first_seq, last_seq, epoch, body FROM batch WHERE link = ? "
                "ORDER BY first_seq",
                self.link,
            )
        ]

    def lines(self) -> list[bytes]:
        """Every record as stored."""
        return [line for row in self.rows() for line in row.body.splitlines()]

    def records(self) -> list[Row]:
        """Every record, as plain values."""
        return [msgspec.json.decode(line) for line in self.lines()]

    def verified(self, remembered: Remembered | None = None) -> LinkReport:
        """What the verifier says of the link."""
        with open_journal(self.directory) as journal:
            for row, stored in journal.links():
                if stored.link == self.link:
                    return audit_journal(
                        journal.live(row),
                        SegmentFiles(self.directory / "segments"),
                        on_progress=lambda _: None,
                        remembered=remembered,
                    )
        raise AssertionError(f"no link {self.link}")

    def forge(self, change: Callable[[list[Row]], object]) -> None:
        """Change records as plain values; seq and chain are made to fit again."""
        records = self.records()
        change(records)
        self.store([msgspec.json.encode(record) for record in _chained(records)])

    def store(self, lines: list[bytes]) -> None:
        """Put these lines into the batches there are, the last one taking what is left."""
        rows = self.rows()
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            db.execute("BEGIN")
            db.execute("DELETE FROM batch WHERE link = ?", (self.link,))
            done = 0
            for row in rows:
                last = len(lines) if row is rows[-1] else min(row.last_seq, len(lines))
                if last > done:
                    body = b"".join(line + b"\n" for line in lines[done:last])
                    db.execute(
                        "INSERT INTO batch VALUES (?, ?, ?, ?, ?)",
                        (self.link, done + 1, last, row.epoch, body),
                    )
                done = last
            db.execute(
                "UPDATE link SET seq = ?, head = ? WHERE id = ?",
                (len(lines), sha256(lines[-1]).hexdigest() if lines else "0" * 64, self.link),
            )
            db.execute("COMMIT")

    def forge_snapshot(self, change: Callable[[Row], object]) -> None:
        """Change the snapshot, and the record that vouches for it."""
        seq, body = self.execute("SELECT seq, body FROM snapshot WHERE link = ?", self.link)[0]
        kept = msgspec.json.decode(body)
        change(kept)
        self.replace_snapshot(seq, msgspec.json.encode(kept))

    def replace_snapshot(self, seq: int, body: bytes) -> None:
        self.execute("UPDATE snapshot SET body = ? WHERE link = ?", body, self.link)

        def vouch(records: list[Row]) -> None:
            records[seq]["event"]["state_digest"] = sha256(body).hexdigest()

        self.forge(vouch)


def _chained(records: list[Row]) -> list[Row]:
    prev = "0" * 64
    for record in records:
        record["prev"] = prev
        prev = sha256(msgspec.json.encode(record)).hexdigest()
    return records


def without_promise(records: list[Row]) -> None:
    """As a version wrote it that did not promise that times never go back."""
    for record in records:
        record["event"].pop("times_hold", None)
