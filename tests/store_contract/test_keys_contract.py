"""What every store of keys promises. An engine passes all of it or is not one.

To add an engine: a branch in `Backend.open` and its name in the fixture's params.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from progressive.adapters.keys.held import HeldKeys
from progressive.adapters.keys.signs import RelayKeys, SignKeys
from progressive.adapters.keys.store import FileKeyStore
from progressive.adapters.keys.tables import TableKeys
from progressive.adapters.redis.keys import SharedKeyStore
from progressive.adapters.redis.server import RedisServer
from progressive.application.keys.ports import KeyStore
from tests.support.redis_server import own_place

KINDS: dict[str, type[TableKeys | SignKeys | RelayKeys]] = {
    "table": TableKeys,
    "sign": SignKeys,
    "relay": RelayKeys,
}


class Backend:
    """A place where keys are stored, and stores that are opened on it."""

    def __init__(self, engine: str, directory: Path) -> None:
        self._directory = directory
        self._place = own_place() if engine == "redis" else None
        self._servers: list[RedisServer] = []

    def open(self, kind: str) -> KeyStore:
        """The keys of one kind of holder; shared ones each time from another node."""
        keys: HeldKeys = KINDS[kind](self._directory)
        if self._place is None:
            return FileKeyStore(keys)
        self._servers.append(RedisServer(self._place))
        keys = KINDS[kind](self._directory / str(len(self._servers)))
        return SharedKeyStore(self._servers[-1], keys)

    async def close(self) -> None:
        for server in self._servers:
            await server.close()


@pytest.fixture(params=["files", pytest.param("redis", marks=pytest.mark.redis)])
async def backend(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Backend]:
    opened = Backend(request.param, tmp_path / "not made yet")
    yield opened
    await opened.close()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def keys(backend: Backend, kind: str) -> KeyStore:
    return backend.open(kind)


async def test_store_where_nothing_was_issued_knows_nobody(keys: KeyStore) -> None:
    assert not await keys.fits("BJ-01", "anything")
    assert await keys.holder("BJ-01") is None
    assert await keys.versions() == {}
    assert not await keys.remove("BJ-01")


async def test_key_fits_who_it_was_issued_to_and_nobody_else(keys: KeyStore) -> None:
    key, other = await keys.issue("BJ-01"), await keys.issue("BJ-02")
    assert await keys.fits("BJ-01", key)
    assert await keys.fits("BJ-02", other)
    assert not await keys.fits("BJ-01", other)
    assert not await keys.fits("BJ-03", key)


@pytest.mark.parametrize("wrong", ["", " ", "x" * 10_000, "schlüssel", "\udc80\udcff", "\x00"])
async def test_wrong_key_of_any_form_does_not_fit(keys: KeyStore, wrong: str) -> None:
    key = await keys.issue("BJ-01")
    assert not await keys.fits("BJ-01", wrong)
    assert not await keys.fits("BJ-01", key + wrong if wrong else key[:-1])
    assert not await keys.fits("BJ-01", key.swapcase())


async def test_new_key_replaces_the_former(keys: KeyStore) -> None:
    former, newest = await keys.issue("BJ-01"), await keys.issue("BJ-01")
    assert former != newest
    assert not await keys.fits("BJ-01", former)
    assert await keys.fits("BJ-01", newest)


async def test_keys_are_long_and_never_the_same(keys: KeyStore) -> None:
    issued = {await keys.issue("BJ-01") for _ in range(20)}
    assert len(issued) == 20
    assert all(len(key) >= 43 for key in issued)


async def test_kinds_of_holders_share_no_keys(backend: Backend) -> None:
    stores = {kind: backend.open(kind) for kind in KINDS}
    issued = {kind: await store.issue("wall") for kind, store in stores.items()}
    for kind, store in stores.items():
        assert {each for each, key in issued.items() if await store.fits("wall", key)} == {kind}
        await store.remove("wall")
        assert await store.versions() == {}


async def test_another_opening_sees_a_key_at_once(backend: Backend, kind: str) -> None:
    """The command line issues it while the service runs."""
    service, command = backend.open(kind), backend.open(kind)
    assert not await service.fits("BJ-01", "anything")
    key = await command.issue("BJ-01")
    assert await service.fits("BJ-01", key)
    assert await command.remove("BJ-01")
    assert not await service.fits("BJ-01", key)


async def test_removed_key_fits_no_more_and_can_be_issued_again(keys: KeyStore) -> None:
    former = await keys.issue("BJ-01")
    assert await keys.remove("BJ-01")
    assert not await keys.remove("BJ-01")
    assert not await keys.fits("BJ-01", former)
    assert await keys.holder("BJ-01") is None
    newest = await keys.issue("BJ-01")
    assert await keys.fits("BJ-01", newest)
    assert not await keys.fits("BJ-01", former)


async def test_holder_says_who_the_key_was_made_for(keys: KeyStore, kind: str) -> None:
    await keys.issue("BJ-01", holder="simulator")
    await keys.issue("BJ-02")
    assert (await keys.holder("BJ-01"), await keys.holder("BJ-02")) == ("simulator", kind)
    await keys.issue("BJ-01")
    assert await keys.holder("BJ-01") == kind


async def test_versions_change_with_a_key_and_with_nothing_else(keys: KeyStore) -> None:
    await keys.issue("BJ-01")
    key = await keys.issue("BJ-02")
    before = await keys.versions()
    assert before.keys() == {"BJ-01", "BJ-02"}
    await keys.fits("BJ-02", key)
    assert await keys.versions() == before
    seen = [before["BJ-01"]]
    for _ in range(20):
        await keys.issue("BJ-01")
        versions = await keys.versions()
        assert versions["BJ-01"] != seen[-1]
        assert versions["BJ-02"] == before["BJ-02"]
        seen.append(versions["BJ-01"])
    await keys.remove("BJ-01")
    assert (await keys.versions()).keys() == {"BJ-02"}


@pytest.mark.parametrize("name", ["../../etc/passwd", "", ".", "a/b", "BJ 01", "x" * 65, "BJ-01\n"])
async def test_name_that_is_not_a_valid_id_has_no_key(keys: KeyStore, name: str) -> None:
    with pytest.raises(ValueError, match="id"):
        await keys.issue(name)
    assert not await keys.fits(name, "key")
    assert not await keys.remove(name)
    assert await keys.holder(name) is None
    assert await keys.versions() == {}


@pytest.mark.parametrize("name", ["a.b", "a.json", "a.part", "A", "0", "x" * 64])
async def test_every_valid_id_can_have_a_key(keys: KeyStore, name: str) -> None:
    other = await keys.issue("a")
    key = await keys.issue(name)
    assert await keys.fits(name, key)
    assert await keys.fits("a", other)
    assert (await keys.versions()).keys() == {"a", name}


async def test_keys_issued_at_the_same_moment_each_fit_their_own_name(keys: KeyStore) -> None:
    names = [f"BJ-{number:02}" for number in range(10)]
    issued = await asyncio.gather(*[keys.issue(name) for name in names])
    assert await asyncio.gather(*map(keys.fits, names, issued)) == [True] * 10


async def test_of_keys_issued_to_one_name_at_the_same_moment_one_fits(keys: KeyStore) -> None:
    issued = await asyncio.gather(*[keys.issue("BJ-01") for _ in range(10)])
    fit = [await keys.fits("BJ-01", key) for key in issued]
    assert sorted(fit) == [False] * 9 + [True]
