"""Keys that nodes share, and what becomes of them when their server is away or forgets them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.redis.keys import SharedKeyStore
from progressive.adapters.redis.place import redis_place
from progressive.adapters.redis.server import RedisServer
from progressive.application.journal.ports import StoreUnavailableError
from progressive.domain.ids import TableId
from tests.support.redis_server import RedisProcess

pytestmark = pytest.mark.redis

TABLE = TableId("BJ-01")
HASH = "progressive:{keys}:table"


@pytest.fixture
def server(tmp_path: Path) -> RedisProcess:
    (tmp_path / "redis").mkdir()
    return RedisProcess(tmp_path / "redis")


@pytest.fixture
async def keys(server: RedisProcess, tmp_path: Path) -> AsyncIterator[SharedKeyStore]:
    with server:
        connected = RedisServer(redis_place(server.url()))
        yield SharedKeyStore(connected, TableKeys(tmp_path / "node"))
        await connected.close()


async def test_key_that_was_seen_fits_while_the_server_is_away(
    keys: SharedKeyStore, server: RedisProcess
) -> None:
    key, other = await keys.issue(TABLE), await keys.issue("BJ-02")
    await keys.versions()
    server.kill()
    assert await keys.fits(TABLE, key)
    assert not await keys.fits(TABLE, other)
    with pytest.raises(StoreUnavailableError):
        await keys.issue(TABLE)
    with pytest.raises(StoreUnavailableError):
        await keys.remove(TABLE)


async def test_first_key_that_is_shown_makes_all_others_known(
    keys: SharedKeyStore, server: RedisProcess, tmp_path: Path
) -> None:
    connected = RedisServer(redis_place(server.url()))
    command = SharedKeyStore(connected, TableKeys(tmp_path / "two"))
    issued = [await command.issue(name) for name in ("BJ-01", "BJ-02")]
    await connected.close()
    assert await keys.fits("BJ-01", issued[0])
    server.kill()
    assert await keys.fits("BJ-02", issued[1])


async def test_node_that_never_saw_the_server_judges_nobody(
    keys: SharedKeyStore, server: RedisProcess
) -> None:
    server.kill()
    with pytest.raises(StoreUnavailableError):
        await keys.fits(TABLE, "key")


async def test_key_that_the_server_forgot_still_fits_and_is_missing(
    keys: SharedKeyStore, server: RedisProcess
) -> None:
    key = await keys.issue(TABLE)
    await keys.versions()
    server.command("DEL", HASH)
    assert (await keys.versions()).keys() == {TABLE}
    assert keys.missing == {TABLE}
    assert await keys.fits(TABLE, key)
    assert await keys.remove(TABLE)
    assert not await keys.fits(TABLE, key)
    await keys.versions()
    assert not keys.missing


async def test_key_of_a_file_fits_until_a_shared_one_is_issued_or_it_is_removed(
    keys: SharedKeyStore, tmp_path: Path
) -> None:
    files = TableKeys(tmp_path / "node")
    former, second = files.issue(TABLE), files.issue(TableId("BJ-02"))
    assert await keys.fits(TABLE, former)
    assert (await keys.versions()).keys() == {TABLE, "BJ-02"}
    assert await keys.holder(TABLE) == "table"
    newest = await keys.issue(TABLE)
    assert await keys.fits(TABLE, newest)
    assert not await keys.fits(TABLE, former)
    assert await keys.remove("BJ-02")
    files.issue(TableId("BJ-02"))
    assert not await keys.fits("BJ-02", second)
    assert (await keys.versions()).keys() == {TABLE}


async def test_damaged_key_fits_nothing(keys: SharedKeyStore, server: RedisProcess) -> None:
    key = await keys.issue(TABLE)
    server.command("HSET", HASH, TABLE, "{")
    assert not await keys.fits(TABLE, key)
    assert await keys.holder(TABLE) is None
    assert (await keys.versions()).keys() == {TABLE}
