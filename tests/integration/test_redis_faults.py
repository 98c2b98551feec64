"""What a connection, a server and its settings can do to an append: never lost, never twice.

An append without an answer is read, not sent again; what the fence is made of is switched off piece
by piece, and each time a late writer gets in.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec import structs

from progressive.adapters.redis import functions, server
from progressive.adapters.redis.place import RedisPlace, redis_place
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreConflictError, StoreUnavailableError
from progressive.application.shared.ports import LogEntry, UnsafeLogError
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from tests.support.builders import journal_of
from tests.support.redis_server import RedisProcess, a_log, own_place
from tests.support.tcp_proxy import Fault, TcpProxy

pytestmark = [pytest.mark.redis, pytest.mark.slow]

MAIN = LinkId("main")
SOON_SECONDS = 0.2
"""In place of two seconds: how long a call is waited for."""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    """A server of the test's own, which it may kill."""
    folder = tmp_path / "redis"
    folder.mkdir()
    with RedisProcess(folder) as process:
        yield process


@pytest.fixture
async def proxy(redis: RedisProcess) -> AsyncIterator[TcpProxy]:
    async with TcpProxy(redis.port).listening() as proxy:
        yield proxy


@pytest.fixture
async def store(
    proxy: TcpProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SharedStore]:
    """A node whose connections go through the proxy."""
    monkeypatch.setattr(server, "CALL_SECONDS", SOON_SECONDS)
    place = redis_place(f"redis://127.0.0.1:{proxy.port}/0")
    (tmp_path / "disk").mkdir()
    store = SharedStore(a_log(place), SqliteStore(tmp_path / "disk"))
    yield store
    proxy.begin("none")
    await store.close()


async def append(store: SharedStore, epoch: int, name: str) -> None:
    end = await store.journal_end(MAIN)
    await store.append(
        MAIN, epoch=epoch, expected_seq=end.seq, records=[name.encode()], head=f"head of {name}"
    )


async def in_log(redis: RedisProcess) -> list[bytes]:
    log = a_log(redis_place(redis.url()))
    found = [each async for entry in log.read(MAIN, after_seq=0) for each in entry.records]
    await log.close()
    return found


@pytest.mark.parametrize(
    ("fault", "took_effect"),
    [
        ("drop replies", True),
        ("cut at reply", True),
        ("drop requests", False),
        ("cut at request", False),
    ],
)
async def test_append_without_an_answer_is_there_once_or_not_at_all(
    store: SharedStore, proxy: TcpProxy, redis: RedisProcess, fault: Fault, took_effect: bool
) -> None:
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "a")
    proxy.begin(fault)
    with pytest.raises(StoreUnavailableError):
        await append(store, opened.epoch, "b")
    assert proxy.seen.is_set()
    with pytest.raises(StoreUnavailableError):
        await store.open_link(MAIN)
    proxy.begin("none")
    opened = await store.open_link(MAIN)
    expected = [b"a", b"b"] if took_effect else [b"a"]
    assert await journal_of(store, MAIN) == expected
    await append(store, opened.epoch, "c")
    assert await journal_of(store, MAIN) == await in_log(redis) == [*expected, b"c"]


async def test_server_that_hung_runs_what_it_was_sent_before_and_nothing_twice(
    store: SharedStore, redis: RedisProcess
) -> None:
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "a")
    redis.stop()
    with pytest.raises(StoreUnavailableError):
        await append(store, opened.epoch, "b")
    redis.go_on()
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "c")
    there = await in_log(redis)
    assert there == await journal_of(store, MAIN)
    assert there in ([b"a", b"b", b"c"], [b"a", b"c"])


async def test_killed_server_has_everything_that_was_answered(
    store: SharedStore, redis: RedisProcess
) -> None:
    opened = await store.open_link(MAIN)
    names = [f"record {number}" for number in range(50)]
    for name in names:
        await append(store, opened.epoch, name)
    redis.kill()
    with pytest.raises(StoreUnavailableError):
        await append(store, opened.epoch, "lost")
    redis.start()
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "after")
    expected = [name.encode() for name in (*names, "after")]
    assert await in_log(redis) == await journal_of(store, MAIN) == expected


async def test_functions_that_were_removed_are_loaded_again(
    store: SharedStore, redis: RedisProcess
) -> None:
    opened = await store.open_link(MAIN)
    redis.command("FUNCTION", "FLUSH")
    await append(store, opened.epoch, "a")
    assert await in_log(redis) == [b"a"]


