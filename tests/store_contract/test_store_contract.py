"""What every store promises. A backend passes all of it or is not one.

To add a backend: a branch in `Backend.open` and its name in the fixture's params.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from progressive.adapters.memory.journal import MemoryStore
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import JournalEnd, StoreConflictError, StoredSnapshot
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import OpenedLink, Store
from progressive.application.link.take_over import take_over
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from tests.support.builders import a_desk, a_link, a_lock, a_settle, journal_of
from tests.support.fake_clock import FakeClock
from tests.support.redis_server import a_log, own_place

MAIN, HIGH = LinkId("main"), LinkId("high-limit")


class Backend:
    """A place where journals are kept, and stores that are opened upon it."""

    def __init__(self, kind: str, directory: Path) -> None:
        self._kind = kind
        self._directory = directory
        self._memory = MemoryStore()
        self._place = own_place() if kind == "redis" else None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Store]:
        """A store on what is kept here already."""
        store: Store = self._memory if self._kind == "memory" else SqliteStore(self._directory)
        if self._place is not None:
            store = SharedStore(a_log(self._place), store)
        try:
            yield store
        finally:
            await store.close()


@pytest.fixture(params=["memory", "sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    return Backend(request.param, tmp_path)


@pytest.fixture
async def store(backend: Backend) -> AsyncIterator[Store]:
    async with backend.open() as opened:
        yield opened


def lines(*names: str) -> list[bytes]:
    """Records as a store sees them: bytes."""
    return [f'{{"record":"{name}"}}'.encode() for name in names]


async def keep(
    store: Store, opened: OpenedLink, records: Sequence[bytes], *, after: int, link: LinkId = MAIN
) -> None:
    await store.append(
        link,
        epoch=opened.epoch,
        expected_seq=after,
        records=records,
        head=f"head-{after + len(records)}",
    )


# --- opening ----------------------------------------------------------------------------------


async def test_new_link_is_empty(store: Store) -> None:
    opened = await store.open_link(MAIN)
    assert (opened.seq, opened.head) == (0, GENESIS)
    assert opened.epoch >= 1
    assert await journal_of(store, MAIN) == []
    assert await store.load_snapshot(MAIN) is None


async def test_every_opening_raises_the_epoch(store: Store) -> None:
    epochs = [(await store.open_link(MAIN)).epoch for _ in range(5)]
    assert epochs == sorted(set(epochs))


async def test_opening_raises_the_epoch_above_a_given_one(store: Store) -> None:
    epochs = [(await store.open_link(MAIN, above_epoch=above)).epoch for above in (0, 7, 3, 8, 9)]
    assert epochs == [1, 8, 9, 10, 11]


async def test_opening_tells_where_the_journal_ends(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a", "b"), after=0)
    await keep(store, opened, lines("c"), after=2)
    again = await store.open_link(MAIN)
    assert (again.seq, again.head) == (3, "head-3")


# --- reading alone ----------------------------------------------------------------------------


async def test_journal_that_was_never_opened_is_empty_and_stays_so(store: Store) -> None:
    assert await store.journal_end(MAIN) == JournalEnd(0, GENESIS)
    assert await journal_of(store, MAIN) == []
    assert await store.load_snapshot(MAIN) is None
    assert [chunk async for chunk in store.read_back(MAIN, before_seq=5)] in ([], [[]])
    assert (await store.open_link(MAIN)).epoch == 1


async def test_reading_tells_where_the_journal_ends_and_takes_nothing(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a", "b"), after=0)
    assert await store.journal_end(MAIN) == JournalEnd(2, "head-2")
    await store.load_snapshot(MAIN)
    # Whoever reads has not taken the link: its writer goes on.
    await keep(store, opened, lines("c"), after=2)
    assert await store.journal_end(MAIN) == JournalEnd(3, "head-3")


async def test_store_names_every_link_that_has_records(store: Store) -> None:
    """Also those that the floor file names no more: their money is still here."""
    assert await store.links() == []
    await keep(store, await store.open_link(MAIN), lines("a"), after=0)
    await keep(store, await store.open_link(HIGH), lines("a"), after=0, link=HIGH)
    await store.open_link(LinkId("opened-and-empty"))
    assert await store.links() == [HIGH, MAIN]


# --- appending --------------------------------------------------------------------------------


async def test_records_are_read_as_they_were_written(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a"), after=0)
    await keep(store, opened, lines("b", "c", "d"), after=1)
    assert await journal_of(store, MAIN) == lines("a", "b", "c", "d")


@pytest.mark.parametrize("expected_seq", [0, 1, 3, 100])
async def test_append_at_another_sequence_keeps_nothing(store: Store, expected_seq: int) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a", "b"), after=0)
    with pytest.raises(StoreConflictError):
        await keep(store, opened, lines("x", "y"), after=expected_seq)
    assert await journal_of(store, MAIN) == lines("a", "b")
    again = await store.open_link(MAIN)
    assert (again.seq, again.head) == (2, "head-2")


@pytest.mark.parametrize("change", [-1, +1, +100])
async def test_append_under_another_epoch_keeps_nothing(store: Store, change: int) -> None:
    await store.open_link(MAIN)
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a"), after=0)
    other = OpenedLink(epoch=opened.epoch + change, seq=1, head="head-1")
    with pytest.raises(StoreConflictError):
        await keep(store, other, lines("x"), after=1)
    assert await journal_of(store, MAIN) == lines("a")
    await keep(store, opened, lines("b"), after=1)
    assert await journal_of(store, MAIN) == lines("a", "b")


async def test_whoever_opened_before_can_append_no_more(store: Store) -> None:
    former = await store.open_link(MAIN)
    newest = await store.open_link(MAIN)
    with pytest.raises(StoreConflictError):
        await keep(store, former, lines("x"), after=0)
    await keep(store, newest, lines("a"), after=0)
    assert await journal_of(store, MAIN) == lines("a")


async def test_append_to_a_link_never_opened_keeps_nothing(store: Store) -> None:
    await store.open_link(MAIN)
    with pytest.raises(StoreConflictError):
        await keep(store, OpenedLink(epoch=1, seq=0, head=""), lines("x"), after=0, link=HIGH)
    assert (await store.open_link(HIGH)).seq == 0


async def test_same_append_twice_is_kept_once(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a"), after=0)
    with pytest.raises(StoreConflictError):
        await keep(store, opened, lines("a"), after=0)
    assert await journal_of(store, MAIN) == lines("a")


async def test_of_two_appends_at_once_one_is_kept_whole(store: Store) -> None:
    opened = await store.open_link(MAIN)
    batches = [lines("a1", "a2"), lines("b1", "b2")]
    results = await asyncio.gather(
        *[keep(store, opened, batch, after=0) for batch in batches], return_exceptions=True
    )
    assert sorted(type(result) for result in results if result is not None) == [StoreConflictError]
    assert await journal_of(store, MAIN) == batches[results.index(None)]


async def test_store_goes_on_after_a_conflict(store: Store) -> None:
    opened = await store.open_link(MAIN)
    for seq in range(10):
        with pytest.raises(StoreConflictError):
            await keep(store, opened, lines("x"), after=seq + 1)
        await keep(store, opened, lines(str(seq)), after=seq)
    assert await journal_of(store, MAIN) == lines(*map(str, range(10)))


async def test_appending_nothing_changes_nothing(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a"), after=0)
    await keep(store, opened, [], after=1)
    await keep(store, opened, lines("b"), after=1)
    assert await journal_of(store, MAIN) == lines("a", "b")


async def test_caller_may_reuse_its_list(store: Store) -> None:
    opened = await store.open_link(MAIN)
    records = lines("a")
    await keep(store, opened, records, after=0)
    records.append(b"x")
    assert await journal_of(store, MAIN) == lines("a")


@pytest.mark.parametrize(
    "record",
    [
        "Ünïcödé ♦ 7\u0000 \u2028 \U0001f0c7 \r \t".encode(),
        bytes(byte for byte in range(256) if byte != ord("\n")),
        b"",
        b"7" * 60_000,
        b"\xff" * 1_000_000,
    ],
    ids=["text", "every byte", "empty", "60 KB", "1 MB"],
)
async def test_any_line_of_bytes_is_kept_as_it_is(store: Store, record: bytes) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, [b"before", record, record, b"after"], after=0)
    assert await journal_of(store, MAIN) == [b"before", record, record, b"after"]


# --- reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize("after_seq", range(8))
async def test_reading_from_the_middle_of_a_batch(store: Store, after_seq: int) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("1", "2", "3"), after=0)
    await keep(store, opened, lines("4"), after=3)
    await keep(store, opened, lines("5", "6"), after=4)
    read = [r async for chunk in store.read(MAIN, after_seq=after_seq) for r in chunk]
    assert read == lines(*map(str, range(after_seq + 1, 7)))


@pytest.mark.parametrize("before_seq", range(1, 12))
async def test_reading_backwards_from_the_middle_of_a_batch(store: Store, before_seq: int) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a", "b", "c", "d"), after=0)
    await keep(store, opened, lines("e"), after=4)
    await keep(store, opened, lines("f", "g", "h", "i"), after=5)
    read = [
        record
        async for records in store.read_back(MAIN, before_seq=before_seq)
        for record in records
    ]
    assert read == lines(*"abcdefghi"[: before_seq - 1][::-1])


async def test_one_record_is_looked_up_by_its_sequence(store: Store) -> None:
    assert await store.record(MAIN, 1) is None
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("1", "2", "3"), after=0)
    await keep(store, opened, lines("4"), after=3)
    found = [await store.record(MAIN, seq) for seq in range(6)]
    assert found == [None, *lines("1", "2", "3", "4"), None]
    assert await store.record(HIGH, 1) is None


async def test_long_journal_is_read_in_order_without_a_gap(store: Store) -> None:
    opened = await store.open_link(MAIN)
    seq = 0
    for size in [1, 2, 3, 5, 8] * 40:
        batch = lines(*[str(seq + n) for n in range(1, size + 1)])
        await keep(store, opened, batch, after=seq)
        seq += size
    assert await journal_of(store, MAIN) == lines(*[str(n) for n in range(1, seq + 1)])


async def test_journal_may_be_read_while_it_grows(store: Store) -> None:
    opened = await store.open_link(MAIN)
    for seq in range(200):
        await keep(store, opened, lines(str(seq + 1)), after=seq)
    read: list[bytes] = []
    seq = 200
    async for chunk in store.read(MAIN):
        read += chunk
        await keep(store, opened, lines(str(seq + 1)), after=seq)
        seq += 1
    # Whether what came meanwhile is seen is the store's choice; a gap is not.
    assert len(read) >= 200
    assert read == lines(*[str(n) for n in range(1, len(read) + 1)])


async def test_unknown_link_reads_as_empty(store: Store) -> None:
    await store.open_link(MAIN)
    assert await journal_of(store, HIGH) == []
    assert await store.load_snapshot(HIGH) is None


# --- snapshots --------------------------------------------------------------------------------


async def test_newest_snapshot_wins(store: Store) -> None:
    opened = await store.open_link(MAIN)
    await keep(store, opened, lines("a", "b"), after=0)
    await store.save_snapshot(MAIN, epoch=opened.epoch, seq=1, body=b"older")
    await store.save_snapshot(MAIN, epoch=opened.epoch, seq=2, body=b"newer \x00\xff\n")
    assert await store.load_snapshot(MAIN) == StoredSnapshot(seq=2, body=b"newer \x00\xff\n")


async def test_snapshot_of_a_former_writer_is_refused(store: Store) -> None:
    former = await store.open_link(MAIN)
    await keep(store, former, lines("a"), after=0)
    await store.save_snapshot(MAIN, epoch=former.epoch, seq=1, body=b"kept")
    newest = await store.open_link(MAIN)
    with pytest.raises(StoreConflictError):
        await store.save_snapshot(MAIN, epoch=former.epoch, seq=1, body=b"stale")
    assert await store.load_snapshot(MAIN) == StoredSnapshot(seq=1, body=b"kept")
    await keep(store, newest, lines("b"), after=1)


async def test_snapshot_of_a_link_never_opened_is_refused(store: Store) -> None:
    await store.open_link(MAIN)
    with pytest.raises(StoreConflictError):
        await store.save_snapshot(HIGH, epoch=1, seq=0, body=b"x")


# --- several links, several lives -------------------------------------------------------------


async def test_two_links_do_not_mix(store: Store) -> None:
    main, high = await store.open_link(MAIN), await store.open_link(HIGH)
    await keep(store, main, lines("m1"), after=0)
    await keep(store, high, lines("h1", "h2"), after=0, link=HIGH)
    await keep(store, main, lines("m2"), after=1)
    await store.save_snapshot(HIGH, epoch=high.epoch, seq=2, body=b"high")
    assert await journal_of(store, MAIN) == lines("m1", "m2")
    assert await journal_of(store, HIGH) == lines("h1", "h2")
    assert await store.load_snapshot(MAIN) is None
    assert (await store.open_link(MAIN)).head == "head-2"
    # Taking one link leaves the other's writer in place.
    await keep(store, high, lines("h3"), after=2, link=HIGH)


async def test_everything_is_there_after_reopening(backend: Backend) -> None:
    async with backend.open() as store:
        opened = await store.open_link(MAIN)
        await keep(store, opened, lines("a", "b"), after=0)
        await store.save_snapshot(MAIN, epoch=opened.epoch, seq=1, body=b"state")
    async with backend.open() as store:
        again = await store.open_link(MAIN)
        assert again.epoch > opened.epoch
        assert (again.seq, again.head) == (2, "head-2")
        assert await journal_of(store, MAIN) == lines("a", "b")
        assert await store.load_snapshot(MAIN) == StoredSnapshot(seq=1, body=b"state")
        await keep(store, again, lines("c"), after=2)
        assert await journal_of(store, MAIN) == lines("a", "b", "c")


async def test_worker_lives_on_it(backend: Backend) -> None:
    rules = a_link()
    async with backend.open() as store:
        async with a_desk(store, rules) as desk:
            for seq in range(1, 9):
                await desk.ask(a_lock(seq) if seq % 2 else a_settle(seq))
        state = desk.state()
    async with backend.open() as store:
        recovered = await take_over(store, rules, FakeClock())
        assert recovered.state == state
