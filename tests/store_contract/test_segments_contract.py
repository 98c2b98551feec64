"""What every store promises about closed segments: each record once, wherever it lies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec import structs

from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.finding import finding
from progressive.application.journal.ports import StoreConflictError
from progressive.application.journal.record import hash_record
from progressive.application.link.ports import Store
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId, TableId
from tests.support.builders import journal_of
from tests.support.chains import CHAIN_LINK, a_chain, a_time
from tests.support.redis_server import a_log, own_place
from tests.support.segments import append_all, archive, trim_all, written_segment

ACTS = (5, 40, 301, 640, 700, 995)
CHAIN = a_chain(1_000, acts=ACTS)
BATCH = 7
CUTS = (300, 640, 900)
"""None is the end of a batch: 301, 644, 903 are."""
EDGES = (0, 1, 2, 255, 256, 257, 299, 300, 301, 556, 639, 640, 641, 899, 900, 901, 903, 999, 1_000)
OTHER = LinkId("other")
KINDS = ("memory", "sqlite")
WHERE = ("open", "adopted", "half trimmed", "trimmed")


@asynccontextmanager
async def opened(kind: str, data: Path) -> AsyncIterator[Store]:
    store: Store = MemoryStore() if kind == "memory" else SqliteStore(data)
    if kind == "redis":
        store = SharedStore(a_log(own_place()), store)
    try:
        yield store
    finally:
        await store.close()


async def begin(store: Store) -> None:
    """The chain in it, all open, under epoch 1."""
    await store.open_link(CHAIN_LINK)
    await append_all(store, CHAIN, epoch=1, batch=BATCH)


@pytest.fixture(params=[*KINDS, pytest.param("redis", marks=pytest.mark.redis)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """The chain in it, all open, under epoch 1."""
    async with opened(request.param, tmp_path) as store:
        await begin(store)
        yield store


async def part(store: Store, data: Path, where: str) -> None:
    """Let the records lie there."""
    if where != "open":
        for last_seq in CUTS:
            await archive(store, data, CHAIN, last_seq=last_seq, epoch=1)
    if where == "half trimmed":
        await store.trim(CHAIN_LINK, batches_max=60)
    if where == "trimmed":
        await trim_all(store)


@pytest.fixture(params=WHERE)
async def parted(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> Store:
    """The same journal, wherever its records lie."""
    await part(store, tmp_path, request.param)
    return store


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[(kind, where) for kind in KINDS for where in WHERE],
    ids=" ".join,
)
async def only_read(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Store]:
    """The same, one for all tests that change nothing."""
    kind, where = request.param
    data = tmp_path_factory.mktemp("only_read")
    async with opened(kind, data) as store:
        await begin(store)
        await part(store, data, where)
        yield store


async def read(store: Store, after_seq: int, until_seq: int | None) -> list[bytes]:
    chunks = store.read(CHAIN_LINK, after_seq=after_seq, until_seq=until_seq)
    return [record async for chunk in chunks for record in chunk]


# --- every reader, wherever the records lie ------------------------------------------------------


@pytest.mark.asyncio(loop_scope="module")
async def test_reading_across_the_seam_gives_each_record_once(only_read: Store) -> None:
    for after_seq in EDGES:
        assert await read(only_read, after_seq, None) == CHAIN[after_seq:]
        for until_seq in EDGES:
            assert await read(only_read, after_seq, until_seq) == CHAIN[after_seq:until_seq]


@pytest.mark.asyncio(loop_scope="module")
async def test_reading_back_across_the_seam_gives_each_record_once(only_read: Store) -> None:
    for before_seq in (*EDGES[1:], 1_001, 5_000):
        chunks = only_read.read_back(CHAIN_LINK, before_seq=before_seq)
        found = [record async for chunk in chunks for record in chunk]
        assert found == CHAIN[: before_seq - 1][::-1]


@pytest.mark.asyncio(loop_scope="module")
async def test_any_record_is_looked_up_by_its_number(only_read: Store) -> None:
    for seq in EDGES[1:]:
        assert await only_read.record(CHAIN_LINK, seq) == CHAIN[seq - 1]
    assert await only_read.record(CHAIN_LINK, 0) is None
    assert await only_read.record(CHAIN_LINK, 1_001) is None
    assert await only_read.record(OTHER, 1) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_the_last_record_until_a_time_is_found(only_read: Store) -> None:
    for last_seq in EDGES:
        assert await only_read.last_record_until(CHAIN_LINK, a_time(-1), last_seq=last_seq) is None
        for seq in EDGES[1:]:
            for seconds in (seq - 1, seq - 0.5):
                at = a_time(seconds)
                found = await only_read.last_record_until(CHAIN_LINK, at, last_seq=last_seq)
                expected = min(seq, last_seq)
                assert found == (CHAIN[expected - 1] if expected else None)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_message_is_found_by_its_tables_number(only_read: Store) -> None:
    for seq in (*EDGES[1:-1], 1_000):
        if seq in ACTS:
            continue
        event = finding(CHAIN[seq - 1]).event
        named = (CHAIN_LINK, TableId(event.table), event.table_seq)
        assert await only_read.message(*named, before_seq=seq + 1) == CHAIN[seq - 1]
        assert await only_read.message(*named, before_seq=1_001) == CHAIN[seq - 1]
        assert await only_read.message(*named, before_seq=seq) is None


@pytest.mark.asyncio(loop_scope="module")
async def test_a_message_that_never_came_is_not_found(only_read: Store) -> None:
    for table, table_seq in (("BJ-01", 144), ("BJ-01", 0), ("BJ-05", 1), ("NEVER", 1)):
        found = only_read.message(CHAIN_LINK, TableId(table), table_seq, before_seq=1_001)
        # What would have been the fifth table's first message is an act.
        assert await found is None


@pytest.mark.asyncio(loop_scope="module")
async def test_acts_are_found_by_type_and_by_what_they_are_about(only_read: Store) -> None:
    async def acts(
        after_seq: int, until_seq: int, types: tuple[str, ...] = (), about: tuple[str, ...] = ()
    ) -> list[int]:
        found = await only_read.acts(
            CHAIN_LINK, after_seq=after_seq, until_seq=until_seq, types=types, about=about
        )
        return [finding(each).seq for each in found]

    validated = ("award_validated",)
    assert await acts(0, 1_000) == list(ACTS)
    assert await acts(0, 1_000, validated) == list(ACTS)
    assert await acts(0, 1_000, ("award_paid",)) == []
    assert await acts(5, 640) == [40, 301, 640]
    assert await acts(300, 699) == [301, 640]
    assert await acts(0, 1_000, about=("A-40", "A-995", "A-6")) == [40, 995]
    assert await acts(0, 1_000, validated, ("A-301",)) == [301]
    # Another type's, and not a part of a name.
    assert await acts(0, 1_000, ("award_paid",), ("A-301",)) == []
    assert await acts(0, 1_000, about=("A-30", "-301")) == []
    assert await acts(0, 1_000, ("link_opened", "terms_changed")) == []


async def test_links_and_the_end_are_those_of_the_whole_journal(parted: Store) -> None:
    assert await parted.links() == [CHAIN_LINK]
    assert (await parted.journal_end(CHAIN_LINK)).seq == 1_000
    opened = await parted.open_link(CHAIN_LINK)
    assert (opened.seq, opened.head) == (1_000, hash_record(CHAIN[-1]))


async def test_the_journal_goes_on_behind_segments(parted: Store) -> None:
    more = a_chain(50, first_seq=1_001, prev=hash_record(CHAIN[-1]))
    await append_all(parted, more, epoch=1, batch=3, after=1_000)
    assert await read(parted, 0, None) == CHAIN + more


# --- adopting ------------------------------------------------------------------------------------


async def test_segments_are_listed_as_they_were_adopted(store: Store, tmp_path: Path) -> None:
    assert list(await store.segments(CHAIN_LINK)) == []
    made = [await archive(store, tmp_path, CHAIN, last_seq=last_seq, epoch=1) for last_seq in CUTS]
    assert list(await store.segments(CHAIN_LINK)) == made
    assert list(await store.segments(OTHER)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"number": 1},
        {"number": 3},
        {"first_seq": 300},
        {"first_seq": 302},
        {"prev": "f" * 64},
        {"head": "f" * 64},
        {"last_seq": 639},
        {"last_seq": 1_001},
        {"last_seq": 300},
        {"link": OTHER},
        {"purged": "2026-11-18T00:00:00.000000Z"},
    ],
    ids=str,
)
async def test_segment_that_does_not_follow_is_refused(
    store: Store, tmp_path: Path, change: dict[str, object]
) -> None:
    await store.open_link(OTHER)
    first = await archive(store, tmp_path, CHAIN, last_seq=300, epoch=1)
    second = await written_segment(store, tmp_path, CHAIN, last_seq=640)
    with pytest.raises(StoreConflictError):
        await store.adopt_segment(structs.replace(second, **change), epoch=1)
    assert list(await store.segments(CHAIN_LINK)) == [first]
    assert list(await store.segments(OTHER)) == []
    await store.adopt_segment(second, epoch=1)
    assert list(await store.segments(CHAIN_LINK)) == [first, second]


@pytest.mark.parametrize("epoch", [0, 1, 3])
async def test_segment_of_a_former_writer_is_refused(
    store: Store, tmp_path: Path, epoch: int
) -> None:
    await store.open_link(CHAIN_LINK)
    segment = await written_segment(store, tmp_path, CHAIN, last_seq=300)
    with pytest.raises(StoreConflictError):
        await store.adopt_segment(segment, epoch=epoch)
    assert list(await store.segments(CHAIN_LINK)) == []


async def test_segment_is_adopted_once(store: Store, tmp_path: Path) -> None:
    segment = await archive(store, tmp_path, CHAIN, last_seq=300, epoch=1)
    with pytest.raises(StoreConflictError):
        await store.adopt_segment(segment, epoch=1)
    assert list(await store.segments(CHAIN_LINK)) == [segment]


# --- comparing what is to be removed -------------------------------------------------------------


async def test_what_lies_where_it_should_is_compared_without_a_finding(parted: Store) -> None:
    twice = sum([each async for each in parted.compare_moved(CHAIN_LINK)])
    assert 0 <= twice <= CUTS[-1]
    assert await read(parted, 0, None) == CHAIN
    assert [each async for each in parted.compare_moved(OTHER)] == []


async def test_comparing_removes_nothing_and_leaves_all_to_trimming(
    store: Store, tmp_path: Path
) -> None:
    await archive(store, tmp_path, CHAIN, last_seq=CUTS[0], epoch=1)
    before = [each async for each in store.compare_moved(CHAIN_LINK)]
    assert [each async for each in store.compare_moved(CHAIN_LINK)] == before
    await trim_all(store)
    # At the most, the batch that reaches behind the segment.
    assert sum([each async for each in store.compare_moved(CHAIN_LINK)]) < BATCH
    assert await read(store, 0, None) == CHAIN


async def test_journal_goes_on_while_it_is_compared(store: Store, tmp_path: Path) -> None:
    await archive(store, tmp_path, CHAIN, last_seq=CUTS[-1], epoch=1)
    more = a_chain(5, first_seq=1_001, prev=hash_record(CHAIN[-1]))
    pieces = store.compare_moved(CHAIN_LINK)
    await anext(pieces, 0)
    await append_all(store, more, epoch=1, batch=3, after=1_000)
    assert sum([each async for each in pieces]) <= CUTS[-1]
    assert await read(store, 1_000, None) == more


# --- trimming, snapshots -------------------------------------------------------------------------


async def test_all_snapshots_stay_until_a_segment_covers_them(store: Store, tmp_path: Path) -> None:
    for seq in (900, 100, 300, 500):
        await store.save_snapshot(CHAIN_LINK, epoch=1, seq=seq, body=b"state %d" % seq)
    await trim_all(store)
    assert list(await store.snapshots(CHAIN_LINK)) == [100, 300, 500, 900]
    newest = await store.load_snapshot(CHAIN_LINK)
    assert newest is not None
    assert (newest.seq, newest.body) == (900, b"state 900")
    await archive(store, tmp_path, CHAIN, last_seq=500, epoch=1)
    assert list(await store.snapshots(CHAIN_LINK)) == [100, 300, 500, 900]
    await trim_all(store)
    assert list(await store.snapshots(CHAIN_LINK)) == [500, 900]


async def test_state_up_to_a_record_is_the_newest_that_is_not_behind_it(
    store: Store, tmp_path: Path
) -> None:
    for seq in (100, 300, 500, 900):
        await store.save_snapshot(CHAIN_LINK, epoch=1, seq=seq, body=b"state %d" % seq)
    found = [
        None if kept is None else kept.seq
        for seq in (99, 100, 299, 300, 899, 5_000)
        if (kept := await store.load_snapshot(CHAIN_LINK, until_seq=seq)) or True
    ]
    assert found == [None, 100, 100, 300, 500, 900]


async def test_newest_snapshot_is_never_removed(store: Store, tmp_path: Path) -> None:
    await store.save_snapshot(CHAIN_LINK, epoch=1, seq=100, body=b"older")
    await store.save_snapshot(CHAIN_LINK, epoch=1, seq=200, body=b"newest")
    await archive(store, tmp_path, CHAIN, last_seq=900, epoch=1)
    await trim_all(store)
    assert list(await store.snapshots(CHAIN_LINK)) == [200]


async def test_trimming_a_link_without_segments_removes_nothing(store: Store) -> None:
    assert await store.trim(CHAIN_LINK, batches_max=10) is False
    assert await store.trim(OTHER, batches_max=10) is False
    assert await journal_of(store, CHAIN_LINK) == CHAIN


async def test_journal_may_be_archived_and_trimmed_while_it_is_read(
    store: Store, tmp_path: Path
) -> None:
    """The seam moves under a long reading: no gap, and nothing twice."""
    await archive(store, tmp_path, CHAIN, last_seq=60, epoch=1)
    cuts = iter((120, 300, 301, 640, 900, 990))
    found: list[bytes] = []
    async for chunk in store.read(CHAIN_LINK):
        found += chunk
        if cut := next(cuts, None):
            await archive(store, tmp_path, CHAIN, last_seq=cut, epoch=1)
            await trim_all(store)
    assert found == CHAIN


async def test_journal_may_be_archived_and_trimmed_while_it_is_read_back(
    store: Store, tmp_path: Path
) -> None:
    await archive(store, tmp_path, CHAIN, last_seq=60, epoch=1)
    cuts = iter((120, 300, 301, 640, 900, 990))
    found: list[bytes] = []
    async for chunk in store.read_back(CHAIN_LINK, before_seq=1_001):
        found += chunk
        if cut := next(cuts, None):
            await archive(store, tmp_path, CHAIN, last_seq=cut, epoch=1)
            await trim_all(store)
    assert found == CHAIN[::-1]
