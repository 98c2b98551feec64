"""`make failover`: tables play on two real nodes and one real Redis while one of them is killed,
hangs, or is stopped, thirty times; then every answer is held against the journal.

The seed is printed first; `--seed` plays the same faults again. The last table says, by fault, how
long no message was answered.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random, SystemRandom

import aiohttp
from rich.console import Console
from rich.table import Table

from progressive.adapters.redis.place import redis_place
from progressive.client.table_client import TableClient
from progressive.domain.commands import RegisterWagers, SettleRound, Wager
from progressive.domain.ids import BetId, RoundId
from progressive.wire.table_messages import ErrorMessage
from tests.failover.history import Call, Read, problems
from tests.support.redis_server import RedisProcess
from tests.support.service import ServiceProcess
from tests.support.two_nodes import TwoNodes, go_on, hang, until_leading

TABLES = 6
FAULTS = ("kill the leader", "hang the leader", "stop the leader", "kill Redis", "hang Redis")
HANG_SECONDS = 5.0
"""Longer than a lease: another node leads when it goes on."""
QUIET_SECONDS = (0.2, 1.5)
"""Between the end of an outage and the next fault: any moment of a round."""
NEVER = float("inf")


class Played:
    """What all tables saw."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.reads: list[Read] = []
        self.answered = time.monotonic()
        """When a message was answered last."""

    async def play(self, client: TableClient, stop: asyncio.Event) -> None:
        """Round after round, nobody ever wins."""
        number = 0
        while not stop.is_set():
            number += 1
            name = RoundId(f"r{number}")
            wager = Wager(1, BetId("blazing7"), 500, base_cents=2500)
            await self._tell(client, RegisterWagers(1, name, (wager,), chips_counted=1))
            await self._tell(client, SettleRound(1, name, complete=False))

    async def _tell(self, client: TableClient, message: RegisterWagers | SettleRound) -> None:
        while True:
            invoked = time.monotonic()
            try:
                answer = await client.tell(message)
            except asyncio.CancelledError:
                under_way = client.unanswered
                if under_way is not None:
                    call = Call(client.table, under_way.seq, invoked, NEVER, "unknown")
                    self.calls.append(call)
                raise
            ended = time.monotonic()
            if not isinstance(answer, ErrorMessage):
                self.answered = ended
                done = Call(client.table, answer.seq, invoked, ended, "ok", answer.journal_seq)
                self.calls.append(done)
                return
            self.calls.append(Call(client.table, answer.seq or 0, invoked, ended, "refused"))
            # Out of service for the moment: the dealer tries again.
            await asyncio.sleep(0.05)

    async def look(self, nodes: "Nodes", stop: asyncio.Event) -> None:
        """At whoever says that it leads."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(2)) as session:
            while not stop.is_set():
                for url in nodes.urls:
                    with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                        await self._look_at(session, url)
                await asyncio.sleep(0.1)

    async def _look_at(self, session: aiohttp.ClientSession, url: str) -> None:
        invoked = time.monotonic()
        async with session.get(f"{url}/v1/links") as response:
            (link,) = (await response.json())["links"]
        if link["leader"] is None and link["state"] == "live":
            self.reads.append(Read(invoked, time.monotonic(), link["seq"]))


class Nodes:
    """The two nodes, the Redis under them, and what is done to them."""

    def __init__(self, folder: Path, redis: RedisProcess) -> None:
        self._redis = redis
        self._nodes = TwoNodes(folder, redis_place(redis.url()), TABLES)
        self.keys = self._nodes.keys
        self.data = self._nodes.data
        self.running: list[ServiceProcess] = [self._nodes.start(0), self._nodes.start(1)]
        self.urls = [node.url for node in self.running]

    async def fault(self, kind: str) -> None:
        """One, and its end: what was killed runs again."""
        leader = await self._leader()
        node = self.running[leader]
        if kind == "kill the leader":
            node.kill()
            await until_leading(self.urls[1 - leader])
            self.running[leader] = await asyncio.to_thread(self._nodes.start, leader)
        elif kind == "stop the leader":
            assert await asyncio.to_thread(node.terminate) == 0
            await until_leading(self.urls[1 - leader])
            self.running[leader] = await asyncio.to_thread(self._nodes.start, leader)
        elif kind == "hang the leader":
            hang(node)
            await asyncio.sleep(HANG_SECONDS)
            go_on(node)
        elif kind == "kill Redis":
            self._redis.kill()
            await asyncio.sleep(0.5)
            await asyncio.to_thread(self._redis.start)
        else:
            self._redis.stop()
            await asyncio.sleep(HANG_SECONDS)
            self._redis.go_on()

    async def _leader(self) -> int:
        """Whose lease it is: a node that hung still believes that it leads."""
        async with asyncio.timeout(60):
            while True:
                leader = self._redis.command("GET", "progressive:{main}:lease")
                if leader in self.urls:
                    return self.urls.index(leader)
                await asyncio.sleep(0.05)

    def close(self) -> None:
        """Both stop; their journals are whole."""
        for node in self.running:
            assert node.terminate() == 0


async def drilled(folder: Path, faults: Sequence[str], console: Console, random: Random) -> bool:
    """All of it; whether everything was as it must be."""
    (folder / "redis").mkdir()
    outages: dict[str, list[float]] = {}
    with RedisProcess(folder / "redis") as redis:
        nodes, played, stop = Nodes(folder, redis), Played(), asyncio.Event()
        async with contextlib.AsyncExitStack() as stack:
            playing = [asyncio.create_task(played.look(nodes, stop))]
            for table, key in nodes.keys.items():
                outbox = folder / f"{table}.outbox"
                client = TableClient(nodes.urls, table, key, outbox=outbox)
                await stack.enter_async_context(client)
                playing.append(asyncio.create_task(played.play(client, stop)))
            for kind in faults:
                await asyncio.sleep(random.uniform(*QUIET_SECONDS))
                outages.setdefault(kind, []).append(await _outage(played, nodes, kind, playing))
            stop.set()
            await asyncio.gather(*playing)
        await asyncio.to_thread(nodes.close)
    return _told(console, nodes, played, outages)


async def _outage(
    played: Played, nodes: Nodes, kind: str, playing: Sequence[asyncio.Task[None]]
) -> float:
    """The longest time without an answer from the fault on until play goes on behind its end."""
    watching = asyncio.create_task(_longest_silence(played))
    await nodes.fault(kind)
    ended = time.monotonic()
    async with asyncio.timeout(60):
        while played.answered < ended:
            for task in playing:
                assert not task.done(), task.exception()
            await asyncio.sleep(0.01)
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    return _silences.pop()


_silences: list[float] = []


async def _longest_silence(played: Played) -> None:
    longest = 0.0
    try:
        while True:
            longest = max(longest, time.monotonic() - played.answered)
            await asyncio.sleep(0.01)
    finally:
        _silences.append(longest)


def _told(console: Console, nodes: Nodes, played: Played, outages: dict[str, list[float]]) -> bool:
    exported = [_progressive("export", "--data", data, "--link", "main") for data in nodes.data]
    # The one that was stopped last has the end, too.
    shorter, longer = sorted([each.stdout for each in exported], key=len)
    found = list(problems(played.calls, played.reads, _messages(longer)))
    if not longer.startswith(shorter):
        found.append("the two nodes hold different records")
    for data in nodes.data:
        if (verified := _progressive("verify", "--data", data)).returncode:
            found.append(f"verify: {verified.stdout}{verified.stderr}")
    grid = Table(title="seconds without an answer")
    for column in ("fault", "times", "least", "longest"):
        grid.add_column(column, justify="left" if column == "fault" else "right")
    for kind, seconds in outages.items():
        grid.add_row(kind, str(len(seconds)), f"{min(seconds):.1f}", f"{max(seconds):.1f}")
    console.print(grid)
    outcomes = dict.fromkeys(("ok", "refused", "unknown"), 0)
    for call in played.calls:
        outcomes[call.outcome] += 1
    console.print(
        f"{outcomes['ok']:,} messages answered, {outcomes['refused']:,} refused, "
        f"{outcomes['unknown']:,} of unknown fate; {len(played.reads):,} looks at a leader"
    )
    for each in found:
        console.print(each, style="red", highlight=False)
    console.print("every answer holds" if not found else f"{len(found)} problems")
    return not found


def _messages(export: str) -> dict[int, tuple[str, int]]:
    """Table and number of each message's record."""
    found = {}
    for line in export.splitlines():
        record = json.loads(line)
        event = record["event"]
        if "table_seq" in event:
            found[record["seq"]] = (event["table"], event["table_seq"])
    return found


def _progressive(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "progressive", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--faults", type=int, default=30)
    options.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    given = options.parse_args()
    console = Console(width=100)
    console.print(f"seed {given.seed}", highlight=False)
    random = Random(given.seed)
    faults = [random.choice(FAULTS) for _ in range(given.faults)]
    with tempfile.TemporaryDirectory(prefix="failover-") as folder:
        good = asyncio.run(drilled(Path(folder), faults, console, random))
    raise SystemExit(not good)


if __name__ == "__main__":
    main()