async def test_full_memory_stores_nothing_and_ends_with_room(
    store: SharedStore, redis: RedisProcess
) -> None:
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "a")
    redis.command("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(StoreUnavailableError, match="maxmemory"):
        await append(store, opened.epoch, "b")
    redis.command("CONFIG", "SET", "maxmemory", "0")
    opened = await store.open_link(MAIN)
    await append(store, opened.epoch, "c")
    assert await in_log(redis) == await journal_of(store, MAIN) == [b"a", b"c"]


async def test_settings_that_became_unsafe_keep_a_link_closed(
    store: SharedStore, redis: RedisProcess
) -> None:
    await store.open_link(MAIN)
    redis.command("CONFIG", "SET", "appendfsync", "everysec")
    with pytest.raises(UnsafeLogError, match="appendfsync everysec: set it to always"):
        await store.check_log()
    with pytest.raises(UnsafeLogError):
        await store.open_link(MAIN)
    redis.command("CONFIG", "SET", "appendfsync", "always")
    assert (await store.open_link(MAIN)).seq == 0


# --- ablations ---------------------------------------------------------------------------------

FENCE = {
    "epoch": ("epoch ~= args[1] or ", {"epoch": 7}),
    "holder": ("holder ~= args[2] or ", {"holder": "who led before a failover lost the epoch"}),
    "sequence": ("seq ~= args[3] or ", {"seq": 0}),
    "hash": (" or hash ~= args[4]", {"head": "of a chain that a failover lost"}),
}
"""What the append function compares: the code, and a late writer that only this keeps out."""


@pytest.fixture
def place() -> RedisPlace:
    return own_place()


@pytest.mark.parametrize("part", FENCE)
@pytest.mark.parametrize("switched_off", [False, True], ids=["whole", "switched off"])
async def test_each_part_of_the_fence_keeps_a_late_writer_out(
    redis: RedisProcess, part: str, switched_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, late = FENCE[part]
    if switched_off:
        before, function, after = functions.SOURCE.partition("local function append")
        assert code in after
        monkeypatch.setattr(functions, "SOURCE", before + function + after.replace(code, "", 1))
    log = a_log(redis_place(redis.url()))
    end = await log.open(MAIN, holder="leads now", above_epoch=0)
    await log.append(MAIN, before=end, entry=LogEntry(end.epoch, end.head, 1, "one", (b"1",)))
    end = structs.replace(end, seq=1, head="one")
    stale = structs.replace(end, **late)
    entry = LogEntry(stale.epoch, stale.head, 2, "two", (b"late",))
    if switched_off:
        await log.append(MAIN, before=stale, entry=entry)
        assert await in_log(redis) == [b"1", b"late"]
    else:
        with pytest.raises(StoreConflictError):
            await log.append(MAIN, before=stale, entry=entry)
        assert await in_log(redis) == [b"1"]
    await log.close()


@pytest.mark.parametrize("replicas", [0, 1])
async def test_without_waiting_for_the_replica_a_record_is_answered_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replicas: int
) -> None:
    """`replicas=0` is the ablation: the answer comes though the replica hangs."""
    monkeypatch.setattr(server, "WAIT_MILLISECONDS", 100)
    folders = [tmp_path / "primary", tmp_path / "replica"]
    for folder in folders:
        folder.mkdir()
    safe = {"min_replicas_to_write": "1", "min_replicas_max_lag": "2"}
    with RedisProcess(folders[0], **safe) as primary, RedisProcess(folders[1]) as replica:
        replica.command("REPLICAOF", "127.0.0.1", str(primary.port))
        primary.command("WAIT", "1", "10000")
        while "connected_slaves:1" not in primary.command("INFO", "replication"):
            pass
        log = a_log(redis_place(primary.url(f"?replicas={replicas}")))
        end = await log.open(MAIN, holder="leads", above_epoch=0)
        replica.stop()
        entry = LogEntry(end.epoch, end.head, 1, "one", (b"1",))
        if replicas:
            with pytest.raises(StoreUnavailableError, match="0 of 1 replicas"):
                await log.append(MAIN, before=end, entry=entry)
        else:
            await log.append(MAIN, before=end, entry=entry)
        replica.go_on()
        await log.close()
