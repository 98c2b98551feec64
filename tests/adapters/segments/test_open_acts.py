"""Acts in the open part: found again without reading it again, and never ones that are gone."""

import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from progressive.adapters.sqlite.journal import SqliteStore
from progressive.adapters.sqlite.journal_file import FILE_NAME
from progressive.adapters.sqlite.journal_view import JournalView
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import JournalReader
from progressive.application.journal.record import hash_record
from progressive.domain.ids import LinkId
from tests.support.chains import CHAIN_LINK, a_chain
from tests.support.segments import CHAIN, all_of, an_archived_store, append_all, archive, trim_all

MORE = a_chain(100, first_seq=3_001, prev=hash_record(CHAIN[-1]), acts=(3_005, 3_090))
OTHER = a_chain(100, first_seq=3_001, prev=hash_record(CHAIN[-1]), acts=(3_007,))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with an_archived_store(tmp_path) as store:
        yield store


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The open records that were looked through."""
    looked: list[int] = []
    stretch = JournalView.stretch

    def counting(
        view: JournalView,
        link: LinkId,
        *,
        after_seq: int,
        until_seq: int | None = None,
        texts: Collection[bytes] = (),
    ) -> Iterator[list[bytes]]:
        for chunk in stretch(view, link, after_seq=after_seq, until_seq=until_seq, texts=texts):
            looked.extend(finding(stored).seq for stored in chunk)
            yield chunk

    monkeypatch.setattr(JournalView, "stretch", counting)
    return looked


async def acts(reader: JournalReader, after_seq: int = 0, **wanted: tuple[str, ...]) -> list[int]:
    found = await reader.acts(CHAIN_LINK, after_seq=after_seq, until_seq=9_999, **wanted)
    return [finding(stored).seq for stored in found]


async def test_what_a_start_has_read_is_not_looked_through_again(
    store: SqliteStore, looked_at: list[int]
) -> None:
    assert await all_of(store, 2_800) == CHAIN[2_800:]
    looked_at.clear()
    assert await acts(store) == [5, 700, 2_990]
    assert await acts(store, types=("award_validated",)) == [5, 700, 2_990]
    assert await acts(store, about=("A-2990",)) == [2_990]
    assert looked_at == []


async def test_a_question_reads_only_what_came_since_the_one_before(
    store: SqliteStore, looked_at: list[int]
) -> None:
    assert await acts(store) == [5, 700, 2_990]
    assert looked_at == list(range(2_801, 3_001))
    looked_at.clear()
    await append_all(store, MORE, epoch=1, batch=7, after=3_000)
    assert await acts(store, 700) == [2_990, 3_005, 3_090]
    assert looked_at == list(range(3_001, 3_101))


async def test_what_a_segment_holds_is_found_there_and_not_twice(
    tmp_path: Path, store: SqliteStore, looked_at: list[int]
) -> None:
    await append_all(store, MORE, epoch=1, batch=7, after=3_000)
    await acts(store)
    await archive(store, tmp_path, CHAIN + MORE, last_seq=3_050, epoch=1)
    await trim_all(store)
    looked_at.clear()
    assert await acts(store) == [5, 700, 2_990, 3_005, 3_090]
    assert looked_at == []
    await archive(store, tmp_path, CHAIN + MORE, last_seq=3_100, epoch=1)
    assert await acts(store) == [5, 700, 2_990, 3_005, 3_090]


@pytest.mark.parametrize("read_on", [False, True], ids=["asked", "read on"])
async def test_acts_of_a_lost_end_are_forgotten(
    tmp_path: Path, store: SqliteStore, *, read_on: bool
) -> None:
    """A sync failed: what was read was never on the disk, and other records took its place."""
    await append_all(store, MORE[:50], epoch=1, batch=10, after=3_000)
    assert await acts(store) == [5, 700, 2_990, 3_005]
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("DELETE FROM batch WHERE first_seq > 3000")
        db.execute("UPDATE link SET seq = 3000, head = ?", (hash_record(CHAIN[-1]),))
    opened = await store.open_link(CHAIN_LINK)
    await append_all(store, OTHER, epoch=opened.epoch, batch=10, after=3_000)
    if read_on:
        # From right behind the record that was looked at last.
        assert await all_of(store, 3_050) == OTHER[50:]
    assert await acts(store) == [5, 700, 2_990, 3_007]
