"""Two nodes on a primary, replicas and three Sentinels: primaries fail, and nothing is forked.

The servers run with the files of `deploy/redis`. Tables play all the time, as strangers would; what
they were answered is looked for in the journal of both nodes. The outages that are printed are in
docs/redis.md.
"""

import asyncio
import re
import shutil
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.test_standby import (
    amounts,
    asked,
    main_link,
    until_at,
    until_it_leads,
    verified,
)
from tests.support.floor_load import LoadTable, check_books, until_answered
from tests.support.redis_fleet import ENVIRONMENT, RedisFleet
from tests.support.service import ServiceProcess, run_command

pytestmark = [pytest.mark.redis, pytest.mark.slow, pytest.mark.drill]

WAIT_SECONDS = 120
"""A safety net for a hung test, never a measure of speed."""
TABLES = 6


class Drill:
    """Two nodes, and tables that go to whichever of them takes them."""

    def __init__(self, folder: Path, store: str) -> None:
        self.data = [folder / "one", folder / "two"]
        self.tables = [
            LoadTable(self.data[0], f"BJ-{number:02}", 11) for number in range(1, TABLES + 1)
        ]
        # Both know the same keys.
        shutil.copytree(*self.data)
        self.store = store
        self._stop = asyncio.Event()
        self.nodes: list[ServiceProcess] = []
        self.playing: list[asyncio.Task[None]] = []

    def start_node(self, number: int) -> ServiceProcess:
        return ServiceProcess(self.data[number], "--store", self.store, **ENVIRONMENT)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Both nodes, and play, until the block is left."""
        with self.start_node(0) as one, self.start_node(1) as two:
            self.nodes = [one, two]
            self.playing = [
                asyncio.create_task(table.play_anywhere([one.url, two.url], self._stop))
                for table in self.tables
            ]
            try:
                await until_answered(self.tables, self.playing, more=60)
                yield
            finally:
                await self.stop_play()

    async def play_on(self, since: float) -> str:
        """Until tables are answered again, and then some more; how long that took in all."""
        await until_answered(self.tables, self.playing, more=len(self.tables) + 1)
        outage = f"out for {time.monotonic() - since:.1f} s"
        await until_answered(self.tables, self.playing, more=60)
        return outage

    async def stop_play(self) -> None:
        self._stop.set()
        await asyncio.gather(*self.playing)

    async def check(self) -> None:
        """Both nodes have every answered message once, and the same amounts; then they are gone."""
        await self.stop_play()
        links = [await main_link(node.url) for node in self.nodes]
        newest = max(link["seq"] for link in links)
        shown = [await until_at(node.url, newest) for node in self.nodes]
        assert amounts(shown[0]) == amounts(shown[1])
        for node in self.nodes:
            assert await asyncio.to_thread(node.terminate) == 0
        for data in self.data:
            check_books(self.tables, data)
            assert verified(data) == 0


async def test_primary_killed_play_goes_on_with_the_server_that_comes_back(tmp_path: Path) -> None:
    """Two servers: the promoted one takes no writes until it has a replica again."""
    with RedisFleet(tmp_path / "redis") as fleet:
        drill = Drill(tmp_path, fleet.store(replicas=1))
        async with drill.running():
            killed, begun = fleet.primary(), time.monotonic()
            killed.kill()
            promoted = await asyncio.to_thread(fleet.wait_for_primary, other_than=killed)
            # As systemd does it.
            await asyncio.to_thread(killed.start)
            print(await drill.play_on(begun))
            assert promoted.command("ROLE").startswith("master")
            await drill.check()


async def test_primary_killed_play_goes_on_with_the_replica_that_is_left(tmp_path: Path) -> None:
    """Three servers: nobody has to come back."""
    with RedisFleet(tmp_path / "redis", replicas=2) as fleet:
        drill = Drill(tmp_path, fleet.store(replicas=1))
        async with drill.running():
            killed, begun = fleet.primary(), time.monotonic()
            killed.kill()
            print(await drill.play_on(begun))
            assert fleet.primary() is not killed
            await drill.check()


async def test_primary_that_hung_and_goes_on_takes_no_writes(tmp_path: Path) -> None:
    """SIGSTOP: its connections stay open, and it knows of no other primary when it goes on."""
    with RedisFleet(tmp_path / "redis", replicas=2) as fleet:
        drill = Drill(tmp_path, fleet.store(replicas=1))
        async with drill.running():
            hung, begun = fleet.primary(), time.monotonic()
            hung.signal(signal.SIGSTOP)
            promoted = await asyncio.to_thread(fleet.wait_for_primary, other_than=hung)
            print(await drill.play_on(begun))
            hung.signal(signal.SIGCONT)
            await until_answered(drill.tables, drill.playing, more=60)
            assert fleet.primary() is promoted
            await drill.check()


async def test_primary_promoted_without_the_end_of_the_log_stops_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The replica was gone, the primary is lost, the replica comes back with what it had. The end
    is given back from a node's disk."""
    with RedisFleet(tmp_path / "redis") as fleet:
        primary, replica = fleet.servers
        drill = Drill(tmp_path, fleet.store(replicas=0))
        async with drill.running():
            # So it is where nobody asks for replicas.
            primary.command("CONFIG", "SET", "min-replicas-to-write", "0")
            replica.kill()
            await until_answered(drill.tables, drill.playing, more=60)
            await drill.stop_play()
            written = (await main_link(drill.nodes[0].url))["seq"]
            for node in drill.nodes:
                await until_at(node.url, written)
            primary.kill()
            replica.start()
            await asyncio.to_thread(fleet.wait_for_primary, other_than=primary)
            # What the nodes would need to write; what they find there forbids it all the same.
            replica.command("CONFIG", "SET", "min-replicas-to-write", "0")
            for node in drill.nodes:
                here, log = await until_copies_differ(node.url)
                assert here == written > log > 0
            assert {(await asked(node.url, "/readyz"))[0] for node in drill.nodes} == {503}
            for node in drill.nodes:
                assert (await main_link(node.url))["seq"] == written
            assert await asyncio.to_thread(drill.nodes[0].terminate) == 0
            # Nor after a restart.
            with drill.start_node(0) as again:
                assert await until_copies_differ(again.url) == (written, log)
                assert await asyncio.to_thread(again.terminate) == 0
            for name, value in ENVIRONMENT.items():
                monkeypatch.setenv(name, value)
            words = ("--data", drill.data[0], "--store", drill.store, "--link", "main")
            mended = await asyncio.to_thread(run_command, "mend-log", *words)
            assert f"main: {written - log:,} records given back" in mended.stdout, mended.stderr
            # The other node needs nobody to go on.
            await until_it_leads(drill.nodes[1].url)
            assert (await main_link(drill.nodes[1].url))["seq"] >= written
            assert await asyncio.to_thread(drill.nodes[1].terminate) == 0
        for data in drill.data:
            check_books(drill.tables, data)
            assert verified(data) == 0


async def until_copies_differ(url: str) -> tuple[int, int]:
    """Records on the node's disk and in the log, once the link is out of service for that."""
    reason = re.compile(
        r"this node's disk holds ([0-9,]+) records of main, and the shared log ([0-9,]+): "
    )
    async with asyncio.timeout(WAIT_SECONDS):
        while True:
            link = await main_link(url)
            found = reason.search(link["reason"] or "")
            if link["state"] == "inoperable" and found is not None:
                here, log = (int(each.replace(",", "")) for each in found.groups())
                return here, log
            await asyncio.sleep(0.05)
