"""The sign feed: snapshot first, newest values, never an old one, and nobody waits for a sign."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from progressive.adapters.config.floor import load_floor
from progressive.entry.bootstrap import Running, running
from progressive.live import hub, sign_sockets
from tests.support.service import (
    ANSWER_SECONDS,
    FLOOR,
    Message,
    TableClient,
    issue_key,
    lock,
    settle,
    shipped_rules,
)

pytestmark = pytest.mark.slow


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    rules = shipped_rules()
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        yield service


@asynccontextmanager
async def a_sign(
    url: str, query: str = "?sign=entrance"
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/v1/links/main/feed{query}") as feed,
    ):
        yield feed


async def receive(feed: aiohttp.ClientWebSocketResponse) -> Message:
    message: Message = await feed.receive_json(timeout=ANSWER_SECONDS)
    return message


async def next_update(feed: aiohttp.ClientWebSocketResponse, *, seq: int) -> Message:
    """The first update that is at least as new."""
    async with asyncio.timeout(ANSWER_SECONDS):
        while True:
            message = await receive(feed)
            if message["type"] == "update" and message["seq"] >= seq:
                return message


@asynccontextmanager
async def a_table(service: Running, data: Path, table: str = "BJ-01") -> AsyncIterator[TableClient]:
    async with TableClient.connect(service.url, table, issue_key(data, table)) as client:
        yield client


async def test_snapshot_first_then_the_newest_values(service: Running, tmp_path: Path) -> None:
    async with a_sign(service.url) as feed, a_table(service, tmp_path) as table:
        snapshot = await receive(feed)
        assert snapshot["type"] == "snapshot"
        assert (snapshot["link"], snapshot["state"], snapshot["wins"]) == ("main", "live", [])
        assert snapshot["meters"] == [
            {"id": "mega", "name": "Mega", "cents": 10_000_000},
            {"id": "major", "name": "Major", "cents": 1_500_000},
            {"id": "minor", "name": "Minor", "cents": 300_000},
        ]
        answer = await table.ask(lock(1, "r1", (1, 2)))
        update = await next_update(feed, seq=answer["journal_seq"])
        assert update["meters"] == answer["meters"]
        assert (update["epoch"], update["seq"]) == (snapshot["epoch"], answer["journal_seq"])
        assert update["at"] >= snapshot["at"]


async def test_many_rounds_are_few_updates_and_never_an_older_one(
    service: Running, tmp_path: Path
) -> None:
    rounds = 300
    async with a_sign(service.url) as feed, a_table(service, tmp_path) as table:
        await receive(feed)
        clock = asyncio.get_running_loop()
        began = clock.time()
        for number in range(rounds):
            await table.ask(lock(2 * number + 1, f"r{number}"))
            last = await table.ask(settle(2 * number + 2, f"r{number}"))
        seen: list[Message] = []
        while not seen or seen[-1]["seq"] < last["journal_seq"]:
            message = await receive(feed)
            if message["type"] == "update":
                seen.append(message)
        took = clock.time() - began
        assert [message["seq"] for message in seen] == sorted({m["seq"] for m in seen})
        assert seen[-1]["meters"] == last["meters"]
        # At most ten a second, whatever the second took; one more for where the count began.
        assert len(seen) <= took / hub.UPDATE_SECONDS + 1


async def test_win_is_on_every_sign_behind_the_amounts_it_left(
    service: Running, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        feeds = [await stack.enter_async_context(a_sign(service.url)) for _ in range(5)]
        table = await stack.enter_async_context(a_table(service, tmp_path))
        await table.ask(lock(1, "r1", (1, 2)))
        winners = [{"seat": seat, "cards": ["7d", "7d", "7d"]} for seat in (1, 2)]
        answer = await table.ask(settle(2, "r1", seats=winners, dealer={"cards": ["5s"]}))
        assert [award["amount_cents"] for award in answer["awards"]] == [10_000_120, 2_500_010]
        for feed in feeds:
            frames = [await receive(feed)]
            while sum(frame["type"] == "win" for frame in frames) < 2:
                frames.append(await receive(feed))
            wins = [frame for frame in frames if frame["type"] == "win"]
            update = frames[frames.index(wins[0]) - 1]
            assert (update["type"], update["seq"]) == ("update", answer["journal_seq"])
            assert update["meters"] == answer["meters"]
            assert [(win["award"], win["seat"], win["next_cents"]) for win in wins] == [
                ("main.3.1", 2, 2_500_010),
                ("main.3.2", 1, 2_500_000),
            ]
        # Whoever joins in the middle finds them in the snapshot.
        late = await stack.enter_async_context(a_sign(service.url, ""))
        assert (await receive(late))["wins"] == wins


async def test_every_sign_gets_the_same_bytes(service: Running, tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        feeds = [await stack.enter_async_context(a_sign(service.url)) for _ in range(20)]
        for feed in feeds:
            await receive(feed)
        table = await stack.enter_async_context(a_table(service, tmp_path))
        await table.ask(lock(1, "r1"))
        told = set()
        for feed in feeds:
            while not (text := await feed.receive_str(timeout=ANSWER_SECONDS)).startswith(
                '{"type":"update"'
            ):
                pass
            told.add(text)
        assert len(told) == 1


async def test_a_quiet_feed_ticks(service: Running) -> None:
    async with a_sign(service.url) as feed:
        snapshot = await receive(feed)
        tick = await receive(feed)
        assert tick["type"] == "tick"
        assert (tick["epoch"], tick["seq"]) == (snapshot["epoch"], snapshot["seq"])
        assert tick["at"] > snapshot["at"]


async def test_showing_is_counted_as_lag(service: Running, tmp_path: Path) -> None:
    async with a_sign(service.url) as feed, a_table(service, tmp_path) as table:
        await receive(feed)
        await feed.send_str('{"type":"showing","seq":1}')
        await table.ask(lock(1, "r1"))
        async with aiohttp.ClientSession() as session, asyncio.timeout(ANSWER_SECONDS):
            while True:
                async with session.get(f"{service.url}/metrics") as response:
                    text = await response.text()
                if 'progressive_sign_lag_records{link="main"} 1.0' in text:
                    break
                await asyncio.sleep(0.02)
        assert 'progressive_signs_connected{link="main"} 1.0' in text


@pytest.mark.parametrize(
    "said",
    [
        "hello",
        "{}",
        '{"type":"update","seq":1}',
        '{"type":"showing","seq":-1}',
        '{"type":"showing","seq":1.5}',
        '{"type":"showing"}',
        '{"type":"showing","seq":1,"more":2}',
        b"binary",
        "[" * 10_000,
    ],
)
async def test_anything_else_closes_the_feed(service: Running, said: str | bytes) -> None:
    async with a_sign(service.url) as feed:
        await receive(feed)
        await (feed.send_str(said) if isinstance(said, str) else feed.send_bytes(said))
        async for _ in feed:
            pass
        assert feed.close_code == 4400


async def test_a_sign_that_talks_too_much_is_closed(service: Running) -> None:
    async with a_sign(service.url) as feed:
        await receive(feed)
        for _ in range(50):
            await feed.send_str('{"type":"showing","seq":1}')
        async for _ in feed:
            pass
        assert feed.close_code == 4400


async def test_a_sign_that_never_reads_is_dropped_and_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "UPDATE_SECONDS", 0.0)
    monkeypatch.setattr(hub, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(sign_sockets, "SEND_BUFFER_BYTES", 2048)
    rules = shipped_rules()
    async with running(rules, data=tmp_path, host="127.0.0.1", port=0) as service:
        port = int(service.url.rpartition(":")[2])
        stuck: list[asyncio.StreamWriter] = []
        for _ in range(5):
            # A tiny receive buffer and nobody who reads from it.
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            writer.write(
                b"GET /v1/links/main/feed?sign=pit HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                b"Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
                b"Sec-WebSocket-Version: 13\r\n\r\n"
            )
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            stuck.append(writer)
        async with a_sign(service.url) as feed, a_table(service, tmp_path) as table:
            await receive(feed)
            (link_hub,) = service.floor._hubs.values()
            number = 0
            async with asyncio.timeout(60):
                while len(link_hub.outboxes) > 1:
                    number += 1
                    # A win, as the games will announce them, until the stuck ones are full.
                    link_hub.announce(json.dumps({"type": "win", "pad": "x" * 20_000}).encode())
                    await table.ask(lock(2 * number - 1, f"r{number}"))
                    last = await table.ask(settle(2 * number, f"r{number}"))
            assert link_hub.dropped == 5
            wins = 0
            while True:
                message = await receive(feed)
                wins += message["type"] == "win"
                if message["type"] == "update" and message["seq"] == last["journal_seq"]:
                    break
            assert wins == number, "the one that reads misses no win"
        for writer in stuck:
            writer.close()


async def test_signs_and_tables_are_told_when_the_link_stops_and_comes_back(
    service: Running, tmp_path: Path
) -> None:
    (worker,) = service.floor.workers.values()
    async with a_sign(service.url) as feed, a_table(service, tmp_path) as table:
        await receive(feed)
        worker._faults.fail("the disk is on fire", may_retry=False)
        told = await receive(feed)
        while told["type"] != "state":
            told = await receive(feed)
        assert told == {"type": "state", "state": "inoperable", "reason": "the disk is on fire"}
        assert await table.receive() == told
        refused = await table.ask(lock(1, "r1"))
        assert refused["code"] == "LINK_INOPERABLE"
        assert "the disk is on fire" in refused["message"]
        await worker._faults.recover()
        told = await receive(feed)
        while told["type"] != "snapshot":
            told = await receive(feed)
        assert told["state"] == "live"
        assert (await table.receive())["state"] == "live"
        assert (await table.ask(lock(1, "r1")))["type"] == "locked"


SHARED_METER = """
[[link]]
id = "main"
name = "Main pit"
decks = 6
dealer_procedure = "card_reader"
soft17 = "hit"

