"""Two nodes on one Redis: one leads, the other follows, and takes over when the first is gone."""

import asyncio
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from click.testing import CliRunner

from progressive.adapters.redis.place import RedisPlace
from progressive.adapters.seals.key_file import new_signer, write_key
from progressive.entry.cli import main
from tests.support.a_witness import AWitness, witnessing
from tests.support.redis_server import own_place
from tests.support.service import (
    ServiceProcess,
    TableClient,
    issue_key,
    lock,
    settle,
)

pytestmark = [pytest.mark.redis, pytest.mark.slow]

TABLE = "BJ-01"
WAIT_SECONDS = 60
SEALED_SECONDS = 300
"""The process that seals runs at idle priority."""


def store_of(place: RedisPlace) -> str:
    return f"{place.url}?prefix={place.prefix}&replicas={place.replicas}"


class Nodes:
    """Two nodes with a data directory each, and the same keys of tables."""

    def __init__(self, folder: Path, place: RedisPlace) -> None:
        self.place = place
        self.data = [folder / "one", folder / "two"]
        self.key = issue_key(self.data[0], TABLE)
        shutil.copytree(self.data[0], self.data[1])

    def start(self, number: int, *options: str) -> ServiceProcess:
        return ServiceProcess(self.data[number], "--store", store_of(self.place), *options)


@pytest.fixture
def nodes(tmp_path: Path) -> Nodes:
    return Nodes(tmp_path, own_place())


async def asked(url: str, path: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}{path}") as response:
        return response.status, await response.json()


async def main_link(url: str) -> dict[str, Any]:
    _, body = await asked(url, "/v1/links")
    found: dict[str, Any] = next(each for each in body["links"] if each["id"] == "main")
    return found


