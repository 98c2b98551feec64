"""The files of `deploy/redis` as they stand: a server with them holds a log, for its own user."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from progressive.adapters.redis.log import RedisLog
from progressive.adapters.redis.place import RedisPlace, redis_place
from progressive.adapters.redis.safety import ASKED, SETTINGS
from progressive.adapters.redis.server import RedisServer
from progressive.adapters.sqlite.journal import SqliteStore
from progressive.application.journal.ports import StoreConflictError, StoreUnavailableError
from progressive.application.journal.record import GENESIS
from progressive.application.link.ports import LedElsewhereError
from progressive.application.shared.ports import LogEnd, LogEntry, UnsafeLogError
from progressive.application.shared.store import SharedStore
from progressive.domain.ids import LinkId
from tests.support.redis_fleet import DEPLOY, ENVIRONMENT, DeployedProcess, RedisFleet
from tests.support.redis_server import NODE
from tests.support.service import ROOT

pytestmark = [pytest.mark.redis, pytest.mark.slow]

MAIN: Final = LinkId("main")
OTHER_NODE: Final = "http://127.0.0.1:10"
MADE_WORSE: Final = {
    "appendonly": "no",
    "appendfsync": "everysec",
    "aof-load-truncated": "yes",
    "maxmemory-policy": "allkeys-lru",
}
MADE_WORSE_WITH_REPLICAS: Final = {"min-replicas-to-write": "0", "min-replicas-max-lag": "10"}


@pytest.fixture(scope="module")
def primary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeployedProcess]:
    """With a replica: without one, a primary with these files takes no writes."""
    with RedisFleet(tmp_path_factory.mktemp("deployed"), sentinels=0) as fleet:
        yield fleet.servers[0]


@pytest.fixture
def place(primary: DeployedProcess) -> RedisPlace:
    """As the service's own user, with the keys that it may use."""
    primary.command("FLUSHALL")
    return redis_place(f"redis://127.0.0.1:{primary.port}/0?replicas=1", ENVIRONMENT)


def entry(last_seq: int, prev: str) -> LogEntry:
    return LogEntry(1, prev, last_seq, f"head-{last_seq}", (b'{"record":1}',))


async def test_service_user_may_do_all_that_a_log_asks(place: RedisPlace) -> None:
    server = RedisServer(place)
    one, two = RedisLog(server, url=NODE), RedisLog(RedisServer(place), url=OTHER_NODE)
    try:
        assert "on 1 replicas and on this node's disk" in await one.check()
        end = await one.open(MAIN, holder="a", above_epoch=0)
        await one.append(MAIN, before=end, entry=entry(1, GENESIS))
        assert await one.renew(MAIN, epoch=end.epoch, holder="a")
        await one.report_copy(MAIN, seq=1)
        assert await two.copies(MAIN) == {NODE: 1}
        await one.trim(MAIN, epoch=end.epoch, holder="a", until_seq=0)
        assert await two.leader(MAIN) == NODE
        with pytest.raises(LedElsewhereError):
            await two.open(MAIN, holder="b", above_epoch=0)
        await one.release(MAIN, holder="a")
        taken = await two.open(MAIN, holder="b", above_epoch=0)
        assert (taken.seq, taken.head) == (1, "head-1")
        with pytest.raises(StoreConflictError):
            await one.append(MAIN, before=end, entry=entry(2, "head-1"))
        assert [each.last_seq async for each in two.read(MAIN, after_seq=0)] == [1]
        await two.begin(LinkId("high"), LogEnd(3, "", 8, "head-8"))
        assert await two.links() == ["high", MAIN]
    finally:
        await one.close()
        await two.close()


async def test_store_on_the_deployed_server_goes_on_where_it_ended(
    place: RedisPlace, tmp_path: Path
) -> None:
    for expected_seq in range(3):
        store = SharedStore(RedisLog(RedisServer(place), url=NODE), SqliteStore(tmp_path))
        opened = await store.open_link(MAIN)
        assert opened.seq == expected_seq
        await store.append(
            MAIN,
            epoch=opened.epoch,
            expected_seq=expected_seq,
            records=[b'{"record":1}'],
            head=f"head-{expected_seq + 1}",
        )
        await store.close()


