"""Tables and signs of two nodes while the leader is killed, or hangs and goes on."""

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from display.client import Client
from display.feed_client import FeedClient
from display.led.reading import Reading
from display.settings import settings
from progressive.client.table_client import TableClient
from progressive.domain.commands import RegisterWagers, SettleRound, Wager
from progressive.domain.ids import BetId, RoundId
from progressive.wire.table_messages import Locked, Settled
from tests.support.redis_server import own_place
from tests.support.relays import Sign, a_relay, a_sign
from tests.support.service import ROOT
from tests.support.two_nodes import (
    WAIT_SECONDS,
    TwoNodes,
    go_on,
    hang,
    link_at,
    until_leading,
    until_record,
)

pytestmark = [pytest.mark.redis, pytest.mark.slow, pytest.mark.drill]

TABLES: Final = 4
WAGER_CENTS: Final = 500

Link = dict[str, Any]


@pytest.fixture
def nodes(tmp_path: Path) -> TwoNodes:
    return TwoNodes(tmp_path, own_place(), TABLES)


class Player:
    """A table that plays round after round and remembers every answer. Nobody ever wins."""

    def __init__(self, client: TableClient) -> None:
        self._client = client
        self.answers: list[Locked | Settled] = []

    @property
    def rounds(self) -> int:
        return len(self.answers) // 2

    async def play(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            name = RoundId(f"r{self.rounds}")
            wager = Wager(1, BetId("blazing7"), WAGER_CENTS, base_cents=2500)
            await self._tell(RegisterWagers(1, name, (wager,), chips_counted=1))
            await self._tell(SettleRound(1, name, complete=False))

    async def _tell(self, message: RegisterWagers | SettleRound) -> None:
        answer = await self._client.tell(message)
        assert isinstance(answer, Locked | Settled), answer
        self.answers.append(answer)


class LedReading:
    """What the driver of an LED sign reads of both nodes, without a relay, and its sign shows."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._settings = settings(upstreams=urls, name=None, key_file=None)
        self._reading = Reading("main", self._settings.upstreams, clock=time.monotonic)
        self._reading.on_news = self._note
        self.places: list[tuple[int, int]] = []

    def _note(self) -> None:
        if self._reading.place is not None:
            self.places.append(self._reading.place)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        client = Client(self._settings)
        feeds = [
            FeedClient(client, upstream, "main", self._reading, who={})
            for upstream in self._settings.upstreams
        ]
        tasks = [asyncio.create_task(feed.run()) for feed in feeds]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await client.close()


class Floor:
    """Tables at play, a sign behind a relay of both nodes, and an LED sign beside it."""

    def __init__(self, players: Sequence[Player], sign: Sign, led: LedReading) -> None:
        self._players = players
        self._sign = sign
        self._led = led
        self._stop = asyncio.Event()
        self._playing = [asyncio.create_task(player.play(self._stop)) for player in players]
        self._hearing = asyncio.create_task(self._hear())

    async def _hear(self) -> None:
        while True:
            await self._sign.next()

    async def play_on(self, rounds: int = 5) -> None:
        """Until every table has played so many more."""
        wanted = [player.rounds + rounds for player in self._players]
        async with asyncio.timeout(WAIT_SECONDS):
            while any(p.rounds < want for p, want in zip(self._players, wanted, strict=True)):
                for task in (*self._playing, self._hearing):
                    assert not task.done(), task.exception()
                await asyncio.sleep(0.02)

    async def ends(self, before: Link, survivor: str) -> None:
        """Every table finishes its round; then all that must hold is looked at."""
        self._stop.set()
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.gather(*self._playing)
            last = max(answer.journal_seq for each in self._players for answer in each.answers)
            after = await until_record(survivor, last)
            while min(self._sign.places[-1][1], self._led.places[-1][1]) < last:
                await asyncio.sleep(0.02)
        self._answered_once()
        self._meters_are_exact(before, after)
        self._sign_never_went_back()

    def _answered_once(self) -> None:
        """Numbers without a gap, and a record of its own for each answer."""
        for player in self._players:
            numbers = [answer.seq for answer in player.answers]
            assert numbers == list(range(1, len(numbers) + 1))
        records = [answer.journal_seq for each in self._players for answer in each.answers]
        assert len(set(records)) == len(records)

    def _meters_are_exact(self, before: Link, after: Link) -> None:
        """Every answered wager is on them, once: cents by rate are microcents."""
        rates = {each["id"]: each["rate_ppm"] for bet in before["bets"] for each in bet["meters"]}
        bets = {each["id"]: bet["id"] for bet in before["bets"] for each in bet["meters"]}
        cents = sum(player.rounds for player in self._players) * WAGER_CENTS
        expected = {
            each["id"]: each["cents"]
            + (cents * rates[each["id"]] // 10**6 if bets[each["id"]] == "blazing7" else 0)
            for each in before["meters"]
        }
        assert {each["id"]: each["cents"] for each in after["meters"]} == expected

    def _sign_never_went_back(self) -> None:
        """Neither in the order of places nor in any amount, and it saw the new leader."""
        for places in (self._sign.places, self._led.places):
            assert places == sorted(places)
            assert places[-1][0] > places[0][0]
        shown = [each for each in self._sign.heard if each["type"] in ("snapshot", "update")]
        for meter in (each["id"] for each in shown[0]["meters"]):
            told = [m["cents"] for each in shown for m in each["meters"] if m["id"] == meter]
            assert told == sorted(told)

    async def close(self) -> None:
        tasks = (*self._playing, self._hearing)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def a_floor(nodes: TwoNodes, urls: Sequence[str], folder: Path) -> AsyncIterator[Floor]:
    async with contextlib.AsyncExitStack() as stack:
        relay = await stack.enter_async_context(a_relay(*urls))
        sign = await stack.enter_async_context(a_sign(relay.url))
        await sign.next_of("snapshot")
        led = LedReading(urls)
        await stack.enter_async_context(led.open())
        clients = [
            await stack.enter_async_context(
                TableClient(urls, table, key, outbox=folder / f"{table}.outbox")
            )
            for table, key in nodes.keys.items()
        ]
        floor = Floor([Player(client) for client in clients], sign, led)
        stack.push_async_callback(floor.close)
        yield floor


async def test_leader_killed_and_started_again_and_the_other_one_killed(
    nodes: TwoNodes, tmp_path: Path
) -> None:
    with nodes.start(0) as one, nodes.start(1) as two:
        before = await link_at(one.url)
        async with a_floor(nodes, (one.url, two.url), tmp_path) as floor:
            await floor.play_on()
            one.kill()
            await floor.play_on()
            with nodes.start(0) as again:
                await floor.play_on()
                await until_record(again.url, (await link_at(two.url))["seq"])
                two.kill()
                await floor.play_on()
                await floor.ends(before, again.url)
                assert again.terminate() == 0
    assert nodes.verified() == [0, 0]


async def test_leader_that_hangs_and_goes_on(nodes: TwoNodes, tmp_path: Path) -> None:
    with nodes.start(0) as one, nodes.start(1) as two:
        before = await link_at(one.url)
        async with a_floor(nodes, (one.url, two.url), tmp_path) as floor:
            await floor.play_on()
            hang(one)
            await until_leading(two.url)
            await floor.play_on()
            go_on(one)
            await floor.play_on()
            await floor.ends(before, two.url)
        led = await link_at(two.url)
        shown = await until_record(one.url, led["seq"])
        assert shown["meters"] == led["meters"]
        assert one.terminate() == two.terminate() == 0
    assert nodes.verified() == [0, 0]


async def test_planned_stop_of_the_leader(nodes: TwoNodes, tmp_path: Path) -> None:
    with nodes.start(0) as one, nodes.start(1) as two:
        before = await link_at(one.url)
        async with a_floor(nodes, (one.url, two.url), tmp_path) as floor:
            await floor.play_on()
            assert await asyncio.to_thread(one.terminate) == 0
            await floor.play_on()
            await floor.ends(before, two.url)
        assert two.terminate() == 0
    assert nodes.verified() == [0, 0]


async def test_simulate_plays_on_over_the_leaders_death(nodes: TwoNodes) -> None:
    with nodes.start(0) as one, nodes.start(1) as two:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "progressive", "simulate", "--demo-shoe"),
            *("--server", one.url, "--server", two.url, "--keys", str(nodes.keys_file)),
            *("--tables", str(TABLES), "--rounds", "150", "--seed", "7"),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            await until_record(one.url, 300)
            hang(one)
            await until_leading(two.url)
            await until_record(two.url, 600)
            go_on(one)
            await until_record(one.url, 600)
            two.kill()
            out, err = await process.communicate()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        assert process.returncode == 0, out.decode() + err.decode()
        assert b"600 rounds" in out
        reconnects = re.search(rb"(\d+) reconnects", out)
        assert reconnects is not None
        assert int(reconnects[1]) >= 2 * TABLES
        assert one.terminate() == 0
    assert nodes.verified() == [0, 0]
