"""`make cluster`: Redis with a replica, three Sentinels, two nodes, signs and tables, to kill.

Everything runs on this machine, from a folder that is removed at the end. What ends is started
again, as systemd does it on a casino's machines. Ctrl-C stops all of it; then both nodes' journals
are verified.
"""

import argparse
import asyncio
import contextlib
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.cluster.parts import Command, NamedPart, node, redis_parts, relay
from tests.support.floor_load import LoadTable
from tests.support.redis_fleet import RedisFleet
from tests.support.service import run_command

TABLES: Final = [f"BJ-{number:02}" for number in range(1, 12)]
"""One table of the floor is free: deal there yourself."""
FOLDER: Final = "progressive-cluster-"
PACE_SECONDS: Final = 1.0
LOOK_SECONDS: Final = 0.5
SAY_SECONDS: Final = 10.0
BACK_AFTER_SECONDS: Final = 5.0


class Cluster:
    """All of it, in one folder."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        self.urls = [f"http://127.0.0.1:{port}" for port in ports[:2]]
        self.data = [folder / "node-one", folder / "node-two"]
        self.tables = [
            LoadTable(self.data[0], table, 1, pace_seconds=PACE_SECONDS) for table in TABLES
        ]
        # Both nodes know the same keys of tables.
        shutil.copytree(*self.data)
        self.fleet = RedisFleet(folder / "redis")
        self.nodes = [
            node(data, port, self.fleet) for data, port in zip(self.data, ports, strict=False)
        ]
        self.relay = relay(folder, ports[2], self.urls)
        self.signs = f"http://127.0.0.1:{ports[2]}/sign/entrance"
        self.parts = [
            NamedPart("node one", self.nodes[0]),
            NamedPart("node two", self.nodes[1]),
            NamedPart("relay of signs", self.relay),
            *(NamedPart(name, process) for name, process in redis_parts(self.fleet)),
        ]

    @property
    def commands(self) -> list[Command]:
        return [self.relay, *self.nodes]

    def describe(self) -> str:
        """Where to look, and what to kill."""
        where = {
            "node one": f"{self.urls[0]}/",
            "node two": f"{self.urls[1]}/",
            "relay of signs": self.signs,
        }
        return "\n".join(
            [
                f"{len(TABLES)} simulated tables, play money; one table more is free",
                *(
                    f"  {part.name:<16}pid {part.runs.pid:<9}{where.get(part.name, '')}".rstrip()
                    for part in self.parts
                ),
                "kill one and watch: kill -9 PID (or kill -STOP PID, and kill -CONT PID later)",
                f"what ended is started again after {BACK_AFTER_SECONDS:g} s, as systemd does it;",
                "two Redis servers write only together: when one is gone, play waits for it",
                "Ctrl-C stops everything",
            ]
        )

    async def keep(self, stop: asyncio.Event) -> None:
        """Start again what ended."""
        while not stop.is_set():
            for part in self.parts:
                if part.runs.ended:
                    say(f"{part.name} is gone")
                    await pause(stop, BACK_AFTER_SECONDS)
                    if stop.is_set():
                        return
                    await asyncio.to_thread(part.runs.start)
                    say(f"{part.name} runs again, pid {part.runs.pid}")
            await pause(stop, LOOK_SECONDS)

    async def watch(self, stop: asyncio.Event) -> None:
        """Say who leads, and how far play is: when that changes, and now and then."""
        before, said_at = "", 0.0
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as session:
            while not stop.is_set():
                who = " | ".join(
                    [
                        *[
                            f"{name}: {await state(session, url)}"
                            for name, url in zip(("node one", "node two"), self.urls, strict=True)
                        ],
                        f"primary: {await asyncio.to_thread(self.primary)}",
                    ]
                )
                if who != before or time.monotonic() - said_at > SAY_SECONDS:
                    answers = sum(len(table.answered) for table in self.tables)
                    say(f"{who} | {answers:,} answers")
                    before, said_at = who, time.monotonic()
                await pause(stop, LOOK_SECONDS)

    def primary(self) -> str:
        """Whom a Sentinel names that answers."""
        try:
            return self.fleet.primary().folder.name
        except (OSError, RuntimeError, StopIteration, ValueError):
            return "not known"


async def state(session: aiohttp.ClientSession, url: str) -> str:
    """A node's own word on the link."""
    try:
        async with session.get(f"{url}/v1/links") as response:
            link: dict[str, Any] = (await response.json())["links"][0]
    except (aiohttp.ClientError, TimeoutError):
        return "gone"
    return f"{link['node']}{'' if link['state'] == 'live' else ', out of service'}"


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Until told to stop, or for so long."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


async def run(folder: Path, ports: list[int]) -> int:
    """Until told to stop; the exit code."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    cluster = Cluster(folder, ports)
    print("starting Redis, a replica, three Sentinels, two nodes, a relay of signs ...", flush=True)
    with cluster.fleet:
        try:
            for each in (*cluster.nodes, cluster.relay):
                await asyncio.to_thread(each.start)
            print(cluster.describe(), flush=True)
            print(f"ready {cluster.urls[0]}", flush=True)
            await work(cluster, stop)
        finally:
            for command in cluster.commands:
                command.stop()
    return check(cluster)


async def work(cluster: Cluster, stop: asyncio.Event) -> None:
    """Play, watch, start again; the first of them that fails ends all."""
    tasks = [
        asyncio.create_task(cluster.keep(stop)),
        asyncio.create_task(cluster.watch(stop)),
        *[asyncio.create_task(table.play_anywhere(cluster.urls, stop)) for table in cluster.tables],
    ]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    stop.set()
    await asyncio.gather(*tasks)


def check(cluster: Cluster) -> int:
    """Whether both nodes' journals are whole."""
    worst = 0
    for data in cluster.data:
        verified = run_command("verify", "--data", data)
        said = (verified.stdout + verified.stderr).strip().splitlines()
        print(f"stopped; verify of {data.name}: exit code {verified.returncode}, {said[0]}")
        worst = max(worst, verified.returncode)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--ports", default="8080,8081,8090", help="of both nodes and of the relay (%(default)s)"
    )
    ports = [int(port) for port in parser.parse_args().ports.split(",")]
    folder = Path(tempfile.mkdtemp(prefix=FOLDER))
    try:
        return asyncio.run(run(folder, ports))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