async def until_at(url: str, seq: int) -> dict[str, Any]:
    """Once the node's link has come to a record."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (link := await main_link(url))["seq"] < seq:
            await asyncio.sleep(0.02)
    return link


async def until_it_leads(url: str) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while (await asked(url, "/readyz"))[0] != 200:
            await asyncio.sleep(0.02)


async def a_round(url: str, key: str) -> int:
    """One round, locked and settled; the record of the settlement."""
    async with TableClient.connect(url, TABLE, key) as client:
        seq = client.welcome["next_seq"]
        assert (await client.ask(lock(seq, f"r{seq}", (1, 2))))["type"] == "locked"
        settled = await client.ask(settle(seq + 1, f"r{seq}"))
        assert settled["type"] == "settled"
    found: int = settled["journal_seq"]
    return found


async def close_of(url: str, key: str) -> tuple[int | None, str | None]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(
            f"{url}/v1/tables/{TABLE}/socket", headers={"Authorization": f"Bearer {key}"}
        ) as ws,
    ):
        frame = await ws.receive(timeout=WAIT_SECONDS)
        assert frame.type is aiohttp.WSMsgType.CLOSE
        return frame.data, frame.extra


def verified(data: Path) -> int:
    """Exit code of `progressive verify`."""
    return CliRunner().invoke(main, ["verify", "--data", str(data)]).exit_code


def amounts(link: dict[str, Any]) -> list[int]:
    return [meter["cents"] for meter in link["meters"]]


async def test_standby_shows_what_the_leader_wrote_and_sends_tables_to_it(nodes: Nodes) -> None:
    with nodes.start(0) as leader, nodes.start(1) as standby:
        seq = await a_round(leader.url, nodes.key)
        shown = await until_at(standby.url, seq)
        led = await main_link(leader.url)
        assert (shown["state"], amounts(shown)) == ("live", amounts(led))
        assert await close_of(standby.url, nodes.key) == (4503, leader.url)
        status, ready = await asked(standby.url, "/readyz")
        assert (status, ready["links"]["main"]["leader"]) == (503, leader.url)
        assert (await asked(leader.url, "/readyz"))[0] == 200
        assert leader.terminate() == standby.terminate() == 0


async def test_standby_leads_when_the_leader_is_killed_and_nothing_is_lost(nodes: Nodes) -> None:
    with nodes.start(0) as leader, nodes.start(1) as standby:
        for _ in range(3):
            seq = await a_round(leader.url, nodes.key)
        before = amounts(await main_link(leader.url))
        leader.kill()
        await until_it_leads(standby.url)
        link = await main_link(standby.url)
        assert amounts(link) == before
        assert link["seq"] >= seq
        assert await a_round(standby.url, nodes.key) > seq
        with nodes.start(0) as again:
            # What it missed is copied; it stands by.
            shown = await until_at(again.url, (await main_link(standby.url))["seq"])
            assert amounts(shown) == amounts(await main_link(standby.url))
            assert await close_of(again.url, nodes.key) == (4503, standby.url)
            assert again.terminate() == standby.terminate() == 0
    for data in nodes.data:
        assert verified(data) == 0


async def test_planned_stop_hands_over_without_waiting_for_the_lease(nodes: Nodes) -> None:
    with nodes.start(0) as leader, nodes.start(1) as standby:
        seq = await a_round(leader.url, nodes.key)
        await until_at(standby.url, seq)
        assert leader.terminate() == 0
        await until_it_leads(standby.url)
        assert await a_round(standby.url, nodes.key) > seq
        assert standby.terminate() == 0


async def test_leader_that_hung_and_goes_on_cannot_write_and_follows(nodes: Nodes) -> None:
    with nodes.start(0) as former, nodes.start(1) as standby:
        seq = await a_round(former.url, nodes.key)
        async with TableClient.connect(former.url, TABLE, nodes.key) as client:
            seq_of_table = client.welcome["next_seq"]
            os.kill(former.pid, signal.SIGSTOP)
            await until_it_leads(standby.url)
            # Sent while nobody reads it there: whatever it becomes, it is not stored twice.
            await client.ws.send_json(lock(seq_of_table, "late", (1,)))
            assert await a_round(standby.url, nodes.key) > seq
            os.kill(former.pid, signal.SIGCONT)
            frames = [await client.ws.receive(timeout=WAIT_SECONDS)]
            while frames[-1].type is aiohttp.WSMsgType.TEXT:
                assert frames[-1].json()["type"] in ("error", "state")
                frames.append(await client.ws.receive(timeout=WAIT_SECONDS))
            assert client.ws.close_code in (4503, 1013)
        led = await main_link(standby.url)
        shown = await until_at(former.url, led["seq"])
        assert amounts(shown) == amounts(led)
        assert await close_of(former.url, nodes.key) == (4503, standby.url)
        assert former.terminate() == standby.terminate() == 0
    for data in nodes.data:
        assert verified(data) == 0


@pytest.mark.drill
async def test_witness_confirms_both_nodes_and_notices_a_log_that_lost_its_end(
    nodes: Nodes, tmp_path: Path
) -> None:
    key = tmp_path / "seal-key"
    signer = new_signer("house")
    write_key(key, signer)

    with witnessing(AWitness(signer.key())) as witness:
        options = ("--seal-key", str(key), "--witness", witness.option)

        async def confirmed(size: int) -> None:
            async with asyncio.timeout(SEALED_SECONDS):
                while max([0, *[each.size for each in witness.seen.values()]]) < size:
                    await asyncio.sleep(0.02)

        with nodes.start(0, *options) as first, nodes.start(1, *options) as second:
            seq = await a_round(first.url, nodes.key)
            assert first.terminate() == 0
            await confirmed(seq)
            await until_it_leads(second.url)
            seq = await a_round(second.url, nodes.key)
            assert second.terminate() == 0
            await confirmed(seq)
        # Away for a while, and with older seals than the witness: it copies, leads and seals.
        with nodes.start(0, *options) as first:
            await until_it_leads(first.url)
            assert (await a_round(first.url, nodes.key)) > seq
            assert first.terminate() == 0
        for data in nodes.data[:1]:
            assert verified(data) == 0
        # A log and a node that know less than the witness: nobody here could tell otherwise.
        seen = next(iter(witness.seen.values())).size
        alone = Nodes(tmp_path / "older", own_place())
        with alone.start(0, *options) as older:
            await a_round(older.url, alone.key)
            async with asyncio.timeout(SEALED_SECONDS):
                while (link := await main_link(older.url))["state"] == "live":
                    await asyncio.sleep(0.02)
            assert (
                f"has seen {seen} sealed records" in link["reason"] or "cosigned" in link["reason"]
            )
            assert older.terminate() == 0
