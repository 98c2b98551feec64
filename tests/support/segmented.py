"""Journals whose older part lies in closed segments, and the hand that spoils these."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from progressive.adapters.segments.files import SegmentFiles
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.application.journal.segments import Segment
from progressive.application.link import appender
from progressive.domain.ids import LinkId
from progressive.domain.rulebook.rules import LinkRules
from tests.support.archived import DAYS, close_at
from tests.support.builders import LINK, a_desk, a_link, a_lock, a_settle


class SegmentedJournal:
    """A data directory with closed segments, open to every kind of mischief."""

    def __init__(self, data: Path, link: LinkId = LINK) -> None:
        self.data = data
        self.link = link
        self.folder = data / "segments" / link

    def copy_to(self, data: Path) -> "SegmentedJournal":
        shutil.copytree(self.data, data)
        return SegmentedJournal(data, self.link)

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.data / FILE_NAME, isolation_level=None)) as db:
            return db.execute(sql, values).fetchall()

    def segments(self) -> list[Segment]:
        rows = self.execute("SELECT body FROM segment WHERE link = ? ORDER BY number", self.link)
        return [msgspec.json.decode(body, type=Segment) for (body,) in rows]

    def file(self, number: int, ending: str = ".jsonl.gz") -> Path:
        """One of a segment's files; the day in its name is that of the records' clock."""
        days = {path.name[7:17] for path in self.folder.glob(f"{number:06}-*")}
        assert len(days) == 1, days
        return self.folder / f"{number:06}-{days.pop()}{ending}"

    def edit_row(self, number: int, **changes: object) -> None:
        """What a row says; its columns are made to fit."""
        before = self.segments()[number - 1]
        after = msgspec.structs.replace(before, **changes)
        self.execute(
            "UPDATE segment SET last_seq = ?, body = ? WHERE link = ? AND number = ?",
            *(after.last_seq, msgspec.json.encode(after), self.link, number),
        )

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir())}

    async def archive(self, *, until: Callable[[int], bool] = lambda _: True) -> None:
        """Close a segment at every snapshot but the newest, or at those that are asked for."""
        store = SqliteStore(self.data)
        try:
            epoch = self.execute("SELECT epoch FROM link WHERE id = ?", self.link)[0][0]
            closed = await store.segments(self.link)
            done = closed[-1].last_seq if closed else 0
            cuts = [seq for seq in await store.snapshots(self.link) if until(seq) and seq > done]
            files = SegmentFiles(self.data)
            await close_at(store, files, self.link, cuts, epoch=epoch, day_of=DAYS.day_of)
        finally:
            await store.close()


async def played(
    data: Path,
    *,
    snapshots: int,
    every: int = 4,
    rules: LinkRules | None = None,
    monkeypatch: pytest.MonkeyPatch,
) -> SegmentedJournal:
    """A journal with a snapshot every few records, all of it open; its last round is open."""
    rules = a_link() if rules is None else rules
    monkeypatch.setattr(appender, "CHECKPOINT_EVERY", every)
    data.mkdir()  # noqa: ASYNC240 - before anything runs
    store = SqliteStore(data)
    seq = 0
    async with a_desk(store, rules) as desk:
        while len(await store.snapshots(rules.id)) < snapshots:
            seq += 2
            await desk.ask(a_lock(seq - 1))
            await desk.ask(a_settle(seq))
        await desk.ask(a_lock(seq + 1))
    await store.close()
    return SegmentedJournal(data, rules.id)