[[link.bet]]
id = "blazing7"
game = "nj-blazing-7s"
paytable = "1"
dealing_option = 1
wager_cents = 500

[[link.bet.meter]]
id = "progressive"
name = "Progressive"
rate_ppm = 200000
reset_rate_ppm = 0
initial_cents = 10000000
reset_cents = 200000

[[table]]
id = "BJ-01"
link = "main"
seats = 7
"""


@asynccontextmanager
async def wins_of(
    text: str, data: Path, *hands: list[str]
) -> AsyncIterator[tuple[Running, list[Message]]]:
    """What the feed of such a floor says of these hands, dealt to seats 1 and so on."""
    floor = data / "floor.toml"
    floor.write_text(text, encoding="utf-8")
    async with (
        running(load_floor(floor).rules, data=data, host="127.0.0.1", port=0) as service,
        a_sign(service.url) as feed,
        a_table(service, data) as table,
    ):
        await receive(feed)
        await table.ask(lock(1, "r1", tuple(range(1, len(hands) + 1))))
        seats = [{"seat": seat, "cards": cards} for seat, cards in enumerate(hands, start=1)]
        await table.ask(settle(2, "r1", seats=seats, dealer={"cards": ["5s"]}))
        wins: list[Message] = []
        while len(wins) < len(hands):
            if (message := await receive(feed))["type"] == "win":
                wins.append(message)
        yield service, wins


async def test_share_of_a_meter_is_told_as_one(tmp_path: Path) -> None:
    """The frame of a 10 percent award could not be told from that of the jackpot."""
    head = FLOOR.read_text(encoding="utf-8").partition("[[payment_approval]]")[0]
    hands = ["7d", "7h", "7d"], ["7s", "7s", "7s"]
    async with wins_of(head + SHARED_METER, tmp_path, *hands) as (service, wins):
        # From the dealer's right: the whole meter, then a part of what it began again with.
        told = ("seat", "share_percent", "amount_cents", "next_cents", "wager_cents")
        assert [tuple(win[field] for field in told) for win in wins] == [
            (2, 100, 10_000_200, 200_000, 500),
            (1, 10, 20_000, 180_000, 500),
        ]
        async with a_sign(service.url) as late:
            assert (await receive(late))["wins"] == wins


async def test_award_of_nothing_is_told_and_no_reserve_is_posted(tmp_path: Path) -> None:
    """The second winner of a Mega that starts again at $0, from no reserve."""
    text = FLOOR.read_text(encoding="utf-8")
    before, mega, after = text.partition('id = "mega"')
    for amount in ("reset_rate_ppm", "reset_cents"):
        after = re.sub(rf"{amount} = \d+", f"{amount} = 0", after, count=1)
    hand = ["7d", "7d", "7d"]
    async with wins_of(before + mega + after, tmp_path, hand, hand) as (service, wins):
        assert [(win["seat"], win["amount_cents"], win["next_cents"]) for win in wins] == [
            (2, 10_000_120, 0),
            (1, 0, 0),
        ]
        async with (
            aiohttp.ClientSession() as http,
            http.get(f"{service.url}/v1/links/main/posted") as answer,
        ):
            posted = (await answer.json())["bets"][0]["meters"]
    assert [(meter["reset_cents"], meter["reset_rate_ppm"] > 0) for meter in posted] == [
        (0, False),
        (500_000, True),
        (250_000, True),
    ]