async def test_killed_servers_have_all_that_was_acknowledged_when_they_are_started_again(
    tmp_path: Path,
) -> None:
    """A file is read back as the user `default`. Where that one may run nothing, Redis 7.0 skips
    every transaction of it, says so in its log only, and starts without them."""
    with RedisFleet(tmp_path, sentinels=0) as fleet:
        primary = fleet.servers[0]
        place = redis_place(f"redis://127.0.0.1:{primary.port}/0?replicas=1", ENVIRONMENT)
        log = RedisLog(RedisServer(place), url=NODE)
        end = await log.open(MAIN, holder="a", above_epoch=0)
        await log.append(MAIN, before=end, entry=entry(1, GENESIS))
        for each in fleet.servers:
            each.kill()
        for each in fleet.servers:
            each.start()
            assert "CRITICAL" not in (each.folder / "redis-server.log").read_text()
            assert each.command("XLEN", "progressive:{main}:journal") == "1"
        await log.close()
        # Connections ended with the servers: the old client says so once.
        log = RedisLog(RedisServer(place), url=NODE)
        try:
            now = await log.end(MAIN)
            assert (now.seq, now.head) == (1, "head-1")
            assert [each.last_seq async for each in log.read(MAIN, after_seq=0)] == [1]
        finally:
            await log.close()


def test_nobody_gets_in_without_a_password(primary: DeployedProcess) -> None:
    for who in ([], ["--user", "default", "--pass", ""], ["--user", "default", "--pass", "x"]):
        said = subprocess.run(
            ["redis-cli", "-p", str(primary.port), *who, "GET", "x"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "NOAUTH" in said.stdout + said.stderr


@pytest.mark.parametrize(
    "command",
    ["FLUSHALL", "CONFIG SET appendonly no", "DEL other:key", "XTRIM other:j MAXLEN 0",
     "KEYS *", "FUNCTION FLUSH", "EVAL return(1) 0", "REPLICAOF NO ONE", "SAVE"],
)  # fmt: skip
async def test_service_user_may_do_nothing_else(place: RedisPlace, command: str) -> None:
    server = RedisServer(place)
    try:
        with pytest.raises(StoreUnavailableError, match=r"(?i)no permissions"):
            await server.ask(*command.split())
    finally:
        await server.close()


@pytest.mark.parametrize(
    ("setting", "worse"), [*MADE_WORSE.items(), *MADE_WORSE_WITH_REPLICAS.items()]
)
async def test_each_unsafe_setting_is_refused_by_its_name(
    primary: DeployedProcess, place: RedisPlace, setting: str, worse: str
) -> None:
    good = primary.command("CONFIG", "GET", setting).split("\n")[1]
    log = RedisLog(RedisServer(place), url=NODE)
    try:
        await log.check()
        primary.command("CONFIG", "SET", setting, worse)
        with pytest.raises(UnsafeLogError, match=f"has {setting} {worse}: set it to"):
            await log.open(MAIN, holder="a", above_epoch=0)
        assert (await log.end(MAIN)).epoch == 0
        primary.command("CONFIG", "SET", setting, good)
        await log.check()
    finally:
        primary.command("CONFIG", "SET", setting, good)
        await log.close()


def test_every_setting_that_is_asked_for_was_made_worse() -> None:
    assert set(MADE_WORSE) == set(SETTINGS)
    assert set(MADE_WORSE) | set(MADE_WORSE_WITH_REPLICAS) == set(ASKED)


async def test_replica_is_refused(primary: DeployedProcess, tmp_path: Path) -> None:
    replica = DeployedProcess(tmp_path / "replica", "redis")
    replica.add(f"replicaof 127.0.0.1 {primary.port}")
    replica.start()
    server = RedisServer(redis_place(f"redis://127.0.0.1:{replica.port}/0", ENVIRONMENT))
    try:
        with pytest.raises(UnsafeLogError, match="is a replica: name its primary"):
            await server.check()
    finally:
        await server.close()
        replica.kill()


def test_service_user_may_run_every_command_of_the_functions() -> None:
    (line,) = re.findall(r"^user progressive .*$", (DEPLOY / "users.acl").read_text(), re.M)
    allowed = {word[1:] for word in line.split() if word.startswith("+")}
    folder = ROOT / "progressive" / "adapters" / "redis"
    called = {
        name.lower()
        for path in folder.glob("*.lua")
        for name in re.findall(r"redis\.call\('(\w+)'", path.read_text())
    }
    assert {"xadd", "hset", "xtrim"} <= called
    assert called <= allowed


def test_passwords_are_all_to_be_changed() -> None:
    """A password that somebody leaves as it is can be found by looking for one word."""
    for name in ("users.acl", "redis.conf", "sentinel.conf"):
        text = (DEPLOY / name).read_text()
        found = re.findall(
            r"^[^#\n]*(?:>|masterauth |requirepass |auth-pass \w+ )(\S+)", text, re.M
        )
        assert found, name
        assert all(each.startswith("CHANGE-") for each in found), name
