"""A link is moved to a log and back, and a log that lost its end is mended: the real commands."""

import subprocess
import sys
from pathlib import Path

import pytest

from progressive.adapters.redis.place import RedisPlace
from tests.integration.test_standby import a_round, main_link, store_of, verified
from tests.support.redis_server import own_place, shared_server
from tests.support.service import ROOT, ServiceProcess, issue_key

Done = subprocess.CompletedProcess[str]

pytestmark = [pytest.mark.redis, pytest.mark.slow]


@pytest.fixture
def place() -> RedisPlace:
    return own_place()


def run(*words: str | Path) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "progressive", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def migrate(source: str, target: str) -> Done:
    return run("migrate", "--from", source, "--to", target, "--link", "main")


def mend(data: Path, place: RedisPlace) -> Done:
    return run("mend-log", "--data", data, "--store", store_of(place), "--link", "main")


async def played(data: Path, *options: str, rounds: int = 3) -> int:
    key = issue_key(data, "BJ-01")
    seq = 0
    with ServiceProcess(data, *options) as service:
        for _ in range(rounds):
            seq = await a_round(service.url, key)
        assert service.terminate() == 0
    return seq


async def test_link_goes_to_redis_and_back_with_every_record(
    tmp_path: Path, place: RedisPlace
) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    await played(data)
    before = run("export", "--data", data, "--link", "main").stdout.splitlines()
    there = migrate(f"sqlite:{data}", store_of(place))
    assert (there.returncode, there.stdout) == (
        0,
        f"main: {len(before)} records, the same on both sides\n",
    )
    await played(data, "--store", store_of(place))
    after = run("export", "--data", data, "--link", "main").stdout.splitlines()
    assert after[: len(before)] == before
    assert len(after) > len(before)
    there = run("verify", "--store", store_of(place))
    assert (there.returncode, "chain ok" in there.stdout) == (0, True), there.stdout
    beside = run("verify", "--data", data, "--store", store_of(place))
    assert f"are the same in the log, which ends at {len(after)}" in beside.stdout
    back = migrate(store_of(place), f"sqlite:{elsewhere}")
    assert (back.returncode, back.stdout) == (
        0,
        f"main: {len(after)} records, the same on both sides\n",
    )
    assert run("export", "--data", elsewhere, "--link", "main").stdout.splitlines() == after
    assert verified(elsewhere) == verified(data) == 0
    # Any of the two goes on by itself.
    assert await played(elsewhere) > len(after)
    assert verified(elsewhere) == 0


async def test_what_cannot_be_moved_is_one_line(tmp_path: Path, place: RedisPlace) -> None:
    data, store = tmp_path / "data", store_of(place)
    await played(data, rounds=1)
    empty = tmp_path / "empty"
    empty.mkdir()
    for result, code, says in (
        (migrate(f"sqlite:{empty}", store), 2, "has no journal of main"),
        (migrate(f"sqlite:{tmp_path / 'none'}", store), 2, "is not a directory"),
        (migrate(store, f"sqlite:{empty}"), 2, "the log has no link main"),
        (migrate(f"sqlite:{data}", f"sqlite:{empty}"), 2, "the other redis://HOST:PORT"),
        (migrate(f"sqlite:{data}", "redis://127.0.0.1:1/0"), 2, "127.0.0.1:1"),
        (migrate(f"sqlite:{data}", "redis://127.0.0.1:x/0"), 2, "port"),
        (mend(data, place), 2, "the log has no link main: progressive migrate begins one"),
    ):
        assert result.returncode == code, (says, result.stderr)
        assert says in result.stderr
        assert "Traceback" not in result.stderr
    assert migrate(f"sqlite:{data}", store).returncode == 0
    again = migrate(f"sqlite:{data}", store)
    assert (again.returncode, "main has a log here" in again.stderr) == (2, True)
    assert mend(data, place).stdout == "main: the log lacks nothing\n"


async def test_log_that_lost_its_end_stops_the_link_until_it_is_mended(
    tmp_path: Path, place: RedisPlace
) -> None:
    """As after a failover to a replica that lacked the newest records."""
    data, store = tmp_path / "data", store_of(place)
    await played(data, "--store", store)
    journal, head = (f"{place.prefix}:{{main}}:{what}" for what in ("journal", "head"))
    server = shared_server()
    entries = server.command("XRANGE", journal, "-", "+").count("records")
    newest, before = ids = [
        line
        for line in server.command("XREVRANGE", journal, "+", "-", "COUNT", "2").splitlines()
        if line.endswith("-0")
    ]
    kept = server.command("XRANGE", journal, before, before).splitlines()
    assert len(ids) == 2
    server.command("XDEL", journal, newest)
    server.command("XSETID", journal, before)
    hash_then = kept[kept.index("head") + 1]
    server.command("HSET", head, "seq", before.removesuffix("-0"), "head", hash_then)
    with ServiceProcess(data, "--store", store) as service:
        link = await main_link(service.url)
        assert link["state"] == "inoperable"
        assert "the log has lost" in link["reason"]
        assert service.terminate() == 0
    mended = mend(data, place)
    assert (mended.returncode, "given back" in mended.stdout) == (0, True), mended.stderr
    assert server.command("XRANGE", journal, "-", "+").count("records") >= entries
    await played(data, "--store", store)
    assert verified(data) == 0
